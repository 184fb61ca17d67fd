"""`ubd` reaches the limit of ULDP: in its predicted error, and in the errors of simulated studies."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sottovoce as sv
from messages import refused
from simulations import ULDP_SETTINGS, levels_of, squared_errors
from sottovoce.estimators.inversion import inversion_of


@pytest.mark.parametrize(("size", "sensitive"), ULDP_SETTINGS)
def test_the_predicted_worst_case_is_the_limit(size: int, sensitive: int) -> None:
    for epsilon in levels_of(size):
        mechanism = sv.ubd(sv.Domain(size), epsilon, range(sensitive))
        assert mechanism.certify().holds
        assert sv.worst_case(mechanism, 1).losses.l2 == pytest.approx(sv.uldp_limit(size, sensitive, epsilon).value, rel=1e-9)


@settings(max_examples=60)
@given(st.integers(2, 60), st.data(), st.floats(0.02, 12.0))
def test_the_limit_is_reached_everywhere(size: int, data: st.DataObject, epsilon: float) -> None:
    """Whatever the setting, and wherever the sensitive items lie in the domain; no single size is better."""
    sensitive = data.draw(st.integers(1, size))
    items = data.draw(st.permutations(range(size)))[:sensitive]
    domain = sv.Domain(size)
    mechanism = sv.ubd(domain, epsilon, items)
    limit = sv.uldp_limit(size, sensitive, epsilon).value
    assert sv.worst_case(mechanism, 1).losses.l2 == pytest.approx(limit, rel=1e-6)
    if 2 <= sensitive < size:
        part = domain.subset(sorted(items))
        for k in {1, sensitive // 2, sensitive - 1} - {0}:
            single = sv.utility_optimized(sv.subset_selection(part, epsilon, size=k), domain)
            assert sv.worst_case(single, 1).losses.l2 >= limit * (1 - 1e-9)


@pytest.mark.parametrize(("size", "sensitive", "epsilon"), [(20, 3, 1.0), (8, 4, 1.0), (100, 50, 4.0)])
def test_simulated_studies_have_the_predicted_error(size: int, sensitive: int, epsilon: float) -> None:
    mechanism = sv.ubd(sv.Domain(size), epsilon, range(sensitive))
    assert isinstance(mechanism.channel, sv.MixedChannel)
    worst = sv.worst_case(mechanism, 50)
    found = squared_errors(mechanism, worst.p, 50, 10_000, 1)
    assert found.mean() == pytest.approx(worst.losses.l2, abs=4.5 * found.std() / 100)
    assert found.std() / 100 < 0.02 * worst.losses.l2  # so that an error of a tenth would be seen


def test_bulk_counts_are_those_of_a_tally() -> None:
    """What the study above does in bulk is what `estimate` does."""
    mechanism = sv.ubd(sv.Domain(8), 1.0, range(4))
    p = np.full(8, 1 / 8)
    bulk = squared_errors(mechanism, p, 400, 3, 5)
    source, rng = sv.SeededSource(5), np.random.default_rng(5)
    reports = mechanism.channel.sample(rng.choice(8, size=1200, p=p), source)
    for run in range(3):
        tally = sv.Tally(mechanism).add(reports[slice(400 * run, 400 * run + 400)])
        assert ((sv.estimate(tally, "inversion").p - p) ** 2).sum() == pytest.approx(bulk[run])


def test_covariance_is_that_of_the_reports() -> None:
    """The closed form of E[φ_i·φ_j] against every report of the exact matrix."""
    mechanism = sv.ubd(sv.Domain(7), 1.0, [1, 2, 5])
    channel = mechanism.channel
    assert isinstance(channel, sv.MixedChannel)
    p = np.array([0.05, 0.1, 0.15, 0.2, 0.25, 0.15, 0.1])
    inversion, chances = inversion_of(channel), p @ channel.matrix()
    values = []
    for output in channel.outputs():
        one = sv.Tally(mechanism).add(sv.SetReports.of_dense(np.isin(np.arange(7), output)[None, :])).blocks[0]
        values.append(inversion.readings.moment(inversion.occurrences(one.counts.astype(float)), 1))
    rows = np.array(values)
    assert chances @ rows == pytest.approx(p)
    exact = (rows.T * chances) @ rows - np.outer(p, p)
    assert np.diag(exact) == pytest.approx(sv.losses(mechanism, p, 1).per_item)
    off = ~np.eye(7, dtype=bool)
    assert (inversion.products(p) - np.outer(p, p))[off] == pytest.approx(exact[off])


def test_mixtures_that_are_none() -> None:
    domain, parts = sv.Domain(5), {}
    for k in (1, 2):
        parts[k] = sv.utility_optimized(sv.subset_selection(domain.subset([0, 1, 2]), 1.0, size=k), domain).channel
    other = sv.utility_optimized(sv.subset_selection(domain.subset([0, 1, 3]), 1.0, size=2), domain).channel
    both = parts[1], parts[2]
    for pair, share in (((parts[1], parts[1]), 2**63), ((parts[1], other), 2**63), (both, 0), (both, 2**64)):
        with refused(sv.ParameterError):
            sv.MixedChannel(pair, share)  # type: ignore[arg-type]  # wrong on purpose
    with refused(sv.ParameterError):
        sv.MixedChannel((parts[1], sv.krr(domain, 1.0).channel), 2**63)  # type: ignore[arg-type]  # wrong on purpose
    mixed = sv.MixedChannel(both, 2**63)  # type: ignore[arg-type]  # both are lifted
    wrong: list[tuple[list[int], list[int]]] = [([0, 1, 2], [3, 1, 2]), ([3, 4], []), ([0, 3], []), ([], [0, 1, 2])]
    for bits, values in wrong:
        dense = np.isin(np.arange(5), bits)[None, :]
        with refused(sv.ReportError, *values):
            mixed.reports_from_bytes(sv.SetReports.of_dense(dense).to_bytes())


def test_any_two_parts_are_inverted_without_bias() -> None:
    """The weights follow from what the channel does, not from one budget for both parts; variance and covariance agree."""
    domain, items = sv.Domain(7), [1, 2, 5]
    part = domain.subset(items)
    first, second = (
        sv.utility_optimized(sv.subset_selection(part, epsilon, size=k), domain).channel for k, epsilon in ((1, 1.0), (2, 2.0))
    )
    channel = sv.MixedChannel((first, second), 2**63)  # type: ignore[arg-type]  # both are lifted
    mechanism = sv.Mechanism(domain, channel, sv.ULDP(2.0, items))
    p = np.array([0.05, 0.3, 0.1, 0.2, 0.1, 0.15, 0.1])
    inversion = inversion_of(channel)
    assert inversion.readings.moment(inversion.occurrences(inversion.expected(p)), 1) == pytest.approx(p, abs=1e-12)
    found = sv.estimate(sv.Tally.simulate(mechanism, p, 400, sv.SeededSource(1)), "inversion")
    assert np.linalg.eigvalsh(found.covariance()).min() > -1e-12


def test_counts_that_no_reports_can_have() -> None:
    mechanism = sv.ubd(sv.Domain(8), 1.0, range(4))
    table = sv.Tally.simulate(mechanism, np.full(8, 1 / 8), 5000, sv.SeededSource(1)).to_arrow()
    row = table.to_pylist()[0]
    shifted = [*row["counts"][:-1], 1]
    for change in ({"n": 10_000}, {"counts": [0] * 16}, {"counts": [5000] * 16}, {"counts": shifted}):
        with refused(sv.ReportError):
            sv.Tally.from_arrow(mechanism, pa.Table.from_pylist([{**row, **change}], schema=table.schema))
    for other in (sv.subset_selection(sv.Domain(8), 1.0), sv.utility_optimized(sv.subset_selection(sv.Domain(4), 1.0), sv.Domain(8))):
        kept = sv.Tally.simulate(other, np.full(8, 1 / 8), 500, sv.SeededSource(1)).to_arrow()
        with refused(sv.ReportError):
            sv.Tally.from_arrow(other, pa.Table.from_pylist([{**kept.to_pylist()[0], "counts": [0] * 8}], schema=kept.schema))
