"""People who each have a prior of their own, and so a mechanism of their own, as Section 5.1 has it.

The error of a sum over people is the sum of their own errors (Theorem 1), so an error for each person does not depend on how many there are.
We draw fewer than the paper, since each needs an optimisation, and the same people at every setting of a figure. A run with few repetitions
has no more people than that.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import sottovoce as sv
from experiments.cells import Cell, Samples
from experiments.lip.printed import lip_level
from experiments.lip.simulation import NOTHING, POSTERIOR, PeopleWithPrior, Rival, clean
from experiments.measured import pick
from sottovoce.arrays import Floats

#: People with priors of their own, at most.
OWN = 100
#: The metric of each person's own exact error: its mean is that of all, and its error what the luck of drawing just these people leaves open.
PERSON = "mse of a person"


def drawn_prior(person: int, size: int = 5) -> tuple[Floats, np.random.Generator]:
    """The prior of a person, nine tenths of it uniform on the simplex and one tenth spread evenly; and what else is drawn for her."""
    random = np.random.default_rng([2020, size, person])
    return 0.9 * random.dirichlet(np.ones(size)) + 0.1 / size, random


@dataclass(frozen=True)
class Person:
    """A prior, the mechanisms that were made for it, and the secret behind the answer, if there is one."""

    prior: Floats
    mechanisms: Mapping[str, sv.Mechanism]
    secrets: Floats | None = field(default=None)

    def answers(self, random: np.random.Generator, runs: int) -> NDArray[np.int64]:
        return random.choice(len(self.prior), size=runs, p=self.prior)


def simulate_people(cell: Cell, people: Sequence[Person], more: Sequence[tuple[str, str]] = ()) -> Samples:
    """Everyone reports once a run: the error of the histogram for each person, beside the one to expect, with the largest level of LIP.

    All reports are read by the posterior; `more` names mechanisms that are read in other ways too.
    """
    samples = Samples()
    levels = {name: max(lip_level(each.mechanisms[name], each.prior, each.secrets) for each in people) for name in people[0].mechanisms}
    for stream, (name, reading) in enumerate([*((name, POSTERIOR) for name in people[0].mechanisms), *more]):
        away = np.zeros((cell.runs, len(people[0].prior)))
        series = {"mechanism": name, "estimate": reading, "level": levels[name]}
        for number, person in enumerate(people):
            rival = Rival(name, reading, person.mechanisms[name])
            answers = person.answers(cell.random(number), cell.runs)
            reports = rival.mechanism.perturb(answers, cell.source(number, stream))
            away += rival.each(reports, person.prior)
            away[np.arange(cell.runs), answers] -= 1
            samples.add({PERSON: clean(rival.expected(PeopleWithPrior(person.prior, drawn=1)) or 0.0)}, **series)
        for error in (away**2).sum(axis=1) / len(people):
            samples.add({"mse": clean(float(error))}, **series)
        samples.predict({"mse": float(samples.values(PERSON, **series).mean())}, **series)
    return samples


def people_of(frame: pd.DataFrame) -> int:
    """How many people were drawn."""
    return int(pick(frame, metric=PERSON)["runs"].max())


def about_people(frame: pd.DataFrame) -> str:
    """What the captions say of them, and how much others might change the exact errors."""
    lines = pick(frame, metric=PERSON)
    share = (lines["error"] / lines["mean"].where(lines["mean"] > 0)).median()
    return (
        f"{people_of(frame)} people (the paper: 5,000), the same at every point, each with a prior of her own and a mechanism for it. Rings are exact for these people, and the error of the simulation is that of its runs. "
        f"Other people drawn alike would change the squared errors by {100 * share:.0f} % (a standard error, the median of all points)."
    )


def no_reports(cell: Cell, samples: Samples, people: Sequence[Person]) -> None:
    """The error of everyone's prior alone."""
    series = {"mechanism": NOTHING, "estimate": POSTERIOR, "level": 0.0}
    away = sum(
        person.prior - np.eye(len(person.prior))[person.answers(cell.random(number), cell.runs)] for number, person in enumerate(people)
    )
    for error in (np.asarray(away) ** 2).sum(axis=1) / len(people):
        samples.add({"mse": float(error)}, **series)
    samples.predict({"mse": float(np.mean([1 - person.prior @ person.prior for person in people]))}, **series)


def tied(prior: Floats, correlation: float, random: np.random.Generator) -> Floats:
    """Rows Pr(X = x | G = g) in which answer and secret (both 0, 1, …) have that correlation coefficient.

    Pr(G | X) is a random table with as much of G = X mixed in as it takes, or of a G that doesn't depend on X.
    """
    own, noise, fresh = np.eye(len(prior)), random.dirichlet(np.ones(len(prior)), size=len(prior)), np.tile(prior, (len(prior), 1))
    low, high = -1.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _correlation(prior, _mixed(middle, own, noise, fresh)) < correlation else (low, middle)
    joint = prior[:, None] * _mixed(high, own, noise, fresh)
    return np.asarray((joint / joint.sum(axis=0)).T)


def _mixed(part: float, own: Floats, noise: Floats, fresh: Floats) -> Floats:
    """From a secret that the answer says nothing about (−1) by a random table (0) to the answer itself (1)."""
    return part * own + (1 - part) * noise if part >= 0 else (1 + part) * noise - part * fresh


def _correlation(prior: Floats, table: Floats) -> float:
    """The correlation coefficient of X and G, from Pr(X) and Pr(G | X)."""
    numbers, joint = np.arange(len(prior)), prior[:, None] * table
    given = joint.sum(axis=0)
    means = prior @ numbers, given @ numbers
    spreads = prior @ numbers**2 - means[0] ** 2, given @ numbers**2 - means[1] ** 2
    return float((numbers @ joint @ numbers - means[0] * means[1]) / math.sqrt(spreads[0] * spreads[1]))


def everyone(people: int, size: int = 5) -> Iterator[tuple[Floats, np.random.Generator]]:
    """The priors of so many people, at most all, each with her own further draws."""
    return (drawn_prior(person, size) for person in range(min(people, OWN)))
