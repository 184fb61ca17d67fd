"""Local differential privacy."""

from __future__ import annotations

from typing import ClassVar

from sottovoce.catalogue import notion
from sottovoce.domain import Item
from sottovoce.notions.base import Certificate, EpsilonNotion, Judged, widest
from sottovoce.policy.wording import factor


@notion(
    says="Q(y|x) ≤ e^ε·Q(y|x') for all answers and reports",
    source="ULDP paper, Definition 1",
    key="ldp",
    label="LDP",
    takes=("epsilon",),
    arguments=lambda promise: (promise.epsilon,),
)
class LDP(EpsilonNotion):
    """ε-LDP: Q(y|x) ≤ e^ε·Q(y|x') for all items x, x' and every report y (ULDP paper, Definition 1).

    The same as worst-case local information privacy, in which the prior may be anything.

    >>> from sottovoce import Domain, krr
    >>> LDP(1.0).check(krr(Domain("abc"), 1.0)).level
    1.0
    """

    title: ClassVar[str] = "local differential privacy"

    def check(self, mechanism: Judged) -> Certificate:
        return self._verdict(mechanism, widest(mechanism))

    def raises(self, item: Item) -> float:
        """Q(y|x) ≤ e^ε·Q(y|x') bounds the odds of every answer against all others together."""
        return self.epsilon

    def promise(self) -> str:
        if self.epsilon == float("inf"):
            return "There is no guarantee. A report may reveal the answer."
        return f"Whatever you answer, your report changes the odds between any two answers by at most a factor of {factor(self.epsilon)}."
