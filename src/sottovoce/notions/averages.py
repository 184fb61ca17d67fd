"""Notions that bound an average over reports, not every single one: mutual information and maximal leakage."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from sottovoce.catalogue import notion
from sottovoce.channels import Bounds
from sottovoce.notions.base import Certificate, EpsilonNotion, Judged
from sottovoce.policy import Prior
from sottovoce.policy.wording import factor, shown

_TIGHT = 1e-9


class _Average(EpsilonNotion):
    def _bounded(self, mechanism: Judged, bounds: Bounds) -> Certificate:
        level = max(0.0, bounds.high)
        return Certificate(self, level <= self.epsilon, level, None, bounds.high - bounds.low < _TIGHT, {}, mechanism)

    def limits(self) -> list[str]:
        return ["Only the average over reports is limited. A rare report may still reveal its answer."]


@notion(says="I(X; Y) ≤ ε nats", source="LIP paper, Definition 3")
@dataclass(unsafe_hash=True)
class MutualInformation(_Average):
    """ε-MIP: at most ε nats of mutual information between item and report under the prior (LIP paper, Definition 3)."""

    prior: Prior
    title: ClassVar[str] = "mutual information privacy"

    def __init__(self, epsilon: float, prior: Any) -> None:
        super().__init__(epsilon)
        self.prior = Prior.of(prior)

    def check(self, mechanism: Judged) -> Certificate:
        return self._bounded(mechanism, mechanism.channel.information(self.prior.for_items(mechanism.channel.size)))

    def promise(self) -> str:
        nats, bits = shown(self.epsilon), shown(self.epsilon / math.log(2))
        return f"On average, a report reveals at most {nats} nats ({bits} bits) about the answer."


@notion(says="log Σ_y max_x Q(y|x) ≤ ε", source="LIP paper, Definition 2")
class MaximalLeakage(_Average):
    """ε-MIL: log Σ_y max_x Q(y|x) ≤ ε (LIP paper, Definition 2)."""

    title: ClassVar[str] = "maximal information leakage"

    def check(self, mechanism: Judged) -> Certificate:
        leakage = mechanism.channel.leakage()
        return self._bounded(mechanism, Bounds.around(math.log(leakage.low), math.log(leakage.high)))

    def promise(self) -> str:
        times = factor(self.epsilon)
        return f"Someone who guesses anything about you from your report succeeds at most {times} times as often as without it."
