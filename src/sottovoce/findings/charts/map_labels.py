"""Which names of places fit on a map beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

#: The width of a letter as a part of the size of the text, and pixels between two names.
_LETTER, _APART = 0.57, 10
#: There is at most one name on so many squares of the size of a letter: more names hide what is below.
_ROOM = 75


@dataclass(frozen=True)
class Label:
    """A name at a place, in parts of the width and the height of a map."""

    text: str
    x: float
    y: float


def placed(labels: Sequence[Label], width: int, height: int, size: int) -> list[Label]:
    """The labels that are drawn, above their places: the first ones, without those that would touch one before them, or the edge.

    >>> [each.text for each in placed([Label("Here", 0.5, 0.5), Label("There", 0.51, 0.5), Label("Edge", 0.999, 0.5)], 400, 400, 11)]
    ['Here']
    """
    found: list[Label] = []
    boxes: list[tuple[float, float, float, float]] = []
    for each in labels:
        half = _LETTER * size * len(each.text) / 2
        x, y = each.x * width, each.y * height
        box = (x - half, y - size - 3, x + half, y + 3)
        inside = box[0] >= 2 and box[2] <= width - 2 and box[1] >= 2 and box[3] <= height - 19 - size  # the scale is below
        if inside and not any(_touch(box, other) for other in boxes):
            found.append(each)
            boxes.append(box)
        if len(found) >= width * height / (_ROOM * size * size):
            break
    return found


def _touch(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] + _APART and other[0] < one[2] + _APART and one[1] < other[3] + _APART / 2 and other[1] < one[3] + _APART / 2
