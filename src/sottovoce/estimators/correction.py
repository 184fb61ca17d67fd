"""The published correction of EM for small samples (LPDE paper, Algorithm 2): p̃ = normalise(p̂ − α·â).

â is the plug-in second-order bias of equations (28)–(32). With s_n = g_n/(p̂·g_n), S = mean(s_n·s_nᵀ) and R = (S + λI)⁻¹ it is

    â = (1/N)·R·{S·R·s̄ − ½·mean(s_n·(s_nᵀ R s_n)) − ½·λ·mean(s_n·‖R s_n‖²)},

since the paper's Q̂SQ̂ is R − λR². Two slips are kept, for this is the method as published: ∇²s_n lacks a factor 2, and the scores do
not have mean zero (they would in the tangent space of the simplex). With both fixed and λ = 0 the correction vanishes at every interior
optimum, and what is left is shrinkage. `auto` shrinks on purpose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.channels.likelihood import SeparableLikelihood
from sottovoce.errors import UnsupportedError
from sottovoce.estimators.decoders import normalized
from sottovoce.tallies import Block

#: The regularisation of the paper's experiments, and its grid of weights.
TIKHONOV = 1e-3
WEIGHTS = np.array([digit * 10.0**exponent for exponent in range(-10, 0) for digit in range(1, 10)])

#: The general form is computed for this many items at most.
_MOST_ITEMS = 1 << 13
#: Reports whose likelihoods are written down at a time.
_ROWS = 1 << 12


def bias(blocks: Sequence[Block], p: Floats, tikhonov: float = TIKHONOV) -> Floats:
    """â at p: in O(K) for each direct block, in O(N·K²) otherwise."""
    pieces = [block.channel.model.of_counts(block.counts).separable() for block in blocks if block.grouped is None]
    separable = [piece for piece in pieces if piece is not None]
    return _direct(separable, p, tikhonov) if len(separable) == len(blocks) else _dense(blocks, p, tikhonov)


def _dense(blocks: Sequence[Block], p: Floats, tikhonov: float) -> Floats:
    if len(p) > _MOST_ITEMS:
        raise UnsupportedError(f"'corrected' would need a matrix of {len(p):,}² entries for this channel. Use 'auto' or 'mle'.")
    n, size = sum(block.n for block in blocks), len(p)
    square, mean = np.zeros((size, size)), np.zeros(size)
    for scores, times in _scores(blocks, p):
        square += scores.T @ (scores * times[:, None])
        mean += times @ scores
    square, mean = square / n, mean / n
    inverse = np.linalg.inv(square + tikhonov * np.eye(size))
    lengths = np.zeros(size)
    for scores, times in _scores(blocks, p):
        turned = scores @ inverse
        lengths += (times * ((scores * turned).sum(axis=1) + tikhonov * (turned**2).sum(axis=1))) @ scores
    return np.asarray(inverse @ (square @ (inverse @ mean) - lengths / (2 * n))) / n


def _scores(blocks: Sequence[Block], p: Floats) -> Iterator[tuple[Floats, Floats]]:
    """g/(p·g) of distinct reports, some at a time, and how often each occurs."""
    for block in blocks:
        for rows, times in _likelihoods(block):
            yield rows / (rows @ p)[:, None], times


def _likelihoods(block: Block) -> Iterator[tuple[Floats, Floats]]:
    channel = block.channel
    if block.grouped is None:
        table = channel.model.tabulated(block.counts)
        yield table.rows, table.times
        return
    distinct, times = channel.reports_from_bytes(block.grouped.records.tobytes()), block.grouped.times.astype(np.float64)
    for start in range(0, len(times), _ROWS):
        yield channel.likelihood(distinct[slice(start, start + _ROWS)]), times[start : start + _ROWS]


def _direct(pieces: Sequence[SeparableLikelihood], p: Floats, tikhonov: float) -> Floats:
    """Scores are s_n = a·e_y + b·1, so that S + λI is a diagonal and a matrix of rank two: Woodbury's identity inverts it."""
    n = sum(piece.n for piece in pieces)
    shares = np.stack([piece.counts / n for piece in pieces])
    means = np.stack([piece.s * p + piece.t for piece in pieces])
    own = np.divide(np.array([[piece.s] for piece in pieces]), means, out=np.zeros_like(means), where=shares > 0)
    all_items = np.divide(np.stack([piece.t for piece in pieces]), means, out=np.zeros_like(means), where=shares > 0)

    def total(weights: Floats) -> Floats:
        """Σ weight·s_n over the reports, an entry per item."""
        return np.asarray((shares * weights * own).sum(axis=0) + (shares * weights * all_items).sum())

    diagonal = (shares * own**2).sum(axis=0) + tikhonov
    mixed, both = (shares * own * all_items).sum(axis=0), float((shares * all_items**2).sum())
    sides = np.stack([mixed, np.ones_like(p)], axis=1)
    scaled = sides / diagonal[:, None]
    core = np.linalg.inv(np.array([[-both, 1.0], [1.0, 0.0]]) + sides.T @ scaled)

    def inverse(x: Floats) -> Floats:
        return np.asarray(x / diagonal - scaled @ (core @ (scaled.T @ x)))

    ones = inverse(np.ones_like(p))
    own_term = ((scaled @ core) * scaled).sum(axis=1)
    twice = 1 / diagonal**2 - 2 * own_term / diagonal + ((scaled @ (core @ (scaled.T @ scaled) @ core)) * scaled).sum(axis=1)
    lengths = own**2 * (1 / diagonal - own_term) + 2 * own * all_items * ones + all_items**2 * ones.sum()
    lengths += tikhonov * (own**2 * twice + 2 * own * all_items * inverse(ones) + all_items**2 * (ones @ ones))
    solved = inverse(total(np.ones_like(means)))
    forward = (diagonal - tikhonov) * solved + mixed * solved.sum() + mixed @ solved + both * solved.sum()
    return inverse(forward - total(lengths) / 2) / n


def best_weight(p: Floats, shift: Floats, truth: Floats) -> float:
    """The α of the grid with the smallest squared error from a known truth."""
    errors = [float(((normalized(p - weight * shift) - truth) ** 2).sum()) for weight in WEIGHTS]
    return float(WEIGHTS[int(np.argmin(errors))])


def corrected(
    blocks: Sequence[Block], mle: Callable[[Sequence[Block]], Floats], simulated: Sequence[Block], truth: Floats
) -> tuple[Floats, float]:
    """p̃ and its α, which did best on a simulation of the same groups from a known truth."""
    trial = mle(simulated)
    weight = best_weight(trial, bias(simulated, trial), truth)
    p = mle(blocks)
    return normalized(p - weight * bias(blocks, p)), weight
