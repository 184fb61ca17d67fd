"""`corrected` is the published method to the letter, and its slips are what the page says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sottovoce as sv
from solver import dense
from sottovoce.estimators import correction


def transcribed(rows: Any, times: Any, p: Any, tikhonov: float, factor: float = 1.0, *, tangent: bool = False) -> Any:
    """Equations (22)–(32), report by report, with the third-order tensor written out: O(N·K³).

    `factor` mends ∇²s, `tangent` takes the scores in the directions that keep the sum of p.
    """
    size, n = len(p), times.sum()
    reports = np.repeat(np.arange(len(times)), times.astype(int))
    basis = np.linalg.svd(np.ones((1, size)))[2][1:] if tangent else np.eye(size)
    scores = np.array([rows[i] / (p @ rows[i]) for i in reports]) @ basis.T  # (22)
    mean_square = sum(np.outer(s, s) for s in scores) / n  # (31)
    q = -np.linalg.inv(mean_square + tikhonov * np.eye(len(basis)))  # (32)
    first = sum((mean_square - np.outer(s, s)) @ (q @ s) for s in scores) / n  # (30)
    third = factor * sum(np.einsum("i,j,k->ijk", s, s, s) for s in scores)  # (24)
    pairs = sum(np.outer(q @ s, q @ s) for s in scores)
    second = np.einsum("ijk,jk->i", third, pairs) / (2 * n**2)
    return basis.T @ (q @ (first - second) / n)  # (28)


MECHANISMS: dict[str, Any] = {
    "krr": lambda d: sv.krr(d, 1.0),
    "urr": lambda d: sv.urr(d, 1.0, [0, 1]),
    "iprr": lambda d: sv.iprr(d, {0: 0.3, 1: 1.0, 2: 2.0}),
    "identity": sv.identity,
    "rappor": lambda d: sv.rappor(d, 1.0),
    "olh": lambda d: sv.olh(d, 1.0),
    "lifted": lambda d: sv.utility_optimized(sv.oue(d.subset([0, 1, 2]), 1.0), d),
    "hadamard": lambda d: sv.hadamard(d, 1.0),
}


@settings(max_examples=60)
@given(st.integers(4, 12), st.lists(st.sampled_from(sorted(MECHANISMS)), min_size=1, max_size=3, unique=True), st.integers(0, 2**32))
def test_the_published_correction_is_transcribed(size: int, names: list[str], seed: int) -> None:
    rng = np.random.default_rng(seed)
    domain = sv.Domain(size)
    crowd = sv.Population({name: MECHANISMS[name](domain) for name in names})
    levels = [names[k] for k in rng.integers(0, len(names), size=60)]
    codes = rng.choice(size, size=60, p=rng.dirichlet(np.ones(size)))
    tally = sv.Tally(crowd, keep_reports=True).add(crowd.perturb(codes, levels, sv.SeededSource(seed)))
    blocks = [block for block in tally.blocks if block.n]
    p = sv.estimate(tally).p
    expected = transcribed(*dense(tally), p, correction.TIKHONOV)
    assert correction.bias(blocks, p) == pytest.approx(expected, rel=1e-9, abs=1e-9 * np.abs(expected).max())


def test_direct_blocks_and_the_general_form_agree() -> None:
    domain = sv.Domain(300)
    crowd = sv.Population({"low": sv.krr(domain, 0.1), "mid": sv.krr(domain, 2.0), "open": sv.identity(domain)})
    rng = np.random.default_rng(1)
    levels = [["low", "mid", "open"][k] for k in rng.integers(0, 3, size=900)]
    tally = sv.Tally(crowd).add(crowd.perturb(rng.integers(0, 300, size=900), levels, sv.SeededSource(1)))
    p = sv.estimate(tally).p
    general = correction._dense(tally.blocks, p, correction.TIKHONOV)
    assert correction.bias(tally.blocks, p, correction.TIKHONOV) == pytest.approx(general, rel=1e-9, abs=1e-12)


def test_the_whole_published_algorithm() -> None:
    """Steps 1 to 3 with α from the simulation, against the transcription; the result is decoded as the paper says."""
    mechanism = sv.krr(sv.Domain(8), 1.0)
    tally = sv.Tally.simulate(mechanism, np.arange(1, 9) / 36, 200, sv.SeededSource(1))
    found = sv.estimate(tally, "corrected", source=sv.SeededSource(5))
    truth = tally.blocks[0].counts / 200
    trial = sv.Tally.simulate(mechanism, truth, 200, sv.SeededSource(5))
    start = sv.estimate(trial).p
    shift = transcribed(*dense(trial), start, 1e-3)
    grid = [c * 10.0**e for e in range(-10, 0) for c in range(1, 10)]
    assert pytest.approx(grid) == correction.WEIGHTS

    def decoded(p: Any) -> Any:
        return np.maximum(0, p) / np.maximum(0, p).sum()

    errors = [((decoded(start - alpha * shift) - truth) ** 2).sum() for alpha in grid]
    alpha = grid[int(np.argmin(errors))]
    p = sv.estimate(tally).p
    assert found.chosen == {"alpha": pytest.approx(alpha)}
    assert found.p == pytest.approx(decoded(p - alpha * transcribed(*dense(tally), p, 1e-3)), abs=1e-12)
    assert sv.estimate(tally, "corrected").p.tolist() == sv.estimate(tally, "corrected").p.tolist()


@pytest.mark.parametrize("name", ["krr", "iprr", "hadamard", "rappor"])
def test_errata_of_the_correction(name: str) -> None:
    """Mended, it vanishes: with the factor 2, in the tangent space and without λ, the second-order bias is 0 at an interior optimum.

    In the full space it is then p̂ itself up to scale, which normalising removes. What is published differs from both by the slips.
    """
    domain = sv.Domain(5)
    tally = sv.Tally.simulate(MECHANISMS[name](domain), np.array([0.3, 0.25, 0.2, 0.15, 0.1]), 3000, sv.SeededSource(3), keep_reports=True)
    found = sv.estimate(tally, tolerance=1e-9)
    assert found.p.min() > 0.01
    rows, times = dense(tally)
    mended = transcribed(rows, times, found.p, 0.0, 2.0, tangent=True)
    published = transcribed(rows, times, found.p, 1e-3)
    assert np.abs(mended).max() < 1e-6 * np.abs(published).max()
    full = transcribed(rows, times, found.p, 0.0, 2.0)
    assert full / full.sum() == pytest.approx(found.p, rel=1e-5)
    shift = published - published.sum() * found.p
    assert np.abs(shift).max() > 1e-3 * np.abs(published).max()
