"""A known prior: every mechanism of local information privacy, as a ratio to the best channel that there is."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

import sottovoce as sv
from experiments.beyond.limits import RATIO, at_least, at_most, none_below, pooled, with_limit
from experiments.cells import Cell, Modes, Row, Samples, exact, grid
from experiments.charts import EPSILON, LIMIT, curves
from experiments.experiment import Picture
from experiments.measured import pick
from experiments.verdicts import Claim, all_of, settled
from sottovoce.arrays import Floats

_SIZE, _PEOPLE = 8, 500
_NEAREST = ("rr_lip, corrected", "lh_lip, best g", "optimal_lip", LIMIT)
_PRIORS = {"zipf": "Zipf(1) prior", "uniform": "uniform prior"}

FIGURES = ("7",)
TITLE = "Chart 7: a known prior (LIP)"
ABOUT = "Here the limit is the best channel itself, which a linear programme finds for eight items in a tenth of a second."
RUNS = Modes(fast=30, full=500)

settings = grid(prior=_PRIORS, epsilon=Modes(fast=(0.5, 1.0, 2.0, 4.0), full=(0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0)))


def _prior(name: str) -> Floats:
    p = 1 / np.arange(1, _SIZE + 1) if name == "zipf" else np.ones(_SIZE)
    return np.asarray(p / p.sum())


def _mechanisms(epsilon: float, prior: Floats) -> dict[str, sv.Mechanism]:
    """What keeps ε-LIP under the prior; ε-LDP does so under every prior."""
    domain = sv.Domain(_SIZE)
    return {
        "rr_lip, corrected": sv.rr_lip(domain, epsilon, prior),
        "ue_lip, published": sv.ue_lip(domain, epsilon, prior),
        "ue_lip, best bits": sv.ue_lip(domain, epsilon, prior, theta="optimal"),
        "lh_lip, best g": sv.lh_lip(domain, epsilon, prior, functions=256),
        "krr (LDP)": sv.krr(domain, epsilon),
        "oue (LDP)": sv.oue(domain, epsilon),
        "optimal_lip": sv.optimal_lip(domain, epsilon, prior),
    }


def measure(cell: Cell) -> list[Row]:
    prior, epsilon = _prior(cell["prior"]), cell["epsilon"]
    mechanisms, samples = _mechanisms(epsilon, prior), Samples()
    best = mechanisms["optimal_lip"]
    assert isinstance(best, sv.OptimalMechanism)
    limit = best.loss - best.gap
    for name, mechanism, run, source in cell.trials(mechanisms):
        items = cell.random(run).choice(_SIZE, size=_PEOPLE, p=prior)
        tally = sv.Tally(mechanism, keep_reports=True).add(mechanism.perturb(items, source))
        away = sv.distance(sv.estimate(tally, "mmse", prior=prior, progress=False), np.bincount(items, minlength=_SIZE) / _PEOPLE)
        samples.add({"ratio": away.l2 * _PEOPLE / limit}, mechanism=name, method="mmse")
    for name, mechanism in mechanisms.items():
        samples.predict({"ratio": sv.mmse_loss(mechanism, prior) / limit}, mechanism=name, method="mmse")
    return [*samples.rows(), exact("ratio", (1 - (prior**2).sum()) / limit, mechanism="the prior alone", method="mmse")]


def pictures(frame: pd.DataFrame) -> Iterator[Picture]:
    shown = with_limit(frame.assign(method="inversion"), ["prior", "epsilon"], "ratio")
    near = shown[shown["mechanism"].isin(_NEAREST)]
    parts = [part.assign(panel=part["prior"].map(_PRIORS) + end) for part, end in ((shown, ""), (near, ", the nearest"))]
    yield Picture(
        "Chart 7, a known prior",
        curves(pd.concat(parts), EPSILON, RATIO, panels="panel", columns=2, form="~g", common=False),
        f"K = {_SIZE}. The squared error that `mmse` leaves in the histogram of the {_PEOPLE} people who reported, over that of the best ε-LIP channel (a linear programme, with its proven gap "
        "taken off). Points: simulated; rings: predicted. *The prior alone*: nobody is asked. No data file: people are drawn from the prior.",
    )


def _place(table: pd.DataFrame, index: object) -> str:
    row = table.loc[index]
    return f"{_PRIORS[row['prior']]}, ε = {row['epsilon']:g}"


def claims(frame: pd.DataFrame) -> Iterator[Claim]:
    points = frame[frame["mechanism"] != "the prior alone"]
    table = points.pivot_table(index=["prior", "epsilon"], columns="mechanism", values="predicted").reset_index()
    closed, rest = table["rr_lip, corrected"], table.drop(columns=["prior", "epsilon", "optimal_lip"]).min(axis=1)
    yield settled(
        "The best channel beats the corrected closed form of RR-LIP",
        "Chart 7",
        f"rr_lip over the limit: up to {closed.max():.2f} ({_place(table, closed.idxmax())}), {closed.min():.4f} at least; the best of all other mechanisms up to {rest.max():.2f} ({_place(table, rest.idxmax())})",
        at_least(closed.max(), 1.1),
    )
    level = closed[(table["prior"] == "uniform") & (table["epsilon"] >= np.log(_SIZE - 1))]
    yield settled(
        "Under the uniform prior the closed form is optimal once it equals the printed one (every P ≥ 1/(e^ε + 1))",
        "Chart 7",
        f"ε ≥ ln {_SIZE - 1}: at most {level.max():.4f} times the limit",
        at_most(level.max(), 1.001),
    )
    bits = table["ue_lip, published"] / table["ue_lip, best bits"]
    worst = table["ue_lip, best bits"]
    yield settled(
        "UE-LIP gains a little by better bits, and stays far from the best channel",
        "Chart 7",
        f"published over best bits: up to {bits.max():.2f} ({_place(table, bits.idxmax())}), at most {bits[table['epsilon'] <= 1].max():.3f} for ε ≤ 1; with the best bits up to {worst.max():.1f} times "
        "the limit",
        all_of([at_least(bits.min(), 0.9999), at_least(worst.max(), 2.0)]),
    )
    hashed = table["lh_lip, best g"] / table["rr_lip, corrected"]
    yield settled(
        "Hashing helps at small ε even with eight items",
        "Chart 7",
        f"lh_lip over rr_lip: {hashed.min():.3f} at best ({_place(table, hashed.idxmin())}), {hashed.max():.3f} at worst ({_place(table, hashed.idxmax())})",
        at_most(hashed.min(), 0.99),
    )
    plain = table["krr (LDP)"] / table["rr_lip, corrected"]
    yield settled(
        "A mechanism that knows the prior beats one that only the estimate knows it for",
        "Chart 7",
        f"krr with mmse over rr_lip: from {plain.min():.3f} to {plain.max():.1f} ({_place(table, plain.idxmax())})",
        at_least(plain.min(), 1.0),
    )
    found, verdict = none_below(points, points["predicted"])
    yield settled(
        "Nothing that keeps LIP lies below the optimum, and the optimum is what it says",
        "Chart 7",
        f"{found}; optimal_lip simulated at {pooled(pick(points, mechanism='optimal_lip'))}",
        verdict,
    )
