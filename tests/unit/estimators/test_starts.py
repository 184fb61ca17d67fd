"""Where EM begins, and how inversions of several groups are weighed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sottovoce as sv
from messages import refused
from sottovoce.estimators.decoders import exceeds, normalized, project, thresholded
from sottovoce.estimators.inversion import invert_all

P = np.array([0.4, 0.3, 0.2, 0.1])
DOMAIN = sv.Domain("abcd")


def _first_steps(tally: sv.Tally, start: Any) -> Any:
    return sv.estimate(tally, "em", start=start, iterations=1, progress=False).p


def test_starts_are_those_of_the_papers() -> None:
    """After a single pass EM is where it began."""
    tally = sv.Tally.simulate(sv.krr(DOMAIN, 1.0), P, 4000, sv.SeededSource(2))
    linear = invert_all(tally.blocks)
    assert _first_steps(tally, None) == pytest.approx(np.full(4, 0.25))
    assert _first_steps(tally, "uniform") == pytest.approx(np.full(4, 0.25))
    assert _first_steps(tally, "observed") == pytest.approx(tally.blocks[0].counts / 4000)
    assert _first_steps(tally, "threshold") == pytest.approx(thresholded(linear.p, exceeds(linear.p, np.sqrt(linear.variance), 0.05)))
    assert _first_steps(tally, [0.1, 0.2, 0.3, 0.4]) == pytest.approx(np.array([0.1, 0.2, 0.3, 0.4]))


@pytest.mark.parametrize("start", ["uniform", "threshold", "observed", [0.97, 0.01, 0.01, 0.01], [1.0, 0.0, 0.0, 0.0]])
@pytest.mark.parametrize("name", ["krr", "oue", "urr"])
def test_em_ends_at_the_same_top(name: str, start: Any) -> None:
    mechanism = sv.urr(DOMAIN, 1.0, "ab") if name == "urr" else getattr(sv, name)(DOMAIN, 1.0)
    tally = sv.Tally.simulate(mechanism, P, 3000, sv.SeededSource(2), keep_reports=True)
    found = sv.estimate(tally, "em", start=start, progress=False)
    assert found.gap is not None
    assert found.gap < 2e-3
    assert found.p == pytest.approx(sv.estimate(tally, "mle").p, abs=5e-3)


def test_a_start_near_the_top_takes_fewer_passes() -> None:
    tally = sv.Tally.simulate(sv.krr(sv.Domain(30), 1.0), np.arange(10, 40) / 735, 10**7, sv.SeededSource(2))
    best = sv.estimate(tally, "mle").p
    assert sv.estimate(tally, "em", start=best).iterations < sv.estimate(tally, "em").iterations / 10  # type: ignore[operator]  # both count passes


def test_wrong_starts() -> None:
    tally = sv.Tally.simulate(sv.krr(DOMAIN, 1.0), P, 4000, sv.SeededSource(2))
    with refused(sv.ParameterError, "mle", "em"):
        sv.estimate(tally, "mle", start="observed")
    with refused(sv.ParameterError, "em"):
        sv.estimate(tally, start=P)
    with refused(sv.ParameterError, "random", "threshold"):
        sv.estimate(tally, "em", start="random")
    for wrong in ([0.5, 0.5], [0.5, 0.5, 0.5, -0.5], [0.1] * 4, object()):
        with refused(sv.ParameterError, 4):
            sv.estimate(tally, "em", start=wrong)
    coded = sv.Tally.simulate(sv.hadamard(DOMAIN, 1.0), P, 4000, sv.SeededSource(2))
    with refused(sv.UnsupportedError, "observed"):
        sv.estimate(coded, "em", start="observed")


def _crowd() -> sv.Population:
    """Groups with matrices of different widths, sets and no protection at all."""
    rows = np.array([[0.4, 0.3, 0.1, 0.1, 0.1], [0.1, 0.5, 0.2, 0.1, 0.1], [0.1, 0.2, 0.4, 0.2, 0.1], [0.1, 0.1, 0.1, 0.2, 0.5]])
    square = 0.5 * np.eye(4) + 0.125
    groups = {"wide": sv.from_matrix(DOMAIN, rows, sv.LDP(3.0)), "square": sv.from_matrix(DOMAIN, square, sv.LDP(3.0))}
    return sv.Population(groups | {"sets": sv.oue(DOMAIN, 1.0), "open": sv.identity(DOMAIN)})


def test_inversions_of_groups_are_averaged_as_published() -> None:
    """LPDE, equation (13): the mean over the groups of m̂·Q⁻¹, whatever their channels are."""
    crowd, people = _crowd(), {"wide": 4000, "square": 2000, "sets": 3000, "open": 500}
    tally = sv.Tally.simulate(crowd, P, people, sv.SeededSource(4))
    blocks = {block.name: block for block in tally.blocks}
    single: list[Any] = [
        blocks[name].counts / blocks[name].n @ np.linalg.pinv(blocks[name].channel.matrix()) for name in ("wide", "square", "open")
    ]
    bits: Any = blocks["sets"].channel
    single.append((blocks["sets"].counts / 3000 - bits.b) / (bits.a - bits.b))
    mean = np.mean(single, axis=0)
    assert sv.estimate(tally, "average").p == pytest.approx(mean)
    assert sv.estimate(tally, "inversion", weights="equal").p == pytest.approx(mean)
    assert sv.estimate(tally, "normalized", weights="equal").p == pytest.approx(normalized(mean))
    assert sv.estimate(tally, "projected", weights="equal").p == pytest.approx(project(mean))
    equal, precise = sv.estimate(tally, "inversion", weights="equal"), sv.estimate(tally, "inversion")
    assert (equal.stderr > precise.stderr).all()
    assert equal.stderr == pytest.approx(sv.estimate(tally, "average").stderr)


def test_the_average_of_groups_is_unbiased_with_the_stated_error() -> None:
    crowd, people = _crowd(), {"wide": 400, "square": 200, "sets": 300, "open": 50}
    runs = [sv.estimate(sv.Tally.simulate(crowd, P, people, sv.SeededSource(s)), "average") for s in range(400)]
    found = np.array([run.p for run in runs])
    stated = np.mean([run.stderr for run in runs], axis=0)
    assert (np.abs(found.mean(axis=0) - P) < 6 * found.std(axis=0) / 20).all()
    assert found.std(axis=0) == pytest.approx(stated, rel=0.25)


def test_wrong_weights() -> None:
    tally = sv.Tally.simulate(sv.krr(DOMAIN, 1.0), P, 4000, sv.SeededSource(2))
    with refused(sv.ParameterError, "heavy", "equal"):
        sv.estimate(tally, "inversion", weights="heavy")
    with refused(sv.ParameterError, "mle", "average"):
        sv.estimate(tally, "mle", weights="equal")
