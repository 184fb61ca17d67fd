"""What to be careful about when reading an estimate, in sentences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.errors import UnsupportedError
from sottovoce.estimators import Estimate
from sottovoce.labels import labels_of
from sottovoce.study import Study

if TYPE_CHECKING:
    from sottovoce.report.findings import Tag

#: The expected total variation above which people are called too few, and the nats above which a climb is called unfinished.
_FEW, _UNFINISHED = 0.1, 0.1


def cautions(
    study: Study,
    estimate: Estimate,
    p: NDArray[np.float64],
    low: NDArray[np.float64] | None,
    tags: Sequence[Tag],
    known: Mapping[str, Any],
    level: float,
) -> list[str]:
    """The cautions that apply, the gravest first."""
    unknown = [tag for tag in tags if tag.name not in known]
    found = [
        *_few_people(study, estimate),
        *_unresolved(unknown),
        *_near_zero(study, p, low, level, "or all who do have marked" * bool(unknown)),
    ]
    if low is None:
        found.append("There are no intervals: the totals of this mechanism's reports cannot be inverted.")
    if estimate.gap is not None and estimate.gap > _UNFINISHED:
        found.append(f"The likelihood was not climbed to its top: up to {estimate.gap:.2g} nats are missing.")
    if study.reports > 1:
        found.append(
            f"Each person gave {study.reports} reports. The intervals speak about the people who answered; "
            "for a larger population behind them they are a little too narrow."
        )
    if any(promise is None for promise in study.promises.values()):
        found.append("Some people may have chosen a level that hides nothing; their reports show their answers as they are.")
    if estimate.method == "mmse":
        found.append("The prior was trusted: if it is wrong, so is the estimate.")
    return found


def _few_people(study: Study, estimate: Estimate) -> list[str]:
    try:
        expected = float(estimate.stderr.sum()) / math.sqrt(2 * math.pi)
    except UnsupportedError:
        return []
    if expected <= _FEW:
        return []
    people = estimate.n // study.reports
    needed = math.ceil(people * (expected / _FEW) ** 2)
    off = f"the shares may be off by about {min(expected, 1.0):.0%} of the population in all (total variation)"
    return [f"There are too few people: {off}. About {_rounded(needed)} people would bring that down to {_FEW:.0%}."]


def _rounded(number: int) -> str:
    """A number with two digits that count."""
    size = 10 ** max(0, len(str(number)) - 2)
    return f"{-(-number // size) * size:,}"


def _near_zero(study: Study, p: NDArray[np.float64], low: NDArray[np.float64] | None, level: float, otherwise: str) -> list[str]:
    at_zero = np.flatnonzero(low <= 0) if low is not None else np.zeros(0, dtype=np.int64)
    if not len(at_zero):
        return []
    texts = labels_of(study.domain).texts
    largest = at_zero[np.argsort(-p[at_zero], kind="stable")][:5]
    names = ", ".join(texts[k] for k in largest)
    if len(at_zero) == 1:
        perhaps = f"perhaps nobody has it, {otherwise} it" if otherwise else "perhaps nobody has it"
        return [f"The {level:.0%} interval of {names} reaches zero: {perhaps}."]
    more = f" and {len(at_zero) - len(largest)} more" if len(at_zero) > len(largest) else ""
    perhaps = f"perhaps nobody has them, {otherwise} them" if otherwise else "perhaps nobody has them"
    return [f"The {level:.0%} intervals of {len(at_zero)} of {len(p)} items reach zero ({names}{more}): {perhaps}."]


def _unresolved(tags: Sequence[Tag]) -> list[str]:
    spread = (
        "nothing is known about where those lie; they were spread in proportion to the other answers, "
        "and every item's interval leaves room for all of them"
    )
    return [f"{tag.p:.1%} of the answers were marked as {tag.name!r}, and {spread}." for tag in tags]
