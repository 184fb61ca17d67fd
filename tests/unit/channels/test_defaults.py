"""What the protocol gives a channel that says little about itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import sottovoce as sv
from messages import refused
from sottovoce.arithmetic import ONE
from sottovoce.channels.model import WeighedLikelihood
from sottovoce.checks import conform
from sottovoce.wire import describe, restore
from zoo import DOMAIN, built


@dataclass(frozen=True, eq=False)
class Borrowed(sv.Channel):
    """A channel of the library that keeps to itself all that the protocol does not ask for."""

    inner: sv.Channel
    listed: bool = True

    @property
    def size(self) -> int:
        return self.inner.size

    def sample(self, codes: Any, source: sv.Source) -> sv.Reports:
        return self.inner.sample(codes, source)

    def numerators(self) -> Any:
        return self.inner.numerators() if self.listed else super().numerators()


@dataclass(frozen=True, eq=False)
class Shaped(Borrowed):
    """One that also says what its reports look like, and weighs them."""

    @property
    def empty(self) -> sv.Reports:
        return self.inner.empty

    def outputs(self) -> list[Any]:
        return self.inner.outputs()

    def weigh(self, reports: sv.Reports) -> Any:
        return self.inner.weigh(reports)


def like(name: str, make: Callable[..., sv.Channel], **more: Any) -> tuple[sv.Mechanism, sv.Mechanism]:
    """A mechanism of the library, and the same with a channel that says little."""
    known = built(name)
    return known, sv.Mechanism(known.domain, make(known.channel, **more), known.claim, "mine")


@pytest.mark.parametrize("name", ["krr", "from_matrix", "iprr", "optimal_lip"])
def test_numbers_need_no_more_than_a_matrix(name: str) -> None:
    known, mine = like(name, Borrowed)
    assert conform(mine)
    assert mine.certify().level == known.certify().level
    assert mine.channel.leakage().high == pytest.approx(known.channel.leakage().high)
    reports = known.perturb([DOMAIN.item(x % 5) for x in range(3000)], sv.SeededSource(1))
    for method in ("inversion", "mle", "projected"):
        a, b = (sv.estimate(sv.Tally(each).add(reports), method) for each in (known, mine))
        assert b.p == pytest.approx(a.p, abs=1e-3 if method == "mle" else 1e-9), method
    assert sv.losses(mine, np.full(5, 0.2), 100).l2 == pytest.approx(sv.losses(known, np.full(5, 0.2), 100).l2)
    assert sv.worst_case(mine, 100).losses.l2 == pytest.approx(sv.worst_case(known, 100).losses.l2)


def test_without_a_kind_it_is_its_matrix() -> None:
    """What was counted for the one is counted for the other; a compiled study holds the matrix."""
    _, mine = like("krr", Borrowed)
    matrix = restore(describe(mine.channel))
    assert isinstance(matrix, sv.MatrixChannel)
    assert matrix == mine.channel
    assert matrix.fingerprint == mine.channel.fingerprint
    tally = sv.Tally(mine).add(mine.perturb("abcde", sv.SeededSource(1)))
    assert sv.Tally.from_bytes(sv.Mechanism(DOMAIN, matrix, mine.claim), tally.to_bytes()).n == 5
    assert mine.channel != built("krr").channel
    assert mine.channel != built("urr").channel


@pytest.mark.parametrize("name", ["oue", "subset_selection", "lh_lip"])
def test_reports_of_any_shape_are_looked_up(name: str) -> None:
    known, mine = like(name, Shaped)
    assert conform(mine)
    reports = known.perturb([DOMAIN.item(x % 5) for x in range(2000)], sv.SeededSource(1))
    tally = sv.Tally(mine).add(reports)
    assert tally.blocks[0].sufficient
    assert tally.blocks[0].counts.sum() == 2000
    likeliest = sv.estimate(sv.Tally(known, keep_reports=True).add(reports), "mle")
    assert sv.estimate(tally, "mle").p == pytest.approx(likeliest.p, abs=2e-3)
    with refused(sv.UnsupportedError, "Shaped"):
        describe(mine.channel)


def test_reports_that_cannot_be_listed_are_kept_and_weighed() -> None:
    known = built("olh")
    mine = Shaped(known.channel, listed=False)
    assert mine.length is None
    assert mine.inversion is None
    assert mine.statistic.length == 0
    reports = known.perturb([DOMAIN.item(x % 5) for x in range(2000)], sv.SeededSource(1))
    piece = mine.model.pieces(reports)["others"]
    assert isinstance(piece, WeighedLikelihood)
    p = np.array([0.1, 0.2, 0.3, 0.2, 0.2])
    (exact,) = known.channel.model.pieces(reports).values()
    for found in (piece, piece.simplest(), mine.model.templates()["others"].of_records(piece.records().tobytes())):
        assert found.at(p).gradient == pytest.approx(exact.at(p).gradient)
        assert found.n == 2000
    with refused(sv.UnsupportedError, "Borrowed", "empty"):
        assert Borrowed(known.channel, listed=False).empty


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (np.array([[0.5, 0.5], [0.5, 0.5]]), "float64"),
        (np.array([[ONE, 1], [0, ONE]], dtype=object), "2^64"),
        (np.zeros(4, object), "(4,)"),
    ],
)
def test_a_table_that_is_none_is_refused(rows: Any, told: str) -> None:
    @dataclass(frozen=True, eq=False)
    class Wrong(Borrowed):
        def numerators(self) -> Any:
            return rows

    with refused(sv.ParameterError, "Wrong", told):
        sv.Mechanism(sv.Domain("ab"), Wrong(sv.krr(sv.Domain("ab"), 1.0).channel), sv.LDP(1.0))


def test_a_matrix_of_its_own_needs_columns_of_its_own() -> None:
    """Otherwise the certificate would be about the parent's tables."""
    with refused(sv.ParameterError, "Bare", "columns"):

        class Bare(sv.DirectChannel):
            def numerators(self) -> Any:
                return np.eye(self.size, dtype=object) * ONE


def test_a_subclass_of_a_library_channel_travels_as_its_matrix() -> None:
    class Renamed(sv.DirectChannel):
        """The same sampling; it declares no kind."""

    channel = built("krr").channel
    assert isinstance(channel, sv.DirectChannel)
    mine = Renamed(channel.truth, channel.noise)
    assert describe(mine)["kind"] == "matrix"
    assert restore(describe(mine)).fingerprint == mine.fingerprint


def test_a_kind_needs_a_form() -> None:
    with refused(sv.ParameterError, "formless", "Formless"):

        class Formless(Borrowed, kind="formless"):
            pass


def test_what_cannot_be_listed_must_say_what_notions_ask() -> None:
    known = built("olh")
    with refused(sv.UnsupportedError, "Shaped", "columns"):
        sv.Mechanism(known.domain, Shaped(known.channel, listed=False), known.claim)


@pytest.mark.parametrize(
    "counts", [np.full(5, 2**62), np.ones((5, 1), dtype=np.int64), np.full(5, 0.2), np.array([2**62, 2**62, 2**62, 2**62, 5])]
)
def test_sums_beyond_64_bits_are_no_counts(counts: Any) -> None:
    with refused(sv.ReportError):
        sv.Tally.from_counts(built("krr"), {"": (5 if counts.sum() == 5 else 2**62, counts)})
