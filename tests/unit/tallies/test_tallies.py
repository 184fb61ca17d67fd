"""Tallies merge exactly, count what the reports say, and refuse what does not fit."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

import sottovoce as sv
from messages import refused
from sottovoce.channels.sets.counting_kernels import count_bits
from sottovoce.checks import FALSE_ALARM
from zoo import DOMAIN, HASHED, ZOO, built


def drawn_without_reports(mechanism: sv.Mechanism) -> bool:
    people = np.full(mechanism.channel.size, 100_000)
    return mechanism.channel.statistic.simulated(people, np.random.default_rng(1)) is not None


@settings(max_examples=200)
@given(st.data(), st.sampled_from(sorted(ZOO)), st.booleans(), st.integers(0, 2**32))
def test_any_split_in_any_order_gives_the_same_tally(data: st.DataObject, name: str, keep: bool, seed: int) -> None:
    mechanism = built(name)
    codes = np.array(data.draw(st.lists(st.integers(0, mechanism.channel.size - 1), max_size=60)), dtype=np.int64)
    reports = mechanism.channel.perturb(codes, sv.SeededSource(seed))
    whole = sv.Tally(mechanism, keep_reports=keep).add(reports)
    owner = np.array([data.draw(st.integers(0, 3)) for _ in range(len(codes))], dtype=np.int64)
    parts = [sv.Tally(mechanism, keep_reports=keep).add(reports[np.flatnonzero(owner == k)]) for k in data.draw(st.permutations(range(4)))]
    merged = (parts[0] + parts[1]) + (parts[2] + parts[3])
    assert merged == whole
    assert merged.to_bytes() == whole.to_bytes()
    assert sv.Tally.from_bytes(mechanism, whole.to_bytes()) == whole
    assert whole.n == len(codes)


@pytest.mark.parametrize("name", ZOO)
def test_counts_are_what_the_reports_say(name: str) -> None:
    mechanism = built(name)
    channel = mechanism.channel
    reports = channel.perturb(np.arange(700) % channel.size, sv.SeededSource(2))
    block = sv.Tally(mechanism).add(reports).blocks[0]
    if channel.statistic.sufficient:
        assert block.counts.sum() == block.n == 700
        assert block.sufficient
        order = {str(output): count for output, count in zip(channel.outputs(), _by_output(channel, block.counts), strict=True)}
        assert all(order[str(value)] == reports.tolist().count(value) for value in reports.tolist())
    else:
        assert block.counts.tolist() == _by_item(channel, reports).tolist()
        assert not block.sufficient
        assert sv.Tally(mechanism, keep_reports=True).add(reports).blocks[0].sufficient


def _by_item(channel: sv.Channel, reports: Any) -> Any:
    """How many reports contain each item; for a mixture of set sizes, of each size (those that reveal an item with the first)."""
    if isinstance(channel, sv.MixedChannel):
        dense, second = reports.dense(), np.array([len(value) == channel.chosen[1] for value in reports.tolist()])
        return np.concatenate([dense[~second].sum(axis=0), dense[second].sum(axis=0)])
    assert isinstance(channel, sv.SetLikeChannel)
    return channel.member(reports).sum(axis=0)


def _by_output(channel: sv.Channel, counts: Any) -> Any:
    """Counts in the order of outputs(): a lifted code has no reports that reveal sensitive items."""
    if isinstance(channel, sv.LiftedChannel):
        return [counts[y] for y in channel.outputs()]
    return counts


@pytest.mark.parametrize("rows", [0, 1, 7, 8, 9, 63, 64, 65, 255, 511, 512, 513, 4095, 4096, 4097, 65_535, 65_536, 65_537, 140_000])
@pytest.mark.parametrize("size", [1, 63, 64, 65, 100, 400, 1000])
def test_bits_are_counted_by_columns(rows: int, size: int) -> None:
    some = np.random.default_rng(rows).random((min(rows, 4099), size), dtype=np.float32) < np.linspace(0, 1, size)
    some[:, -1] = True
    _assert_counted(np.resize(some, (rows, size)))  # many rows repeat some: a prime number of them, so that no word repeats in step


@pytest.mark.parametrize("rows", [1, 15, 64, 130, 1000])
@pytest.mark.parametrize("size", [4096, 4097, 6400, 12_800, 70_000])
def test_wide_bits_are_counted_by_columns(rows: int, size: int) -> None:
    _assert_counted(np.random.default_rng(rows).random((rows, size), dtype=np.float32) < 0.3)


@pytest.mark.parametrize("size", [2, 256, 257, 1024, 1025, 65_536, 70_000])
@pytest.mark.parametrize("rows", [0, 1, 3, 4, 5, 1000])
def test_codes_are_counted(size: int, rows: int) -> None:
    codes = np.random.default_rng(rows).integers(0, size, rows)
    codes[: rows // 2] = size - 1
    channel = sv.krr(sv.Domain(size), 1.0).channel
    assert np.array_equal(channel.statistic.count(sv.CodeReports(codes, size)), np.bincount(codes, minlength=size))


def _assert_counted(bits: Any) -> None:
    words, expected = sv.SetReports.of_dense(bits).words, bits.sum(axis=0)
    counts = np.ones(bits.shape[1], dtype=np.int64)
    count_bits(words, counts)
    assert np.array_equal(counts, expected + 1)
    count_bits(words[::2], counts)
    assert np.array_equal(counts, expected + bits[::2].sum(axis=0) + 1)


@pytest.mark.parametrize("name", ZOO)
def test_simulated_counts_follow_the_channel(name: str) -> None:
    """Exact binomial tests on every count, against this channel and against one with 1.3·ε; others are simulated by their reports."""
    mechanism, louder = built(name), built(name, 1.3)
    if not drawn_without_reports(mechanism):
        shares = np.full(mechanism.channel.size, 1 / mechanism.channel.size)
        tally = sv.Tally.simulate(mechanism, shares, 5000, sv.SeededSource(3), keep_reports=True)
        assert (tally.n, tally.blocks[0].sufficient) == (5000, True)
        return
    shares = np.arange(1, mechanism.channel.size + 1) / np.arange(1, mechanism.channel.size + 1).sum()
    block = sv.Tally.simulate(mechanism, shares, 400_000, sv.SeededSource(3)).blocks[0]
    assert block.n == 400_000
    statistic = mechanism.channel.statistic
    counts = block.counts if statistic.sufficient else statistic.of_items(block.counts)

    def smallest_tail(channel: sv.Channel) -> float:
        chance = _chances(channel, shares)
        return float(np.minimum(binom.cdf(counts, block.n, chance), binom.sf(counts - 1, block.n, chance)).min())

    assert smallest_tail(mechanism.channel) * 2 * len(counts) > FALSE_ALARM
    if len(_chances(louder.channel, shares)) == len(counts):  # a programme may choose other reports at another level
        assert smallest_tail(louder.channel) < FALSE_ALARM


def _chances(channel: sv.Channel, shares: Any) -> Any:
    """The chance of each count per report, from the matrix."""
    outputs = shares @ channel.matrix()
    if channel.statistic.sufficient:
        return channel.statistic.of_expected(outputs)
    return np.array([sum(q for q, y in zip(outputs, channel.outputs(), strict=True) if j in y) for j in range(channel.size)])


def test_counts_of_all_but_hashed_reports_are_drawn_without_reports() -> None:
    assert [name for name in ZOO if not drawn_without_reports(built(name))] == HASHED


def test_simulation_is_reproducible_and_cheap() -> None:
    mechanism = sv.krr(sv.Domain(1000), 1.0)
    shares = np.full(1000, 1e-3)
    huge = sv.Tally.simulate(mechanism, shares, 10**15, sv.SeededSource(1))
    assert huge.n == 10**15
    assert huge == sv.Tally.simulate(mechanism, shares, 10**15, sv.SeededSource(1))
    assert huge != sv.Tally.simulate(mechanism, shares, 10**15, sv.SeededSource(2))


def test_population_tally() -> None:
    crowd = sv.Population({"careful": sv.krr(DOMAIN, 0.5), "sets": sv.oue(DOMAIN, 1.0), "open": sv.identity(DOMAIN)})
    reports = crowd.perturb(list("abcde") * 12, ["open", "careful", "sets"] * 20, sv.SeededSource(1))
    whole = sv.Tally(crowd, keep_reports=True).add(reports)
    assert [(block.name, block.n) for block in whole.blocks] == [("careful", 20), ("sets", 20), ("open", 20)]
    assert sv.Tally(crowd, keep_reports=True).add(reports[:25]) + sv.Tally(crowd, keep_reports=True).add(reports[25:]) == whole
    assert sv.Tally.from_bytes(crowd, whole.to_bytes()) == whole


def test_wrong_use_is_a_clear_error() -> None:
    krr, oue = sv.krr(DOMAIN, 1.0), sv.oue(DOMAIN, 1.0)
    with refused(sv.ReportError):
        sv.Tally(krr).add(oue.perturb(["a"]))
    with refused(sv.ReportError):
        sv.Tally(krr).add(sv.krr(sv.Domain(9), 1.0).perturb([1]))
    with refused(sv.ReportError, "list"):
        sv.Tally(krr).add([1, 2])  # type: ignore[arg-type]  # wrong on purpose
    with refused(sv.ReportError):
        sv.Tally(krr) + sv.Tally(sv.krr(DOMAIN, 1.1))
    with refused(sv.ReportError, "keep_reports"):
        sv.Tally(oue) + sv.Tally(oue, keep_reports=True)
    with refused(sv.ParameterError, DOMAIN):
        sv.Tally(DOMAIN)  # type: ignore[arg-type]  # wrong on purpose
    for p, n in (([0.5] * 5, 10), ([0.5, 0.5], 10), ([0.2] * 5, -1), ([np.nan] * 5, 1), ([0.2] * 5, 1.5)):
        with pytest.raises(sv.ParameterError):
            sv.Tally.simulate(krr, p, n, sv.SeededSource(1))  # type: ignore[arg-type]  # wrong on purpose


def test_broken_tallies_are_refused() -> None:
    krr, oue = sv.krr(DOMAIN, 1.0), sv.oue(DOMAIN, 1.0)
    good = sv.Tally(oue, keep_reports=True).add(oue.perturb("abc"))
    with pytest.raises(sv.ReportError):
        sv.Tally.from_bytes(krr, b"nonsense")
    with pytest.raises(sv.ReportError):
        sv.Tally.from_bytes(sv.oue(sv.Domain(9), 1.0), good.to_bytes())
    with refused(sv.ReportError, "block", "n", "counts", "reports", "times"):
        sv.Tally.from_arrow(krr, pa.table({"n": [1]}))
    table = good.to_arrow()

    def changed(column: str, values: list[Any]) -> pa.Table:
        return table.set_column(table.schema.get_field_index(column), column, pa.array(values, type=table.schema.field(column).type))

    for column, values in (
        ("n", [-1]),
        ("n", [2]),
        ("counts", [[0, 0, 0]]),
        ("counts", [[9, 9, 9, 9, 9]]),
        ("counts", [[-1, 0, 0, 0, 0]]),
        ("times", [[7]]),
        ("reports", [None]),
        ("reports", [b"\xff"]),
        ("block", ["other"]),
    ):
        with pytest.raises(sv.ReportError):
            sv.Tally.from_arrow(oue, changed(column, values))
    empty = [int(v) for v in good.blocks[0].counts]
    empty[0] = (empty[0] + 1) % 3
    with refused(sv.ReportError):
        sv.Tally.from_arrow(oue, changed("counts", [empty]))


def test_equal_channels_are_equal() -> None:
    for name, build in ZOO.items():
        again = build(1.0).channel
        assert again == built(name).channel, name
        assert again != built(name, 1.1).channel, name
        assert hash(again) == hash(built(name).channel)


def test_adding_a_few_reports_to_many_copies_few() -> None:
    """A thousand small additions: piles stay few, none is more than half of the one below, and nothing is lost."""
    mechanism = sv.oue(DOMAIN, 1.0)
    reports = mechanism.perturb(np.arange(3000) % len(DOMAIN), sv.SeededSource(1))
    tally = sv.Tally(mechanism, keep_reports=True)
    for start in range(0, 3000, 3):
        tally = tally.add(reports[slice(start, start + 3)])
        piles = tally.blocks[0].piles
        assert piles is not None
        assert len(piles) <= 13
        assert all(len(above) * 2 <= len(below) for below, above in itertools.pairwise(piles))
    assert tally == sv.Tally(mechanism, keep_reports=True).add(reports)
    whole = tally.blocks[0].reports
    assert whole is not None
    assert len(whole) == 3000
    assert whole.to_bytes() == reports.to_bytes()


def test_broken_bytes_are_refused() -> None:
    """Every bit flipped in turn, and texts, paths and tables that are none: a clear error or the same tally, never a crash."""
    mechanism = sv.oue(DOMAIN, 1.0)
    tally = sv.Tally(mechanism, keep_reports=True).add(mechanism.perturb("abcde", sv.SeededSource(1)))
    whole = tally.to_bytes()
    for bit in range(8 * len(whole)):
        data = bytearray(whole)
        data[bit // 8] ^= 1 << bit % 8
        try:
            read = sv.Tally.from_bytes(mechanism, bytes(data))
        except sv.ReportError:
            continue
        assert read.n == 5
    for wrong in ("tally.arrow", b"", b"nonsense", 3, None):
        with pytest.raises(sv.ReportError):
            sv.Tally.from_bytes(mechanism, wrong)  # type: ignore[arg-type]  # wrong on purpose
    table = tally.to_arrow()
    for column, values in (
        ("n", ["x"]),
        ("n", [2.5]),
        ("counts", [[1.5, 2, 3, 0, 0]]),
        ("counts", [None]),
        ("counts", [[None] * 5]),
        ("times", [None]),
    ):
        place = table.schema.get_field_index(column)
        with pytest.raises(sv.ReportError):
            sv.Tally.from_arrow(mechanism, table.set_column(place, column, pa.array(values)))


def test_a_tally_knows_its_channel() -> None:
    """Counts of the same shape made under other probabilities are another mechanism's."""
    data = sv.Tally(sv.oue(DOMAIN, 1.0)).add(sv.oue(DOMAIN, 1.0).perturb("abc")).to_bytes()
    assert sv.Tally.from_bytes(sv.oue(DOMAIN, 1.0), data).n == 3
    with refused(sv.ReportError):
        sv.Tally.from_bytes(sv.oue(DOMAIN, 3.0), data)
    prints = {name: built(name).channel.fingerprint for name in ZOO}
    assert len(set(prints.values())) >= len(prints) - 4  # some of the zoo are the same channel under two names
    for name, build in ZOO.items():
        assert build(1.0).channel.fingerprint == prints[name]
        assert built(name, 2.0).channel.fingerprint != prints[name]


def test_populations_are_simulated_and_tallies_summed() -> None:
    crowd = sv.Population({"low": sv.krr(DOMAIN, 0.5), "sets": sv.oue(DOMAIN, 1.0)})
    tallies = [sv.Tally.simulate(crowd, np.full(5, 0.2), {"low": 100, "sets": 40}, sv.SeededSource(s), keep_reports=True) for s in range(3)]
    whole = sum(tallies)
    assert isinstance(whole, sv.Tally)
    assert [block.n for block in whole.blocks] == [300, 120]
    assert sv.estimate(whole).method == "mle"
    assert whole == tallies[2] + tallies[0] + tallies[1]


def test_what_a_tally_supports_is_known_beforehand() -> None:
    assert not sv.Tally(sv.oue(DOMAIN, 1.0)).supports("mle")
    assert sv.Tally(sv.oue(DOMAIN, 1.0), keep_reports=True).supports("mle")
    crowd = sv.Population({"direct": sv.krr(DOMAIN, 0.5), "sets": sv.oue(DOMAIN, 1.0)})
    direct_only = sv.Tally(crowd).add(crowd.perturb("abc", ["direct"] * 3))
    assert direct_only.supports("mle")
    assert not sv.Tally(crowd).supports("mle")
    for wrong in ("MLE", ["mle"], None):
        with refused(sv.ParameterError, wrong, *sorted(sv.METHODS)):
            direct_only.supports(wrong)  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(ValueError, match="read-only"):
        direct_only.blocks[0].counts[0] = 9
    with pytest.raises(TypeError, match="unhashable"):
        hash(direct_only)


def test_counts_that_cannot_be_are_no_tally() -> None:
    m = sv.krr(sv.Domain("abc"), 1.0)
    made = sv.Tally.from_counts(m, {"": (6, np.array([1, 2, 3]))})
    assert made == sv.Tally(m).add(m.channel.reports_from_bytes(bytes([0, 1, 1, 2, 2, 2])))
    for wrong in (
        {"": (5, np.array([1, 2, 3]))},
        {"": (6, np.array([1, 2]))},
        {"": (6, np.array([-1, 4, 3]))},
        {"other": (0, np.zeros(3, dtype=np.int64))},
    ):
        with pytest.raises(sv.ReportError):
            sv.Tally.from_counts(m, wrong)
