"""Tables of shares as HTML: the answer, its interval and estimate drawn on one scale, the share, the ends of the interval."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from sottovoce.findings.formatting import percent_about
from sottovoce.findings.shares import MAYBE_ZERO, VAGUE, Shares
from sottovoce.names import escaped

#: Distances of ticks, in percentage points, and ticks at most.
_STEPS, _TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 25, 50), 5
_CLASSES = {MAYBE_ZERO: "maybe", VAGUE: "vague"}


@dataclass(frozen=True)
class Scale:
    """From zero to the largest number that is drawn, in percentage points, with a tick at every step."""

    top: float
    step: float

    @classmethod
    def of(cls, tables: Iterable[Shares]) -> Scale:
        """The scale that tables share.

        >>> import numpy as np
        >>> scale = Scale.of([Shares("item", ["a", "b"], np.array([0.31, 0.69]), None)])
        >>> scale.top, scale.ticks
        (69.0, [0, 20, 40, 60])
        """
        ends = [each.p if each.interval is None else each.interval.high for each in tables]
        top = 100 * max((float(each.max(initial=0.0)) for each in ends), default=1.0) or 100.0
        return cls(round(top, 6), next((step for step in _STEPS if top / step < _TICKS), _STEPS[-1]))

    @property
    def ticks(self) -> list[float]:
        return [k * self.step for k in range(math.floor(self.top / self.step + 1e-9) + 1)]

    def place(self, share: float) -> str:
        """Where a share stands, in percent of the width."""
        return f"{min(100.0, max(0.0, 100 * 100 * share / self.top)):.2f}".rstrip("0").rstrip(".") + "%"


def shares_html(shares: Shares, scale: Scale, head: str = "") -> str:
    """The table as HTML; `head` names its first column."""
    grid = "".join(_line("grid-line", at, at, "0", "100%") for at in (scale.place(tick / 100) for tick in scale.ticks))
    ticks = "".join(_tick(scale.place(tick / 100), f"{tick:g}%") for tick in scale.ticks)
    heads = f'<th scope="col">{_safe(head or _head(shares.name))}</th>'
    heads += f'<th scope="col" class="plot" aria-hidden="true"><svg>{ticks}</svg></th>'
    heads += '<th scope="col" class="share">Share</th>' + '<th scope="col" class="ends">Interval</th>' * (shares.interval is not None)
    heads += "".join(f'<th scope="col" class="ends">{_safe(name.capitalize())}</th>' for name in shares.beside)
    digits = _digits(shares)
    rows = "".join(_row(shares, k, scale, grid, digits) for k in range(len(shares.p)))
    return f'<table class="shares"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>'


def _row(shares: Shares, k: int, scale: Scale, grid: str, digits: int) -> str:
    remark, share = shares.remark(k), float(shares.p[k])
    drawn, ends = grid, ""
    low, high = (None, None) if shares.interval is None else (float(shares.interval.low[k]), float(shares.interval.high[k]))
    said = percent_about(share, low, high, digits)
    if low is not None and high is not None:
        drawn += _line("interval", scale.place(low), scale.place(high), "50%", "50%")
        said, _, bounds = said.removesuffix(")").partition(" (")
        ends = f'<td class="ends">{bounds}</td>'
    if remark != VAGUE:
        drawn += f'<circle class="estimate" cx="{scale.place(share)}" cy="50%" r="5.5"/>'
    for beside in shares.beside.values():
        drawn += f'<circle class="truth" cx="{scale.place(float(beside[k]))}" cy="50%" r="4"/>'
    others = "".join(f'<td class="ends">{100 * float(beside[k]):.{digits}f}%</td>' for beside in shares.beside.values())
    told = f'<span class="remark">{remark}</span>' if remark else ""
    name = f'<th scope="row"><bdi>{_safe(shares.labels[k])}</bdi>{told}</th>'
    plot = f'<td class="plot" aria-hidden="true"><svg>{drawn}</svg></td>'
    return f'<tr class="{_CLASSES.get(remark, "")}">{name}{plot}<td class="share">{said}</td>{ends}{others}</tr>'


def _head(name: str) -> str:
    return "Answer" if name == "item" else name.capitalize()


def _tick(place: str, text: str) -> str:
    anchor = "start" if place == "0%" else "middle"
    return f'<text x="{place}" y="1.5rem" text-anchor="{anchor}" fill="currentColor">{text}</text>'


def _line(kind: str, left: str, right: str, up: str, down: str) -> str:
    return f'<line class="{kind}" x1="{left}" x2="{right}" y1="{up}" y2="{down}"/>'


def _digits(shares: Shares) -> int:
    """The digits behind the point that all shares of a table have: what the widest interval is worth, and at least one."""
    if shares.interval is None:
        return 1
    width = 100 * float((shares.interval.high - shares.interval.low).max(initial=0.0))
    return min(4, max(1, math.ceil(-math.log10(width / 2)))) if width > 0 else 1


def _safe(text: str) -> str:
    return escape(escaped(text))
