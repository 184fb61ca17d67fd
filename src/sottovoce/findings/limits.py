"""What a study doesn't protect, and what a board may use of it."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sottovoce.findings.formatting import counted
from sottovoce.findings.protection import hidden_refusals
from sottovoce.notions.explain import ADD_UP
from sottovoce.study import Study
from sottovoce.study.questionnaire import Questionnaire

#: What no study hides.
_BOARDS_OPEN = (
    (
        "Neither that a person takes part nor the connection that sends the report is hidden. "
        "A network, such as that of an employer, and what stands in front of the collector can see who sends something, and when."
    ),
    (
        "The results aren’t hidden. If nearly everyone in a small, named group has something, the estimate shows it. "
        "That includes those who didn’t answer."
    ),
    "People who share an answer, such as a household, give several reports about it. Their budgets add up.",
    (
        "The guarantee begins where the report is drawn. "
        "It doesn’t cover a device that is watched, or a device, page or program that has been tampered with."
    ),
    "Reports can be forged. Anyone who can send reports can move the results, so invite people or limit who can answer.",
)


def limits_of(study: Study) -> list[str]:
    """All that a study doesn't protect: what its own guarantee leaves open, and what no study hides."""
    return [*unprotected(study), ADD_UP, *_BOARDS_OPEN, *_few(study)]


def _few(study: Study) -> Iterator[str]:
    """Who the minimum of reports doesn't bind, and how few answers results may be from."""
    yield (
        f"Analysts see no results before there are {counted(study.minimum, 'report', 'reports')}. "
        "Single reports can be read by administrators, by analysts who export them, and by everyone who can read the store or such a file."
    )
    if study.reports > 1:
        people = counted(math.ceil(study.minimum / study.reports), "person", "people")
        yield f"These are the reports of {people} if each person sends {study.reports}."
    if isinstance(study, Questionnaire) and not study.levels:
        forms, asked = study.mechanism, dict[str, float]()
        for name, weight in zip(forms.names, forms.weights, strict=True):
            for question in study.in_words(forms.groups[name].questions):
                asked[question] = asked.get(question, 0.0) + weight / 2**64
        name, chance = min(asked.items(), key=lambda pair: pair[1])
        if round(study.minimum * chance) < study.minimum:
            first = counted(study.minimum, "report", "reports")
            yield f"Not everyone reports about every question. Of the first {first}, about {study.minimum * chance:.0f} are about “{name}”."


def unprotected(study: Study) -> list[str]:
    """What the study's own guarantee leaves open."""
    if isinstance(study, Questionnaire):
        limits = [*hidden_refusals(study), *(limit for claim in study.mechanism.claims.values() for limit in claim.limits())]
        if any(len(names) > 1 for names in study.mechanism.tiers.values()):
            shown = " Whether someone was asked a question that depends on another isn’t sent." * any(
                each.after for each in study.questions
            )
            limits.append(f"Which questions a report is about isn’t hidden. Chance picks them, whatever the answers are.{shown}")
    else:
        limits = [limit for promise in study.promises.values() if promise is not None for limit in promise.claim().limits()]
    return list(dict.fromkeys([*limits, *(["Which protection level someone chose isn’t hidden."] if study.levels else [])]))


def assessment_of(study: Study) -> list[str]:
    """What its page can be used for in a data protection impact assessment, and what it doesn't decide."""
    linked = "It depends on what can be linked to a report: the connection, the device, the time, a ticket."
    found = [
        "This page can be attached to an assessment (GDPR, Article 35). It describes what is processed, risks and measures.",
        "What chance does on the device is a technical measure (Articles 25 and 32). It doesn’t replace other measures.",
        f"Whether reports are personal data is a legal question that this page doesn’t decide. {linked}",
        "Nothing here states that the reports are anonymous in the legal sense.",
    ]
    return found + ["Answers that aren’t sensitive may be sent as they are."] * has_open_answers(study)


def has_open_answers(study: Study) -> bool:
    """Whether some answers may be sent as they are at a level that protects others."""
    if isinstance(study, Questionnaire):
        return study.written.notion != "ldp"
    return any(
        promise is not None and mechanism.channel.columns.invertible.any()
        for promise, mechanism in zip(study.promises.values(), study.blocks.values(), strict=True)
    )
