"""What the colours and marks of a map mean, and its small print."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from sottovoce.arrays import Floats, Mask
from sottovoce.findings.charts.style import INK
from sottovoce.findings.formatting import share_text
from sottovoce.findings.results import Findings

#: Colours: the shares, and what is below them. Blue is for shares alone. A page replaces the colours by its own.
SHARE, WATER, LAND, SHORE, PAPER = "#0b5cad", "#e2e6e9", "#fcfbf8", "#a3adb5", "#fffffe"
#: How dark the largest share is.
_DARKEST = 0.9
#: How pale the least share is that has a colour.
_PALEST = 0.14


def shade(shares: Floats, top: float) -> Floats:
    """How much of the blue covers the land: small shares differ more than in proportion, so that you can distinguish them."""
    return np.asarray(np.where(shares > 0, _PALEST + (_DARKEST - _PALEST) * np.sqrt(np.maximum(shares, 0.0) / top), 0.0))


def unsure(findings: Findings) -> Mask:
    """The cells that are found, and whose interval is wider than their share."""
    if findings.interval is None:
        return np.zeros(len(findings.p), dtype=np.bool_)
    low, high = findings.interval
    wide = (high - low) > np.maximum(findings.p, 0.0)
    return np.asarray(wide if findings.found is None else wide & findings.found)


def sensitive(findings: Findings) -> list[int]:
    """The sensitive items, where they are some and not all."""
    promise = next(each for each in findings.study.promises.values() if each)
    found = sorted(findings.study.domain.code(item) for item in promise.budgets or promise.sensitive)
    return found if len(found) < len(findings.p) else []


def top_of(findings: Findings) -> float:
    """The largest share of the maps, which is the darkest."""
    return max(float(each.max()) for each in (findings.p, *findings.beside.values())) or 1.0


@dataclass(frozen=True)
class Key:
    """What a colour or a mark means: "share", "small" (an uncertain share), "blank" (no colour), "frame" or "number"."""

    text: str
    kind: str
    shade: float = 0.0


def keys_of(findings: Findings, numbered: int) -> list[Key]:
    """What the colours and marks of a map mean, if so many shares have their numbers on it."""
    top = top_of(findings)
    shares = [part * top for part in (0.1, 0.4, 1.0)]
    digits = max(0, -math.floor(math.log10(100 * shares[0])))
    found = [Key(share_text(share, digits), "share", float(shade(np.array(share), top))) for share in shares]
    if unsure(findings).any():
        found.append(Key("uncertain: the interval is wider than the share", "small", 0.6))
    if findings.found is not None and not findings.found.all():
        found.append(Key("no colour: maybe zero", "blank"))
    if sensitive(findings):
        found.append(Key("sensitive place", "frame"))
    if numbered:
        found.append(Key("the largest share" if numbered == 1 else f"the {numbered} largest shares, numbered", "number", 1.0))
    return found


def legend_of(findings: Findings, numbered: int, width: int, size: int, left: int) -> Any:
    """What the colours and marks mean, in a line or two: shares as squares from pale to blue, then the marks.

    So many shares are `numbered`. It begins so many pixels to the `left` of the maps.
    """
    rows: list[dict[str, Any]] = []
    x = y = 0
    for key in keys_of(findings, numbered):
        words = f"1: {key.text}" if key.kind == "number" else key.text
        square = 20 if key.kind in {"share", "small", "frame"} else 0
        wide = max(2, square) + round(0.49 * size * len(words)) + 14
        if x and x + wide > width:
            x, y = 0, y + size + 10
        rows.append({"x": x + 7 - left, "t": x + square - left, "y": y + size - 2, "text": words, "shade": key.shade, "kind": key.kind})
        x += wide
    return _keys(rows, width - left, y + size + 10, size)


def _keys(rows: Sequence[Mapping[str, Any]], width: int, height: int, size: int) -> Any:
    """The squares of a legend with their texts, in pixels."""
    at: dict[str, Any] = {
        "x": alt.X("x:Q", scale=alt.Scale(domain=[0, width], nice=False, zero=False), axis=None),
        "y": alt.Y("y:Q", scale=alt.Scale(domain=[height, 0], nice=False, zero=False), axis=None),
    }
    base = alt.Chart(pd.DataFrame(rows)).encode(**at)
    square: dict[str, Any] = {"shape": "square", "size": 150, "strokeWidth": 1}
    layers = [
        base.transform_filter("datum.kind == 'share'")
        .mark_point(aria=False, filled=True, fill=SHARE, **square)
        .encode(opacity=alt.Opacity("shade:Q", scale=None)),
        base.transform_filter("datum.kind == 'frame'").mark_point(aria=False, filled=False, stroke=INK, opacity=1, **square),
        base.transform_filter("datum.kind == 'small'").mark_point(
            aria=False, filled=True, fill=SHARE, shape="square", size=40, opacity=0.6
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
