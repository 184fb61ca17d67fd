"""What to know about answers that people marked as their own, in sentences."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from sottovoce.findings.formatting import percent_about

if TYPE_CHECKING:
    from sottovoce.findings.results import Tag


def marked_words(tags: Sequence[Tag], known: Collection[str], *, places: bool) -> str:
    """How many people marked their answers, and what is known about those: nothing, or what the analyst's files have for some tags.

    >>> from sottovoce.findings.results import Tag
    >>> marked_words([Tag("home", 0.018, 0.006, 0.029)], [], places=True).partition(", ")[0]
    '1.8% (0.6 to 2.9%) marked their answer “home” and could be anywhere'
    """
    unknown, told = [tag for tag in tags if tag.name not in known], [tag for tag in tags if tag.name in known]
    return " ".join(filter(None, (_unknown(unknown, places=places), *(_told(tag, places=places) for tag in told))))


def _unknown(tags: Sequence[Tag], *, places: bool) -> str:
    if not tags:
        return ""
    shares = [percent_about(tag.p, tag.low, tag.high) for tag in tags]
    first, *others = (
        f"{share}{' marked their answer' * (k == 0)} “{tag.name}”" for k, (share, tag) in enumerate(zip(shares, tags, strict=True))
    )
    who = " and ".join([first, *others])
    could = "could be anywhere" if places else "could have given any answer"
    what = f"where {'they were' if others else f'“{tags[0].name}” was'}" if places else "which answers these were"
    joint = ". They" if others else " and"
    return f"{who}{joint} {could}, which is why the intervals reach so far. A report made with a file of {what} narrows them."


def _told(tag: Tag, *, places: bool) -> str:
    which, could = ("Where", "they could be anywhere") if places else ("Which answers", "it could be any answer")
    return (
        f"{percent_about(tag.p, tag.low, tag.high)} said only “{tag.name}”. {which} these were comes from the analyst’s file, "
        f"which can’t be checked here. Without the file {could}, and the intervals would reach further."
    )
