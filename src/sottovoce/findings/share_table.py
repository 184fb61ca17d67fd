"""The table of shares as HTML: a row for each answer with its interval, its estimate, and both in numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from sottovoce.estimators.remarks import VAGUE
from sottovoce.findings.formatting import as_percent
from sottovoce.findings.shares import MAYBE_ZERO, Shares
from sottovoce.names import escaped

#: Shapes of what is compared with the estimates, as hollow paths around zero. Every second one stands below the estimate.
_SHAPES = ("M0-4.5 4.5 0 0 4.5-4.5 0Z", "M-3.5-3.5H3.5V3.5H-3.5Z", "M0-4.5 4.5 3.5H-4.5Z", "M0 4.5 4.5-3.5H-4.5Z")
#: How far they stand above or below it, in pixels.
_OFF = 12
#: Letters of ticks that a narrow drawing has room for, and rows from which on the key says that each interval stands for itself.
_LETTERS, _MANY = 18, 10
#: The least width of a scale.
_LEAST = 1e-6
#: Small shares are drawn on a scale of their own if they are so many rows at least, below so much of the whole scale.
_SMALL_ROWS, _SMALL = 2, 1 / 6
#: How far the part of a scale that is drawn larger below it goes down as it is, and where it's as wide as the drawing.
_NARROW, _FULL = 25, 55
#: Steps between ticks: with more of them, less of the scale is empty at its end.
_STEPS = (1.0, 2.0, 5.0, 10.0)


class Html(str):
    """Text that is HTML already: templates don't escape it again."""

    __slots__ = ()

    def __html__(self) -> str:
        return self


@dataclass(frozen=True)
class Scale:
    """The scale of the drawings: its ends, and the shares that are marked on it.

    >>> Scale.up_to(0.42)
    Scale(low=0.0, high=0.5, ticks=(0.0, 0.1, 0.2, 0.3, 0.4, 0.5))
    """

    low: float
    high: float
    ticks: Sequence[float]

    @classmethod
    def of(cls, parts: Iterable[Shares]) -> Scale:
        """One scale for several tables, so that their shares can be compared."""
        least, most = 0.0, 0.0
        for part in parts:
            ends = (part.p, part.p) if part.interval is None else part.interval
            drawn = [*ends, *part.beside.values()]
            least = min(least, *(float(each.min(initial=0.0)) for each in drawn))
            most = max(most, *(float(each.max(initial=0.0)) for each in drawn))
        return cls.up_to(most, least)

    @classmethod
    def up_to(cls, most: float, least: float = 0.0, steps: int = 7) -> Scale:
        """A scale that ends at a round share, with up to so many steps between its ticks."""
        most = max(most, least + _LEAST)
        rough = (most - least) / steps
        size = 10.0 ** math.floor(math.log10(rough))
        step = next(size * each for each in _STEPS if size * each >= rough * 0.999)
        first, last = math.floor(least / step + 1e-9), math.ceil(most / step - 1e-9)
        digits = max(0, 2 - math.floor(math.log10(step)))
        ticks = tuple(round(k * step, digits) for k in range(first, last + 1))
        return cls(ticks[0], ticks[-1], ticks)

    def place(self, share: float) -> str:
        """The position of a share, as an attribute of SVG."""
        part = (share - self.low) / (self.high - self.low)
        return f"{100 * min(1.0, max(0.0, part)):.2f}".rstrip("0").rstrip(".") + "%"

    @property
    def marks(self) -> Sequence[tuple[str, str]]:
        """The place and the text of each tick that has a text: of all, or of each second one from zero on if there is little room."""
        marks = self._texts(self.ticks)
        if sum(len(text) for _, text in marks) <= _LETTERS:
            return marks
        return self._texts(self.ticks[next(k for k, tick in enumerate(self.ticks) if tick >= 0) % 2 :: 2])

    def _texts(self, ticks: Sequence[float]) -> Sequence[tuple[str, str]]:
        step = ticks[1] - ticks[0]
        digits = next(k for k in range(9) if abs(step * 100 - round(step * 100, k)) < 1e-9)
        return [(self.place(tick), f"{100 * tick + 0.0:.{digits}f}%") for tick in ticks]


@dataclass(frozen=True)
class Row:
    """A row of the table: its texts, its remark, and the positions of its marks."""

    label: str
    share: str
    ends: str
    others: Sequence[str]
    kind: str
    remark: str
    estimate: str
    interval: tuple[str, str] | None
    beside: Sequence[str]


def share_table(
    shares: Shares,
    scale: Scale | None = None,
    *,
    level: float = 0.95,
    head: str = "",
    digits: int | None = None,
    enlarged: bool = False,
) -> Html:
    """The table as HTML, for a page with the style sheet `look.css`. To compare tables, give them the same `scale` and `digits`.

    `head` is the title of the first column, by default the name of the shares. ARIA roles stay when a phone shows rows as blocks. With
    `enlarged`, small shares at the end are drawn on a larger scale if the others leave them little room.
    """
    drawn, beside = Scale.of([shares]) if scale is None else scale, [_safe(name) for name in shares.beside]
    count = len(shares.p)
    first = _first_small(shares, drawn) if enlarged else count
    small = Scale.of([shares.take(list(range(first, count)))]) if first < count else None
    heads = (
        _head(_safe(head or shares.name), "what" if head else "") + f'<th class="plot" aria-hidden="true"><svg>{_ticks(drawn)}</svg></th>'
    )
    heads += _head("Share", "share")
    if shares.interval is not None:
        heads += _head(f"{as_percent(level)} interval", "ends")
    heads += "".join(_head(f"<bdi>{name}</bdi>", "other") for name in beside)
    part = "" if small is None else f'<rect class="lens" width="{drawn.place(small.high)}" height="100%"/>'
    rows = "\n".join(_markup(_row(shares, k, drawn, digits), part + _grid(drawn), beside) for k in range(first))
    if small is not None:
        blank = "".join(f'<td class="{kind}"></td>' for kind in ["share", *["ends"] * bool(shares.interval), *["other"] * len(beside)])
        rows += f"\n{_enlarged(drawn, small, blank)}\n"
        rows += "\n".join(_markup(_row(shares, k, small, digits), _WHOLE + _grid(small), beside) for k in range(first, count))
    return Html(
        f'<table class="shares{" compared" * bool(beside)}" role="table">\n<thead role="rowgroup"><tr role="row">{heads}</tr></thead>\n'
        f'<tbody role="rowgroup">\n{rows}\n</tbody></table>'
    )


#: What is drawn larger, as all of a drawing.
_WHOLE = '<rect class="lens" width="100%" height="100%"/>'


def _first_small(shares: Shares, scale: Scale) -> int:
    """From which row on all shares are small on a scale: the number of rows if too few are, or all."""
    ends = (shares.p, shares.p) if shares.interval is None else shares.interval
    most = np.max([*ends, *shares.beside.values()], axis=0)
    first = int(np.max(np.flatnonzero(most > _SMALL * scale.high), initial=-1)) + 1
    return first if scale.low >= 0 and 0 < first <= len(most) - _SMALL_ROWS else len(most)


def _enlarged(scale: Scale, small: Scale, blank: str) -> str:
    """The row above small shares: how a part of the scale becomes the whole of another one. It is for the eye only."""
    width = scale.place(small.high).rstrip("%")
    shape = f'<polygon class="lens" points="0,0 {width},0 {width},{_NARROW} 100,{_FULL} 100,100 0,100"/>'
    shape += f'<polyline class="lens-edge" points="{width},0 {width},{_NARROW} 100,{_FULL}"/>'
    title = f"Enlarged: 0 to {small.marks[-1][1] if small.marks[-1][0] == '100%' else f'{100 * small.high:g}%'}"
    return (
        f'<tr class="enlarged" aria-hidden="true"><th>{title}</th>'
        f'<td class="plot"><svg viewBox="0 0 100 100" preserveAspectRatio="none">{shape}</svg><svg>{_ticks(small)}</svg></td>{blank}</tr>'
    )


def _ticks(scale: Scale) -> str:
    return "".join(f'<text class="tick" x="{x}" y="1.2em">{text}</text>' for x, text in scale.marks)


def _grid(scale: Scale) -> str:
    return "".join(_line("grid-line", x, x, "0", "100%") for x in map(scale.place, scale.ticks))


def share_key(parts: Sequence[Shares], level: float = 0.95, *, simultaneous: bool = False) -> Html:
    """A line that explains the marks of these tables."""
    remarks = {remark for part in parts for remark in part.remarks}
    others = list(dict.fromkeys(name for part in parts for name in part.beside))
    marks, dot = [], '<svg width="14" height="14"><circle class="estimate" cx="7" cy="7" r="4.5"/></svg>'
    if any(remark != VAGUE for part in parts for remark in part.remarks):
        marks.append(f"<span>{dot} estimate</span>")
    if any(part.interval for part in parts):
        each = ", for each row by itself" if any(len(part.p) >= _MANY for part in parts) else ""
        interval = f"{as_percent(level)} interval{', for all at once' if simultaneous else each}"
        marks.append(f'<span><svg width="34" height="14">{_line("interval", "5", "29", "7", "7")}</svg> {interval}</span>')
    if MAYBE_ZERO in remarks:
        marks.append(f'<span class="maybe">{dot} {MAYBE_ZERO}</span>')
    for k, name in enumerate(others):
        marks.append(
            f'<span><svg width="14" height="14"><g transform="translate(7 7)">{_shape(k)}</g></svg> <bdi>{_safe(name)}</bdi></span>'
        )
    return Html(f'<p class="key" aria-hidden="true">\n{chr(10).join(marks)}\n</p>')


def _row(shares: Shares, k: int, scale: Scale, digits: int | None) -> Row:
    share, ends, *others = shares.cells(k, digits)
    remark, (low, high) = shares.remark(k), shares.ends(k)
    return Row(
        shares.labels[k],
        _safe(VAGUE) if remark == VAGUE else share,
        ends if low is not None else "",
        others,
        {VAGUE: "vague", MAYBE_ZERO: "maybe"}.get(remark, ""),
        remark if remark != VAGUE else "",
        scale.place(float(shares.p[k])),
        None if low is None or high is None else (scale.place(low), scale.place(high)),
        [scale.place(float(each[k])) for each in shares.beside.values()],
    )


def _markup(row: Row, grid: str, beside: Sequence[str]) -> str:
    """A row as HTML. Positions are attributes in percent of the width. The estimate is drawn last, on top of the other marks."""
    drawn = grid + "".join(
        f'<svg class="mark" x="{x}" y="50%"><g transform="translate(0 {_above(k)})">{_shape(k)}</g></svg>' for k, x in enumerate(row.beside)
    )
    drawn += _line("interval", *row.interval, "50%", "50%") if row.interval else ""
    if row.kind != "vague":
        drawn += f'<circle class="estimate" cx="{row.estimate}" cy="50%" r="4.5"/>'
    remark = f'<span class="remark">{row.remark}</span>' if row.remark else ""
    cells = f'<th scope="row" role="rowheader"><bdi>{_safe(row.label)}</bdi></th>\n'
    cells += f'<td class="plot" aria-hidden="true"><svg>{drawn}</svg></td>\n<td role="cell" class="share">{row.share}</td>'
    cells += f'<td role="cell" class="ends">{row.ends}{remark}</td>' if row.interval else ""
    for name, cell in zip(beside, row.others, strict=True):
        cells += f'<td role="cell" class="other"><span class="whose"><bdi>{name}</bdi> </span>{cell}</td>'
    return f'<tr role="row"{f" class={chr(34)}{row.kind}{chr(34)}" if row.kind else ""}>{cells}</tr>'


def _shape(k: int) -> str:
    """The shape of a mark to compare. The first is that of the truth, if it's known."""
    return f'<path class="beside-{k % len(_SHAPES) + 1}" d="{_SHAPES[k % len(_SHAPES)]}"/>'


def _above(k: int) -> int:
    """How far below the estimate a mark is drawn (negative for above)."""
    return _OFF if k % 2 else -_OFF


def _head(text: str, kind: str = "") -> str:
    return f'<th scope="col" role="columnheader"{f" class={chr(34)}{kind}{chr(34)}" if kind else ""}>{text}</th>'


def _line(kind: str, left: str, right: str, up: str, down: str) -> str:
    return f'<line class="{kind}" x1="{left}" x2="{right}" y1="{up}" y2="{down}"/>'


def _safe(text: str) -> str:
    """Text from people as HTML, with invisible characters escaped."""
    return escape(escaped(text, lines=True))
