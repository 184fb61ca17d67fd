"""The populations, mechanisms and sizes on which `auto` is compared with the other methods."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

import sottovoce as sv

DATA = Path(__file__).parent.parent / "experiments" / "data"
PEOPLE = (200, 2_000, 10_000, 50_000)
BUDGETS: dict[str, Callable[[int], float]] = {"1": lambda _: 1.0, "2": lambda _: 2.0, "4": lambda _: 4.0, "ln K": math.log}
MECHANISMS: dict[str, Callable[[sv.Domain, float], sv.Mechanism]] = {
    "krr": sv.krr,
    "oue": sv.oue,
    "olh": sv.olh,
    "urr": lambda domain, epsilon: sv.urr(domain, epsilon, _half(domain)),
}


@dataclass(frozen=True)
class Shape:
    """A population: its items and their shares."""

    name: str
    domain: sv.Domain
    p: np.ndarray


@dataclass(frozen=True)
class Cell:
    """One setting: a population, a mechanism with a budget, and a number of people."""

    shape: Shape
    mechanism: str
    epsilon: str
    n: int

    @property
    def name(self) -> str:
        return f"{self.shape.name}, {self.mechanism}, ε = {self.epsilon}, n = {self.n:,}"

    def tally(self, run: int) -> sv.Tally:
        """The reports of one run: the same whenever they are drawn."""
        budget = BUDGETS[self.epsilon](len(self.shape.p))
        mechanism = MECHANISMS[self.mechanism](self.shape.domain, budget)
        return sv.Tally.simulate(mechanism, self.shape.p, self.n, sv.SeededSource(run), keep_reports=True)


def _half(domain: sv.Domain) -> list[object]:
    """A random half of the items, always the same: those that are sensitive."""
    return domain.decode(np.sort(np.random.default_rng(0).permutation(len(domain))[: len(domain) // 2]))


def _mixed(name: str, weights: np.ndarray) -> Shape:
    """Shares in a random order: which items lie next to each other says nothing."""
    p = np.random.default_rng(7).permutation(weights / weights.sum())
    return Shape(name, sv.Domain(len(p)), p)


def _counts(file: str) -> pd.DataFrame:
    return pd.read_csv(DATA / file, comment="#")


def shapes() -> Iterator[Shape]:
    """Invented populations of 50 to 200 items, then real ones."""
    ranks, rng = np.arange(1, 101), np.random.default_rng(3)
    yield _mixed("flat", np.ones(100))
    yield _mixed("one item has 0.9", np.r_[0.9, np.full(99, 0.1 / 99)])
    yield _mixed("sparse: 8 of 100", np.r_[rng.dirichlet(np.ones(8)), np.zeros(92)])
    yield _mixed("two levels: 20 % have 80 %", np.r_[np.full(20, 4.0), np.full(80, 0.25)])
    yield _mixed("half empty", np.r_[np.ones(25), np.zeros(25)])
    for exponent, size in ((0.7, 100), (1.0, 200), (1.5, 100), (2.0, 50)):
        yield _mixed(f"Zipf({exponent:g})", 1.0 / np.arange(1, size + 1) ** exponent)
    for concentration in (0.1, 0.3, 1.0):
        yield _mixed(f"Dirichlet({concentration:g})", rng.dirichlet(np.full(100, concentration)) + 1e-12)
    x = (ranks - 0.5) / 100
    hills = np.exp(-((x - 0.3) ** 2) / 0.01) + 0.5 * np.exp(-((x - 0.75) ** 2) / 0.005)
    yield Shape("bimodal, an axis", sv.Domain.grid((100,), x=(0.0, 1.0)), hills / hills.sum())
    x, y = np.meshgrid(np.linspace(0, 1, 12), np.linspace(0, 1, 12), indexing="ij")
    land = 0.3 + np.exp(-((x - 0.3) ** 2 + (y - 0.4) ** 2) / 0.05) + 0.7 * np.exp(-((x - 0.75) ** 2 + (y - 0.7) ** 2) / 0.03)
    yield Shape("smooth, 12 × 12", sv.Domain.grid((12, 12), x=(0.0, 1.0), y=(0.0, 1.0)), land.ravel() / land.sum())
    adult = _counts("adult_workclass_income.csv").pivot(index="workclass", columns="income", values="count").fillna(0)
    people = adult.to_numpy(float).ravel()
    yield Shape("Adult", sv.Domain.product(workclass=list(adult.index), income=list(adult.columns)), people / people.sum())
    cells = np.pad(_counts("foursquare_nyc_manhattan.csv")["count"].to_numpy(float).reshape(25, 25), ((0, 1), (0, 1)))
    places = cells.reshape(13, 2, 13, 2).sum(axis=(1, 3)).ravel()
    yield Shape("Foursquare, 13 × 13", sv.Domain.grid((13, 13), y=(40.70, 40.804), x=(-74.04, -73.9152)), places / places.sum())
    yield _mixed("Kosarak, top 100", _counts("kosarak_first100k_top100.csv")["count"].to_numpy(float))


def cells() -> list[Cell]:
    """All settings."""
    return [Cell(shape, m, epsilon, n) for shape in shapes() for m in MECHANISMS for n in PEOPLE for epsilon in BUDGETS]
