"""Moments of sums of readings over groups of items, against enumeration and against simulated reports."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.arrays import Floats
from sottovoce.channels.groups import Groups
from sottovoce.channels.inversion import Inversion
from zoo import INVERTIBLE, built


def by_pairs(inversion: Inversion, groups: Groups, p: Floats) -> Floats:
    """The same moments from those of all pairs of items, when the members of a group report and when the others do."""
    found = np.zeros((3, 2, groups.count))
    for group in range(groups.count):
        members = groups.labels == group
        for row, people in enumerate((members, ~members)):
            moments = inversion.second_moments(np.where(people, p, 0.0) / p[people].sum())
            found[:, row, group] = moments[np.ix_(members, members)].sum(), moments[members].sum(), moments.sum()
    return found


@pytest.mark.parametrize("name", [name for name in INVERTIBLE if name != "olh"])
def test_moments_of_groups_are_sums_over_pairs(name: str) -> None:
    channel = built(name).channel
    inversion, size = channel.inversion, channel.size
    assert inversion is not None
    rng = np.random.default_rng(1)
    for labels in (np.arange(size) % 2, np.arange(size), np.minimum(np.arange(size), 1), rng.permutation(np.arange(size) % 2)):
        groups, p = Groups(labels, int(labels.max()) + 1), rng.dirichlet(np.ones(size))
        found = inversion.group_moments(groups, p)
        expected = by_pairs(inversion, groups, p)
        np.testing.assert_allclose([found.square, found.cross, found.whole], expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


def test_moments_of_hashed_groups_are_those_of_reports() -> None:
    """Within 6 errors of 400,000 reports and 4,096 functions. Independent bits have moments that are many errors away."""
    domain, labels = sv.Domain(40), np.arange(40) % 2
    mechanism, p = sv.olh(domain, 1.0), np.full(40, 1 / 40)
    inversion, n = mechanism.channel.inversion, 400_000
    assert inversion is not None
    found = inversion.group_moments(Groups(labels, 2), p)
    reports = mechanism.perturb(np.arange(n) % 40, sv.SeededSource(1))
    values = inversion.readings.values
    member = mechanism.channel.member(reports)  # type: ignore[attr-defined]  # a set-like channel
    sums = np.stack([np.where(member[:, labels == k], values[0, 0], values[1, 0]).sum(axis=1) for k in range(2)])
    inside = np.arange(n) % 2 == 0
    for row, people in enumerate((inside, ~inside)):
        for moment, seen in ((found.square, sums[0] ** 2), (found.cross, sums[0] * sums.sum(axis=0)), (found.whole, sums.sum(axis=0) ** 2)):
            error = seen[people].std() * np.sqrt(2 / n + 1 / 4096)
            assert abs(moment[row, 0] - seen[people].mean()) < 6 * error
    independent = sv.oue(domain, 1.0).channel.inversion
    assert independent is not None
    assert abs(independent.group_moments(Groups(labels, 2), p).whole[0, 0] - (sums.sum(axis=0) ** 2).mean()) > 20


def test_unknown_pairs_have_no_groups() -> None:
    from sottovoce.channels.inversion import Contained

    with pytest.raises(sv.UnsupportedError):
        Contained(np.full(3, 0.5), np.full(3, 0.2)).group_moments(Groups(np.array([0, 0, 1]), 2), np.full(3, 1 / 3))
