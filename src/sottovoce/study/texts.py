"""The texts of a study that people read, and what they may not contain."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sottovoce.errors import ParameterError, StudyError
from sottovoce.names import checked_text

if TYPE_CHECKING:
    from sottovoce.domain import Domain
    from sottovoce.study.study import Study


def check_texts(study: Study) -> None:
    """Refuse a new study whose texts have characters that people can't see. Studies that were recorded earlier are read as they are."""
    try:
        for what, text in study.texts():
            checked_text(text, what)
    except ParameterError as error:
        raise StudyError(f"Study {study.name!r}: {error}") from None


def domain_texts(domain: Domain) -> Iterator[tuple[str, str]]:
    """The names of a domain's axes and items."""
    for axis in domain.axes:
        if axis.name is not None:
            yield "the axis", axis.name
        if not isinstance(axis.labels, range):
            yield from (("the item", label) for label in axis.labels if isinstance(label, str))
    if domain.basemap is not None:
        yield from (("the place", place.name) for place in domain.basemap.places)
        yield "the credit of the map", domain.basemap.credit
