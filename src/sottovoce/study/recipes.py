"""How a promise becomes a mechanism of a given name."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sottovoce import mechanisms
from sottovoce.errors import ClaimError, ParameterError, SottovoceError, UnsupportedError
from sottovoce.mechanisms import Mechanism, PersonalMechanism
from sottovoce.notions.words import shown
from sottovoce.utility.promises import Promise


@dataclass(frozen=True)
class Recipe:
    """What a constructor takes of the promise, in its order, and which settings of its own a study may give it."""

    takes: tuple[str, ...]
    settings: tuple[str, ...] = ()


#: Every constructor that a study may name.
RECIPES: Mapping[str, Recipe] = {
    "krr": Recipe(("epsilon",)),
    "rappor": Recipe(("epsilon",), ("theta",)),
    "oue": Recipe(("epsilon",)),
    "olh": Recipe(("epsilon",), ("g",)),
    "subset_selection": Recipe(("epsilon",), ("size",)),
    "hadamard": Recipe(("epsilon",), ("blocks",)),
    "mangat": Recipe(("epsilon", "sensitive")),
    "urr": Recipe(("epsilon", "sensitive")),
    "urap": Recipe(("epsilon", "sensitive"), ("theta",)),
    "ubd": Recipe(("epsilon", "sensitive")),
    "utility_optimized": Recipe(("epsilon", "sensitive"), ("base",)),
    "pum": Recipe(("epsilon", "tags", "sensitive"), ("base",)),
    "iprr": Recipe(("budgets",)),
    "idue": Recipe(("budgets",), ("model",)),
    "ipue": Recipe(("budgets",), ("model",)),
    "rr_lip": Recipe(("epsilon", "prior")),
    "rr_lip_published": Recipe(("epsilon", "prior")),
    "ue_lip": Recipe(("epsilon", "prior"), ("theta",)),
    "lh_lip": Recipe(("epsilon", "prior"), ("g", "functions")),
    "optimal_lip": Recipe(("epsilon", "prior"), ("utility", "values")),
    "from_matrix": Recipe((), ("matrix",)),
}
#: The bases of mechanisms that are built on another one.
_BASES = {
    "utility_optimized": ("krr", "rappor", "oue", "olh", "subset_selection", "hadamard"),
    "pum": ("urr", "urap", "ubd"),
}
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
    if unknown := [key for key in settings if key not in recipe.settings]:
        allowed = f"its settings are {', '.join(recipe.settings)}" if recipe.settings else "it has no settings"
        raise ParameterError(f"{unknown[0]!r} is not a setting of {name}; {allowed}")
    given = [_part(promise, part, name) for part in recipe.takes]
    try:
        found = _made(promise, name, given, settings)
    except SottovoceError:
        raise
    except (TypeError, ValueError) as error:
        raise ParameterError(f"{name} cannot be made with these settings: {error}") from None
    return promised(promise, found)


def promised(promise: Promise, mechanism: Mechanism) -> Mechanism:
    """The mechanism with the promise as its claim, if it keeps it."""
    if promise.tags and not isinstance(mechanism, PersonalMechanism):
        raise UnsupportedError(
            f'people mark items of their own, which {mechanism.name} cannot hide; write name = "pum" (with base = "urr", for example)'
        )
    try:
        return replace(mechanism, claim=promise.claim())
    except ClaimError as error:
        raise UnsupportedError(
            f"{mechanism.name} does not keep this promise ({promise}): it gives {shown(error.level)}; "
            'choose another mechanism, or write name = "auto"'
        ) from None


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
    raise UnsupportedError(f"{name} needs {part}, and the promise has none; {_REMEDIES[part]}, or choose another mechanism")


def _made(promise: Promise, name: str, given: list[Any], settings: Mapping[str, Any]) -> Mechanism:
    made: Mechanism
    match name:
        case "utility_optimized":
            epsilon, sensitive = given
            made = mechanisms.utility_optimized(_base(name, settings)(promise.domain.subset(sensitive), epsilon), promise.domain)
        case "pum":
            epsilon, tags, sensitive = given
            made = mechanisms.pum(promise.domain, epsilon, tags, sensitive, base=_base(name, settings))
        case "from_matrix":
            if "matrix" not in settings:
                raise ParameterError("from_matrix needs a matrix: matrix = [[0.7, 0.3], [0.3, 0.7]], a row for each item")
            made = mechanisms.from_matrix(promise.domain, settings["matrix"], promise.claim())
        case _:
            made = getattr(mechanisms, name)(promise.domain, *given, **settings)
    return made


def _base(name: str, settings: Mapping[str, Any]) -> Callable[..., Mechanism]:
    base = settings.get("base", _BASES[name][0])
    if base not in _BASES[name]:
        raise ParameterError(f"{base!r} is not a base of {name}; its bases are {', '.join(_BASES[name])}")
    made: Callable[..., Mechanism] = getattr(mechanisms, base)
    return made
