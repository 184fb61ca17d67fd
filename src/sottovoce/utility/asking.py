"""From a request to a plan's goal: which items it is about, and how precisely they should be known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from sottovoce.arrays import Mask
from sottovoce.domain import Domain, Item
from sottovoce.errors import DomainError, ParameterError
from sottovoce.estimators.intervals import deviate
from sottovoce.labels import text_of
from sottovoce.policy.wording import named
from sottovoce.utility.finding import Find
from sottovoce.utility.goals import Goal, TotalVariation, Within
from sottovoce.utility.numbers import numbers_goal

#: The least error that can be asked for.
_LEAST = 1e-9
#: How often intervals hold, and no item is found by mistake, unless something else is asked for.
_CONFIDENCE = 0.95


def goal_of(
    domain: Domain,
    *,
    target: float | None = None,
    item: Item | None = None,
    group: Iterable[Item] | None = None,
    margin: str | Sequence[str] | None = None,
    within: float | None = None,
    find: float | None = None,
    confidence: float | None = None,
    at_most: float | None = None,
    about: str | None = None,
) -> Goal:
    """The goal of a request. Contradictory arguments raise an error.

    >>> goal_of(Domain("abc"), item="a", within=0.02).purpose
    "for ± 2 points on 'a'"
    """
    parts = [name for name, value in (("item", item), ("group", group), ("margin", margin)) if value is not None]
    exact = [name for name, value in (("target", target), ("within", within), ("find", find)) if value is not None]
    if about is not None:
        if other := [*parts, *(name for name in exact if name != "within"), *(["at_most"] if at_most is not None else [])]:
            raise ParameterError(f"`about` and {conjoined(other)} can't be combined. Give about with within, or leave it out.")
        return numbers_goal(domain, about, within, _CONFIDENCE if confidence is None else _level(confidence))
    if len(parts) > 1 or len(exact) > 1 or (parts and exact not in ([], ["within"])):
        raise ParameterError(
            f"{conjoined([*parts, *exact])} can't be combined. Give target, or find, or within with at most one of item, group and margin."
        )
    if at_most is not None and not parts and exact != ["within"]:
        raise ParameterError("at_most needs item, group, margin or within. Leave it out, or give one of them.")
    if not parts and exact in ([], ["target"]):
        if confidence is not None:
            raise ParameterError("`confidence` needs item, group, margin, within or find. Leave it out, or give one of them.")
        if not exact and domain.edges is not None:
            return numbers_goal(domain, "distance", None, _CONFIDENCE)
        return TotalVariation(_checked(target, "target", "a total variation, for example 0.05"))
    level = _CONFIDENCE if confidence is None else _level(confidence)
    if find is not None:
        return Find(_checked(find, "find", "a share, for example 0.01 for one person in a hundred"), level)
    asked = _checked(within, "within", "a half-width, for example 0.02 for two points to either side")
    most = _checked(at_most, "at_most", "a share, for example 0.1") or 1.0
    if item is not None:
        code = domain.code(item)
        return Within(asked, _quoted(item), _quoted(item), None, code, level, most)
    if group is not None:
        mask = _group(domain, group)
        return Within(asked, f"the sum of {_listed(domain, mask)}", "the group", mask[None, :], None, level, most)
    if margin is not None:
        words, groups = _margin(domain, margin)
        return Within(asked, words, words, groups, None, level, most)
    return Within(asked, "every item", "every item", None, None, level, most)


def _checked(value: Any, name: str, meaning: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float, np.floating, np.integer)):
        raise ParameterError(f"{name} is {value!r}. Give {meaning}.")
    if not _LEAST <= float(value) < 1:
        raise ParameterError(f"{name} is {value!r}. Give a number strictly between 0 and 1 (at least {_LEAST:g}).")
    return float(value)


def _level(confidence: Any) -> float:
    try:
        deviate(confidence)
    except ParameterError:
        raise ParameterError(f"confidence is {confidence!r}. Give a number strictly between 0 and 1, for example 0.95.") from None
    return float(confidence)


def _group(domain: Domain, group: Iterable[Item]) -> Mask:
    mask = domain.indicator(group)
    if not mask.any():
        raise ParameterError("The group is empty. Name at least one item.")
    if mask.all():
        raise ParameterError("The group contains all items, so its share is 1. Leave out at least one.")
    return mask


def _margin(domain: Domain, margin: str | Sequence[str]) -> tuple[str, Mask]:
    """The words for an axis, or several, and the items with each of its labels."""
    names = [str(axis.name) for axis in domain.axes if axis.name is not None]
    chosen = [margin] if isinstance(margin, str) else list(margin)
    if len(domain.axes) < 2:
        raise ParameterError("`margin` needs a domain with several axes, but this one is a list of items. Use item or group.")
    if wrong := [name for name in chosen if name not in names]:
        raise DomainError(f"{wrong[0]!r} isn't an axis of this domain. Choose from {conjoined(names)}.")
    if not chosen or len(set(chosen)) < len(chosen) or len(chosen) == len(names):
        raise ParameterError(f"margin is {chosen}. Name some of the axes {conjoined(names)}, but not all, and each once.")
    places = [names.index(name) for name in chosen]
    codes = np.ravel_multi_index(
        [np.unravel_index(np.arange(len(domain)), domain.shape)[place] for place in places], [domain.shape[place] for place in places]
    )
    count = int(np.prod([domain.shape[place] for place in places]))
    what = "label" if len(chosen) == 1 else "combination"
    return f"every {what} of {conjoined([named(name) for name in chosen])}", codes[None, :] == np.arange(count)[:, None]


def _listed(domain: Domain, mask: Mask, most: int = 3) -> str:
    codes = np.flatnonzero(mask)
    if len(codes) > most:
        return f"{len(codes):,} items"
    return conjoined([_quoted(domain.item(int(code))) for code in codes])


def _quoted(item: Item) -> str:
    return named(text_of(item)) if isinstance(item, (tuple, str)) else f"item {item}"


def conjoined(names: Sequence[str]) -> str:
    """Names in a sentence: a, b and c."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
