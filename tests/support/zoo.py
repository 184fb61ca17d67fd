"""One of every mechanism, at a level that the caller chooses: a new mechanism is tested by being listed here.

Tests are named after the mechanisms and build them when they run: `parametrize("name", ZOO)`, then `built(name)`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import sottovoce as sv

DOMAIN = sv.Domain(["a", "b", "c", "d", "e"])
SENSITIVE = ["a", "b", "d"]
PRIOR = [0.1, 0.15, 0.2, 0.25, 0.3]
PRIORS = [[0.1, 0.15, 0.2, 0.25, 0.3], [0.2, 0.2, 0.2, 0.2, 0.2]]

Build = Callable[[float], sv.Mechanism]


def _lift(base: Callable[[sv.Domain, float], sv.Mechanism], sensitive: list[str] | None = None) -> Build:
    return lambda epsilon: sv.utility_optimized(base(DOMAIN.subset(sensitive or SENSITIVE), epsilon), DOMAIN)


def _matrix(epsilon: float) -> sv.Mechanism:
    return sv.from_matrix(DOMAIN, sv.krr(DOMAIN, epsilon).channel.matrix(), sv.LDP(epsilon))


ZOO: dict[str, Build] = {
    "krr": lambda e: sv.krr(DOMAIN, e),
    "rappor": lambda e: sv.rappor(DOMAIN, e),
    "rappor-theta": lambda e: sv.rappor(DOMAIN, e, theta=0.7),
    "oue": lambda e: sv.oue(DOMAIN, e),
    "olh": lambda e: sv.olh(DOMAIN, e, g=4),
    "subset_selection": lambda e: sv.subset_selection(DOMAIN, e, size=2),
    "hadamard": lambda e: sv.hadamard(DOMAIN, e, blocks=1),
    "hadamard-blocks": lambda e: sv.hadamard(DOMAIN, e, blocks=4),
    "mangat": lambda e: sv.mangat(sv.Domain(["no", "yes"]), e, "yes"),
    "urr": lambda e: sv.urr(DOMAIN, e, SENSITIVE),
    "urap": lambda e: sv.urap(DOMAIN, e, SENSITIVE),
    "urap-theta": lambda e: sv.urap(DOMAIN, e, SENSITIVE, theta=0.8),
    "urap-optimal": lambda e: sv.urap(DOMAIN, e, SENSITIVE, theta="optimal"),
    "ubd": lambda e: sv.ubd(sv.Domain("abcdefgh"), e, "acdh"),
    "ubd-one": lambda e: sv.ubd(DOMAIN, 5 * e, SENSITIVE),
    "ubd-all": lambda e: sv.ubd(DOMAIN, e, DOMAIN),
    "idue": lambda e: sv.idue(DOMAIN, {"a": e, "b": 1.3 * e, "c": 1.3 * e, "d": 2 * e, "e": 3 * e}),
    "idue-opt1": lambda e: sv.idue(DOMAIN, {"a": e, "b": 1.3 * e, "c": 1.3 * e, "d": 2 * e, "e": 3 * e}, model="opt1"),
    "iprr": lambda e: sv.iprr(DOMAIN, {"a": e, "b": 1.3 * e, "d": 1.7 * e}),
    "ipue": lambda e: sv.ipue(DOMAIN, {"a": e, "b": 1.3 * e, "d": 1.7 * e}),
    "ipue-opt2": lambda e: sv.ipue(DOMAIN, {"a": e, "b": 1.3 * e, "d": 1.7 * e}, model="opt2"),
    "rr_lip": lambda e: sv.rr_lip(DOMAIN, e, PRIOR),
    "rr_lip_published": lambda e: sv.rr_lip_published(sv.Domain("abc"), e, [0.3, 0.3, 0.4]),
    "ue_lip": lambda e: sv.ue_lip(DOMAIN, e, PRIOR),
    "ue_lip-bounded": lambda e: sv.ue_lip(DOMAIN, e, priors=PRIORS),
    "lh_lip": lambda e: sv.lh_lip(DOMAIN, e, PRIOR, g=3, functions=8),
    "optimal_lip": lambda e: sv.optimal_lip(DOMAIN, e, PRIOR),
    "optimal_lip-sum": lambda e: sv.optimal_lip(DOMAIN, e, PRIOR, utility="sum"),
    "pum": lambda e: sv.pum(DOMAIN, e, ["home", "work"], sensitive=["a"]),
    "pum-urap": lambda e: sv.pum(DOMAIN, e, ["home"], sensitive=["a"], base=sv.urap),
    "from_matrix": _matrix,
    "lift-krr": _lift(sv.krr),
    "lift-rappor": _lift(sv.rappor),
    "lift-oue": _lift(sv.oue),
    "lift-oue-one": _lift(sv.oue, ["c"]),
    "lift-olh": _lift(sv.olh),
    "lift-subset": _lift(lambda d, e: sv.subset_selection(d, e, size=1)),
    "lift-hadamard": _lift(sv.hadamard),
    "lift-matrix": _lift(lambda d, e: sv.from_matrix(d, sv.krr(d, e).channel.matrix(), sv.LDP(e))),
}

#: The zoo, and the channel that hides nothing.
NAMES = [*ZOO, "identity"]

#: One of 2^62 hash functions is part of the report, so their reports can't be listed.
HASHED = ["olh", "lift-olh"]
#: Counts of their reports don't determine the shares of the items.
NOT_INVERTIBLE = ["optimal_lip-sum", "lift-olh"]
INVERTIBLE = [name for name in NAMES if name not in NOT_INVERTIBLE]


@cache
def built(name: str, epsilon: float = 1.0) -> sv.Mechanism:
    """The mechanism of a name, built once: mechanisms can't be changed, so tests may share them."""
    return sv.identity(DOMAIN) if name == "identity" else ZOO[name](epsilon)
