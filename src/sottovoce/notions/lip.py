"""Local information privacy: how far a report may move a belief away from the prior."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from sottovoce.catalogue import notion
from sottovoce.channels.columns import Extreme, largest
from sottovoce.domain import Item
from sottovoce.notions.base import Certificate, EpsilonNotion, Judged, all_items, revealed
from sottovoce.notions.latent import Secrets
from sottovoce.policy import Prior, PriorSet
from sottovoce.policy.wording import factor


def belief_extreme(mechanism: Judged, prior: Prior, secrets: Secrets | None) -> Extreme:
    """The largest of Pr(y)/Pr(y|g) and Pr(y|g)/Pr(y) over reports y and secrets g (the items themselves when None)."""
    columns = mechanism.channel.columns
    prior = prior.for_items(mechanism.channel.size)
    if secrets is None:
        exposed = revealed(mechanism, all_items(mechanism))
        return exposed or largest(columns.belief_ratios(prior))
    mean = [prior.fraction(x) for x in range(len(prior))]
    rows = secrets.for_items(mechanism.channel.size).rows
    return largest([*(columns.largest_ratio(mean, row) for row in rows), *(columns.largest_ratio(row, mean) for row in rows)])


_LIMITS = [
    "The guarantee assumes the stated prior. It covers an observer who knows that prior and nothing else about you.",
    "The odds between two particular answers may change by up to the square of the factor (ε-LIP is only 2ε-LDP).",
]


@notion(
    says="e^{−ε} ≤ Pr(y)/Pr(y|g) ≤ e^ε; the secret g is the answer, or latent",
    source="LIP paper, Definition 6",
    key="lip",
    label="LIP",
    takes=("epsilon", "prior"),
    arguments=lambda promise: (promise.epsilon, promise.prior),
    single="Several reports under a prior don't add up. Ask for one report per person, or leave out the prior.",
)
@dataclass(unsafe_hash=True)
class LIP(EpsilonNotion):
    """ε-LIP: e^{−ε} ≤ Pr(y)/Pr(y|g) ≤ e^ε for every report y and secret g (Jiang, Li & Tandon, Definition 6).

    The secrets are the items themselves, or a latent variable given by the rows Pr(X = x | G = g).
    """

    prior: Prior
    secrets: Secrets | None
    title: ClassVar[str] = "local information privacy"

    def __init__(self, epsilon: float, prior: Any, secrets: Any = None) -> None:
        super().__init__(epsilon)
        self.prior = Prior.of(prior)
        self.secrets = None if secrets is None else Secrets.of(secrets)

    def check(self, mechanism: Judged) -> Certificate:
        extreme = belief_extreme(mechanism, self.prior, self.secrets)
        return self._verdict(mechanism, extreme, attained=mechanism.channel.columns.every_set)

    def raises(self, item: Item) -> float:
        """For someone with a different prior: ε-LIP for the answers is 2ε-LDP. A latent secret leaves the answers open."""
        return 2 * self.epsilon if self.secrets is None else math.inf

    def promise(self) -> str:
        what = "answer" if self.secrets is None else "value of the secret"
        times = factor(self.epsilon)
        return f"Seeing your report makes no {what} more than a factor of {times} more or less likely than under the known prior."

    def limits(self) -> list[str]:
        if self.secrets is None:
            return _LIMITS
        return [_LIMITS[0], "The answer itself is protected only as far as it depends on the secret. A report may reveal it."]


@notion(says="LIP for every mixture of the given priors", source="LIP paper, Definition 6")
@dataclass(unsafe_hash=True)
class BoundedPriorLIP(EpsilonNotion):
    """ε-LIP for every prior of a set: any mixture of the given ones (LIP paper, Definition 6, BP-LIP)."""

    priors: PriorSet
    title: ClassVar[str] = "local information privacy with bounded priors"

    def __init__(self, epsilon: float, priors: PriorSet | Sequence[Any]) -> None:
        super().__init__(epsilon)
        self.priors = PriorSet.of(priors)

    def check(self, mechanism: Judged) -> Certificate:
        extreme = largest(belief_extreme(mechanism, corner, None) for corner in self.priors.corners)
        return self._verdict(mechanism, extreme, attained=mechanism.channel.columns.every_set)

    def promise(self) -> str:
        return (
            "Seeing your report makes no answer more than a factor of "
            f"{factor(self.epsilon)} more or less likely than before, for every prior in the stated set."
        )

    def limits(self) -> list[str]:
        return ["The guarantee assumes the stated set of priors.", _LIMITS[1]]


@notion(says="Pr(x|y) ≤ e^ε·Pr(x'|y)", source="LIP paper, Definition 4")
@dataclass(unsafe_hash=True)
class DifferentialIdentifiability(EpsilonNotion):
    """ε-DI: Pr(x|y) ≤ e^ε·Pr(x'|y) for all items x, x' and every report y (LIP paper, Definition 4)."""

    prior: Prior
    title: ClassVar[str] = "differential identifiability"

    def __init__(self, epsilon: float, prior: Any) -> None:
        super().__init__(epsilon)
        self.prior = Prior.of(prior)

    def check(self, mechanism: Judged) -> Certificate:
        everything = all_items(mechanism)
        prior = self.prior.for_items(mechanism.channel.size)
        return self._verdict(
            mechanism, revealed(mechanism, everything) or mechanism.channel.columns.largest_pair(everything, everything, prior)
        )

    def promise(self) -> str:
        return f"After seeing your report, no answer is more than a factor of {factor(self.epsilon)} likelier than another."

    def limits(self) -> list[str]:
        return ["The guarantee assumes the stated prior. It can't be reached if the prior itself is too uneven."]
