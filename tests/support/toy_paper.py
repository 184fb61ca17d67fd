"""A paper with one small experiment, for the tests of what all experiments share."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace

import pandas as pd

import sottovoce as sv
from experiments.cells import Cell, Modes, Row, Samples, grid
from experiments.charts import EPSILON, curves
from experiments.experiment import Experiment, Paper, Picture
from experiments.measured import Measured, pick
from experiments.verdicts import Claim, judged

#: What the simulation adds to ε behind the back of the prediction.
cheat = 0.0
calls: list[float] = []


settings = grid(epsilon=Modes(fast=(0.5, 1.0, 2.0), full=(0.5, 1.0, 2.0, 4.0)))


def measure(cell: Cell) -> list[Row]:
    epsilon = cell["epsilon"]
    calls.append(epsilon)
    told, used = (sv.krr(sv.Domain(4), epsilon + extra) for extra in (0.0, cheat))
    samples, p = Samples(), [0.4, 0.3, 0.2, 0.1]
    for run in range(cell.runs):
        estimate = sv.estimate(sv.Tally.simulate(used, p, 1000, cell.source(run)), "inversion")
        samples.add({"mse": sv.distance(estimate, p).l2, "luck": cell.random(run).random()}, mechanism="RR")
    samples.predict({"mse": sv.losses(told, p, 1000).l2}, mechanism="RR")
    return samples.rows()


def pictures(frame: pd.DataFrame) -> Iterator[Picture]:
    yield Picture("Figure 1", curves(pick(frame, metric="mse"), EPSILON, "squared error"), "No data.")


def claims(frame: pd.DataFrame) -> Iterator[Claim]:
    least = Measured(float(pick(frame, metric="mse")["mean"].min()))
    yield Claim("The loss is small", "nowhere", str(least), judged(least, high=0.01))


FIGURES, TITLE, ABOUT, RUNS = ("1",), "Figure 1", "A figure.", Modes(fast=40, full=80)

PAPER = Paper(
    name="toy",
    title="A toy",
    cite="Nobody.",
    about="A test.",
    experiments=(replace(Experiment.of(sys.modules[__name__]), name="figure-1"),),
    headlines=("The loss",),
    examples=lambda: "2 + 2 = 4",
)


def drawn(page: str, name: str) -> list[str]:
    """The charts on the page of a paper."""
    return [line.split(f"({name}/")[1].removesuffix(".svg)") for line in page.splitlines() if line.startswith("![")]
