"""Build the mechanism of a given name for a promise."""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sottovoce.catalogue import MECHANISMS, MechanismEntry, load_extensions
from sottovoce.errors import ClaimError, ParameterError, SottovoceError, UnsupportedError
from sottovoce.mechanisms import Mechanism, PersonalMechanism
from sottovoce.policy import Promise
from sottovoce.policy.wording import shown
from sottovoce.utility.candidates import made

_PARTS = {"sensitive": "sensitive items", "prior": "a prior", "tags": "tags", "epsilon": "an epsilon", "budgets": "budgets"}
_REMEDIES = {
    "sensitive": "Name the sensitive items in [privacy] sensitive",
    "prior": "Give [privacy] prior",
    "tags": "Name the tags under which people mark items of their own in [privacy] tags",
    "epsilon": "Give [privacy] epsilon",
    "budgets": "Give [privacy.budgets], or epsilon with sensitive items",
}


def built(promise: Promise, name: str, settings: Mapping[str, Any]) -> Mechanism:
    """The mechanism of a name for a promise, checked on its integers.

    >>> from sottovoce import Domain
    >>> built(Promise(Domain("abc"), "ldp", 1.0), "krr", {}).name
    'krr'
    """
    entry = _named(name)
    if promise.tags and "tags" not in entry.takes:
        raise UnsupportedError(
            f'People mark items of their own, which {name} can\'t protect. Write name = "pum", with base = "urr" for example.'
        )
    if unknown := [key for key in settings if key not in entry.settings]:
        allowed = f"Its settings are {', '.join(entry.settings)}" if entry.settings else "It has no settings"
        raise ParameterError(f"{unknown[0]!r} isn't a setting of {name}. {allowed}.")
    if missing := [part for part in entry.needs if not promise.part(part)]:
        raise UnsupportedError(f"{name} needs {_PARTS[missing[0]]}. {_REMEDIES[missing[0]]}, or choose another mechanism.")
    try:
        found = made(promise, entry, settings)
    except ClaimError as error:
        raise _broken(promise, name, error) from None
    except SottovoceError:
        raise
    except (TypeError, ValueError) as error:
        raise ParameterError(f"{name} can't be made with these settings: {error}") from None
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
    why = "one of its reports rules out an answer" if math.isinf(error.level) else f"it gives {shown(error.level)}"
    return UnsupportedError(
        f'{name} doesn\'t keep the guarantee ({promise}), because {why}. Choose another mechanism, or write name = "auto".'
    )


def nameable() -> dict[str, MechanismEntry]:
    """The mechanisms that a study file can name."""
    return {name: entry for name, entry in MECHANISMS.items() if entry.build is not None}


def settings_of(name: str) -> tuple[str, ...]:
    """The settings that a study file may give a mechanism. None for "auto" and for unknown names."""
    found = None if name == "auto" else _found(name)
    return found.settings if found else ()


def _found(name: str) -> MechanismEntry | None:
    """The mechanism of a name, also one that another package declares."""
    if name not in nameable():
        load_extensions()
    return nameable().get(name)


def _named(name: str) -> MechanismEntry:
    found = _found(name)
    if found is None:
        near = difflib.get_close_matches(name, known := nameable(), n=1)
        hint = f"Did you mean {near[0]!r}?" if near else f'Write "auto", or one of {", ".join(known)}.'
        raise ParameterError(f"{name!r} isn't a mechanism. {hint}")
    return found
