"""Random domains, budgets, priors and sensitive sets. Items are 0 .. K − 1, so that labels are codes."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

import sottovoce as sv

domains = st.integers(2, 6).map(sv.Domain)
epsilons = st.floats(0.05, 6.0)


def sensitive_sets(domain: sv.Domain) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(0, len(domain) - 1), min_size=1, unique=True).map(sorted)


def priors(domain: sv.Domain) -> st.SearchStrategy[sv.Prior]:
    """Priors from nearly even to very uneven ones."""
    weights = st.lists(st.integers(1, 1000), min_size=len(domain), max_size=len(domain))
    return weights.map(lambda w: sv.Prior.of([v / sum(w) for v in w]))


@st.composite
def mechanisms(draw: st.DrawFn) -> sv.Mechanism:
    """A random mechanism whose reports can be listed."""
    domain, epsilon = draw(domains), draw(epsilons)
    sensitive = draw(sensitive_sets(domain))
    prior = draw(priors(domain))
    lifted = [
        (lambda base=base: sv.utility_optimized(base(domain.subset(sensitive), epsilon), domain))
        for base in (sv.krr, sv.rappor, sv.oue, sv.subset_selection, sv.hadamard)
    ]
    build: Any = draw(
        st.sampled_from(
            [
                lambda: sv.krr(domain, epsilon),
                lambda: sv.rappor(domain, epsilon, draw(st.floats(0.1, 0.9))),
                lambda: sv.oue(domain, epsilon),
                lambda: sv.subset_selection(domain, epsilon, draw(st.integers(1, len(domain) - 1))),
                lambda: sv.hadamard(domain, epsilon, draw(st.sampled_from([1, 2, 4]))),
                lambda: sv.urr(domain, epsilon, sensitive),
                lambda: sv.urap(domain, epsilon, sensitive),
                lambda: sv.iprr(domain, {item: draw(epsilons) for item in sensitive}),
                lambda: sv.rr_lip(domain, epsilon, prior),
                lambda: sv.ue_lip(domain, epsilon, prior),
                lambda: sv.lh_lip(domain, epsilon, prior, g=draw(st.integers(2, 4)), functions=4),
                lambda: sv.pum(domain, epsilon, ["home"], sensitive=sensitive),
                lambda: sv.from_matrix(domain, _random_matrix(draw(st.integers(0, 2**32)), len(domain))),
                lambda: sv.identity(domain),
                *lifted,
            ]
        )
    )
    return build()


def _random_matrix(seed: int, count: int) -> Any:
    """Random rows with some zeros, and sometimes columns that a single item can produce."""
    rng = np.random.default_rng(seed)
    rows = rng.gamma(0.7, size=(count, rng.integers(2, 7)))
    rows[rng.random(rows.shape) < 0.1] = 0
    rows[:, 0] += 1e-3
    return rows / rows.sum(axis=1, keepdims=True)
