"""Random domains, budgets, priors and sensitive sets. Items are 0 .. K − 1, so that labels are codes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

import sottovoce as sv
from zoo import ENTRIES

domains = st.integers(2, 6).map(sv.Domain)
epsilons = st.floats(0.05, 6.0)


def sensitive_sets(domain: sv.Domain) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(0, len(domain) - 1), min_size=1, unique=True).map(sorted)


def priors(domain: sv.Domain) -> st.SearchStrategy[sv.Prior]:
    """Priors from nearly even to very uneven ones."""
    weights = st.lists(st.integers(1, 1000), min_size=len(domain), max_size=len(domain))
    return weights.map(lambda w: sv.Prior.of([v / sum(w) for v in w]))


#: Mechanisms whose reports can be listed, for domains of any size, which are quickly made.
LISTABLE = [name for name in ENTRIES if name not in {"olh", "mangat", "optimal_lip", "rr_lip_published", "from_matrix"}]


def _settings(draw: st.DrawFn, name: str, size: int) -> dict[str, Any]:
    """Settings that the examples of a mechanism don't vary enough."""
    match name:
        case "rappor":
            return {"theta": draw(st.floats(0.1, 0.9))}
        case "subset_selection":
            return {"size": draw(st.integers(1, size - 1))}
        case "hadamard":
            return {"blocks": draw(st.sampled_from([1, 2, 4]))}
        case "lh_lip":
            return {"g": draw(st.integers(2, 4)), "functions": 4}
        case "utility_optimized":
            return {"base": draw(st.sampled_from([base for base in LISTABLE if ENTRIES[base].takes == ("epsilon",)]))}
        case _:
            return {}


@st.composite
def mechanisms(draw: st.DrawFn) -> sv.Mechanism:
    """A random mechanism whose reports can be listed."""
    domain = draw(domains)
    name = draw(st.sampled_from([*LISTABLE, "from_matrix", "identity"]))
    if name == "identity":
        return sv.identity(domain)
    if name == "from_matrix":
        return sv.from_matrix(domain, _random_matrix(draw(st.integers(0, 2**32)), len(domain)))
    entry, sensitive = ENTRIES[name], draw(sensitive_sets(domain))
    parts: dict[str, Callable[[], Any]] = {
        "epsilon": lambda: draw(epsilons),
        "sensitive": lambda: sensitive,
        "prior": lambda: draw(priors(domain)),
        "tags": lambda: ["home"],
        "budgets": lambda: {item: draw(epsilons) for item in (domain if name == "idue" else sensitive)},
    }
    assert entry.build is not None
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The sensitive items aren't one range")  # of lifted windows; what they claim holds all the same
        made: sv.Mechanism = entry.build(domain, **{part: parts[part]() for part in entry.takes}, **_settings(draw, name, len(domain)))
    return made


def _random_matrix(seed: int, count: int) -> Any:
    """Random rows with some zeros, and sometimes columns that a single item can produce."""
    rng = np.random.default_rng(seed)
    rows = rng.gamma(0.7, size=(count, rng.integers(2, 7)))
    rows[rng.random(rows.shape) < 0.1] = 0
    rows[:, 0] += 1e-3
    return rows / rows.sum(axis=1, keepdims=True)
