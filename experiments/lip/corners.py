"""The best channel of few answers by listing the corners of what its columns may be: many people each need one of their own.

`sv.optimal_lip` finds the same optimum without a list (a unit test compares the two), for many answers too; here a list takes
milliseconds, where that takes up to seconds.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg import null_space
from scipy.optimize import linprog
from scipy.spatial import HalfspaceIntersection

import sottovoce as sv
from sottovoce.arrays import Floats


def lip_rules(prior: Floats, secrets: Floats, epsilon: float) -> Floats:
    """ε-LIP about a secret with rows Pr(X = x | G = g), as rules c·ρ ≥ 0 for each column ρ = Q(y|·)/Pr(y)."""
    grow = math.exp(epsilon)
    return np.concatenate([grow * prior - secrets, grow * secrets - prior])


def pufferfish_rules(tables: list[Floats], epsilon: float) -> Floats:
    """ε-Pufferfish for several tables Pr(X = x | G = g) and all pairs of secrets, as rules c·ρ ≥ 0."""
    grow = math.exp(epsilon)
    pairs = [(table, g, h) for table in tables for g in range(len(table)) for h in range(len(table)) if g != h]
    return np.array([grow * table[g] - table[h] for table, g, h in pairs])


def best_channel(prior: Floats, rules: Floats, values: Floats | None = None) -> sv.Mechanism:
    """The channel that keeps the rules and leaves the least error: of the histogram, or of a sum of the values.

    A column's entries are not negative and have the mean 1; where all are 1 nothing is told, and every rule holds. What a report tells,
    Σ P²ρ² or (Σ P·v·ρ)², is convex, so a linear programme over the corners finds the optimum.
    """
    size = len(prior)
    every = np.concatenate([rules, np.eye(size)])
    plane = null_space(prior[None, :])
    halves = np.column_stack([-every @ plane, -every.sum(axis=1)])
    columns = 1 + HalfspaceIntersection(halves, np.zeros(size - 1)).intersections @ plane.T
    columns = np.maximum(columns[np.isfinite(columns).all(axis=1)], 0.0)
    told = (columns**2) @ prior**2 if values is None else (columns @ (prior * values)) ** 2
    found = linprog(-told, A_eq=columns.T, b_eq=np.ones(size), bounds=(0, None), method="highs")
    kept = found.x > 1e-12
    matrix = (found.x[kept, None] * columns[kept]).T
    return sv.from_matrix(sv.Domain(size), matrix / matrix.sum(axis=1, keepdims=True), sv.LIP(math.inf, prior))
