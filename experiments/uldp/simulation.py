"""The people of the experiments: everybody's items as counts, half of whom are asked, and which items are sensitive."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

import sottovoce as sv
from experiments.cells import Cell, Samples
from experiments.data import Data
from experiments.respondents import Respondents
from sottovoce.arrays import Floats

MANHATTAN, CENSUS = "foursquare_nyc_manhattan.csv", "census_income_kdd_12800.csv"
#: Who is asked, and the number of items of the common-mechanism scenario.
GROUPS = {"Manhattan": (MANHATTAN, 625), "census": (CENSUS, 400)}
#: Check-ins at one medical centre from which on its region is sensitive, as for the hospitals of the paper.
_VISITED = 10
#: Categories of the census attributes: age, income (weeks worked in the stand-in), marital status, sex, and five questions with yes or no.
_SIZES = (8, 5, 5, 2, 2, 2, 2, 2, 2)
#: The paper's names of the mechanisms, and of our methods: EM's limit is the maximum of the likelihood, which `mle` reaches and certifies.
NAMES = ("RR", "RAPPOR", "uRR", "uRAP", "no privacy")
METHODS = {"emp": "inversion", "emp+thr": "threshold", "EM": "mle"}
#: With more than four attributes the paper asks so many; the stand-in has too few people for that, and half of them are asked.
_ASKED = 240_000
#: Its claims about many attributes are about so many.
NINE = 9


@dataclass(frozen=True)
class People(Respondents):
    """Respondents, of whom n are asked; some items are sensitive."""

    file: str
    sensitive: list[int]
    n: int

    def losses(self, mechanism: sv.Mechanism) -> dict[str, float]:
        """Total variation and squared error to expect of the unbiased estimate.

        An item that is reported by its C holders alone may be too rare for the usual shrinking of absolute errors: its count is nearly binomial out of C.
        """
        squared, absolute = self.errors(mechanism, self.n)
        own = self._own(mechanism) & (self.counts > 0)
        p, holders = self.p[own], self.counts[own]
        told = p / (self.n * sv.losses(mechanism, self.p, self.n).per_item[own] + p**2)
        chance = told * self.n / self.counts.sum()
        absolute[own] = _deviation(holders, chance) * np.sqrt(squared[own] / (holders * chance * (1 - chance)))
        return {"tv": float(absolute.sum()) / 2, "mse": float(squared.sum())}

    def _own(self, mechanism: sv.Mechanism) -> NDArray[np.bool_]:
        """The items that nobody reports who does not hold them."""
        if isinstance(mechanism.claim, sv.ULDP):
            return ~mechanism.inputs.indicator(mechanism.claim.sensitive)
        return np.full(len(self.counts), mechanism.claim == sv.LDP(math.inf))


def _deviation(trials: NDArray[np.int64], chance: Floats) -> Floats:
    """The mean absolute deviation of binomial counts (de Moivre)."""
    above = np.floor(trials * chance) + 1
    return 2 * above * (1 - chance) * binom.pmf(above, trials, chance)


def people_of(group: str, data: Data, attributes: int = 4) -> People:
    """Manhattan or the census, with their sensitive items, half of everybody asked."""
    file, _ = GROUPS[group]
    table = data.table(file)
    if file == MANHATTAN:
        counts, sensitive = table["count"].to_numpy(), table["busiest_medical"].to_numpy() >= _VISITED
    else:
        every = np.bincount(table["cat"], table["count"], math.prod(_SIZES)).astype(np.int64).reshape(_SIZES)
        counts = every.sum(axis=tuple(range(attributes, len(_SIZES)))).ravel()
        sensitive = _private(*np.unravel_index(np.arange(len(counts)), _SIZES[:attributes])[:3])
    return People(counts, data.used(file), np.flatnonzero(sensitive).tolist(), int(counts.sum()) // 2)


def census(attributes: int, data: Data) -> People:
    """The people of the census by their first attributes."""
    people = people_of("census", data, attributes)
    return replace(people, n=min(people.n, _ASKED))


def _private(age: NDArray[np.int64], work: NDArray[np.int64], marital: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Divorced (from 13 years on), or without work between 30 and 49: 76 of the 400 categories, as in the paper."""
    return ((marital == 2) & (age >= 2)) | ((work == 0) & (age >= 4) & (age <= 5))


def mechanisms(domain: sv.Domain, epsilon: float, sensitive: list[int]) -> dict[str, sv.Mechanism]:
    """The four mechanisms of the paper, and none."""
    made = (
        sv.krr(domain, epsilon),
        sv.rappor(domain, epsilon),
        sv.urr(domain, epsilon, sensitive),
        sv.urap(domain, epsilon, sensitive),
        sv.identity(domain),
    )
    return dict(zip(NAMES, made, strict=True))


def measure_run(
    samples: Samples, people: People, mechanism: sv.Mechanism, name: str, methods: Mapping[str, str], cell: Cell, run: int
) -> sv.Tally:
    """Ask, estimate by each method (without privacy by one alone), and add how far the estimates are from the truth; gives the tally."""
    tally = sv.Tally(mechanism, keep_reports=True).add(reports_of(people, mechanism, name, cell, run))
    for label, method in methods.items() if name != "no privacy" else [("emp", "inversion")]:
        away = sv.distance(sv.estimate(tally, method, progress=False), people.p)
        samples.add({"tv": away.tv, "mse": away.l2}, mechanism=name, method=label)
    return tally


def reports_of(people: People, mechanism: sv.Mechanism, name: str, cell: Cell, run: int) -> sv.Reports:
    """What the people who are asked in a run report."""
    return mechanism.perturb(people.asked(people.n, cell.random(run)), cell.source(run, NAMES.index(name)))


def log_size(group: str) -> float:
    """ln K of a group's domain, where the paper's low privacy regime is; rounded, as it stands in the settings."""
    return round(math.log(GROUPS[group][1]), 4)
