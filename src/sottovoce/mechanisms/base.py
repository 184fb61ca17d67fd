"""A mechanism: a channel with its domain and its claim. The claim is checked when the mechanism is made."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from numpy.typing import ArrayLike

from sottovoce.channels import Channel
from sottovoce.domain import Domain, Item
from sottovoce.errors import ClaimError, DomainError, ParameterError, SourceError
from sottovoce.notions import Certificate, Notion
from sottovoce.policy import checked_domain
from sottovoce.policy.wording import named, shown
from sottovoce.reports import Reports
from sottovoce.sources import SecureSource, Source

#: The source of every `perturb` that is not given one.
SECURE = SecureSource()


def chosen_source(source: Source | None) -> Source:
    """The given source, by default the operating system's generator."""
    if source is None:
        return SECURE
    if not isinstance(source, Source):
        raise SourceError(f"The source is {source!r}. Use SecureSource(), SeededSource(seed), ReplaySource(words), or leave it out.")
    return source


@dataclass(frozen=True)
class Mechanism:
    """Perturbs items of `domain` through `channel` and guarantees `claim`.

    A channel that doesn't keep the claim raises `ClaimError` with the level that it really has.
    """

    domain: Domain
    channel: Channel = field(repr=False)
    claim: Notion
    name: str = "mechanism"

    def __post_init__(self) -> None:
        checked_domain(self.domain)
        if not isinstance(self.channel, Channel):
            raise ParameterError(f"The channel is {self.channel!r}. Give a channel, for example one of sottovoce.channels.")
        if not isinstance(self.claim, Notion):
            raise ParameterError(f"The claim is {self.claim!r}. Give a notion such as LDP(1.0).")
        if self.channel.size != len(self.inputs):
            raise DomainError(
                f"The channel is for {self.channel.size} items, but the domain has {len(self.inputs)}. Make both for the same items."
            )
        certificate = self._certificate
        if not certificate.holds:
            raise ClaimError(broken(self.name, certificate), certificate.level)

    @property
    def inputs(self) -> Domain:
        """The items that the channel takes (more than the domain's if a pre-processor adds some)."""
        return self.domain

    @cached_property
    def _certificate(self) -> Certificate:
        return self.claim.check(self)

    def certify(self) -> Certificate:
        """The certificate of the mechanism's own claim."""
        return self._certificate

    def perturb(self, values: ArrayLike | Iterable[Any] | Mapping[str, Iterable[Any]], source: Source | None = None) -> Reports:
        """One report per value: labels, or integer codes. The default source is the operating system's generator."""
        return self.channel.sample(self.domain.encode(values), chosen_source(source))

    def perturb_one(self, value: Item, source: Source | None = None) -> Any:
        """One report as a plain value: an integer, a list of item codes, or a pair (seed, bucket)."""
        return self.channel.perturb_one(self.domain.code(value), chosen_source(source))


def broken(name: str, certificate: Certificate) -> str:
    """The message for a claim that isn't kept."""
    notion = certificate.notion
    promised = f"ε = {notion.epsilon:g}" if hasattr(notion, "epsilon") else "the budgets"
    level = shown(certificate.level, getattr(notion, "epsilon", None))
    over = [f"{named(item)} gets {shown(level)}" for item, level in certificate.levels.items() if level > notion.budgets[item]]  # type: ignore[attr-defined]  # levels imply budgets
    detail = f" ({', '.join(over[:3])})" if over else ""
    if math.isinf(certificate.level):
        why = "but no finite ε holds, because one of its reports rules out an answer"
        return f"{name} claims {notion.title} at {promised}, {why}. Change the probabilities, or claim another notion."
    return f"{name} claims {notion.title} at {promised}, but its channel reaches {level}{detail}. Claim that, or choose another mechanism."
