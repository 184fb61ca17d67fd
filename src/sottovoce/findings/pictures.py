"""Pictures for people who read findings: what one report can do to a belief, as a hundred dots before it and after it."""

from __future__ import annotations

from markupsafe import Markup

from sottovoce.templates import template

#: Dots of a picture in a row, and the units between their middles.
_ROW, _STEP = 10, 10


def beliefs(after: int, before: int = 1) -> Markup:
    """Two pictures of a hundred people as dots: so many in colour before a report, and at most so many after it."""
    dots = [(_STEP * (k % _ROW) + _STEP / 2, _STEP * (k // _ROW) + _STEP / 2) for k in range(_ROW * _ROW)]
    made = template("sottovoce.findings", "pictures.html").make_module()
    return Markup(made.beliefs(dots, before, after))  # type: ignore[attr-defined]  # noqa: S704 - numbers only
