"""What displayed objects consist of. Each part is drawn twice: on a terminal (`text`) and as HTML (`html`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from sottovoce.findings.figures import Figure
from sottovoce.findings.results import Findings
from sottovoce.findings.shares import Shares


@dataclass(frozen=True)
class Title:
    """The name of an object, with its subject. All titles but the first begin a section."""

    name: str
    text: str = ""
    section: bool = False


@dataclass(frozen=True)
class Line:
    """A sentence or a few. Facts are short and quiet, and a headline comes first.

    `where` is "text" or "html" if only one of them has the line. `folded` lines of HTML are shown on demand.
    """

    text: str
    kind: str = "plain"
    where: str = ""
    folded: bool = False


@dataclass(frozen=True)
class SharesTable:
    """Shares with their intervals, drawn on one scale. With `axes` each part is an axis of a product."""

    parts: Sequence[Shares]
    axes: bool = False


@dataclass(frozen=True)
class FiguresTable:
    """The mean and the quartiles."""

    figures: Sequence[Figure]


@dataclass(frozen=True)
class Rows:
    """A plain table: the names of its columns with their sides ("left" or "right"), and cells as text."""

    columns: Mapping[str, str]
    rows: Sequence[Sequence[Any]]


@dataclass(frozen=True)
class GridMap:
    """A map of a grid in shades."""

    findings: Findings


@dataclass(frozen=True)
class Caution:
    """A caution for the reader."""

    text: str


Part: TypeAlias = Title | Line | SharesTable | FiguresTable | Rows | GridMap | Caution
