"""How a promise becomes a mechanism of a given name."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sottovoce.errors import ClaimError, ParameterError, SottovoceError, UnsupportedError
from sottovoce.mechanisms import (
    Mechanism,
    PersonalMechanism,
    from_matrix,
    hadamard,
    idue,
    iprr,
    ipue,
    krr,
    lh_lip,
    mangat,
    olh,
    optimal_lip,
    oue,
    pum,
    rappor,
    rr_lip,
    rr_lip_published,
    subset_selection,
    ubd,
    ue_lip,
    urap,
    urr,
    utility_optimized,
)
from sottovoce.notions.words import shown
from sottovoce.utility.promises import Promise


@dataclass(frozen=True)
class Recipe:
    """What a constructor takes of the promise, in its order, and which settings of its own a study may give it."""

    maker: Callable[..., Mechanism]
    takes: tuple[str, ...]
    settings: tuple[str, ...] = ()


#: Every constructor that a study may name.
RECIPES: Mapping[str, Recipe] = {
    "krr": Recipe(krr, ("epsilon",)),
    "rappor": Recipe(rappor, ("epsilon",), ("theta",)),
    "oue": Recipe(oue, ("epsilon",)),
    "olh": Recipe(olh, ("epsilon",), ("g",)),
    "subset_selection": Recipe(subset_selection, ("epsilon",), ("size",)),
    "hadamard": Recipe(hadamard, ("epsilon",), ("blocks",)),
    "mangat": Recipe(mangat, ("epsilon", "sensitive")),
    "urr": Recipe(urr, ("epsilon", "sensitive")),
    "urap": Recipe(urap, ("epsilon", "sensitive"), ("theta",)),
    "ubd": Recipe(ubd, ("epsilon", "sensitive")),
    "utility_optimized": Recipe(utility_optimized, ("epsilon", "sensitive"), ("base",)),
    "pum": Recipe(pum, ("epsilon", "tags", "sensitive"), ("base",)),
    "iprr": Recipe(iprr, ("budgets",)),
    "idue": Recipe(idue, ("budgets",), ("model",)),
    "ipue": Recipe(ipue, ("budgets",), ("model",)),
    "rr_lip": Recipe(rr_lip, ("epsilon", "prior")),
    "rr_lip_published": Recipe(rr_lip_published, ("epsilon", "prior")),
    "ue_lip": Recipe(ue_lip, ("epsilon", "prior"), ("theta",)),
    "lh_lip": Recipe(lh_lip, ("epsilon", "prior"), ("g", "functions")),
    "optimal_lip": Recipe(optimal_lip, ("epsilon", "prior"), ("utility", "values")),
    "from_matrix": Recipe(from_matrix, (), ("matrix",)),
}
#: The bases of mechanisms that are built on another one.
_BASES = {
    "utility_optimized": ("krr", "rappor", "oue", "olh", "subset_selection", "hadamard"),
    "pum": ("urr", "urap", "ubd"),
}
_PARTS = {"sensitive": "sensitive items", "prior": "a prior", "tags": "tags", "epsilon": "an epsilon", "budgets": "budgets"}
_REMEDIES = {
    "sensitive": "name the sensitive items in [privacy] sensitive",
    "prior": "give [privacy] prior",
    "tags": "name the tags under which people mark items of their own in [privacy] tags",
    "epsilon": "give [privacy] epsilon",
    "budgets": "give [privacy.budgets], or epsilon with sensitive items",
}


def built(promise: Promise, name: str, settings: Mapping[str, Any]) -> Mechanism:
    """The mechanism of a name for a promise, which is checked on its integers.

    >>> from sottovoce import Domain
    >>> built(Promise(Domain("abc"), "ldp", 1.0), "krr", {}).name
    'krr'
    """
    recipe = _recipe(name)
    if promise.tags and name != "pum":
        raise UnsupportedError(
            f'people mark items of their own, which {name} cannot hide; write name = "pum", with base = "urr" for example'
        )
    if unknown := [key for key in settings if key not in recipe.settings]:
        allowed = f"its settings are {', '.join(recipe.settings)}" if recipe.settings else "it has no settings"
        raise ParameterError(f"{unknown[0]!r} is not a setting of {name}; {allowed}")
    given = [_part(promise, part, name) for part in recipe.takes]
    try:
        found = _made(promise, name, given, settings)
    except ClaimError as error:
        raise _broken(promise, name, error) from None
    except SottovoceError:
        raise
    except (TypeError, ValueError) as error:
        raise ParameterError(f"{name} cannot be made with these settings: {error}") from None
    return promised(promise, found)


def promised(promise: Promise, mechanism: Mechanism) -> Mechanism:
    """The mechanism with the promise as its claim, if it keeps it."""
    try:
        if isinstance(mechanism, PersonalMechanism):
            return replace(mechanism, claim=promise.claim())
        return Mechanism(mechanism.domain, mechanism.channel, promise.claim(), mechanism.name)
    except ClaimError as error:
        raise _broken(promise, mechanism.name, error) from None


def _broken(promise: Promise, name: str, error: ClaimError) -> UnsupportedError:
    level = shown(error.level)
    return UnsupportedError(f'{name} does not keep the promise ({promise}): it gives {level}; choose another, or write name = "auto"')


def _recipe(name: str) -> Recipe:
    if name not in RECIPES:
        near = difflib.get_close_matches(name, RECIPES, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f'write "auto", or one of {", ".join(RECIPES)}'
        raise ParameterError(f"{name!r} is not a mechanism; {hint}")
    return RECIPES[name]


def _part(promise: Promise, part: str, name: str) -> Any:
    """What a constructor needs of the promise."""
    marked = list(promise.budgets or promise.sensitive)
    found = {
        "epsilon": promise.strictest,
        "sensitive": marked,
        "tags": promise.tags,
        "prior": promise.prior,
        "budgets": promise.budgets or dict.fromkeys(marked or promise.domain, promise.strictest),
    }[part]
    if (part == "sensitive" and name == "pum") or found:
        return found
    raise UnsupportedError(f"{name} needs {_PARTS[part]}, and the promise has none; {_REMEDIES[part]}, or choose another mechanism")


def _made(promise: Promise, name: str, given: list[Any], settings: Mapping[str, Any]) -> Mechanism:
    made: Mechanism
    match name:
        case "utility_optimized":
            epsilon, sensitive = given
            made = utility_optimized(_base(name, settings)(promise.domain.subset(sensitive), epsilon), promise.domain)
        case "mangat":
            epsilon, (only, *others) = given
            if others or len(promise.domain) != 2:
                raise ParameterError("mangat is for two items, one of them sensitive; choose another mechanism")
            made = mangat(promise.domain, epsilon, only)
        case "pum":
            epsilon, tags, sensitive = given
            made = pum(promise.domain, epsilon, tags, sensitive, base=_base(name, settings))
        case "from_matrix":
            if "matrix" not in settings:
                raise ParameterError("from_matrix needs a matrix: matrix = [[0.7, 0.3], [0.3, 0.7]], a row for each item")
            made = from_matrix(promise.domain, settings["matrix"], promise.claim())
        case _:
            made = RECIPES[name].maker(promise.domain, *given, **settings)
    return made


def _base(name: str, settings: Mapping[str, Any]) -> Callable[..., Mechanism]:
    base = settings.get("base", _BASES[name][0])
    if base not in _BASES[name]:
        raise ParameterError(f"{base!r} is not a base of {name}; its bases are {', '.join(_BASES[name])}")
    return RECIPES[base].maker
