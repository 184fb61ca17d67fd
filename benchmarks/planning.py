"""How long a plan and the best channel take. Writes the tables to docs/benchmarks.md (between their markers) and prints them."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import sottovoce as sv
from common import best, machine, seconds, write


def plans() -> list[str]:
    """Plans over 10,000 items, after one that warms up."""
    size, some = 10_000, {item: 0.5 + item % 3 for item in range(1000)}
    cases: dict[str, dict[str, Any]] = {
        "LDP": {"epsilon": 1.0},
        "ULDP, 1,000 sensitive": {"epsilon": 1.0, "sensitive": 1000},
        "ULDP, 10 sensitive, 2 tags": {"epsilon": 1.0, "sensitive": 10, "tags": ["home", "work"]},
        "IPLDP, 1,000 budgets": {"budgets": some},
        "ItemULDP, 1,000 budgets": {"budgets": some, "notion": "item_uldp"},
        "MinID-LDP, 10,000 budgets": {"budgets": {item: 0.5 + item % 3 for item in range(size)}},
        "LIP": {"epsilon": 1.0, "prior": [1 / size] * size},
    }
    times = {name: best(partial(sv.plan, size, n=10**6, **case), rounds=3) for name, case in cases.items()}
    return ["| plan, K = 10,000 | time |", "|---|---|", *(f"| {name} | {seconds(time_)} |" for name, time_ in times.items())]


def optima() -> list[str]:
    """The best channel for a prior, by promise and utility: once each, with what is missing at most (of the loss without a report)."""
    lines = ["| optimal_lip | K | ε | histogram | missing at most | sum | missing at most |", "|---|---|---|---|---|---|---|"]
    rng = np.random.default_rng(8)

    def draw(size: int) -> Any:
        return rng.dirichlet(np.full(size, 2.0)) * 0.9 + 0.1 / size

    promises: list[tuple[str, int, float, Callable[[int, Any], dict[str, Any]]]] = [
        *(("one prior", size, epsilon, lambda size, p: {}) for size, epsilon in ((12, 1.0), (20, 1.0), (40, 1.0), (100, 1.0), (100, 3.0))),
        ("latent secret, 3 values", 12, 0.5, lambda size, p: {"secrets": [draw(size) for _ in range(3)]}),
        ("Pufferfish, 3 secrets", 12, 0.5, lambda size, p: {"scenarios": [draw(size) for _ in range(3)]}),
        ("two priors near each other", 12, 1.0, lambda size, p: {"priors": [0.8 * p + 0.2 * draw(size) for _ in range(2)]}),
        ("two priors far apart", 12, 1.0, lambda size, p: {"priors": [draw(size), draw(size)]}),
    ]
    for name, size, epsilon, options in promises:
        prior = draw(size)
        given, cells = options(size, prior), []
        for utility, scale in (("histogram", 1.0), ("sum", float(prior @ np.arange(size) ** 2 - (prior @ np.arange(size)) ** 2))):
            start = time.perf_counter()
            found = sv.optimal_lip(sv.Domain(size), epsilon, prior, utility, **given)
            cells += [seconds(time.perf_counter() - start), f"{found.gap / scale:.0e}"]
        lines.append(f"| {name} | {size} | {epsilon:g} | {' | '.join(cells)} |")
    return lines


def main() -> None:
    """Measure, print, and write the page."""
    lines = [f"{machine('numpy', 'scipy')}.", "", *plans(), "", *optima()]
    write("planning", lines)
    print("\n".join(lines))


if __name__ == "__main__":
    main()
