"""The privacy guarantee in a few sentences, for those who read what was found."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sottovoce.notions import LDP, ULDP, Certificate
from sottovoce.policy.wording import in_hundred, shown
from sottovoce.study import Study


def guarantee(study: Study) -> Iterator[tuple[str, bool]]:
    """Sentences for people, and with True those for readers who want to check them."""
    if study.of_several_questions:
        claim, level = study.mechanism.claim, study.mechanism.level  # type: ignore[union-attr]  # forms
        yield f"Guarantee: {claim.promise()} {_belief(level)}", False
        yield f"{claim.title}, ε = {shown(level)} for all that a person reports. Fingerprint {study.fingerprint}.", True
        return
    for name, mechanism in study.blocks.items():
        certificate, named = mechanism.certify(), f" at level {name!r}" if name else ""
        yield f"Guarantee{named}: {of_certificate(certificate)}", False
        several = f" of one report ({study.reports} per person)" if study.reports > 1 else ""
        yield f"Mechanism {mechanism.name}, {certificate.notion.title}, ε = {shown(certificate.level)}{several}.", True
    if study.name:
        yield f"Fingerprint {study.fingerprint}.", True


def of_certificate(certificate: Certificate) -> str:
    """What a notion promises, with a belief before and after as an example if the notion bounds all odds alike."""
    notion = certificate.notion
    if isinstance(notion, (LDP, ULDP)) and not math.isinf(certificate.level):
        return f"{notion.promise()} {_belief(certificate.level, sensitive=isinstance(notion, ULDP))}"
    return notion.promise()


def _belief(level: float, *, sensitive: bool = False) -> str:
    of = "an answer is a certain sensitive one" if sensitive else "an answer is a certain one"
    return f"If someone thinks there is a 1 in 100 chance that {of}, a report can raise that to at most {in_hundred(level)}."
