"""Random domains, budgets, priors and sensitive sets. Items are 0 .. K − 1, so that labels are codes."""

from __future__ import annotations

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
