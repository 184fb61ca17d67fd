"""The texts of a study that people read: its question, its items, its axes, its levels and its tags."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sottovoce.errors import ParameterError, StudyError
from sottovoce.names import checked_text

if TYPE_CHECKING:
    from sottovoce.study.study import Study


def check_texts(study: Study) -> None:
    """Refuse a new study whose texts have characters that people can't see. Studies that were recorded earlier are read as they are."""
    if len(study.questions) > 1:
        raise StudyError(
            f"study {study.name!r} has several questions, which a collector can't ask yet; use files: perturb, tally, estimate"
        )
    try:
        for what, text in _texts(study):
            checked_text(text, what)
    except ParameterError as error:
        raise StudyError(f"study {study.name!r}: {error}") from None


def _texts(study: Study) -> Iterator[tuple[str, str]]:
    yield "the question", study.question
    for axis in study.domain.axes:
        if axis.name is not None:
            yield "the axis", axis.name
        if not isinstance(axis.labels, range):
            yield from (("the item", label) for label in axis.labels if isinstance(label, str))
    yield from (("the level", level) for level in study.blocks)
    yield from (("the tag", tag) for tag in study.tags)
