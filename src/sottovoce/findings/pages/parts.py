"""What pages of findings are made of: tables, charts as SVG that fit the page's colours, and texts in paragraphs."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import vl_convert
from markupsafe import Markup

from sottovoce.findings.charts.map_legend import LAND, PAPER, SHARES, SHORE, WATER
from sottovoce.findings.charts.style import INK, INTERVAL, LINES, PALETTE
from sottovoce.findings.guarantee import Guarantee
from sottovoce.findings.pages.pictures import pictures_of
from sottovoce.findings.shares import Shares

#: The widths of a chart and the size of its text, for screens and for telephones: those of the page's column and of its text.
SIZES = ((736, 14), (328, 16))
#: The gap from which on a factor has too many digits.
_FAR = 10.0
#: The nats below which a gap makes no difference.
_NOTHING = 1e-4
#: Entries of a list that say the same are named up to here, and the others are counted.
_NAMED = 3


@dataclass(frozen=True)
class Table:
    """A table of the page: the names of its columns, and rows of a label and its numbers."""

    heads: Sequence[str]
    rows: Sequence[tuple[str, Sequence[str]]]


@dataclass(frozen=True)
class Illustrated:
    """A guarantee with its picture."""

    tier: str
    sentences: Sequence[str]
    after: float | None
    picture: Markup


def illustrated(guarantees: Sequence[Guarantee]) -> list[Illustrated]:
    """Guarantees with the pictures of what a belief can become, one for each group of answers."""
    drawn = [pictures_of([(group.answers, group.after, group.half) for group in each.groups]) for each in guarantees]
    return [Illustrated(each.tier, each.sentences, each.after, picture) for each, picture in zip(guarantees, drawn, strict=True)]


def drawn_of(charts: Callable[[int, int], Sequence[Any]]) -> list[Sequence[Markup]]:
    """Charts as SVG, each in every width and with the size of text that goes with it."""
    return list(zip(*([svg_of(chart, width) for chart in charts(width, text)] for width, text in SIZES), strict=True))


def svg_of(chart: Any, width: int) -> Markup:
    """A chart as SVG whose colours the page can change. Vega has escaped what it shows."""
    svg = vl_convert.vegalite_to_svg(chart.to_dict(), show_warnings=False)
    names = {INK: "ink", LINES: "lines", PALETTE[0]: "estimate", INTERVAL: "interval", "#D55E00": "truth"}
    names |= {WATER: "water", LAND: "land", SHORE: "shore", PAPER: "paper"}
    names |= {color: f"share-{k}" for k, color in enumerate(SHARES, 1)}
    for color, name in names.items():
        svg = re.sub(rf'(fill|stroke)="{color}"', rf'\1="{color}" class="\1-{name}"', svg, flags=re.IGNORECASE)
    svg = re.sub(r'<rect width="[\d.]+" height="[\d.]+" fill="white"\s*/>', "", svg, count=1)
    size = re.search(r'<svg[^>]*?width="([\d.]+)"', svg)
    wide = float(size.group(1)) if size else width
    style = f"max-width:{wide:.0f}px"
    return Markup(re.sub(r'(<svg[^>]*?) width="[\d.]+" height="[\d.]+"', rf'\1 style="{style}"', svg, count=1))  # noqa: S704 - not text of people


def table_of(shares: Shares) -> Table:
    """A row for each label, with a remark at its end if any label has one."""
    remarks = shares.remarks
    rows = [(label, shares.cells(k) + ([remarks[k]] if any(remarks) else [])) for k, label in enumerate(shares.labels)]
    return Table([shares.name, "share", "interval", *shares.beside, *([""] if any(remarks) else [])], rows)


def all_of(rows: int, every: int) -> str:
    """What a table of shares has, if there are so many.

    >>> all_of(80, 80), all_of(100, 348)
    ('All 80 shares', 'The 100 largest shares')
    """
    return f"All {rows:,} shares" if rows == every else f"The {rows:,} largest shares"


def day(made: date | None) -> str:
    """A day as people write it, today if none is given."""
    given = date.today() if made is None else made
    return f"{given.day} {given:%B %Y}"


def period(dates: Mapping[str, str], made: date | None = None) -> str:
    """When a study takes reports, as a sentence of the day on which a page is `made`: today. Nothing if it has no dates.

    >>> period({"opens": "2026-05-01", "closes": "2026-05-31"}, date(2026, 6, 2))
    'The survey was open from 1 May 2026 to 31 May 2026.'
    >>> period({"closes": "2026-05-31"}, date(2026, 5, 31)), period({"opens": "2026-05-01"}, date(2026, 4, 1)), period({})
    ('The survey is open until 31 May 2026.', 'The survey will be open from 1 May 2026.', '')
    """
    today = (made or date.today()).isoformat()
    opens, closes = dates.get("opens", ""), dates.get("closes", "")
    if not (opens or closes):
        return ""
    verb = "was" if closes and closes < today else "will be" if opens > today else "is"
    last = "to" if opens else "until"
    ends = [f"{word} {day(date.fromisoformat(end))}" for word, end in (("from", opens), (last, closes)) if end]
    return f"The survey {verb} open {' '.join(ends)}."


def gap_of(gap: float | None) -> str:
    """How near the estimate came to the most likely one, in words."""
    if gap is None:
        return ""
    if gap < _NOTHING:
        return "No other distribution explains the reports any better."
    factor = f"{math.exp(gap):.6g}" if gap < _FAR else f"e^{gap:.3g}"
    return f"No distribution makes the reports more than {factor} times as likely as the one shown (a gap of {gap:.2g} nats)."


def paragraphs(text: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """The blocks of a plain text: its first line, the entries of its list, the lines behind it. Entries that are alike are one."""
    for block in text.split("\n\n"):
        lines = block.split("\n")
        plain = [line for line in lines if not line.startswith("  ")]
        entries = [line.strip().removeprefix("- ") for line in lines if line.startswith("  ")]
        yield plain[0] if plain else "", _alike(entries), plain[1:]


def _alike(entries: Sequence[str]) -> list[str]:
    """Entries of a list, each with the names of all that have the same words behind a colon. Marks are apart, so that items add up.

    >>> _alike(["'a': raised", "'b': raised", "'c': lowered", "Further reports reveal more."])
    ["'a' and 'b': raised", "'c': lowered", 'Further reports reveal more.']
    >>> _alike([f"'{name}': raised" for name in "abcdef"])
    ["'a', 'b', 'c' and 3 others: raised"]
    """
    named: dict[tuple[bool, str], list[str]] = {}
    for entry in entries:
        name, colon, words = entry.partition(": ")
        key = (name.startswith("⊥"), f"{colon}{words}" if colon else entry)
        found = named.setdefault(key, [])
        if colon:
            found.append(name)
    return [f"{_names(names)}{words}" for (_, words), names in named.items()]


def _names(names: Sequence[str]) -> str:
    if len(names) > _NAMED + 1:
        names = [*names[:_NAMED], f"{len(names) - _NAMED:,} others"]
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
