"""Smooth estimates of ordered items: against a slow optimiser and a slow integral, and on populations that are known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import integrate, optimize

import sottovoce as sv
from messages import refused
from sottovoce.arrays import Floats
from sottovoce.estimators import smoothing, splines
from sottovoce.estimators.along import Totals, evidence


def blur(size: int, half: int, epsilon: float) -> Floats:
    """A window channel as a table: the own outputs e^ε times as likely as the others."""
    table = np.ones((size, size + 2 * half))
    for item in range(size):
        table[item, item : item + 2 * half + 1] = np.exp(epsilon)
    return table / table.sum(axis=1, keepdims=True)


def blurred(size: int, half: int, epsilon: float = 1.0) -> sv.Mechanism:
    return sv.from_matrix(sv.Domain.numbers(0, 1, bins=size), blur(size, half, epsilon), sv.LDP(epsilon + 0.01))


def hill(size: int, centre: float = 0.5, width: float = 0.15) -> Floats:
    p = np.exp(-0.5 * (((np.arange(size) + 0.5) / size - centre) / width) ** 2)
    return p / p.sum()


def spikes(size: int) -> Floats:
    p = np.where(np.arange(size) % 5 == 0, hill(size, 0.45, 0.25), 0.0)
    return p / p.sum()


def earth_moved(p: Floats, q: Floats) -> float:
    return float(np.abs(np.cumsum(p - q)).sum() / len(p))


def tallied(mechanism: sv.Mechanism, p: Floats, n: int, seed: int = 1, **more: Any) -> sv.Tally:
    return sv.Tally.simulate(mechanism, p, n, sv.SeededSource(seed), **more)


@pytest.mark.parametrize("size", [5, 40, 41, 64, 1024])
def test_splines_sum_to_one_and_contain_straight_lines(size: int) -> None:
    basis = splines.basis(size)
    assert basis.shape == (size, min(size, 40))
    assert basis.sum(axis=1) == pytest.approx(1)
    line = basis @ np.arange(basis.shape[1])
    assert np.diff(line) == pytest.approx(np.diff(line)[0])
    rough = splines.roughness(basis.shape[1])
    assert rough @ np.arange(basis.shape[1]) == pytest.approx(0, abs=1e-9)
    beta = np.random.default_rng(1).normal(size=basis.shape[1])
    assert beta @ rough @ beta == pytest.approx(sum((beta[k] - 2 * beta[k + 1] + beta[k + 2]) ** 2 for k in range(len(beta) - 2)))


@pytest.mark.parametrize("bending", [0.1, 30.0, 1e4])
def test_fit_is_the_mode(bending: float) -> None:
    """A general optimiser finds the same top, of the likelihood and the penalty as they are defined."""
    mechanism, p = blurred(12, 3), hill(12)
    block = tallied(mechanism, p, 2000).blocks[0]
    prior = smoothing.priors(splines.roughness(12), [bending])[0]
    fit = smoothing.fitted(evidence([block]), np.eye(12), prior, np.zeros(12))

    def missing(beta: Floats) -> float:
        shares = np.exp(beta - beta.max())
        shares /= shares.sum()
        straight = np.stack([np.ones(12), np.arange(12) - 5.5])
        straight /= np.linalg.norm(straight, axis=1)[:, None]
        penalty = bending * (np.diff(beta, 2) ** 2).sum() + ((straight @ beta) ** 2).sum() / (100 * 12)
        return float(penalty / 2 - block.counts @ np.log(shares @ mechanism.channel.matrix()))

    slow = optimize.minimize(missing, np.zeros(12), method="BFGS", options={"gtol": 1e-6})
    assert missing(fit.beta) <= slow.fun + 0.01
    assert fit.p == pytest.approx(np.exp(slow.x) / np.exp(slow.x).sum(), abs=2e-3)
    other = smoothing.fitted(evidence([block]), np.eye(12), smoothing.priors(splines.roughness(12), [20 * bending])[0], np.zeros(12))
    assert missing(other.beta) > slow.fun + 0.02


def test_evidence_is_the_integral() -> None:
    """Three items: the likelihood integrated over the two directions that matter, with the prior's density."""
    mechanism = sv.krr(sv.Domain.scale(1, 3), 2.0)
    block = tallied(mechanism, np.array([0.2, 0.5, 0.3]), 400).blocks[0]
    matrix, rough = mechanism.channel.matrix(), splines.roughness(3)
    heights = []
    for bending in (0.1, 10.0):
        prior = smoothing.priors(rough, [bending])[0]
        fit = smoothing.fitted(evidence([block]), np.eye(3), prior, np.zeros(3))
        top = float(block.counts @ np.log(fit.p @ matrix))
        _, axes = np.linalg.eigh(np.ones((3, 3)))
        plane = axes[:, :2]  # the third direction adds a constant, which changes nothing
        inner = plane.T @ prior.precision @ plane
        scale = np.sqrt(np.linalg.det(inner)) / (2 * np.pi)

        def density(x: float, y: float, plane=plane, inner=inner, scale=scale, top=top) -> float:  # type: ignore[no-untyped-def]
            beta = plane @ [x, y]
            shares = np.exp(beta) / np.exp(beta).sum()
            at = np.array([x, y])
            return float(scale * np.exp(block.counts @ np.log(shares @ matrix) - top - at @ inner @ at / 2))

        centre = plane.T @ (fit.beta - fit.beta.mean())
        box = [(centre[0] - 3, centre[0] + 3), (centre[1] - 3, centre[1] + 3)]
        found, _ = integrate.nquad(density, box, opts={"epsabs": 1e-7, "epsrel": 1e-4})
        heights.append((fit.evidence, top + np.log(found)))
    for laplace, exact in heights:
        assert laplace == pytest.approx(exact, abs=0.3)
    assert heights[0][0] - heights[1][0] == pytest.approx(heights[0][1] - heights[1][1], abs=0.1)


def test_closer_than_maximum_likelihood() -> None:
    mechanism, p = blurred(64, 19), hill(64)
    errors = [[], []]  # type: list[list[float]]
    for seed in range(10):
        tally = tallied(mechanism, p, 10_000, seed)
        found = sv.estimate(tally, "smooth")
        assert found.p.sum() == pytest.approx(1)
        assert found.note.startswith("Neighbours look alike")
        for row, estimate in zip(errors, (found, sv.estimate(tally, "mle")), strict=True):
            row.append(earth_moved(estimate.p, p))
    smooth, plain = map(np.mean, errors)
    assert smooth < 0.0125
    assert smooth < 0.7 * plain


def test_spikes_are_noticed() -> None:
    mechanism, p = blurred(64, 11, 2.0), spikes(64)
    tally = tallied(mechanism, p, 100_000)
    found = sv.estimate(tally, "smooth")
    assert found.chosen["spikes"] > 0.99
    assert "pile up" in found.note
    assert earth_moved(found.p, p) < 1.1 * earth_moved(sv.estimate(tally, "mle").p, p)


def test_false_alarms_are_rare() -> None:
    """Of 60 smooth populations at most 3 are called spiky. Seeds are fixed, so this never depends on chance."""
    alarms = 0
    for seed in range(60):
        mechanism, n = (blurred(40, 12), 3000) if seed % 2 else (blurred(40, 5, 3.0), 20_000)
        alarms += (
            sv.estimate(tallied(mechanism, hill(40, 0.3 + 0.4 * seed / 60, 0.1 + seed / 300), n, seed), "smooth").chosen["spikes"] > 0.5
        )
    assert alarms <= 3


@pytest.mark.parametrize("name", ["oue", "subset_selection", "olh", "hadamard"])
def test_sets_and_hashes(name: str) -> None:
    """From totals and from reports alike, far closer than without neighbours."""
    domain, p = sv.Domain.numbers(0, 1, bins=50), hill(50)
    mechanism = getattr(sv, name)(domain, 2.0)
    kept = tallied(mechanism, p, 3000, keep_reports=True)
    totals, reports = sv.estimate(kept.totals(), "smooth"), sv.estimate(kept, "smooth")
    assert earth_moved(totals.p, reports.p) < 0.02
    assert earth_moved(totals.p, p) < 0.03
    assert np.square(totals.p - p).sum() < np.square(sv.estimate(kept.totals(), "projected").p - p).sum() / 2


def test_totals_are_close_to_the_likelihood() -> None:
    """For a direct channel both can be had, and many people make them agree."""
    mechanism, p = sv.krr(sv.Domain.scale(1, 8), 2.0), hill(8)
    block = tallied(mechanism, p, 10**6).blocks[0]
    prior = smoothing.priors(splines.roughness(8), [1.0])[0]
    exact, normal = (smoothing.fitted(said, np.eye(8), prior, np.zeros(8)) for said in (evidence([block]), Totals([block])))
    assert exact.p == pytest.approx(normal.p, abs=1e-3)


def test_groups_of_people_together() -> None:
    domain, p = sv.Domain.scale(1, 10), hill(10)
    crowd = sv.Population({"careful": sv.krr(domain, 0.5), "bold": sv.krr(domain, 3.0), "sets": sv.oue(domain, 1.0)})
    tally = sv.Tally.simulate(crowd, p, dict.fromkeys(crowd.names, 5000), sv.SeededSource(1))
    assert not tally.supports("mle")
    assert earth_moved(sv.estimate(tally, "smooth").p, p) < 0.01


def test_two_numbers_and_two_items() -> None:
    tally = tallied(sv.krr(sv.Domain.scale(1, 3), 2.0), np.array([0.2, 0.5, 0.3]), 10**6)
    assert sv.estimate(tally, "smooth").p == pytest.approx([0.2, 0.5, 0.3], abs=5e-3)


def test_grids() -> None:
    domain = sv.Domain.grid((12, 10), x=(0, 1), y=(0, 1))
    p = np.outer(hill(12, 0.4), hill(10, 0.7)).ravel()
    tally = tallied(sv.krr(domain, 2.0), p, 5000)
    errors = {method: float(np.abs(sv.estimate(tally, method).p - p).sum()) for method in ("smooth", "mle", "auto")}
    assert errors["smooth"] < 0.6 * errors["mle"]
    assert errors["smooth"] < errors["auto"]


def test_items_without_order_are_refused() -> None:
    tally = tallied(sv.krr(sv.Domain("abc"), 1.0), np.array([0.2, 0.3, 0.5]), 100)
    assert not tally.supports("smooth")
    with refused(sv.UnsupportedError, "smooth"):
        sv.estimate(tally, "smooth")


@pytest.mark.parametrize("name", ["window", "krr"])
def test_many_items_are_merged_for_speed(name: str) -> None:
    """With 300 items the shares are nearly those of fits to all of them."""
    domain = sv.Domain.numbers(0, 1, bins=300)
    mechanism, p = sv.window(domain, 1.0) if name == "window" else sv.krr(domain, 4.0), hill(300)
    tally = tallied(mechanism, p, 20_000)
    merged = sv.estimate(tally, "smooth").p
    said, basis = evidence(tally.blocks), splines.basis(300)
    fits = smoothing.family(said, basis, smoothing.priors(splines.roughness(40)))
    whole = smoothing.averaged(fits, smoothing.weights(fits, [1.0] * len(fits)))
    assert earth_moved(merged, whole) < 0.2 * earth_moved(sv.estimate(tally, "mle").p, p)
    assert earth_moved(merged, whole) < 2e-3


def test_single_cells_of_a_city_stand_out() -> None:
    """Cells that are nothing like their neighbours: a grid of blocks of cells would be a third further off."""
    domain = sv.Domain.grid((18, 18), x=(0, 1), y=(0, 1))
    p = np.exp(2 * np.random.default_rng(4).normal(size=324))
    p /= p.sum()
    tally = sv.Tally.simulate(sv.krr(domain, 4.0), p, 40_000, sv.SeededSource(4))
    errors = {method: float(np.abs(sv.estimate(tally, method).p - p).sum()) for method in ("smooth", "mle", "auto")}
    assert sv.estimate(tally, "smooth").chosen["spikes"] > 0.99
    assert errors["smooth"] < errors["mle"]
    assert errors["smooth"] < 1.15 * errors["auto"]


def test_margins_of_grids() -> None:
    domain = sv.Domain.grid((12, 10), x=(0, 1), y=(0, 1))
    p = np.outer(hill(12, 0.4), hill(10, 0.7))
    e = sv.estimate(tallied(sv.krr(domain, 3.0), p.ravel(), 20_000), "smooth")
    found = e.margin("x")
    low, high = found.interval(0.9999)
    assert ((low <= p.sum(axis=1)) & (p.sum(axis=1) <= high)).all()
    mean = found.mean(level=0.9999)
    assert mean.low <= domain.axes[0].centres @ p.sum(axis=1) <= mean.high
