"""The sections of a questionnaire's page: one for each question, and one for questions that were asked together."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from sottovoce.findings.cautions import are_ranges_uncertain
from sottovoce.findings.charts.questionnaire import question_charts
from sottovoce.findings.cross_tables import is_crossing, within
from sottovoce.findings.figures import Figure, notes_of
from sottovoce.findings.formatting import counted, digits_of, percent, percent_about
from sottovoce.findings.headlines import Headline
from sottovoce.findings.pages.map_sections import MapSection, listed_places, map_section
from sottovoce.findings.pages.parts import Table, all_of, drawn_of, table_of
from sottovoce.findings.questionnaire import QuestionFindings, QuestionnaireFindings
from sottovoce.findings.results import Findings
from sottovoce.findings.share_table import Html, Scale, share_key, share_table
from sottovoce.findings.shares import Shares
from sottovoce.findings.whom import covered

#: Rows of a table, those that can be unfolded, and those of a list of combinations.
_ROWS, _MOST, _COMBINATIONS = 12, 100, 200
#: Cautions, each with the questions that it names.
Cautions = Sequence[tuple[Sequence[str], str]]


@dataclass(frozen=True)
class QuestionSection:
    """What the page shows of a question."""

    anchor: str
    text: str
    help: str
    headline: Headline
    about: str
    cautions: Cautions
    words: str
    figures: Sequence[Figure]
    notes: Sequence[str]
    drawn: Sequence[Any]
    uncertain: bool
    map: MapSection | None
    margins: Sequence[Html]
    table: Html
    #: The rows that the table leaves out, folded, and how many of all there are.
    more: Table | None
    shown: str
    rest: str
    ranges: bool
    #: What the marks of ranges stand for: the key of the page is about other tables.
    key: Html
    #: Whose shares these are, and who is left out.
    base: str
    left_out: str


@dataclass(frozen=True)
class CrossingSection:
    """What the page shows of questions that were asked together: a table of two, or a list of the combinations."""

    anchor: str
    name: str
    people: str
    texts: Sequence[str]
    cautions: Cautions
    whole: Table | None
    rows: Sequence[Html]
    listed: Html | None
    count: int
    rest: str


@dataclass(frozen=True)
class Sections:
    """The sections of some findings. The tables of a question are on one scale. `shared` cautions stand at the top of the page."""

    findings: QuestionnaireFindings
    shared: frozenset[str]

    @cached_property
    def tables(self) -> Sequence[Shares]:
        """What the tables of answers show."""
        return [part for each in self.findings.questions for part in ([] if _apart(each) else _tables(each))]

    @property
    def key(self) -> Html:
        """What the marks of all tables stand for."""
        return share_key(self.tables, self.findings.level) if self.tables else Html()

    def question(self, number: int, found: QuestionFindings) -> QuestionSection:
        question, alone, level = found.question, _alone(found), self.findings.level
        places = None if alone is None or not alone.mapped else map_section(alone)
        shares = found.main if alone is None or places is None else alone.shares
        ranges = question.answers.edges is not None
        ordered = question.answers.ordered and alone is None
        every, rest = (list(range(len(shares.p))), "") if ordered else _listed(alone, shares, _MOST)
        rows = len(every) if question.answers.ordered else _ROWS if alone is None or places is None else len(alone.listed)
        order = every[:rows]
        drawn, listed = _apart(found), shares.take(order)
        scale = Scale.of(_tables(found))
        if alone is not None and places is not None:
            listed = replace(listed, labels=listed_places(alone, listed.labels, order, places.numbered))
        head = "Range" if ranges else "Place" if places is not None else "Answer"
        digits = None if found.apart is None else found.main.digits
        return QuestionSection(
            _anchor(number, question.name, "q"),
            question.text,
            question.help,
            found.headline,
            self._about(found),
            self._cautions(found.cautions),
            "" if alone is None else alone.words,
            found.figures,
            notes_of(found.figures),
            drawn_of(lambda width, text: question_charts(found, level, width, text)) if drawn and places is None else [],
            are_ranges_uncertain(found.cautions),
            places,
            [share_table(each, scale, level=level) for each in _margins(found)],
            share_table(
                listed,
                None if drawn else scale,
                level=level,
                head=head,
                digits=digits,
                enlarged=not (drawn or ordered or _margins(found)),
            )
            if order
            else Html(),
            table_of(shares.take(every)) if len(order) < len(every) else None,
            all_of(len(every), len(shares.p)),
            rest,
            ranges and bool(order),
            share_key([listed], level) if ranges and order else Html(),
            _base(found),
            _left_out(found),
        )

    def crossing(self, number: int, name: str) -> CrossingSection:
        found, fields, level = self.findings.together[name], name.split("+"), self.findings.level
        texts: Mapping[str, str] = {each.name: each.text for each in self.findings.study.questions}
        two = is_crossing(found)
        order, rest = ([], "") if two else _listed(found, found.shares, _COMBINATIONS)
        rows = _rows(found) if two else []
        listed = replace(found.shares.take(order), name=" / ".join(fields))
        scale = Scale.of(rows) if rows else None
        return CrossingSection(
            _anchor(number, name, "together"),
            f"{', '.join(fields[:-1])} and {fields[-1]}",
            counted(found.n, "person", "people"),
            [texts[field] for field in fields],
            self._cautions(found.cautions),
            _across(found) if two else None,
            [share_table(each, scale, level=level, digits=digits_of(width for row in rows for width in row.widths)) for each in rows],
            share_table(listed, level=level) if order else None,
            len(order),
            rest,
        )

    def _about(self, found: QuestionFindings) -> str:
        """How many reports the shares are from."""
        said = [covered(found.question, found.n, self.findings.n)]
        if found.question.choices:
            said += ["Each of them is about some of the answers."] * self._is_split(found.question.name)
            said.append("Several answers were possible, so the shares don’t sum to 100%.")
        return " ".join(said)

    def _is_split(self, question: str) -> bool:
        """Whether reports about a question leave out some of its choices."""
        study = self.findings.study
        forms = [{part for part in form.questions if question in study.in_words([part])} for form in study.mechanism.groups.values()]
        return any(each and each != set().union(*forms) for each in forms)

    def _cautions(self, said: Sequence[str]) -> Cautions:
        """The cautions that stand at a question: not those that several questions share."""
        return [([], each) for each in dict.fromkeys(said) if getattr(each, "shared", each) not in self.shared]


def _tables(found: QuestionFindings) -> list[Shares]:
    """What the tables of a question show: its answers and its axes."""
    return [found.main, *_margins(found)]


def _apart(found: QuestionFindings) -> bool:
    """Whether a question has a chart: numbers and places."""
    return found.question.answers.edges is not None or all(axis.bounds for axis in found.question.answers.axes)


def _alone(found: QuestionFindings) -> Findings | None:
    """The findings of a question that everyone answered."""
    return found.findings if found.among is None else None


def _margins(found: QuestionFindings) -> Sequence[Shares]:
    alone = _alone(found)
    return [] if alone is None else alone.margins


def _anchor(number: int, name: str, kind: str) -> str:
    """An address within the page, which is safe whatever the name is."""
    return f"{kind}{number}-{re.sub(r'[^a-z0-9]+', '-', name.lower()).strip('-') or kind}"


def _listed(alone: Findings | None, shares: Shares, most: int) -> tuple[list[int], str]:
    """The answers of a table, and what it leaves out."""
    order = np.argsort(-shares.p, kind="stable")[:most].tolist() if alone is None else alone.order(most)
    if len(order) == len(shares.p):
        return order, ""
    rest = np.ones(len(shares.p), dtype=np.bool_)
    rest[order] = False
    return order, f"The other {rest.sum():,} answers have {percent(float(shares.p[rest].sum()))} together."


def _base(found: QuestionFindings) -> str:
    """Of how many people the shares are, if some aren't among them."""
    if found.apart is None:
        return ""
    who = "were asked" + " and answered" * (found.question.refusal is not None) if found.question.after else "answered"
    return f"Of the about {100 * (1 - float(found.apart.p.sum())):.0f} in 100 people who {who}"


def _left_out(found: QuestionFindings) -> str:
    """The shares of everyone that the others leave out."""
    apart = found.apart
    if apart is None:
        return ""
    said = []
    for k, label in enumerate(apart.labels):
        share, ends, *_ = apart.cells(k, found.main.digits)
        remark = f", {apart.remark(k)}" * bool(apart.remark(k))
        said.append(f"“{label}” {share} of everyone ({ends}{remark})")
    return f"Not among them: {' and '.join(said)}."


def _rows(found: Findings) -> list[Shares]:
    """For each answer to the first of two questions, the shares of those who gave it."""
    down, over = found.study.domain.axes
    shares, columns = within(found), len(over.labels)
    parts = [shares.take(list(range(k * columns, (k + 1) * columns))) for k in range(len(down.labels))]
    labels = [str(label) for label in over.labels]
    return [replace(part, name=f"Of “{label}”", labels=labels) for part, label in zip(parts, down.labels, strict=True)]


def _across(found: Findings) -> Table:
    """A table of two questions: a row for each answer to the first one, a column for each answer to the second."""
    down, over = found.study.domain.axes
    shares = found.shares
    cells = [percent_about(float(shares.p[k]), *shares.ends(k), digits=shares.digits) for k in range(len(shares.p))]
    columns = len(over.labels)
    rows = [(str(label), cells[k * columns : (k + 1) * columns]) for k, label in enumerate(down.labels)]
    return Table([f"{down.name} \\ {over.name}", *map(str, over.labels)], rows)
