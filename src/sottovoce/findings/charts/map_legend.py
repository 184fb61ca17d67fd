"""What the colours and marks of a map mean, and its small print."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from sottovoce.arrays import Floats
from sottovoce.findings.charts.style import INK
from sottovoce.findings.results import Findings

#: What is below the shares, and paper. Blue is for shares alone. A page replaces the colours by its own.
WATER, LAND, SHORE, PAPER = "#dcdfe2", "#f7f6f2", "#b4bbc1", "#fffffe"
#: The colours of the classes of shares, from small to large.
SHARES = ("#bdd5ec", "#85b3dd", "#4b8cc8", "#1f65a9", "#0a3d77")
#: The class from which on text on a share has the colour of paper.
DARK = 4
#: What the key says above the shares.
TITLE = "Share of people"
#: Where classes may end: round numbers, of which the largest is at most so much of the largest share.
_ROUND, _HIGHEST = sorted(digit * 10.0**power for power in range(-9, 1) for digit in (1, 2, 5)), 0.8


def breaks_of(top: float) -> Sequence[float]:
    """Where the classes of shares end, if the largest share is so much: round numbers, each about half of the next one.

    >>> breaks_of(0.0313), breaks_of(0.9)
    ([0.002, 0.005, 0.01, 0.02], [0.05, 0.1, 0.2, 0.5])
    """
    below = [round(each, 12) for each in _ROUND if each <= _HIGHEST * top]
    return below[-(len(SHARES) - 1) :]


def classes_of(shares: Floats, top: float) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The class of each share, from 1 to 5. Zero has none."""
    return np.where(shares > 0, 1 + np.searchsorted(breaks_of(top), shares, side="right"), 0)


def sensitive(findings: Findings) -> list[int]:
    """The sensitive items, where they are some and not all."""
    promise = next(each for each in findings.study.promises.values() if each)
    found = sorted(findings.study.domain.code(item) for item in promise.budgets or promise.sensitive)
    return found if len(found) < len(findings.p) else []


def top_of(findings: Findings) -> float:
    """The largest share of the maps."""
    return max(float(each.max()) for each in (findings.p, *findings.beside.values())) or 1.0


def clear_shares(findings: Findings) -> Floats:
    """The shares that have a colour: those that are clearly above zero, which the words below a map count. The others are zero."""
    clear = findings.found
    if clear is None:
        clear = np.ones(len(findings.p), dtype=np.bool_) if findings.low is None else findings.low > 0
    return np.where(clear, np.maximum(findings.p, 0.0), 0.0)


@dataclass(frozen=True)
class Key:
    """What a colour or a mark means: "share" (of a class), "blank" (no colour), "sensitive" or "number"."""

    text: str
    kind: str
    shade: int = 0

    @property
    def color(self) -> str:
        return SHARES[self.shade - 1] if self.shade else LAND if self.kind == "blank" else "transparent"


def keys_of(findings: Findings, numbered: int) -> list[Key]:
    """What the colours and marks of a map mean, if so many shares have their numbers on it. The largest shares come first."""
    top, own = top_of(findings), clear_shares(findings)
    drawn = [own, *(np.maximum(each, 0.0) for each in findings.beside.values())]
    least = min((int(each) for shares in drawn for each in classes_of(shares, top) if each), default=len(SHARES) + 1)
    found = [Key(text, "share", k) for k, text in enumerate(_ranges(breaks_of(top)), 1) if k >= least][::-1]
    if findings.low is not None and not own.all():
        found.append(Key("not clearly above zero", "blank"))
    if sensitive(findings):
        found.append(Key("sensitive place, where less is known", "sensitive"))
    if numbered:
        found.append(Key("the largest share" if numbered == 1 else f"the {numbered} largest shares, numbered", "number"))
    return found


def _ranges(breaks: Sequence[float]) -> Sequence[str]:
    """The classes in words.

    >>> _ranges([0.2, 0.5])
    ['under 20%', '20 to 50%', '50% or more']
    """
    texts = [f"{round(100 * each, 9):g}" for each in breaks]
    between = [f"{low} to {high}%" for low, high in pairwise(texts)]
    return [f"under {texts[0]}%", *between, f"{texts[-1]}% or more"] if texts else ["any"]


def legend_of(findings: Findings, numbered: int, width: int, size: int, left: int) -> Any:
    """What the colours and marks mean: its title, then the classes of shares and the marks in as many lines as it takes.

    So many shares are `numbered`. It begins so many pixels to the `left` of the maps.
    """
    rows: list[dict[str, Any]] = [{"x": 0, "t": -left, "y": size - 2, "text": TITLE, "color": "transparent", "kind": "title"}]
    x, y = 0, size + 8
    for key in keys_of(findings, numbered):
        words = f"1: {key.text}" if key.kind == "number" else key.text
        square = 20 if key.kind in {"share", "blank", "sensitive"} else 0
        wide = max(2, square) + round(0.49 * size * len(words)) + 14
        if x and x + wide > width:
            x, y = 0, y + size + 10
        rows.append({"x": x + 7 - left, "t": x + square - left, "y": y + size - 2, "text": words, "color": key.color, "kind": key.kind})
        x += wide
    return _keys(rows, width - left, y + size + 10, size)


def _keys(rows: Sequence[Mapping[str, Any]], width: int, height: int, size: int) -> Any:
    """The marks of a legend with their texts, in pixels."""
    at: dict[str, Any] = {
        "x": alt.X("x:Q", scale=alt.Scale(domain=[0, width], nice=False, zero=False), axis=None),
        "y": alt.Y("y:Q", scale=alt.Scale(domain=[height, 0], nice=False, zero=False), axis=None),
    }
    base = alt.Chart(pd.DataFrame(rows)).encode(**at)
    layers = [
        base.mark_point(aria=False, filled=True, shape="square", size=150, opacity=1).encode(fill=alt.Fill("color:N", scale=None)),
        base.transform_filter("datum.kind == 'blank'").mark_point(
            aria=False, filled=False, shape="square", size=150, stroke=SHORE, strokeWidth=0.8, opacity=1
        ),
        base.transform_filter("datum.kind == 'sensitive'").mark_point(
            aria=False, filled=False, stroke=INK, opacity=1, size=70, strokeWidth=1.4
        ),
        base.mark_text(align="left", fontSize=size, color=INK).encode(x=alt.X("t:Q", axis=None), text="text:N"),
    ]
    return alt.layer(*layers).properties(width=width, height=height)


def small_print(text: str, width: int, size: int) -> Any:
    """Small print, in as many lines as it takes."""
    lines = textwrap.wrap(text, round((width - 20) / (0.5 * size)))
    said = alt.Chart(pd.DataFrame({"said": ["\n".join(lines)]}), width=width - 20, height=(size + 3) * len(lines))
    look: dict[str, Any] = {"lineBreak": "\n", "lineHeight": size + 3, "baseline": "top", "fontSize": size, "opacity": 0.75}
    return said.mark_text(align="left", x=0, y=0, color=INK, **look).encode(text="said:N")
