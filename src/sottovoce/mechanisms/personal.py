"""The personalized ULDP mechanism: each person has sensitive items of her own, and keeps secret which."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sottovoce.catalogue import mechanism
from sottovoce.domain import Domain, Item
from sottovoce.errors import DomainError, UnsupportedError
from sottovoce.mechanisms.base import Mechanism, chosen_source
from sottovoce.mechanisms.bases import base_of
from sottovoce.mechanisms.direct import urr
from sottovoce.notions import ULDP
from sottovoce.policy import Bot, checked_domain
from sottovoce.reports import Reports
from sottovoce.sources import Source


@dataclass(frozen=True)
class PersonalMechanism(Mechanism):
    """A common channel over the items and one bot per tag. Before it, each person's secret map replaces her own sensitive items by bots.

    The claim is the common channel's, over items and bots. With it each person's mechanism is ULDP with her own items among the
    sensitive ones (ULDP paper, Proposition 9), and a protected report reveals almost nothing about her map (Proposition 10).
    """

    tags: tuple[str, ...] = ()

    @cached_property
    def inputs(self) -> Domain:
        return self.domain.extended(Bot(tag) for tag in self.tags)

    @property
    def notes(self) -> list[str]:
        """What `explain` adds for personal marks."""
        return [
            (
                "If you mark an answer as your own, your device reports only your mark, and protects it like a sensitive answer. "
                "Your marks stay on your device. A protected report changes the odds about them by at most the same factor. "
                "A report that reveals an answer also reveals that you haven't marked it."
            )
        ]

    def person(self, marks: Mapping[str, Iterable[Item]]) -> Person:
        """A person's own mechanism, from her sensitive items per tag. The marks never leave it."""
        if not isinstance(marks, Mapping):
            raise DomainError(f"The marks are {marks!r}. Give the marked items of each tag, for example {{'home': [...]}}.")
        bots: dict[int, int] = {}
        for tag, items in marks.items():
            for item in [items] if isinstance(items, str) and items in self.domain else items:
                if bots.setdefault(self.domain.code(item), self._bot(tag)) != self._bot(tag):
                    raise DomainError(f"Item {item!r} is marked with two tags. Mark each item once.")
        return Person(self, bots)

    def _bot(self, tag: str) -> int:
        if tag not in self.tags:
            raise DomainError(f"{tag!r} isn't a tag of this mechanism. Choose from {', '.join(self.tags)}.")
        return len(self.domain) + self.tags.index(tag)

    def perturb(
        self,
        values: ArrayLike | Iterable[Any] | Mapping[str, Iterable[Any]],
        source: Source | None = None,
        *,
        tags: Sequence[str | None] | None = None,
    ) -> Reports:
        """Reports of many people. `tags[i]` is the tag that person i has given to her value, None if it isn't sensitive to her."""
        codes = np.array(self.domain.encode(values), dtype=np.int64)
        if tags is not None:
            if len(tags) != len(codes):
                raise DomainError(f"Got {len(tags)} tags for {len(codes)} values. Give every person a tag or None.")
            bots = {tag: self._bot(tag) for tag in {tag for tag in tags if tag is not None}}
            codes = np.array([code if tag is None else bots[tag] for code, tag in zip(codes.tolist(), tags, strict=True)], dtype=np.int64)
        return self.channel.sample(codes, chosen_source(source))


@dataclass(frozen=True)
class Person:
    """One person's side of a `PersonalMechanism`: her secret map, and nothing that she could leak by it."""

    mechanism: PersonalMechanism
    _bots: Mapping[int, int] = field(repr=False)

    def perturb_one(self, value: Item, source: Source | None = None) -> Any:
        """One report as a plain value. A marked item is first replaced by its tag's bot."""
        code = self.mechanism.domain.code(value)
        return self.mechanism.channel.perturb_one(self._bots.get(code, code), chosen_source(source))

    def perturb(self, values: ArrayLike | Iterable[Any], source: Source | None = None) -> Reports:
        codes = self.mechanism.domain.encode(values)
        mapped = np.array([self._bots.get(code, code) for code in codes.tolist()], dtype=np.int64)
        return self.mechanism.channel.sample(mapped, chosen_source(source))


def _pum_of(domain: Domain, epsilon: float, tags: Sequence[str], sensitive: Sequence[Item] = (), base: str = "urr") -> PersonalMechanism:
    return pum(domain, epsilon, tags, sensitive, base=base_of("pum", base, "ULDP", ("epsilon", "sensitive")))


@mechanism(
    use="people with sensitive items of their own",
    report="as the base",
    source="Murakami & Kawamoto 2019, Section 5",
    promises=("ULDP",),
    build=_pum_of,
    examples={
        "": {"tags": ("home", "work"), "sensitive": "a"},
        "urap": {"tags": ("home",), "sensitive": "a", "base": "urap"},
    },
)
def pum(
    domain: Domain,
    epsilon: float,
    tags: Iterable[str],
    sensitive: Iterable[Item] = (),
    base: Callable[..., Mechanism] = urr,
    **parameters: Any,
) -> PersonalMechanism:
    """Personalized ULDP mechanism with semantic tags (Murakami & Kawamoto 2019, Section 5.1).

    `base` is a ULDP constructor, `urr` or `urap`, run over Z = items ∪ bots with Z_S = sensitive ∪ bots.

    >>> m = pum(Domain(["park", "cafe", "clinic"]), 1.0, tags=["home"], sensitive=["clinic"])
    >>> her = m.person({"home": ["park"]})
    >>> m.inputs.decode([3]), her.perturb(["park", "cafe"]).limit
    ([⊥home], 4)
    """
    names = (tags,) if isinstance(tags, str) else tuple(tags)
    if not names or any(not isinstance(tag, str) or not tag for tag in names) or len(set(names)) < len(names):
        raise DomainError(f"The tags are {names!r}. Give at least one, each a distinct non-empty string.")
    checked_domain(domain)
    bots = [Bot(tag) for tag in names]
    extended = domain.extended(bots)
    marked = [*domain.decode(np.flatnonzero(domain.indicator(sensitive))), *bots]
    try:
        common = base(extended, epsilon, marked, **parameters)
    except TypeError as error:
        raise UnsupportedError(f"The base can't be used ({error}). Give a constructor for sensitive items, such as urr or urap.") from None
    if not isinstance(common.claim, ULDP):
        raise UnsupportedError(f"The base guarantees {type(common.claim).__name__}. Use one that guarantees ULDP, such as urr or urap.")
    return PersonalMechanism(domain, common.channel, common.claim, f"pum({common.name})", names)
