"""Channels of your own with unusual reports, and wrong ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import EntryPoint
from typing import Any

import numpy as np
import pytest

import sottovoce as sv
from messages import refused
from sottovoce.arithmetic import ONE
from sottovoce.channels import DirectChannel, MatrixChannel
from sottovoce.channels.protocol import KINDS
from sottovoce.checks import conform
from sottovoce.errors import ParameterError, ReportError, UnsupportedError
from sottovoce.reports import SetReports
from sottovoce.wire import describe, restore

MOST, LEAST = ONE // 4 * 3, ONE // 4


@dataclass(frozen=True, eq=False)
class Twofold(sv.Channel):
    """Two items and a table with two columns that are used; the reports are what the fields say."""

    reports: tuple[Any, ...]
    none: sv.Reports
    unused: int = 0
    rows: int = 2

    @property
    def size(self) -> int:
        return 2

    @cached_property
    def empty(self) -> sv.Reports:
        return self.none

    def outputs(self) -> list[Any]:
        return list(self.reports)

    def numerators(self) -> Any:
        return np.array([[MOST, LEAST] + [0] * self.unused, [LEAST, MOST] + [0] * self.unused][: self.rows], dtype=object)

    def sample(self, codes: Any, source: sv.Source) -> sv.Reports:
        drawn = source.take(len(codes)) >= np.array([MOST, LEAST], dtype=np.uint64)[codes]
        if isinstance(self.none, SetReports):
            return SetReports(np.where(drawn, np.uint64(6), np.uint64(3))[:, None], 3)
        return sv.CodeReports(np.array(self.reports)[drawn.astype(np.int64)], *self.none.shape)


def numbers(limit: int) -> sv.CodeReports:
    return sv.CodeReports(np.zeros(0, dtype=np.int64), limit)


def sets(*words: int) -> SetReports:
    return SetReports(np.array(words, dtype=np.uint64).reshape(-1, 1), 3)


def mechanism(channel: sv.Channel) -> sv.Mechanism:
    return sv.Mechanism(sv.Domain("ab"), channel, sv.LDP(1.2), "twofold")


@pytest.mark.parametrize(
    ("outputs", "none"),
    [
        ((1, 2), numbers(3)),
        ((4, 0), numbers(5)),
        (([0, 1], [1, 2]), sets()),
        (((0, 1), (1, 2)), sets()),
        ((frozenset({0, 1}), frozenset({2, 1})), sets()),
        ((np.array([0, 1]), np.array([1, 2])), sets()),
    ],
)
def test_reports_are_looked_up_among_the_outputs(outputs: Sequence[Any], none: sv.Reports) -> None:
    m = mechanism(Twofold(tuple(outputs), none))
    assert "samples_its_channel" in conform(m)
    tally = sv.Tally(m).add(m.perturb(["a"] * 4000, sv.SeededSource(1)))
    for method in ("inversion", "mle"):
        assert sv.estimate(tally, method).p[0] == pytest.approx(1, abs=0.05)
    with refused(UnsupportedError, "Twofold"):
        describe(m.channel)


@pytest.mark.parametrize(
    ("channel", "report"),
    [
        (Twofold((1, 2), numbers(3)), sv.CodeReports(np.array([0]), 3)),
        (Twofold(([0, 1], [1, 2]), sets()), sets(7)),
        (Twofold((0, 1, 2), numbers(3), unused=1), sv.CodeReports(np.array([2]), 3)),
    ],
)
def test_what_the_channel_never_reports_is_refused(channel: Twofold, report: sv.Reports) -> None:
    with refused(ReportError):
        channel.reports_from_bytes(report.to_bytes())


def test_a_matrix_for_other_items_is_refused() -> None:
    with refused(ParameterError, "Twofold", "2"):
        mechanism(Twofold((0, 1), numbers(2), rows=1))


def test_a_kind_is_declared_once() -> None:
    with refused(ParameterError, "direct", "sottovoce.channels.direct.channel"):
        type("Mine", (sv.Channel,), {}, kind="direct")
    assert KINDS["direct"] is DirectChannel


def test_a_kind_of_matrix_without_a_name_travels_as_itself() -> None:
    @dataclass(frozen=True, eq=False)
    class Named(MatrixChannel):
        """A matrix with a name."""

    channel = Named(np.array([[MOST, LEAST], [LEAST, MOST]], dtype=object))
    assert restore(describe(channel)) == channel
    assert restore(describe(channel)).fingerprint == channel.fingerprint


def test_a_kind_that_fails_to_load_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = EntryPoint("broken", "sottovoce.nowhere:Mine", "sottovoce.channels")
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: [broken])
    with refused(ParameterError, "broken"):
        restore({"kind": "broken"})


def test_large_tables_within_fields_count_for_the_fingerprint() -> None:
    tables = [np.arange(5000), np.where(np.arange(5000) == 2500, 7, np.arange(5000))]
    one, again, other = (Twofold(([table], 1), numbers(2)) for table in (tables[0], tables[0].copy(), tables[1]))
    assert one == again
    assert one != other
    assert one.fingerprint == again.fingerprint != other.fingerprint
