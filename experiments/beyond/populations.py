"""The populations and mechanisms that the estimators are compared on: a hundred items, a tenth of them sensitive."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

import sottovoce as sv
from experiments.cells import Cell, Samples
from sottovoce.arrays import Floats

SIZE = 100
#: Every tenth item, so that what is frequent is no more sensitive than what is rare.
SENSITIVE = list(range(0, SIZE, 10))
POPULATIONS = {"zipf": "Zipf(1)", "smooth": "smooth: one wave", "sparse": "sparse: 5 of 100 items"}


def population(name: str) -> Floats:
    """The shares of the items: falling as 1/rank, one wave of a sine around the mean, or five items alike and nothing else."""
    items = np.arange(SIZE)
    p = {
        "zipf": 1 / (items + 1),
        "smooth": 1 + 0.8 * np.sin(2 * np.pi * items / SIZE),
        "sparse": np.where(np.isin(items, (0, 11, 22, 33, 44)), 1.0, 0.0),
    }[name]
    return np.asarray(p / p.sum())


def mechanism_of(name: str, epsilon: float) -> sv.Mechanism:
    """krr and oue, which protect every item, and ubd, which protects every tenth."""
    domain = sv.Domain(SIZE)
    return {
        "krr": lambda: sv.krr(domain, epsilon),
        "oue": lambda: sv.oue(domain, epsilon),
        "ubd": lambda: sv.ubd(domain, epsilon, SENSITIVE),
    }[name]()


def estimated(samples: Samples, cell: Cell, mechanism: sv.Mechanism, p: Floats, n: int, methods: Mapping[str, int]) -> None:
    """Total variation and squared error of each method, which may take so many passes, all on the same reports."""
    for run in range(cell.runs):
        tally = sv.Tally.simulate(mechanism, p, n, cell.source(run), keep_reports=True)
        for method, passes in methods.items():
            away = sv.distance(sv.estimate(tally, method, iterations=passes, progress=False), p)
            samples.add({"tv": away.tv, "l2": away.l2}, method=method)
