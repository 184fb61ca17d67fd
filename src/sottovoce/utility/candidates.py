"""The mechanisms that keep a promise, from the catalogue, and the least error that any mechanism can have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType

from sottovoce.catalogue import MECHANISMS, MechanismEntry, Settings, promisable
from sottovoce.errors import ClaimError, UnsupportedError
from sottovoce.mechanisms import Mechanism, OptimalMechanism, pum
from sottovoce.notions import LDP, Notion
from sottovoce.optima.uldp import uldp_limit
from sottovoce.policy import Promise


def candidates_for(promise: Promise, wanted: Settings = MappingProxyType({})) -> list[Mechanism]:
    """The mechanisms that keep the guarantee: first those made for its notion, then those that keep a stricter one.

    `wanted` has settings that suit the goal of a plan better than the default settings for plans.
    """
    notion = promisable()[promise.notion]
    entries = sorted(MECHANISMS.values(), key=lambda entry: notion.name not in entry.promises)
    found = [mechanism for entry in entries if promise.notion in entry.plan for mechanism in _built(promise, entry, wanted)]
    return found + candidates_for(promise.uniform(), wanted) if notion.uniform else found


def _built(promise: Promise, entry: MechanismEntry, wanted: Settings) -> list[Mechanism]:
    """The mechanism with each of its settings, if it suits the guarantee and keeps it."""
    planned = entry.plan[promise.notion](promise)
    kinds = [] if planned is None else [planned] if isinstance(planned, Mapping) else planned
    suited = [{key: wanted.get(key, value) for key, value in settings.items()} for settings in kinds]
    return [mechanism for settings in suited for mechanism in _kept(promise, entry, settings)]


def _kept(promise: Promise, entry: MechanismEntry, settings: Settings) -> list[Mechanism]:
    """The mechanism with some settings, if it keeps the guarantee."""
    try:
        mechanism = _personal(promise, entry, settings) if promise.tags else made(promise, entry, settings)
        return [mechanism] if _keeps(mechanism, promise) else []
    except (ClaimError, UnsupportedError):
        return []


def made(promise: Promise, entry: MechanismEntry, settings: Settings) -> Mechanism:
    """The mechanism for a guarantee, with its own settings. Its claim may be a different one."""
    assert entry.build is not None
    build: Callable[..., Mechanism] = entry.build
    return build(promise.domain, **{part: promise.part(part) for part in entry.parts}, **settings)


def _personal(promise: Promise, entry: MechanismEntry, settings: Settings) -> Mechanism:
    """The mechanism over items and bots, for people who mark items of their own."""
    assert entry.build is not None
    return pum(promise.domain, promise.strictest, promise.tags, promise.sensitive, base=partial(entry.build, **settings))


def _keeps(mechanism: Mechanism, promise: Promise) -> bool:
    """Whether the mechanism's own claim is the guarantee or implies it, or else its channel passes the check."""
    claim = mechanism.claim
    asked: Notion = promise.claim()
    implied = isinstance(claim, LDP) and claim.epsilon <= promise.strictest and promise.notion != "ipldp"
    return claim == asked or implied or asked.check(mechanism).holds


def least_loss(promise: Promise, candidates: Sequence[Mechanism]) -> float | None:
    """The least n times the squared error that any mechanism can have, in the worst case (or under the prior). None if unknown."""
    if promise.prior is not None:
        return next((each.loss - each.gap for each in candidates if isinstance(each, OptimalMechanism)), None)
    if promise.epsilon is None:
        return None
    size = len(promise.domain) + len(promise.tags)
    return uldp_limit(size, size if promise.notion == "ldp" else len(promise.sensitive) + len(promise.tags), promise.epsilon).value
