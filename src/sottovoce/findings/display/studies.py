"""How studies, certificates and tallies are displayed: the question and its guarantee, and the counts."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sottovoce.findings.display.parts import Caution, Line, Part, Rows, Title
from sottovoce.findings.formatting import counted
from sottovoce.findings.guarantee import guarantee_lines, of_certificate
from sottovoce.labels import text_of
from sottovoce.notions import Certificate
from sottovoce.policy.wording import factor, shown
from sottovoce.study import Study
from sottovoce.tallies import Tally

#: Items and questions of a table.
_MOST = 20


def certificate_parts(certificate: Certificate) -> Iterator[Part]:
    """The verdict on a claim, then what a report can do to each item if the notion has a level for each."""
    notion = certificate.notion
    yield Title(notion.title, "kept" if certificate.holds else "BROKEN")
    at = shown(certificate.level, getattr(notion, "epsilon", None))
    bound = "" if certificate.attained else " or less"
    level = at if math.isinf(certificate.level) else f"ε = {at}{bound}, a factor of {factor(certificate.level)}"
    yield Line(f"Level: {level}. Computed on the integer probabilities that are sampled.", "facts")
    if certificate.holds:
        yield Line(of_certificate(certificate), "promise")
    else:
        yield Caution(f"The guarantee doesn't hold. Required: {notion.promise()}")
    if certificate.levels:
        budgets = getattr(notion, "budgets", {})
        listed = list(certificate.levels.items())[:_MOST]
        rows = [[text_of(item), shown(each), f"{budgets[item]:g}" if item in budgets else "", factor(each)] for item, each in listed]
        yield Rows({"item": "left", "ε": "right", "budget": "right", "factor": "right"}, rows)
        if len(certificate.levels) > len(listed):
            yield Line(f"… and {len(certificate.levels) - len(listed):,} more items.", "facts")
    for limit in notion.limits():
        yield Line(limit, "facts")


def study_parts(study: Study) -> Iterator[Part]:
    """The question and the guarantee."""
    yield Title(study.name, study.question)
    several = study.of_several_questions
    if several:
        yield Rows(
            {"question": "left", "": "left", "answers": "right"},
            [[each.name, each.text, f"{len(each.domain):,}"] for each in study.questions[:_MOST]],
        )
        if len(study.questions) > _MOST:
            yield Line(f"… and {len(study.questions) - _MOST:,} more questions.", "facts")
    else:
        texts = [text_of(study.domain.item(k)) for k in range(min(len(study.domain), _MOST))]
        more = f" and {len(study.domain) - _MOST:,} more" if len(study.domain) > _MOST else ""
        yield Line(f"{len(study.domain):,} possible answers: {', '.join(texts)}{more}.")
    reports = "" if several else f"{counted(study.reports, 'report', 'reports')} per person, "
    expected = "" if study.people is None else f"{counted(study.people, 'person', 'people')} expected, "
    facts = f"{reports}{expected}results from {counted(study.minimum, 'report', 'reports')} on"
    yield Line(facts[0].upper() + facts[1:], "facts")
    for text, folded in guarantee_lines(study):
        yield Line(text, "facts" if folded else "promise", folded=folded)


def tally_parts(tally: Tally) -> Iterator[Part]:
    """How many reports were counted, of which mechanism. The counts themselves aren't shares, so they aren't shown."""
    yield Title("Tally", f"{counted(tally.n, 'report', 'reports')} about {counted(len(tally.domain), 'item', 'items')}")
    kept = "kept" if any(block.piles is not None for block in tally.blocks) else "counted in place"
    reports = {True: "Totals are enough for every method.", False: f"Reports: {kept if tally.keep_reports else 'totals only'}."}
    yield Rows(
        {"level": "left", "mechanism": "left", "reports": "right", "guarantee": "left"},
        [[each.name or "–", each.mechanism.name, f"{each.n:,}", _level(each.mechanism.certify())] for each in tally.blocks[:_MOST]],
    )
    if len(tally.blocks) > _MOST:
        yield Line(f"… and {len(tally.blocks) - _MOST:,} more.", "facts")
    yield Line(reports[all(block.channel.statistic.sufficient for block in tally.blocks)], "facts")
    for note in tally.notes:
        yield Caution(note)
    yield Line("Reports are drawn by chance from answers, so their counts aren't shares. Find the shares with estimate(tally).", "facts")


def _level(certificate: Certificate) -> str:
    if math.isinf(certificate.level) and math.isinf(getattr(certificate.notion, "epsilon", 0.0)):
        return "none: reports show answers as they are"
    return f"{certificate.notion.title}, ε = {shown(certificate.level)}"
