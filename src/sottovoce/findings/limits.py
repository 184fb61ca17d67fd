"""What a study doesn't protect, and what a board may use of it."""

from __future__ import annotations

from sottovoce.notions.explain import ADD_UP
from sottovoce.study import Study
from sottovoce.study.questionnaire import Questionnaire

#: What no study hides.
_BOARDS_OPEN = (
    "Neither that a person takes part nor the connection that sends the report is hidden.",
    (
        "The results aren’t hidden. If nearly everyone in a small, named group has something, the estimate shows it. "
        "That includes those who didn’t answer."
    ),
    "People who share an answer, such as a household, give several reports about it. Their budgets add up.",
    "The guarantee begins where the answer is changed. It doesn’t cover a device that is watched or has been tampered with.",
    "Reports can be forged. Anyone who can send reports can move the results, so invite people or limit who can answer.",
)


def limits_of(study: Study) -> list[str]:
    """All that a study doesn't protect: what its own guarantee leaves open, and what no study hides."""
    return [*unprotected(study), ADD_UP, *_BOARDS_OPEN]


def unprotected(study: Study) -> list[str]:
    """What the study's own guarantee leaves open."""
    if isinstance(study, Questionnaire):
        limits = [limit for claim in study.mechanism.claims.values() for limit in claim.limits()]
        limits.append("Which questions someone was asked isn’t hidden. Chance picks them, whatever the answers are.")
    else:
        limits = [limit for promise in study.promises.values() if promise is not None for limit in promise.claim().limits()]
    return list(dict.fromkeys([*limits, *(["Which protection level someone chose isn’t hidden."] if study.levels else [])]))


def assessment_of(study: Study) -> list[str]:
    """What its page can be used for in a data protection impact assessment, and what it doesn't decide."""
    linked = "It depends on what can be linked to a report: the connection, the device, the time, an invitation."
    found = [
        "This page can be attached to an assessment (GDPR, Article 35). It describes what is processed, risks and measures.",
        "Changing answers on the device is a technical measure (Articles 25 and 32). It doesn’t replace other measures.",
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
