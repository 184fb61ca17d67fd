"""The examples of every mechanism in the catalogue, at a level that the caller chooses: a new mechanism is tested by being declared.

Tests are named after the mechanisms and build them when they run: `parametrize("name", ZOO)`, then `built(name)`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

import sottovoce as sv
from sottovoce.catalogue import MECHANISMS, MechanismEntry

DOMAIN = sv.Domain(["a", "b", "c", "d", "e"])
SENSITIVE = ["a", "b", "d"]
PRIOR = [0.1, 0.15, 0.2, 0.25, 0.3]
PRIORS = [[0.1, 0.15, 0.2, 0.25, 0.3], [0.2, 0.2, 0.2, 0.2, 0.2]]
#: What an example takes of a promise, if it says nothing else. Budgets are multiples of ε.
PARTS: Mapping[str, Any] = {
    "epsilon": 1,
    "sensitive": SENSITIVE,
    "prior": PRIOR,
    "tags": ["home"],
    "budgets": {"a": 1, "b": 1.3, "d": 1.7},
}

Build = Callable[[float], sv.Mechanism]
#: The library's own mechanisms that a study can name: tests may declare others for a while.
ENTRIES = {name: entry for name, entry in MECHANISMS.items() if entry.build and entry.thing.__module__.startswith("sottovoce.")}


def example(entry: MechanismEntry, given: Mapping[str, Any], epsilon: Any) -> sv.Mechanism:
    """The mechanism of one of its examples: settings, and parts of a promise where they differ from the usual ones."""
    parts = {part: given.get(part, PARTS[part]) for part in entry.takes}
    settings = {key: value for key, value in given.items() if key not in {*parts, "domain"}}
    if "epsilon" in parts:
        parts["epsilon"] = _times(parts["epsilon"], epsilon)
    if "budgets" in parts:
        parts["budgets"] = {item: _times(each, epsilon) for item, each in parts["budgets"].items()}
    assert entry.build is not None
    made: sv.Mechanism = entry.build(sv.Domain(given["domain"]) if "domain" in given else DOMAIN, **parts, **settings)
    return made


def _times(factor: float, epsilon: Any) -> Any:
    return epsilon if factor == 1 else factor * epsilon


def _matrix(domain: sv.Domain, epsilon: float) -> sv.Mechanism:
    return sv.from_matrix(domain, sv.krr(domain, epsilon).channel.matrix(), sv.LDP(epsilon))


def _lifted_matrix(epsilon: float) -> sv.Mechanism:
    return sv.utility_optimized(_matrix(DOMAIN.subset(SENSITIVE), epsilon), DOMAIN)


#: Each example by the name of its mechanism and its own. What is made of a matrix depends on ε, and is made here.
ZOO: dict[str, Build] = {
    f"{name}-{each}" if each else name: partial(example, entry, given)
    for name, entry in ENTRIES.items()
    for each, given in entry.examples.items()
}
ZOO |= {"from_matrix": partial(_matrix, DOMAIN), "utility_optimized-matrix": _lifted_matrix}

#: The zoo, and the channel that hides nothing.
NAMES = [*ZOO, "identity"]

#: One of 2^62 hash functions is part of the report, so their reports can't be listed.
HASHED = ["olh", "utility_optimized-olh"]
#: Counts of their reports don't determine the shares of the items.
NOT_INVERTIBLE = ["optimal_lip-sum", "utility_optimized-olh"]
INVERTIBLE = [name for name in NAMES if name not in NOT_INVERTIBLE]


@cache
def built(name: str, epsilon: float = 1.0) -> sv.Mechanism:
    """The mechanism of a name, built once: mechanisms can't be changed, so tests may share them."""
    return sv.identity(DOMAIN) if name == "identity" else ZOO[name](epsilon)
