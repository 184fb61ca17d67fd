"""The second-order bias of the paper, (28) to (32), with its slips mended on request."""

from __future__ import annotations

import numpy as np

import sottovoce as sv
from sottovoce.arrays import Floats


def second_order_bias(tally: sv.Tally, p: Floats, tikhonov: float, factor: float = 1.0, *, tangent: bool = False) -> Floats:
    """â at p. `factor` stands before ∇²s (the paper has 1, calculus 2); `tangent` takes the scores in the directions that keep the sum of p."""
    rows, times = _reports(tally)
    n, size = times.sum(), len(p)
    scores = rows / (rows @ p)[:, None]  # (22)
    if tangent:
        basis = np.linalg.svd(np.ones((1, size)))[2][1:]
        scores = scores @ basis.T
    square = scores.T @ (scores * times[:, None]) / n  # (31)
    q = -np.linalg.inv(square + tikhonov * np.eye(len(square)))  # (32)
    turned = scores @ q
    first = square @ (times @ turned) / n - scores.T @ (times * (scores * turned).sum(axis=1)) / n  # (30)
    second = factor * scores.T @ (times * ((turned @ square) * turned).sum(axis=1)) / n  # (24), with the mean of Qs ⊗ Qs, which is QSQ
    found = q @ (first - second / 2) / n  # (28)
    return np.asarray(found @ basis if tangent else found)


def _reports(tally: sv.Tally) -> tuple[Floats, Floats]:
    """The likelihoods of distinct reports, and how often each occurs."""
    blocks = [block for block in tally.blocks if block.n]
    rows = [block.mechanism.channel.matrix().T[block.counts > 0] for block in blocks]
    times = [block.counts[block.counts > 0].astype(np.float64) for block in blocks]
    return np.concatenate(rows), np.concatenate(times)
