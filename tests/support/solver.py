"""An independent oracle for maximum likelihood: an interior-point solver of exponential cones."""

from __future__ import annotations

from typing import Any

import clarabel
import numpy as np
from scipy import sparse

import sottovoce as sv


def dense(tally: sv.Tally) -> tuple[Any, Any]:
    """The likelihood of every kept or counted report, straight from the channels: nothing shared with the estimators."""
    rows, times = [], []
    for block in tally.blocks:
        channel = block.mechanism.channel
        if block.reports is not None and block.n:
            rows.append(channel.likelihood(block.reports))
            times.append(np.ones(block.n))
        elif block.n:
            counts = block.counts[channel.outputs()] if isinstance(channel, sv.LiftedChannel) else block.counts
            rows.append(channel.matrix().T[counts > 0])
            times.append(counts[counts > 0].astype(float))
    stacked = np.concatenate(rows)
    distinct, places = np.unique(stacked / stacked.max(axis=1, keepdims=True), axis=0, return_inverse=True)
    return distinct, np.bincount(places, np.concatenate(times))


def optimum(rows: Any, times: Any) -> Any:
    """argmax Σ times·log(rows·p) over the simplex: minimise −Σ times·u with (u, 1, rows·p) in the exponential cone."""
    count, size = rows.shape
    simplex = sparse.csc_matrix(np.concatenate([np.ones((1, size)), -np.eye(size)]))
    cones = sparse.lil_matrix((3 * count, size + count))
    cones[0::3, size:] = -sparse.eye(count)
    cones[2::3, :size] = -rows
    left = sparse.vstack([sparse.hstack([simplex, sparse.csc_matrix((size + 1, count))]), cones]).tocsc()
    right = np.concatenate([[1.0], np.zeros(size), np.tile([0.0, 1.0, 0.0], count)])
    kinds = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(size), *[clarabel.ExponentialConeT()] * count]
    goal = np.concatenate([np.zeros(size), -times / times.sum()])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    for careful in (0.9, 0.7, 0.5):  # a bold step now and then ends in a corner of the cone
        settings.max_step_fraction = careful
        solved = clarabel.DefaultSolver(sparse.csc_matrix((size + count, size + count)), goal, left, right, kinds, settings).solve()
        if solved.status == clarabel.SolverStatus.Solved:
            p = np.maximum(0.0, solved.x[:size])
            return p / p.sum()
    raise AssertionError(f"the solver gave up: {solved.status}")
