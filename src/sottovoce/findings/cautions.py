"""Cautions for people who read an estimate, in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from sottovoce.arrays import Floats
from sottovoce.estimators import Estimate, Interval
from sottovoce.findings.formatting import as_percent
from sottovoce.findings.place_names import named
from sottovoce.findings.precision import Precision
from sottovoce.study import Study

#: The expected total variation above which people are called few, and the nats above which a climb is called unfinished.
_FEW, _UNFINISHED = 0.1, 0.1
_UNCERTAIN = "the shares of single ranges are uncertain"


def cautions(
    study: Study,
    estimate: Estimate,
    interval: Interval | None,
    level: float,
    *,
    tested: bool,
    axes: bool,
    figures: bool = True,
    whom: str = "people",
) -> list[str]:
    """The cautions that apply, most important first: how little the reports reveal, then assumptions, then possible improvements.

    If findings were `tested` for items above zero, they describe that themselves. `axes` means that the reports show the shares of axes.
    `figures` means that they show the mean or a quartile of numbers. `whom` names the people who are asked.
    """
    found = [*_few_people(study, estimate, intervals=interval is not None, axes=axes, figures=figures, whom=whom)]
    if interval is None:
        found.append("There are no intervals, because the totals of this mechanism's reports can't be inverted.")
    elif not tested:
        found += _near_zero(study, estimate, interval, level)
    if estimate.gap is not None and estimate.gap > _UNFINISHED:
        found.append(
            f"The computation stopped up to {estimate.gap:.2g} nats before the maximum of the likelihood. The estimate is approximate."
        )
    if study.reports > 1:
        found.append(f"The intervals assume that each person sent all {study.reports} reports, all about the same answer.")
    if any(promise is None for promise in study.promises.values()):
        found.append("Some people may have chosen a level that hides nothing. Their reports show their answers as they are.")
    if estimate.method == "mmse":
        found.append("The estimate relies on the prior: if that is wrong, so is the estimate. It describes only the people who answered.")
    elif any(promise is not None and promise.prior is not None for promise in study.promises.values()):
        found.append(
            "The prior of the study wasn't used. Method 'mmse' uses it, and is closer to the people who answered if the prior is right."
        )
    return found


class Caution(str):
    """A caution about one question, with the text that `many` questions can share: the same without the numbers of one question."""

    __slots__ = ("shared",)

    def __new__(cls, text: str, shared: str) -> Caution:
        made = super().__new__(cls, text)
        made.shared = shared
        return made

    shared: str


def are_ranges_uncertain(said: Iterable[str]) -> bool:
    """Whether cautions say that the shares of single ranges are uncertain."""
    return any(isinstance(each, Caution) and _UNCERTAIN in each for each in said)


def grouped(named: Iterable[tuple[str, str]]) -> list[tuple[list[str], str]]:
    """Group equal cautions, with the names of the questions they are about.

    >>> grouped([("age", "Few answers."), ("sex", "Few answers."), ("age", "Rounded.")])
    [(['age', 'sex'], 'Few answers.'), (['age'], 'Rounded.')]
    """
    found: dict[str, dict[str, str]] = {}
    for name, caution in named:
        found.setdefault(getattr(caution, "shared", caution), {}).setdefault(name, caution)
    return [(list(texts), shared if len(set(texts.values())) > 1 else next(iter(texts.values()))) for shared, texts in found.items()]


def _few_people(study: Study, estimate: Estimate, *, intervals: bool, axes: bool, figures: bool, whom: str) -> list[str]:
    people = max(1, estimate.n // study.reports)
    precision = Precision.of(study, estimate)
    expected = None if precision.tv is None else precision.tv_with(people)
    if expected is None or expected <= _FEW:
        return []
    if study.domain.edges is not None:
        few = f"There are few {whom} for {len(study.domain):,} ranges and this protection"
        uncertain = f"{few}, so {_UNCERTAIN}."
        read = "Read the mean, the quartiles and the shares below single numbers instead." if figures else "Wait for more of them."
        shared = f"There are few {whom} for so many ranges and this protection, so {_UNCERTAIN}."
        return [Caution(f"{uncertain} {read}", f"{shared} {read}")]
    needed = _rounded(math.ceil(people * (expected / _FEW) ** 2))
    off = "more than half" if expected > 0.5 else f"about {expected:.0%}"
    few = f"There are few {whom} for {len(study.domain):,} items and this protection."
    unbiased = f"An unbiased estimate would put {off} of the population at the wrong items."
    more = f"Getting below {_FEW:.0%} would take about {needed} {whom}."
    better = " The shares of a single axis are more precise than those of items." if axes else ""
    read = " Read the intervals rather than the shares." if intervals else ""
    return [Caution(f"{few} {unbiased} {more}{better}{read}", f"There are few {whom} for this protection.{read}")]


def _rounded(number: int) -> str:
    """A number with two significant digits."""
    size = 10 ** max(0, len(str(number)) - 2)
    return f"{-(-number // size) * size:,}"


def _named(study: Study, codes: NDArray[np.int64], p: Floats) -> str:
    """Some items, the largest first, and how many more there are."""
    texts, largest = named(study.domain), codes[np.argsort(-p[codes], kind="stable")][:5]
    more = f" and {len(codes) - len(largest)} more" if len(codes) > len(largest) else ""
    return ", ".join(texts[k] for k in largest) + more


def _near_zero(study: Study, estimate: Estimate, interval: Interval, level: float) -> list[str]:
    at_zero = np.flatnonzero(interval.low <= 0)
    if not len(at_zero):
        return []
    names = _named(study, at_zero, estimate.p)
    if len(at_zero) == 1:
        return [f"The {as_percent(level)} interval of {names} reaches zero: perhaps no one has it."]
    return [
        f"The {as_percent(level)} intervals of {len(at_zero):,} of {len(estimate.p):,} items reach zero ({names}): perhaps no one has them."
    ]
