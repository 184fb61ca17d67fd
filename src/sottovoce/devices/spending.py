"""What answers give away, in the unit in which a device adds it up."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from sottovoce.arithmetic import log_above
from sottovoce.channels import Channel
from sottovoce.errors import DomainError, ParameterError
from sottovoce.mechanisms import Forms
from sottovoce.study import Study


@dataclass(frozen=True, slots=True)
class Spent:
    """What answers give away: the privacy budget as `epsilon`, and how many answers may be revealed.

    No ε covers an answer that is shown, so those are counted apart.
    """

    epsilon: float
    shown: int

    def __post_init__(self) -> None:
        if not (self.epsilon >= 0 and math.isfinite(self.epsilon) and self.shown >= 0):
            raise ValueError("The amount spent is negative. Give 0 or more.")


def price(study: Study, level: str | None = None) -> Spent:
    """What one answer to a study gives away, in all its reports: the level of its integer tables, rounded up to thousandths.

    It's the largest factor between two answers over the reports that show no answer as it is, as ε of local differential privacy. Under
    LIP it's 2ε, since two answers are each ε away from what the study expects. A questionnaire costs what its most revealing form does.

    >>> price(Study.from_toml('''
    ... name = "clinic-2026"
    ... question = "Which of these do you have?"
    ... items = ["hiv", "flu", "none"]
    ... [privacy]
    ... notion = "uldp"
    ... epsilon = 1.0
    ... sensitive = ["hiv"]
    ... '''))
    Spent(epsilon=1.0, shown=1)
    """
    tier = checked_level(study, level)
    if isinstance(study.mechanism, Forms):
        parts = [part for name in study.mechanism.tiers[tier] for part in study.mechanism.groups[name].parts]
        return Spent(_thousandths(study.mechanism.levels[tier]) / 1000, int(any(_shows(part.channel) for part in parts)))
    channel, promise = study.blocks[tier].channel, study.promises[tier]
    if promise is not None and promise.prior is not None:
        found, steps = max(extreme.ratio for extreme in channel.columns.belief_ratios(promise.prior)), 2
    else:
        everything = np.ones(channel.size, dtype=np.bool_)
        found, steps = channel.columns.largest_pair(everything, everything).ratio, 1
    largest = max(Fraction(1), Fraction(found))
    return Spent(steps * _thousandths(log_above(largest**study.reports)) / 1000, int(_shows(channel)))


def checked_study(study: Any) -> None:
    """Refuse anything that isn't a study."""
    if not isinstance(study, Study):
        raise ParameterError(f"The study is {study!r}. Give a study, or the URL of one.")


def checked_level(study: Study, level: str | None) -> str:
    """The level that a person chose, "" if the study has none."""
    checked_study(study)
    if level in study.levels or (not level and not study.levels):
        return level or ""
    if not study.levels:
        raise DomainError(f"The study {study.name!r} has no levels. Leave out level={level!r}.")
    given = "No level is given" if level is None else f"{level!r} isn't a level of this study"
    raise DomainError(f"{given}. Choose one of {', '.join(study.levels)}.")


def _shows(channel: Channel) -> bool:
    """Whether a report can show an answer as it is."""
    return bool(channel.columns.invertible.any())


def _thousandths(level: float) -> int:
    """The smallest number of thousandths, as a double, that isn't below a level."""
    found = math.ceil(level * 1000) + 1
    while found and (found - 1) / 1000 >= level:
        found -= 1
    return found
