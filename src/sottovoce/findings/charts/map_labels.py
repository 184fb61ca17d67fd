"""Which texts fit on a map beside each other: the numbers of the largest shares first, then the names of places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

#: The width of a letter as a part of the size of the text, and pixels between two names.
_LETTER, _APART = 0.57, 10
#: There is at most one name on so many squares of the size of a letter: more names hide what is below.
_ROOM = 75
#: A digit needs so much of the size of the text in each direction.
_DIGIT = 0.75

#: A part of a map in pixels: left, top, right, bottom.
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Label:
    """A name at a place, in parts of the width and the height of a map. It stands above its place, or `below` it."""

    text: str
    x: float
    y: float
    below: bool = False


def fits(width: float, height: float, size: int) -> bool:
    """Whether a cell has room for a digit of this size.

    >>> fits(13.1, 13.8, 16), fits(8, 20, 16)
    (True, False)
    """
    return min(width, height) >= _DIGIT * size


def placed(labels: Sequence[Label], width: int, height: int, size: int, taken: Sequence[Box] = ()) -> list[Label]:
    """The labels that are drawn: the first ones, without those that would touch one before them, a box that is `taken`, or the edge.

    >>> [each.text for each in placed([Label("Here", 0.5, 0.5), Label("There", 0.51, 0.5), Label("Edge", 0.999, 0.5)], 400, 400, 11)]
    ['Here']
    """
    found: list[Label] = []
    boxes: list[Box] = []
    for each in labels:
        x, y = each.x * width, each.y * height
        point = (x - 3, y - 3, x + 3, y + 3)
        for below in (False, True):
            box = _box(each.text, x, y, size, below=below)
            inside = box[0] >= 2 and box[1] >= 2 and box[2] <= width - 2 and box[3] <= height - 19 - size  # the scale is below
            free = not any(_touch(box, other, _APART) for other in boxes) and not any(
                _touch(box, other, 2) or _touch(point, other, 1) for other in taken
            )
            if inside and free:
                found.append(replace(each, below=below))
                boxes.append(box)
                break
        if len(found) >= width * height / (_ROOM * size * size):
            break
    return found


def _box(text: str, x: float, y: float, size: int, *, below: bool) -> Box:
    """What a name covers, with the point of its place."""
    half = _LETTER * size * len(text) / 2
    return (x - half, y - 3, x + half, y + size + 3) if below else (x - half, y - size - 3, x + half, y + 3)


def _touch(one: Box, other: Box, apart: float) -> bool:
    across = one[0] < other[2] + apart and other[0] < one[2] + apart
    return across and one[1] < other[3] + apart / 2 and other[1] < one[3] + apart / 2
