"""Findings: what a study found, item by item, and what to be careful about."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.errors import UnsupportedError
from sottovoce.estimators import Estimate, resolve_tags
from sottovoce.findings.cautions import cautions
from sottovoce.labels import described, labels_of
from sottovoce.mechanisms import PersonalMechanism
from sottovoce.study import Study

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Tag:
    """The share of answers that people marked themselves under a tag."""

    name: str
    p: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Findings:
    """What a study found: a share for each item with an interval, the tags, and cautions.

    `beside` holds other distributions to compare with, by name ("truth", where it is known). `low` and `high` are None where there is no
    interval. Where people mark items of their own, the shares behind the tags are spread over the items by `known`, or in proportion to
    the others; the interval of an item then leaves room for all that is not known about where the marks lie.
    """

    study: Study
    estimate: Estimate
    level: float
    p: Floats
    low: Floats | None
    high: Floats | None
    tags: Sequence[Tag]
    cautions: Sequence[str]
    beside: Mapping[str, Floats] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        study: Study,
        estimate: Estimate,
        *,
        level: float = 0.95,
        known: Mapping[str, Any] | None = None,
        beside: Mapping[str, Floats] | None = None,
        notes: Sequence[str] = (),
    ) -> Findings:
        """The findings of an estimate; `known` says how the tags are spread over the items, `notes` are further cautions."""
        size = len(study.domain)
        p, tags = np.array(estimate.p), list[Tag]()
        # with tags an item's interval is made of several: each gets its part of the error, so that together they keep the level
        bounds = _interval(study, estimate, 1 - (1 - level) / (1 + len(study.tags)))
        low, high = bounds if bounds is not None else (None, None)
        if study.tags:
            own = _interval(study, estimate, level)
            for rank, tag in enumerate(study.tags, size):
                tags.append(Tag(tag, float(p[rank]), *((None, None) if own is None else (float(own[0][rank]), float(own[1][rank])))))
            mechanism = next(each for each in study.blocks.values() if isinstance(each, PersonalMechanism))
            p = resolve_tags(estimate, mechanism, known).p
            if low is not None and high is not None:
                low, high = _spread(study, low, high, known or {})
        bounds = None if low is None or high is None else (low, high)
        warnings = [*notes, *cautions(study, estimate, p, bounds, tags, known or {}, level)]
        return cls(study, estimate, level, p, low, high, tags, warnings, dict(beside or {}))

    @property
    def n(self) -> int:
        return self.estimate.n

    @property
    def people(self) -> int:
        """How many people answered, if each gave all reports."""
        return self.estimate.n // self.study.reports

    @property
    def texts(self) -> Sequence[str]:
        """The items as files name them."""
        return labels_of(self.study.domain).texts

    @cached_property
    def shown(self) -> Sequence[str]:
        """The items as people know them: the cell of a grid with its middle."""
        return described(self.study.domain)

    def order(self, most: int) -> list[int]:
        """The items to show: all in their order, or the largest where there are more than `most`."""
        if len(self.p) <= most:
            return list(range(len(self.p)))
        return np.argsort(-self.p, kind="stable")[:most].tolist()

    def to_dict(self) -> dict[str, Any]:
        """The findings as plain data, for JSON."""
        items = [{"item": text, "p": float(p)} | self._bounds(k) for k, (text, p) in enumerate(zip(self.texts, self.p, strict=True))]
        for name, shares in self.beside.items():
            for row, share in zip(items, shares, strict=True):
                row[name] = float(share)
        found: dict[str, Any] = {
            "study": self.study.name,
            "fingerprint": self.study.fingerprint,
            "n": self.n,
            "people": self.people,
            "method": self.estimate.method,
            "gap": self.estimate.gap,
            "level": self.level,
            "items": items,
        }
        if self.tags:
            found["tags"] = [{"tag": tag.name, "p": tag.p, "low": tag.low, "high": tag.high} for tag in self.tags]
        return found | {"cautions": list(self.cautions)}

    def _bounds(self, k: int) -> dict[str, float | None]:
        if self.low is None or self.high is None:
            return {"low": None, "high": None}
        return {"low": float(self.low[k]), "high": float(self.high[k])}

    def to_frame(self) -> pd.DataFrame:
        """A row for each item: its labels (a column for each axis), the share, the interval, and what stands beside it."""
        import pandas as pd

        domain = self.study.domain
        places = np.unravel_index(np.arange(len(domain)), domain.shape)
        labels = {axis.name or "item": [axis.labels[k] for k in place.tolist()] for axis, place in zip(domain.axes, places, strict=True)}
        missing = np.full(len(domain), math.nan)
        bounds = {"low": missing if self.low is None else self.low, "high": missing if self.high is None else self.high}
        return pd.DataFrame(labels | {"p": self.p} | bounds | dict(self.beside))


def _interval(study: Study, estimate: Estimate, level: float) -> tuple[Floats, Floats] | None:
    try:
        low, high = estimate.interval(level, reports=study.reports)
    except UnsupportedError:
        return None
    return low, high


def _spread(study: Study, low: Floats, high: Floats, known: Mapping[str, Any]) -> tuple[Floats, Floats]:
    """Intervals of the items' shares with the marked answers among them: where a tag is not known, all of it may be anywhere."""
    size = len(study.domain)
    least, most = low[:size].copy(), high[:size].copy()
    for rank, tag in enumerate(study.tags, size):
        spread = np.asarray(known[tag], dtype=np.float64) if tag in known else None
        least += 0.0 if spread is None else low[rank] * spread
        most += high[rank] * (1.0 if spread is None else spread)
    return least, np.minimum(1.0, most)
