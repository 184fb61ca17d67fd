"""People in four groups, from ε = 0.1 to no protection at all, and every method on the same reports."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

import sottovoce as sv
from experiments.cells import Cell, Samples
from experiments.data import Data
from sottovoce.arrays import Floats

PRINTED, TOKYO, GOWALLA, CENSUS = (
    "peopleflow_1998_printed.csv",
    "peopleflow_sns_tokyo.csv",
    "gowalla_world_415.csv",
    "census_income_kdd_400.csv",
)
FILES = (PRINTED, TOKYO, GOWALLA, CENSUS)
#: What the captions say of the files.
ABOUT_PRINTED = (
    f"`{PRINTED}`: the counts of the paper as its Figure 11 prints them, rounded; one region of 281 is our remainder (3,484 people)"
)
ABOUT_DATA = f"{ABOUT_PRINTED}; `{TOKYO}`, `{GOWALLA}` and `{CENSUS}`: stand-ins, not the data of the paper."

#: The methods of the paper, and ours.
SIX = ("Uniform", "ObfDat", "MatInv norm", "MatInv proj", "EM", "Proposal")
OURS = ("map ½", "map 1/K", "auto")
#: MatInv with groups weighed equally and by precision, before it is decoded.
SIGNED = ("average", "inversion")

#: Groups of people: ε = 0.1, ε = 2, ε = ln K, and no protection.
Groups = tuple[int, int, int, int]


def shares(file: str, data: Data) -> Floats:
    """The true distribution."""
    counts = data.table(file)["count"].to_numpy()
    return np.asarray(counts / counts.sum())


def population_of(size: int, people: Groups) -> tuple[sv.Population, dict[str, int]]:
    """The groups that have people, and how many."""
    domain = sv.Domain(size)
    levels = {
        "0.1": sv.krr(domain, 0.1),
        "2": sv.krr(domain, 2.0),
        "ln K": sv.krr(domain, float(np.log(size))),
        "none": sv.identity(domain),
    }
    groups = {name: n for name, n in zip(levels, people, strict=True) if n}
    return sv.Population({name: levels[name] for name in groups}), groups


def estimates(tally: sv.Tally, source: sv.Source) -> dict[str, Floats]:
    """The estimate of every method; `source` feeds the simulation of the published correction."""

    def found(method: str, strength: float = 1.0, weights: str = "precision") -> Floats:
        return sv.estimate(tally, method, strength=strength, source=source, progress=False, weights=weights).p

    average = found("average")
    return {
        "Uniform": found("uniform"),
        "ObfDat": found("observed"),
        "MatInv norm": found("normalized", weights="equal"),
        "MatInv proj": found("projected", weights="equal"),
        "EM": found("mle"),
        "Proposal": found("corrected"),
        "map ½": found("map", 0.5),
        "map 1/K": found("map", 1 / len(average)),
        "auto": found("auto"),
        "weighed norm": found("normalized"),
        "weighed proj": found("projected"),
        "average": average,
        "inversion": found("inversion"),
    }


def compared(cell: Cell, people: Groups) -> Samples:
    """Every method in every run: mse and js, bias² and variance, and by how much its squared error is larger than that of EM on the same reports."""
    p = shares(cell["file"], cell.data)
    population, groups = population_of(len(p), people)
    runs = [estimates(sv.Tally.simulate(population, p, groups, cell.source(run)), cell.source(run, 1)) for run in range(cell.runs)]
    samples = Samples()
    for name in runs[0]:
        errors = np.stack([run[name] for run in runs]) - p
        bias = squared_bias(errors)
        for run, squared in enumerate((errors**2).sum(axis=1)):
            found = {"mse": squared, "bias2": bias[run], "variance": squared - bias[run]}
            if name not in SIGNED:
                found |= {"js": sv.distance(runs[run][name], p).js, "beyond EM": squared - ((runs[run]["EM"] - p) ** 2).sum()}
            if name == "MatInv proj":
                found |= {"vertex": runs[run][name].max() > 1 - 1e-9, "largest": runs[run][name].max()}
            samples.add(found, method=name)
    for name, told in predicted(p, population, groups).items():
        samples.predict(told, method=name)
    return samples


def squared_bias(errors: Floats) -> Floats:
    """A value for each run (a row of errors) whose mean is ‖bias‖² without the share of the variance that the plain square of the mean has in it.

    The mean of e_r·e_s over r ≠ s; the values of single runs are such that their spread gives its Monte-Carlo error.
    """
    runs = len(errors)
    if runs < 2:
        return np.full(runs, np.nan)
    own = (errors @ errors.sum(axis=0) - (errors**2).sum(axis=1)) / (runs - 1)
    return np.asarray(2 * own - own.mean())


def predicted(p: Floats, population: sv.Population, groups: Mapping[str, int]) -> dict[str, dict[str, float]]:
    """What is known beforehand: exactly, of the methods that are linear in the counts."""
    alike = np.full(len(p), 1 / len(p))
    uniform = sv.distance(alike, p)
    everybody = sum(groups.values())
    reported = {name: p @ population.groups[name].channel.matrix() for name in groups}
    bias = sum(n / everybody * reported[name] for name, n in groups.items()) - p
    spread = sum(n * (reported[name] * (1 - reported[name])).sum() for name, n in groups.items()) / everybody**2
    variances = _variances(population, groups, p)
    precision = 1 / _variances(population, groups, alike)
    weights = precision / precision.sum(axis=0)
    return {
        "Uniform": {"mse": uniform.l2, "js": uniform.js, "bias2": uniform.l2},
        "ObfDat": {"mse": float((bias**2).sum() + spread), "bias2": float((bias**2).sum()), "variance": float(spread)},
        "average": {"mse": variances.sum() / len(groups) ** 2},
        "inversion": {"mse": (weights**2 * variances).sum()},
    }


def _variances(population: sv.Population, groups: Mapping[str, int], p: Floats) -> Floats:
    """The variance of the inversion of each group (a row), item by item, when items follow p."""
    return np.stack([sv.losses(population.groups[name], p, n).per_item for name, n in groups.items()])
