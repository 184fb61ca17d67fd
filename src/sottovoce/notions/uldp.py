"""Utility-optimized and one-sided local differential privacy: protection for the sensitive items."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import ClassVar

from sottovoce.catalogue import notion
from sottovoce.domain import Item
from sottovoce.errors import DomainError
from sottovoce.notions.base import Certificate, EpsilonNotion, Judged, all_items, item_set, revealed, sensitive_mask
from sottovoce.policy.wording import factor


@dataclass(unsafe_hash=True)
class _Sensitive(EpsilonNotion):
    sensitive: frozenset[Hashable]

    def __init__(self, epsilon: float, sensitive: Iterable[Hashable]) -> None:
        super().__init__(epsilon)
        self.sensitive = item_set(sensitive)
        if not self.sensitive:
            raise DomainError(f"{type(self).__name__} has no sensitive items. Name at least one, or use identity(domain).")

    def raises(self, item: Item) -> float:
        """A sensitive answer never has a report of its own, and all reports that it has bound its odds."""
        return self.epsilon if item in self.sensitive else math.inf


@notion(
    says="the same, except for reports that only one, non-sensitive, answer can produce",
    source="ULDP paper, Definition 2",
    key="uldp",
    label="ULDP",
    takes=("epsilon", "sensitive and/or tags"),
    arguments=lambda promise: (promise.epsilon, [*promise.sensitive, *promise.bots]),
)
class ULDP(_Sensitive):
    """(X_S, Y_P, ε)-ULDP (Murakami & Kawamoto 2019, Definition 2).

    Every report either is invertible (a single, non-sensitive item can produce it) or satisfies
    Q(y|x) ≤ e^ε·Q(y|x') for all items x, x'. The protected set Y_P is the smallest possible: all reports that are not invertible.
    """

    title: ClassVar[str] = "utility-optimized local differential privacy"

    def check(self, mechanism: Judged) -> Certificate:
        everything = all_items(mechanism)
        exposed = revealed(mechanism, sensitive_mask(mechanism, self.sensitive))
        return self._verdict(mechanism, exposed or mechanism.channel.columns.largest_pair(everything, everything))

    def promise(self) -> str:
        return (
            "If your answer is sensitive, your report never proves it, because other answers may lead to the same report. "
            "If it isn't, the report may show it as it is. "
            f"Otherwise the odds between any two answers change by at most a factor of {factor(self.epsilon)}."
        )

    def limits(self) -> list[str]:
        return [
            "Answers that aren't sensitive aren't protected. A report may reveal one, and so that your answer isn't sensitive.",
            "The collector knows which items count as sensitive.",
        ]


@notion(says="Q(y|x) ≤ e^ε·Q(y|x') for sensitive x", source="ULDP paper, Definition 6")
class OSLDP(_Sensitive):
    """(X_S, ε)-OSLDP: Q(y|x) ≤ e^ε·Q(y|x') for sensitive x, any x' and every report y (ULDP paper, Definition 6)."""

    title: ClassVar[str] = "one-sided local differential privacy"

    def check(self, mechanism: Judged) -> Certificate:
        sensitive = sensitive_mask(mechanism, self.sensitive)
        exposed = revealed(mechanism, sensitive)
        return self._verdict(mechanism, exposed or mechanism.channel.columns.largest_pair(sensitive, all_items(mechanism)))

    def promise(self) -> str:
        return (
            f"Seeing your report raises the odds of any sensitive answer, against any other, by at most a factor of {factor(self.epsilon)}."
        )

    def limits(self) -> list[str]:
        return ["The protection is one-sided. A report may show that your answer isn't sensitive, and may reveal an answer that isn't."]
