"""The published correction beside its mended form, beside plain shrinkage, and under other regularisations: what the demonstration measures."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

import sottovoce as sv
from experiments.cells import Cell, Samples
from experiments.small_samples.second_order_bias import second_order_bias
from experiments.small_samples.simulation import Groups, population_of, shares, squared_bias
from sottovoce.arrays import Floats
from sottovoce.estimators.correction import TIKHONOV, WEIGHTS, best_weight, bias
from sottovoce.estimators.decoders import normalized

PEOPLE: Groups = (500, 500, 50, 20)
FACTORS = ("as published", "with the factor 2")
#: Proposal as published: α is found on people who are drawn from the reported shares.
PUBLISHED = "Proposal, α from reported shares"
#: EM's estimate less the whole of â.
WHOLE = "EM less â (α = 1)"
BEST_ALPHA, BEST_WEIGHT = "Proposal, best single α", "shrunk, best single weight"
#: The regions of Figure 12 are as many as these, and the fullest; below NOTHING an estimate is called close to 0.
WARDS, NOTHING = 15, 1e-4
#: Tikhonov's λ: all are tried on the same reports.
LAMBDAS = (1e-6, 1e-4, TIKHONOV, 1e-2, 1e-1, 1.0)
#: Weights between EM (0) and uniform (1).
TOWARDS = np.linspace(0, 1, 51)


def interior(cell: Cell) -> Samples:
    """k-RR at ε = 1, 3,000 people, shares that are all far from 0."""
    size, samples = cell["size"], Samples()
    p = np.arange(size, 2 * size) / np.arange(size, 2 * size).sum()
    for run in range(cell.runs):
        tally = sv.Tally.simulate(sv.krr(sv.Domain(size), 1.0), p, 3_000, cell.source(run))
        top = sv.estimate(tally).p
        if top.min() <= 0:
            continue
        published, mended = second_order_bias(tally, top, TIKHONOV), second_order_bias(tally, top, 0.0, 2.0, tangent=True)
        whole = second_order_bias(tally, top, 0.0, 2.0)
        for name, shift in (("published", published), ("mended", mended), ("mended, scores as they are", whole)):
            samples.add({"largest": np.abs(shift).max(), "moved": np.abs(normalized(top - shift) - top).max()}, method=name)
    return samples


def _people(cell: Cell, run: int) -> tuple[Floats, sv.Tally, Floats]:
    """The truth, reports, and EM's estimate."""
    p = shares(cell["file"], cell.data)
    population, groups = population_of(len(p), PEOPLE)
    tally = sv.Tally.simulate(population, p, groups, cell.source(run))
    return p, tally, sv.estimate(tally).p


def _trial(cell: Cell, run: int, truth: Floats) -> tuple[sv.Tally, Floats]:
    """The simulation that finds α: reports of people who are drawn from a truth that is made up, and EM's estimate."""
    population, groups = population_of(len(truth), PEOPLE)
    tally = sv.Tally.simulate(population, truth, groups, cell.source(run, 1))
    return tally, sv.estimate(tally).p


def shrinkage(cell: Cell) -> Samples:
    """Proposal with α found in three ways, and EM drawn towards uniform by one weight that is found in the same ways."""
    samples = Samples()
    drawn: list[list[Floats]] = []
    shifted: list[list[Floats]] = []
    errors: dict[str, list[Floats]] = {}
    for run in range(cell.runs):
        p, tally, em = _people(cell, run)
        alike, shift = np.full(len(p), 1 / len(p)), bias(tally.blocks, em)
        observed = sv.estimate(tally, "observed").p
        found = {"EM": em, "EM loop": sv.estimate(tally, "em", progress=False).p, WHOLE: normalized(em - shift)}
        for name, truth in (("reported shares", observed), ("uniform", alike), ("EM's estimate", em), ("the truth", p)):
            trial, top = _trial(cell, run, truth)
            alpha = best_weight(top, bias(trial.blocks, top), truth)
            weight = min(TOWARDS, key=lambda w: float((((1 - w) * top + w * alike - truth) ** 2).sum()))
            found |= {
                f"Proposal, α from {name}": normalized(em - alpha * shift),
                f"shrunk, weight from {name}": (1 - weight) * em + weight * alike,
            }
            samples.add({"weight": alpha}, method=f"Proposal, α from {name}")
            samples.add({"weight": weight}, method=f"shrunk, weight from {name}")
        for name, estimate in found.items():
            errors.setdefault(name, []).append(estimate - p)
        moved = em - found[PUBLISHED]
        samples.add({"cosine": moved @ (em - alike) / np.linalg.norm(moved) / np.linalg.norm(em - alike)}, method=PUBLISHED)
        drawn.append([(1 - w) * em + w * alike - p for w in TOWARDS])
        shifted.append([normalized(em - alpha * shift) - p for alpha in WEIGHTS])
    for name, grid, tried in ((BEST_ALPHA, WEIGHTS, shifted), (BEST_WEIGHT, TOWARDS, drawn)):
        best = int(np.argmin((np.array(tried) ** 2).sum(axis=2).mean(axis=0)))
        errors[name] = [each[best] for each in tried]
        samples.add({"weight": grid[best]}, method=name)
    _compare(samples, {name: np.array(each) for name, each in errors.items()})
    _wards(samples, p, *(np.array(errors[name]) + p for name in ("EM", PUBLISHED)))
    return samples


def _compare(samples: Samples, errors: Mapping[str, Floats]) -> None:
    """Squared errors, their parts, their correlation with those of EM, and by how much they are larger than those of three methods on the same reports."""
    squares = {name: (each**2).sum(axis=1) for name, each in errors.items()}
    biases = {name: squared_bias(each) for name, each in errors.items()}
    for name, square in squares.items():
        if len(square) > 2 and square.std() > 0:
            samples.add({"r": np.corrcoef(square, squares["EM"])[0, 1]}, method=name)
        for run, squared in enumerate(square):
            samples.add({"mse": squared, "bias2": biases[name][run], "variance": squared - biases[name][run]}, method=name)
            samples.add({f"beyond {other}": squared - squares[other][run] for other in ("EM", PUBLISHED, BEST_ALPHA)}, method=name)
            samples.add({"bias2 beyond EM": biases[name][run] - biases["EM"][run]}, method=name)


def _wards(samples: Samples, p: Floats, em: Floats, proposal: Floats) -> None:
    """The fullest regions, with the estimates of all runs (rows): squared errors, spread, and how many estimates are too low or too high."""
    fullest = np.argsort(-p)[:WARDS]
    truth, squares = p[fullest], ((em[:, fullest] - p[fullest]) ** 2).sum(axis=1)
    for name, there in (("EM", em[:, fullest]), (PUBLISHED, proposal[:, fullest])):
        for largest in there.max(axis=0) / truth:
            samples.add({"highest": largest}, method=name)
        for run, estimate in enumerate(there):
            squared = ((estimate - truth) ** 2).sum()
            samples.add({"wards": squared, "wards beyond EM": squared - squares[run], "there": (estimate / truth).mean()}, method=name)
            shares_of = {"nothing": estimate < NOTHING, "above": estimate > truth, "twice": estimate > 2 * truth}
            samples.add({metric: which.mean() for metric, which in shares_of.items()}, method=name)
    spreads = [(each[:, fullest] - each[:, fullest].mean(axis=0)) ** 2 for each in (em, proposal)]
    for more in spreads[1] - spreads[0]:
        for rank, each in enumerate(more):
            samples.add({"spread beyond EM": each if len(em) > 1 else np.nan}, method=PUBLISHED, rank=rank)


def regularised(cell: Cell) -> Samples:
    """The correction under every λ on the same reports, with the second derivative as printed and as it is; α from the reported shares."""
    samples = Samples()
    for run in range(cell.runs):
        p, tally, em = _people(cell, run)
        observed = sv.estimate(tally, "observed").p
        trial, top = _trial(cell, run, observed)
        squares: dict[tuple[str, float], float] = {}
        for tikhonov in LAMBDAS:
            squares["EM", tikhonov] = float(((em - p) ** 2).sum())
            published = bias(trial.blocks, top, tikhonov), bias(tally.blocks, em, tikhonov)
            mended = second_order_bias(trial, top, tikhonov, 2.0), second_order_bias(tally, em, tikhonov, 2.0)
            for name, (there, here) in zip(FACTORS, (published, mended), strict=True):
                estimate = normalized(em - best_weight(top, there, observed) * here)
                squares[name, tikhonov] = float(((estimate - p) ** 2).sum())
        for (name, tikhonov), squared in squares.items():
            beyond = squared - squares[FACTORS[0], TIKHONOV]
            samples.add({"mse": squared, f"beyond {PUBLISHED}": beyond}, method=name, tikhonov=tikhonov)
    return samples
