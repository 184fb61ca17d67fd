"""Personal tags: from the distribution over items and bots to the distribution over items (ULDP paper, Section 5.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.channels.groups import Groups
from sottovoce.domain import Domain, Item
from sottovoce.errors import ParameterError, UnsupportedError
from sottovoce.estimators.intervals import Interval, checked_level
from sottovoce.estimators.margins import adjusted, grouped
from sottovoce.estimators.result import Estimate
from sottovoce.mechanisms import PersonalMechanism
from sottovoce.policy import is_distribution


@dataclass(frozen=True, eq=False)
class Resolved:
    """p̂ over the items, once every bot's share has been spread over them.

    `bots` are the shares of the tags, `spreads` the distributions over the items that they were spread by. `worst` = 2·Σ_k |r̂(⊥_k)|
    bounds what a wrong guess of their places can add to the l1 error (ULDP paper, Theorem 1). `estimate` is the one over items and
    bots, and `known` names the tags whose places were given.
    """

    domain: Domain
    p: Floats = field(repr=False)
    bots: Mapping[str, float]
    worst: float
    spreads: Mapping[str, Floats] = field(default_factory=dict, repr=False)
    estimate: Estimate | None = field(default=None, repr=False)
    known: frozenset[str] = frozenset()

    def __getitem__(self, item: Item) -> float:
        """The estimated share of an item."""
        return float(self.p[self.domain.code(item)])

    def interval(self, level: float = 0.95, *, simultaneous: bool = False, reports: int = 1) -> Interval:
        """The shares that the reports don't contradict, (low, high), for each item with the marked answers among its own.

        An interval is made of several, of the item and of each tag, so each takes its part of the error. All answers behind a tag whose
        places aren't known may be anywhere, so they may all be an item's, or none.

        >>> import sottovoce as sv
        >>> m = sv.pum(sv.Domain(["park", "cafe"]), 2.0, tags=["home"])
        >>> e = sv.estimate(sv.Tally.simulate(m, [0.3, 0.5, 0.2], 100_000, sv.SeededSource(1)))
        >>> low, high = resolve_tags(e, m).interval()
        >>> bool(low[0] < 0.3 < 0.5 < high[0])
        True
        """
        if self.estimate is None:
            raise UnsupportedError(
                "These shares weren't made from an estimate, so their error isn't known. Use resolve_tags(estimate, ...)."
            )
        size, parts = len(self.p), 1 + len(self.bots)
        checked = 1 - (1 - checked_level(level)) / parts
        low, high = self.estimate.interval(checked, simultaneous=simultaneous, reports=reports)
        least, most = low[:size].copy(), high[:size].copy()
        for rank, tag in enumerate(self.bots, size):
            known = tag in self.known
            least += low[rank] * self.spreads[tag] if known else 0.0
            most += high[rank] * (self.spreads[tag] if known else 1.0)
        return Interval(np.minimum(least, self.p), np.maximum(np.minimum(1.0, most), self.p))

    def margin(self, *axes: str) -> Resolved:
        """The shares of one axis of a product domain, or of several that sum to the single ones (see `Estimate.margin`)."""
        if self.estimate is None:
            raise UnsupportedError("These shares weren't made from an estimate, so they have no margins. Use resolve_tags(estimate, ...).")
        domain, labels = self.domain.margin(axes)
        tags, items = len(self.bots), Groups(labels, len(domain))
        behind = np.concatenate([labels, len(domain) + np.arange(tags)])
        marks = [("marked as", tag) for tag in self.bots]  # a label of the axis may have the name of a tag
        found = grouped(self.estimate, domain.extended(marks), Groups(behind, len(domain) + tags))
        spreads = {tag: items.totals(spread) for tag, spread in self.spreads.items()}
        p = found.p[: len(domain)] + sum(share * spreads[tag] for tag, share in zip(self.bots, found.p[len(domain) :], strict=True))
        if len(axes) > 1 and not self.estimate.additive:
            p = adjusted(np.asarray(p), [self.margin(str(axis.name)).p for axis in domain.axes])
        shares = {tag: float(share) for tag, share in zip(self.bots, found.p[len(domain) :], strict=True)}
        return Resolved(domain, np.asarray(p), shares, 2 * float(np.abs(found.p[len(domain) :]).sum()), spreads, found, self.known)

    def bound(self, true: Mapping[str, Any], used: Mapping[str, Any] | None = None) -> float:
        """Σ_k |r̂(⊥_k)|·l1(π̂_k, π_k): the second term of Theorem 1, for known π_k. π̂_k are `spreads`, unless given."""
        found = 0.0
        used = self.spreads if used is None else used
        for tag, share in self.bots.items():
            if tag not in true or tag not in used:
                raise ParameterError(f"Tag {tag!r} lacks one of its two distributions. Give both for every tag.")
            spreads = [_distribution(known[tag], len(self.p), tag) for known in (true, used)]
            found += abs(share) * float(np.abs(spreads[0] - spreads[1]).sum())
        return found


def resolve_tags(estimate: Estimate, mechanism: PersonalMechanism, knowledge: Mapping[str, Any] | None = None) -> Resolved:
    """Spread the bots over the items: p̂(x) = r̂(x) + Σ_k r̂(⊥_k)·π̂_k(x).

    `knowledge[tag]` is a distribution over the items, for example how homes are spread over a city. A tag without one follows the
    non-sensitive items as they were estimated.

    >>> import sottovoce as sv
    >>> m = sv.pum(sv.Domain(["park", "cafe"]), 2.0, tags=["home"])
    >>> e = Estimate(m.inputs, np.array([0.3, 0.5, 0.2]), 100, "mle")
    >>> resolve_tags(e, m, {"home": [1.0, 0.0]}).p.tolist()
    [0.5, 0.5]
    """
    if not isinstance(mechanism, PersonalMechanism) or not isinstance(estimate, Estimate) or estimate.domain != mechanism.inputs:
        raise ParameterError("The estimate isn't over the items and bots of a pum mechanism. Use the estimate of that mechanism.")
    if knowledge is not None and not isinstance(knowledge, Mapping):
        raise ParameterError("The knowledge about the tags isn't a mapping. Give a distribution over the items for each tag.")
    known = dict(knowledge or {})
    if unknown := [tag for tag in known if tag not in mechanism.tags]:
        raise ParameterError(f"{unknown[0]!r} isn't a tag of this mechanism. Choose from {', '.join(mechanism.tags)}.")
    size = len(mechanism.domain)
    items, bots = estimate.p[:size], estimate.p[size:]
    spreads = {tag: _distribution(known[tag], size, tag) if tag in known else _proportional(items, mechanism) for tag in mechanism.tags}
    p = items.copy()
    for tag, share in zip(mechanism.tags, bots, strict=True):
        p += share * spreads[tag]
    shares = {tag: float(share) for tag, share in zip(mechanism.tags, bots, strict=True)}
    return Resolved(mechanism.domain, p, shares, 2 * float(np.abs(bots).sum()), spreads, estimate, frozenset(known))


def _distribution(values: Any, size: int, tag: str) -> Floats:
    try:
        spread = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        spread = np.zeros(0)
    if spread.shape != (size,) or not is_distribution(spread):
        raise ParameterError(f"The distribution of tag {tag!r} is invalid. Give each of the {size} items a probability, with a sum of 1.")
    return spread


def _proportional(items: Floats, mechanism: PersonalMechanism) -> Floats:
    """Proportional to the estimate over the items that are not sensitive for everyone (uniform over them if it has no mass)."""
    free = np.array([item not in mechanism.claim.sensitive for item in mechanism.domain])  # type: ignore[attr-defined]  # always ULDP
    mass = np.where(free, np.maximum(items, 0.0), 0.0)
    if not mass.sum() > 0:
        mass = (free if free.any() else ~free).astype(np.float64)
    return mass / mass.sum()
