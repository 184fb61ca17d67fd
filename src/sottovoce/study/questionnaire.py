"""Questionnaires: studies of several questions under one guarantee for the whole record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import Any

import numpy as np

from sottovoce.domain import Domain
from sottovoce.errors import ReportError, StudyError
from sottovoce.estimators import Estimate, estimate
from sottovoce.mechanisms import Forms, Mechanism, Part, Population
from sottovoce.notions import LDP
from sottovoce.policy import Promise
from sottovoce.policy.wording import factor, shown_from
from sottovoce.reports import PopulationReports, ProductReports
from sottovoce.sources import Source
from sottovoce.study.asking import Asking, Theme
from sottovoce.study.compiled import fingerprint_of
from sottovoce.study.planned_asking import chosen
from sottovoce.study.questionnaire_files import Written, read_questionnaire
from sottovoce.study.questionnaire_forms import canonical, read_compiled_questionnaire
from sottovoce.study.questions import Question, encoded
from sottovoce.study.sections import Section
from sottovoce.study.study import MINIMUM, PEOPLE, Study
from sottovoce.study.texts import domain_texts
from sottovoce.tallies import Block, Tally


@dataclass(frozen=True)
class Questionnaire(Study):
    """A study of several questions. Each person draws a form before she answers, and reports about the questions of that form.

    `mechanism` holds the forms, each certified for the whole record.
    """

    mechanism: Forms = field(repr=False)
    written: Written = field(kw_only=True, repr=False)

    @classmethod
    def of(cls, written: Written, forms: Forms | None = None) -> Questionnaire:
        """The questionnaire that was written; without `forms` its strategy is planned."""
        asking = _asking(written)
        made = _planned(asking, written) if forms is None else forms
        domain = Domain.joined({name: each for question in written.questions for name, each in question.fields.items()})
        promises = dict.fromkeys(made.names, Promise(domain, written.notion, written.epsilon))
        title = next(iter(written.texts["title"].values()))
        return cls(written.name, title, domain, promises, made, 1, written.people, written.minimum, written=written)

    @classmethod
    def read(cls, file: Section) -> Questionnaire:
        """The questionnaire of a study file."""
        written = read_questionnaire(file, MINIMUM)
        blamed = file.table("strategy", '[strategy] then kind = "auto"')
        with blamed.blaming(["questions"], "kind") if blamed.values else file.at("questions"):
            return cls.of(written)

    @classmethod
    def restore(cls, form: Mapping[str, Any], where: str) -> Questionnaire:
        """The questionnaire of a compiled study."""
        written, forms = read_compiled_questionnaire(form, where)
        study = cls.of(written, forms)
        if study.fingerprint != form.get("fingerprint"):
            raise StudyError(f"{where}: the fingerprint does not fit: the file was changed after it was compiled; compile it again")
        return study

    @property
    def questions(self) -> tuple[Question, ...]:
        return self.written.questions

    @property
    def of_several_questions(self) -> bool:
        return True

    @property
    def introduction(self) -> str:
        """What stands before the questions, if anything, in the first language."""
        return next(iter(self.written.texts.get("introduction", {"": ""}).values()))

    @cached_property
    def asking(self) -> Asking:
        """The questions as themes, and the strategies that there are for them."""
        return _asking(self.written)

    @cached_property
    def _canonical(self) -> dict[str, Any]:
        return canonical(self.written, self.mechanism)

    @cached_property
    def fingerprint(self) -> str:
        return fingerprint_of(self._canonical)

    def compile(self) -> dict[str, Any]:
        return self._canonical | {"promise": self.explain(), "fingerprint": self.fingerprint}

    def _promise(self) -> str:
        forms, claim = self.mechanism.groups.values(), self.mechanism.claim
        counts = sorted({len(self._named(form.questions)) for form in forms})
        number = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else str(counts[0])
        total = len(self.questions)
        drawn = "all questions" if counts[0] == total else f"{number} of {total} questions, drawn before you answer"
        certified = max(form.certify().level for form in forms)
        kept = f"a factor of {factor(certified)} at most, computed on the integer probabilities that are sampled"
        texts = [
            f"The promise ({claim.title}): {claim.promise()}",
            f"You report about {drawn}. The promise holds for all that you report together: {kept}.",
        ]
        if clear := self._named([name for theme in self.asking.clear for name in theme.fields]):
            texts.append(f"Answers to these questions are sent as they are, because nothing about them is sensitive: {', '.join(clear)}.")
        limits = [*claim.limits(), "That you take part, and which questions you were asked, is not hidden."]
        texts.append("What is not protected:\n" + "\n".join(f"  - {limit}" for limit in dict.fromkeys(limits)))
        return "\n\n".join(texts)

    def explain(self) -> str:
        return f"{self._promise()}\n\n{shown_from(self.minimum)}"

    def texts(self) -> Iterator[tuple[str, str]]:
        for key, texts in self.written.texts.items():
            yield from ((f"the {key}", text) for text in texts.values())
        for question in self.questions:
            yield "the question's name", question.name
            for key, by_language in question.translations.items():
                yield from ((f"the {key} of {question.name!r}", text) for text in by_language.values())
            yield from domain_texts(question.domain)

    def closed_on(self, day: date) -> str | None:
        opens, closes = (self.written.dates.get(key) for key in ("opens", "closes"))
        if opens is not None and day < date.fromisoformat(opens):
            return f"This study opens on {opens}."
        if closes is not None and day > date.fromisoformat(closes):
            return f"This study closed on {closes}."
        return None

    def about(self, part: Part) -> str:
        """What a part of a form is about: the names of its questions, or of the one whose boxes it reports as a whole."""
        return " × ".join(part.questions if part.cap is None else self._named(part.questions))

    def _named(self, fields: Any) -> list[str]:
        """The questions that fields belong to, each once."""
        owner = {name: question.name for question in self.questions for name in question.fields}
        return list(dict.fromkeys(owner[name] for name in fields))

    def plan(self, *arguments: Any, **options: Any) -> Any:
        raise StudyError("a questionnaire is planned as a whole; ask for its strategies: study.asking.strategies()")

    def perturb(self, table: Mapping[str, Any], source: Source | None = None) -> PopulationReports:
        """One submission for each row of a table with a column of labels for each question: a draw of the form, then its reports.

        Perturb a person's answers once. Another draw would reveal more than the study promises.
        """
        return self.mechanism.perturb(encoded(self.questions, table), source=source)

    def tallies(self, tally: Tally) -> dict[str, Tally]:
        """The tally of each theme, by its name: what all forms say about it."""
        if tally.source != self.mechanism:
            raise ReportError("the tally was made for another study")
        return {theme.name: _tally_of(theme, tally) for theme in self.asking.themes}

    def estimates(self, tally: Tally, method: str | None = None) -> dict[str, Estimate]:
        """The estimate of each field: of a question, or of a box of several choices; and of the themes of several questions.

        A question that is asked together with others is estimated as a margin of all of them.
        """
        found: dict[str, Estimate] = {}
        for theme in self.asking.themes:
            counted = _tally_of(theme, tally)
            if counted.n == 0:
                continue
            whole = estimate(counted, method)
            found[theme.name] = whole
            if len(theme.fields) > 1:
                for name, domain in theme.fields.items():
                    axes = [name] if len(domain.axes) == 1 else [f"{name}.{axis.name}" for axis in domain.axes]
                    found[name] = whole.margin(*axes)
        return found

    def view(self, name: str) -> Study:
        """A field, or a theme, as a study of one question: what an estimate of it is shown with."""
        theme = next((each for each in self.asking.themes if name in each.fields or name == each.name), None)
        if theme is None:
            raise StudyError(f"{name!r} is not a question of this study")
        domain = theme.domain if name == theme.name else theme.fields[name]
        question = next((each for each in self.questions if name in each.fields), None)
        text = name if question is None or question.choices else question.text
        mechanism = _mechanism_of(theme, self.mechanism)
        groups = mechanism.names if isinstance(mechanism, Population) else ("",)
        promises = dict.fromkeys(groups, Promise(domain, "ldp", self.written.epsilon))
        return Study(self.name, text, domain, promises, mechanism, 1, self.people, self.minimum)


def _asking(written: Written) -> Asking:
    return Asking(written.questions, written.notion, written.epsilon, written.people or PEOPLE)


def _planned(asking: Asking, written: Written) -> Forms:
    found = chosen(asking, written.strategy)
    return found.asking.forms(found.strategy)


def _parts(theme: Theme, forms: Forms) -> dict[str, Part]:
    """The parts of forms that speak of a theme, by their questions, numbered if these are reported at several budgets."""
    found: dict[str, Part] = {}
    for part in forms.parts:
        if set(theme.fields) <= set(part.questions):
            name = "+".join(part.questions)
            found[name if name not in found else f"{name} {len(found) + 1}"] = part
    return found


def _margin(theme: Theme, part: Part) -> Mechanism:
    """What a part says about a theme, as a mechanism for it."""
    if set(part.questions) == set(theme.fields):
        return Mechanism(part.domain, part.channel, part.claim, part.name)
    channel = part.margin(list(theme.fields))
    assert channel is not None  # blocks are direct, and boxes are read one by one
    level = Mechanism(theme.domain, channel, LDP(float("inf"))).certify().level
    return Mechanism(theme.domain, channel, LDP(level), part.name)


def _mechanism_of(theme: Theme, forms: Forms) -> Mechanism | Population:
    groups = {name: _margin(theme, part) for name, part in _parts(theme, forms).items()}
    return next(iter(groups.values())) if len(groups) == 1 else Population(groups)


def _tally_of(theme: Theme, tally: Tally) -> Tally:
    """What a tally of forms says about a theme: its parts of all forms added up, blocks by their margins."""
    forms = tally.source
    assert isinstance(forms, Forms)
    parts, mechanism = _parts(theme, forms), _mechanism_of(theme, forms)
    single = len(parts) == 1
    counts: dict[str, tuple[int, Any]] = {}
    kept: dict[str, Any] = {}
    for name, part in parts.items():
        whole = set(part.questions) == set(theme.fields)
        total, people, piles = np.zeros(part.channel.statistic.length, dtype=np.int64), 0, []
        for block in tally.blocks:
            place = next((k for k, each in enumerate(forms.groups[block.name].parts) if each == part), None)
            if place is None:
                continue
            total, people = total + _counts(block, place), people + block.n
            if whole and isinstance(block.reports, ProductReports):
                piles.append(block.reports.parts[place])
        counts["" if single else name] = (people, total if whole else part.margin_counts(total, list(theme.fields)))
        if piles and not part.channel.statistic.sufficient:
            kept["" if single else name] = sum(piles[1:], piles[0])
    found = Tally.from_counts(mechanism, counts)
    needed = {block.name for block in found.blocks if not block.sufficient}
    return found.with_reports(kept) if kept and needed <= set(kept) else found


def _counts(block: Block, place: int) -> Any:
    return block.channel.statistic.split(block.counts)[place]  # type: ignore[attr-defined]  # side by side
