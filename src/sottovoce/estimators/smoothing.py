"""Smooth distributions of ordered items, as smooth as the reports ask for.

The logarithm of a share is a combination Bβ of smooth columns, and the belief before any report is that β bends little: β is normal with
the precision λP, where βᵀPβ sums squared second differences. For each λ the mode is found by Fisher scoring. The fits are averaged by how
likely they make the reports (Laplace's approximation of the evidence).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.estimators.along import Evidence

#: How much bending costs: from nearly free to forbidden.
BENDING: tuple[float, ...] = tuple(10.0 ** (k / 2) for k in range(-4, 13))
#: What doesn't bend (straight lines) has this standard deviation, before any report.
_STRAIGHT = 10.0
#: Steps of a fit, and what a step has to promise (nats).
_STEPS, _WORTH = 60, 5e-3
#: Fits whose evidence is so many nats below the best count for nothing; after two of them no more are made.
HOPELESS = 15.0


@dataclass(frozen=True)
class Prior:
    """β is normal with mean 0 and this precision. `bending` and `apart` are how it was chosen."""

    precision: Floats
    log_determinant: float
    bending: float
    apart: float = 0.0


@dataclass(frozen=True)
class Fit:
    """The mode under a prior: β, the shares, and the logarithm of how likely the prior makes the reports."""

    prior: Prior
    beta: Floats
    p: Floats
    evidence: float


def priors(rough: Floats, bendings: Sequence[float] = BENDING) -> list[Prior]:
    """A prior for each cost of bending, the stiffest first. `rough` is P."""
    sizes, axes = np.linalg.eigh(rough)
    bends = sizes > 1e-9 * max(1.0, float(sizes[-1]))
    straight = 1 / (_STRAIGHT**2 * len(rough))
    found = []
    for bending in sorted(bendings, reverse=True):
        precisions = np.where(bends, bending * sizes, straight)
        found.append(Prior((axes * precisions) @ axes.T, float(np.log(precisions).sum()), bending))
    return found


def softmax(values: Floats) -> Floats:
    """The distribution with these logarithms, up to a constant."""
    found = np.exp(values - values.max())
    return np.asarray(found / found.sum())


def fitted(reports: Evidence, basis: Floats, prior: Prior, start: Floats) -> Fit:
    """The mode of the reports' likelihood times the prior, by Fisher scoring with steps that are halved until they climb."""
    beta, p = start, softmax(basis @ start + reports.offset)
    for _ in range(_STEPS):
        along = reports.along(p, tangents(basis, p))
        pull = prior.precision @ beta
        height = along.value - float(beta @ pull) / 2
        curvature = along.information + prior.precision
        slope = along.slopes - pull
        step = np.linalg.solve(curvature, slope)
        promised = float(slope @ step)
        if not promised > _WORTH:
            break
        length = 1.0
        while True:
            following = beta + length * step
            p_following = softmax(basis @ following + reports.offset)
            reached = reports.height(p_following) - float(following @ prior.precision @ following) / 2
            if reached >= height + 1e-4 * length * promised:
                break
            length /= 2
            if length < 1e-4:
                return Fit(prior, beta, p, _evidence(height, prior, curvature))
        beta, p = following, p_following
    return Fit(prior, beta, p, _evidence(height, prior, curvature))


def tangents(basis: Floats, p: Floats) -> Floats:
    """How the shares move with each number of β: p·(b − p·b)."""
    return np.asarray(p[:, None] * (basis - p @ basis))


def _evidence(height: float, prior: Prior, curvature: Floats) -> float:
    return height + (prior.log_determinant - float(np.linalg.slogdet(curvature)[1])) / 2


def family(reports: Evidence, basis: Floats, beliefs: Sequence[Prior]) -> list[Fit]:
    """The fits under some priors, each from where the one before ended. Fits that fail are left out."""
    found: list[Fit] = []
    beta = np.zeros(basis.shape[1])
    for prior in beliefs:
        fit = fitted(reports, basis, prior, beta)
        beta = fit.beta
        found.append(fit)
        best = max(each.evidence for each in found)
        if len(found) > 2 and all(each.evidence < best - HOPELESS for each in found[-2:]):
            break
    return found


def weights(fits: Sequence[Fit], beliefs: Sequence[float]) -> Floats:
    """How much each fit counts: its belief times its evidence."""
    logs = np.array([fit.evidence for fit in fits]) + np.log(beliefs)
    found = np.exp(logs - logs.max())
    return np.asarray(found / math.fsum(found))


def averaged(fits: Sequence[Fit], counted: Floats) -> Floats:
    """The mean of the fits' shares."""
    p = np.sum([weight * fit.p for fit, weight in zip(fits, counted, strict=True)], axis=0)
    return np.asarray(p / p.sum())
