"""Findings: the results of a study, item by item and axis by axis, with cautions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from sottovoce.arrays import Floats, Mask
from sottovoce.errors import UnsupportedError
from sottovoce.estimators import Estimate, Interval, Resolved, resolve_tags
from sottovoce.estimators.margins import adjusted
from sottovoce.estimators.remarks import VAGUE
from sottovoce.findings.cautions import cautions
from sottovoce.findings.detection import Found
from sottovoce.findings.figures import SHARE, Figure, UpTo, cumulative_of, figures_of
from sottovoce.findings.headlines import Headline, Told
from sottovoce.findings.marked import marked_words
from sottovoce.findings.place_names import named
from sottovoce.findings.shares import Shares
from sottovoce.findings.widths import cumulative_shares
from sottovoce.labels import labels_of
from sottovoce.mechanisms import PersonalMechanism
from sottovoce.printable import Plottable, Tabular
from sottovoce.study import Study

#: Bins of numbers, or labels of a scale, that are listed.
_LONGEST = 100
#: Rows of a page's table, and of one below a map.
_ROWS, _BESIDE_MAP = 30, 5


@dataclass(frozen=True)
class Tag:
    """The share of answers that people marked themselves under a tag."""

    name: str
    p: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Findings(Plottable, Tabular):
    r"""The findings of a study: a share for each item with an interval, those of each axis, the tags, and cautions.

    `beside` has other distributions to compare with, by name ("truth", if it's known). `low` and `high` are None if there is no interval.
    With `simultaneous` the intervals cover all items at once, and all labels of an axis. `found` marks the items that are distinguishable
    from zero (None: unknown). `margins` has the shares of each axis of a product, to which the items' shares sum. `figures` are the mean of
    numbers or a scale, and the quartiles of numbers.

    If people mark items of their own, the shares behind the tags are spread over the items by `known`, or in proportion to the others. The
    interval of an item then includes the uncertainty about which items were marked.

    >>> from sottovoce import SeededSource, Study, Tally, estimate
    >>> text = 'name = "flu"\nquestion = "Flu?"\nitems = ["yes", "no"]\n[privacy]\nnotion = "ldp"\nepsilon = 2.0\n'
    >>> study = Study.from_toml(text)
    >>> findings = Findings.of(study, estimate(Tally.simulate(study.mechanism, [0.2, 0.8], 10_000, SeededSource(1))))
    >>> findings.headline
    'About 4 in 5 answered “no”: 78.9%, between 77.6 and 80.1%.'
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
    margins: Sequence[Shares] = ()
    found: Mask | None = None
    simultaneous: bool = False
    figures: Sequence[Figure] = ()
    #: What to know about the answers that people marked, in sentences.
    marked: str = ""

    def __repr__(self) -> str:
        return f"Findings({self.study.name!r}: {self.estimate!r})"

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
        simultaneous: bool = False,
        whom: str = "people",
    ) -> Findings:
        """Make the findings of an estimate. `known` is how the tags spread over the items, and `notes` are further cautions.

        `whom` is the cautions' name for the people who are asked.
        """
        asked = _Asked(study, level, simultaneous)
        shown: Estimate | Resolved = estimate
        if study.tags:
            mechanism = next(each for each in study.blocks.values() if isinstance(each, PersonalMechanism))
            shown = resolve_tags(estimate, mechanism, known)
        margins = [shown.margin(str(axis.name)) for axis in study.domain.axes] if asked.product else []
        if margins and not estimate.additive:
            shown = replace(shown, p=adjusted(shown.p, [each.p for each in margins], estimate.unseen))
        interval = asked.interval(shown)
        tags, others = asked.tags(estimate), dict(beside or {})
        axes = [asked.margin(each, others) for each in margins]
        found = asked.found(estimate, shown, interval)
        clear = any(each.interval is not None and VAGUE not in each.remarks for each in axes)
        figures = () if study.tags else figures_of(study.domain, estimate, level)
        found_cautions = cautions(
            study,
            estimate,
            interval,
            level,
            tested=found is not None,
            axes=clear,
            figures=any(each.value is not None and not each.remark for each in figures),
            whom=whom,
        )
        return cls(
            study,
            estimate,
            level,
            np.array(shown.p),
            None if interval is None else interval.low,
            None if interval is None else interval.high,
            tags,
            [*notes, *found_cautions],
            others,
            axes,
            found,
            simultaneous,
            figures,
            marked_words(tags, known or {}, places=is_map(study)),
        )

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
        """The items as people read them: the cells of a map by the places near them."""
        return named(self.study.domain)

    @property
    def interval(self) -> Interval | None:
        """The intervals of the items, if there are any."""
        return None if self.low is None or self.high is None else Interval(self.low, self.high)

    @property
    def shares(self) -> Shares:
        """The items with their shares, as people read them."""
        return Shares("item", self.shown, self.p, self.interval, self.beside, self.found)

    @cached_property
    def counts(self) -> Found | None:
        """How many items are distinguishable from zero, if that's known."""
        if self.found is None or self.interval is None:
            return None
        p_values = self.estimate.p_values()[: len(self.p)]
        return Found.of(self.found, self.p, self.interval, p_values, 1 - self.level, _control(simultaneous=self.simultaneous))

    @cached_property
    def cumulative(self) -> Sequence[UpTo]:
        """The share of the answers up to some numbers. Nothing for other domains."""
        return () if self.tags else cumulative_of(self.study.domain, self.estimate, self.level)

    @property
    def tables(self) -> Sequence[Shares]:
        """All shares that pages show, with what each is called by itself: the items, those of the axes, cumulative shares, and the tags."""
        axes = [replace(each, labels=[f"{each.name}: {label}" for label in each.labels]) for each in self.margins]
        upto = cumulative_shares(self.cumulative)
        if not self.tags or self.tags[0].low is None:
            return [self.shares, *axes, *upto]
        p, low, high = (np.array([getattr(tag, end) for tag in self.tags]) for end in ("p", "low", "high"))
        return [self.shares, *axes, Shares("tag", [f"marked as “{tag.name}”" for tag in self.tags], p, Interval(low, high))]

    @property
    def words(self) -> str:
        """Sentences about how many items are distinguishable from zero. Empty if all are, if it's unknown, or if the items are numbers."""
        if self.counts is None or self.found is None or self.study.domain.edges is not None:
            return ""
        others = np.flatnonzero(~self.found)
        high = None if self.high is None else float(self.high[others].max(initial=0.0))
        names, digits = [self.shown[k] for k in others[:10]], self.shares.digits
        return self.counts.words(names, what=self.what, marked=bool(self.tags), high=high, digits=digits)

    @property
    def headline(self) -> Headline:
        """What was found, in a sentence."""
        digits = self.shares.take(self.listed).digits if self.listed else None
        return Told(self.shares, self.study.domain, self.figures, axes=self.margins, digits=digits).headline

    @property
    def note(self) -> str:
        """What the method found, and what was done to its shares."""
        moved = bool(self.margins) and not self.estimate.additive and not np.array_equal(self.p, self.estimate.p[: len(self.p)])
        fitted = "The axes were estimated by themselves, and the items were then adjusted to sum to the shares of each axis." * moved
        return " ".join(filter(None, (self.estimate.note, fitted)))

    @property
    def mapped(self) -> bool:
        """Whether the items are the cells of a grid, which are places on a map."""
        return is_map(self.study)

    @property
    def what(self) -> str:
        """What an item is called."""
        return "place" if self.mapped else "answer"

    @property
    def listed(self) -> list[int]:
        """The items of a page's table."""
        return self.order(_BESIDE_MAP if self.mapped else _ROWS)

    def order(self, most: int) -> list[int]:
        """The items to show, largest first. If there are more than `most`, the largest of those found (or of all, if that's unknown).

        Numbers and scales are shown in their order, as a whole or, if there are very many items, not at all, since parts of them mean
        little.
        """
        if self.study.domain.ordered:
            return list(range(len(self.p))) if len(self.p) <= max(most, _LONGEST) else []
        largest = np.argsort(-self.p, kind="stable")
        if len(self.p) <= most or self.found is None:
            return largest[:most].tolist()
        return largest[self.found[largest]][:most].tolist()

    def to_dict(self) -> dict[str, Any]:
        """The findings as plain data, for JSON."""
        found: dict[str, Any] = {
            "study": self.study.name,
            "fingerprint": self.study.fingerprint,
            "headline": str(self.headline),
            "claim": self.headline.claim,
            "n": self.n,
            "people": self.people,
            "method": self.estimate.method,
            "gap": self.estimate.gap,
            "level": self.level,
            "simultaneous": self.simultaneous,
            "items": self._items(),
            "margins": {each.name: each.to_dicts() for each in self.margins},
            "found": None if self.counts is None else self.counts.to_dict() | {"words": self.words},
            "note": self.note,
        }
        for figure in self.figures:
            if figure.q is None:
                found[figure.name] = figure.to_dict()
            else:
                found.setdefault("quantiles", []).append(figure.to_dict())
        if self.cumulative:
            found["cumulative"] = [each.to_dict() for each in self.cumulative]
        if self.tags:
            found["tags"] = [{"tag": tag.name, "p": tag.p, "low": tag.low, "high": tag.high} for tag in self.tags]
            found["marked"] = self.marked
        return found | {"cautions": [str(each) for each in self.cautions]}

    def _items(self) -> list[dict[str, Any]]:
        """The items by the texts of files, and with the names that people read if those differ."""
        rows = replace(self.shares, labels=self.texts).to_dicts()
        return [row | ({} if row["item"] == name else {"name": name}) for row, name in zip(rows, self.shown, strict=True)]

    def _columns(self) -> Mapping[str, Any]:
        """A row for each item: its labels (a column for each axis), the share, the interval, and the shares to compare with.

        Numbers and scales have rows for their mean and quartiles behind them.
        """
        domain = self.study.domain
        places = np.unravel_index(np.arange(len(domain)), domain.shape)
        labels = {axis.name or "item": [axis.labels[k] for k in place.tolist()] for axis, place in zip(domain.axes, places, strict=True)}
        missing = np.full(len(domain), math.nan)
        bounds = {"low": missing if self.low is None else self.low, "high": missing if self.high is None else self.high}
        shares = {"p": self.p, **bounds, **self.beside}
        figures = [each.to_row() for each in self.figures]
        columns: dict[str, Any] = {name: _longer(column, len(figures)) for name, column in labels.items()}
        columns |= {name: np.concatenate([column, [each.get(name, math.nan) for each in figures]]) for name, column in shares.items()}
        columns["quantity"] = [SHARE] * len(domain) + [each["quantity"] for each in figures]
        columns["value"] = np.concatenate([self.p, [each["value"] for each in figures]])
        columns["remark"] = [*self.shares.remarks, *(each["remark"] for each in figures)]
        rows = len(domain) + len(figures)
        return columns | {"n": [self.n] * rows, "method": [self.estimate.method] * rows} | said_of(self.study, self.level, rows)


def _longer(labels: list[Any], figures: int) -> list[Any]:
    """Labels with empty ones behind them. A column of whole numbers with empty cells would become one of fractions."""
    return [*map(str, labels), *[None] * figures] if figures else labels


def is_map(study: Study) -> bool:
    """Whether the answers are the cells of a grid."""
    axes = study.domain.axes
    return len(axes) == 2 and all(axis.bounds for axis in axes)


def said_of(study: Study, level: float, rows: int) -> dict[str, Any]:
    """The columns that say what the rows of a table are about."""
    return {"level": [level] * rows, "study": [study.name] * rows, "fingerprint": [study.fingerprint] * rows}


def _control(*, simultaneous: bool) -> str:
    """The error control of the test for items above zero, matching the intervals."""
    return "familywise" if simultaneous else "fdr"


@dataclass(frozen=True)
class _Asked:
    """The study and the kind of intervals that findings are made for."""

    study: Study
    level: float
    simultaneous: bool

    @property
    def product(self) -> bool:
        """Whether the axes are read separately, which isn't so for a map."""
        axes = self.study.domain.axes
        return len(axes) > 1 and not all(axis.bounds for axis in axes)

    def interval(self, shown: Estimate | Resolved) -> Interval | None:
        try:
            return shown.interval(self.level, simultaneous=self.simultaneous, reports=self.study.reports)
        except UnsupportedError:
            return None

    def margin(self, shown: Estimate | Resolved, beside: Mapping[str, Floats]) -> Shares:
        """The shares of an axis."""
        (axis,), domain = shown.domain.axes, self.study.domain
        others = tuple(k for k, each in enumerate(domain.axes) if each.name != axis.name)
        sums = {name: shares.reshape(domain.shape).sum(axis=others) for name, shares in beside.items()}
        return Shares(str(axis.name), [str(label) for label in axis.labels], shown.p, self.interval(shown), sums)

    def tags(self, estimate: Estimate) -> list[Tag]:
        """The tags, which come after the items."""
        interval, size = self.interval(estimate) if self.study.tags else None, len(self.study.domain)
        return [
            Tag(tag, float(estimate.p[k]), *((None, None) if interval is None else (float(interval.low[k]), float(interval.high[k]))))
            for k, tag in enumerate(self.study.tags, size)
        ]

    def found(self, estimate: Estimate, shown: Estimate | Resolved, interval: Interval | None) -> Mask | None:
        """The items found by the test whose intervals agree.

        An item also counts as found if a tag is found whose answers are known to be partly of this item.
        """
        try:
            found = estimate.significant(1 - self.level, _control(simultaneous=self.simultaneous))
        except UnsupportedError:
            return None
        if interval is None:
            return None
        size = len(self.study.domain)
        items = found[:size].copy()
        if isinstance(shown, Resolved):
            for tag, there in zip(shown.bots, found[size:], strict=True):
                items |= there & (tag in shown.known) & (shown.spreads[tag] > 0)
        return np.asarray(items & (interval.low > 0))
