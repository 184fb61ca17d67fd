from __future__ import annotations

import re
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

import sottovoce as sv
from messages import refused
from sottovoce.reports import SetReports
from zoo import DOMAIN, built


def numbers_in(caught: pytest.ExceptionInfo[Exception]) -> list[int]:
    """The numbers that the message carries."""
    return [int(number) for number in re.findall(r"\d+", str(caught.value))]


@pytest.mark.parametrize("size", [1, 7, 8, 9, 63, 64, 65, 130])
def test_sets_survive_packing(size: int) -> None:
    bits = np.random.default_rng(size).random((20, size)) < 0.3
    reports = SetReports.of_dense(bits)
    assert np.array_equal(reports.dense(), bits)
    assert SetReports.from_bytes(reports.to_bytes(), size) == reports
    assert len(reports.to_bytes()) == 20 * -(-size // 8)


def test_set_reports_refuse_padding_bits_and_cut_data() -> None:
    channel = sv.oue(DOMAIN, 1.0).channel
    with refused(sv.ReportError, 5):
        channel.reports_from_bytes(bytes([0b0010_0000]))
    with refused(sv.ReportError, 2, 3):
        sv.oue(sv.Domain(20), 1.0).channel.reports_from_bytes(b"ab")


def test_code_reports_refuse_what_the_channel_cannot_say() -> None:
    channel = sv.krr(DOMAIN, 1.0).channel
    with refused(sv.ReportError, 5):
        channel.reports_from_bytes(bytes([5]))
    for column in (pa.array([9]), pa.array([-1]), pa.array([0.5]), pa.array(["a"]), pa.array([None], type=pa.int8()), pa.array([300])):
        with pytest.raises(sv.ReportError):
            channel.reports_from_arrow(pa.table({"report": column}))
    with refused(sv.ReportError, "report", "answer"):
        channel.reports_from_arrow(pa.table({"answer": [1]}))


def test_impossible_sets_are_refused() -> None:
    subset = sv.subset_selection(DOMAIN, 1.0, 2).channel
    with refused(sv.ReportError, 3, 2):
        subset.reports_from_bytes(bytes([0b111]))
    urap = sv.urap(DOMAIN, 1.0, ["a", "b"]).channel
    with refused(sv.ReportError):
        urap.reports_from_bytes(bytes([0b11000]))
    lifted = built("utility_optimized-oue").channel
    with refused(sv.ReportError):
        lifted.reports_from_bytes(bytes([0b00101]))
    coded = built("utility_optimized-hadamard").channel
    with refused(sv.ReportError):
        coded.reports_from_bytes(bytes([8]))
    hashed = built("utility_optimized-olh").channel
    with refused(sv.ReportError):
        hashed.reports_from_bytes((1).to_bytes(8, "little") + bytes([6]))


def test_hashed_reports_refuse_seeds_and_buckets_out_of_range() -> None:
    channel = sv.olh(DOMAIN, 1.0).channel
    with refused(sv.ReportError, 2**62, 4):
        channel.reports_from_bytes((1).to_bytes(8, "little") + bytes([4]))
    with refused(sv.ReportError, 2**62, 4):
        channel.reports_from_bytes((2**63).to_bytes(8, "little") + bytes([1]))
    with pytest.raises(sv.ReportError):
        sv.HashedReports(np.array([1, 2]), np.array([1]), 4, 4)


def test_arrow_slices_and_chunks() -> None:
    for mechanism in (sv.oue(sv.Domain(70), 1.0), sv.krr(DOMAIN, 1.0), sv.olh(DOMAIN, 1.0)):
        reports = mechanism.perturb(np.zeros(50, dtype=np.int64), sv.SeededSource(1))
        batch = reports.to_arrow()
        assert mechanism.channel.reports_from_arrow(batch.slice(7, 20)) == reports[7:27]
        chunked = pa.Table.from_batches([batch.slice(0, 20), batch.slice(20)])
        assert mechanism.channel.reports_from_arrow(chunked) == reports
        assert reports[np.array([3, 1])].tolist() == [reports.tolist()[3], reports.tolist()[1]]


def test_only_sets_are_dense() -> None:
    with refused(sv.UnsupportedError, "CodeReports"):
        sv.krr(DOMAIN, 1.0).perturb(["a"]).dense()
    assert sv.oue(DOMAIN, 1.0).perturb(["a"]).dense().shape == (1, 5)


def test_reports_of_different_channels_do_not_join() -> None:
    with refused(sv.ReportError):
        sv.krr(DOMAIN, 1.0).perturb(["a"]) + sv.krr(sv.Domain(9), 1.0).perturb([1])


def test_population() -> None:
    crowd = sv.Population({"careful": sv.krr(DOMAIN, 0.5), "sets": sv.oue(DOMAIN, 1.0), "open": sv.identity(DOMAIN)})
    values, levels = list("abcde") * 20, ["open", "careful", "sets", "open"] * 25
    reports = crowd.perturb(values, levels, sv.SeededSource(1))
    assert [value for value in reports.tolist() if value[0] == "open"] == [
        ("open", DOMAIN.code(v)) for v, level in zip(values, levels, strict=True) if level == "open"
    ]
    assert crowd.reports_from_arrow(reports.to_arrow()) == reports
    assert crowd.reports_from_bytes(reports.to_bytes()) == reports
    assert reports[:40] + reports[40:] == reports
    assert {name: certificate.level for name, certificate in crowd.certify().items()} == {"careful": 0.5, "sets": 1.0, "open": float("inf")}
    with refused(sv.DomainError, "loud", "careful", "sets", "open"):
        crowd.perturb(["a"], ["loud"])
    with refused(sv.DomainError, 2):
        crowd.perturb(["a", "b"], ["open"])
    with refused(sv.DomainError):
        sv.Population({"x": sv.krr(DOMAIN, 1.0), "y": sv.krr(sv.Domain("ab"), 1.0)})
    with refused(sv.ReportError):
        crowd.reports_from_bytes(b"\x07")
    with refused(sv.ReportError, "loud", "careful", "sets", "open"):
        crowd.reports_from_arrow(pa.table({"level": ["loud"], "report": [b"\x00"]}))


def test_personal_mechanism() -> None:
    mechanism = sv.pum(DOMAIN, 1.0, ["home", "work"], sensitive=["a"])
    assert [str(item) for item in mechanism.inputs][-2:] == ["⊥home", "⊥work"]
    bots = mechanism.inputs.code(sv.Bot("home")), mechanism.inputs.code(sv.Bot("work"))
    her = mechanism.person({"home": ["b"], "work": ["c", "d"]})
    expected = mechanism.channel.perturb(np.array([bots[0], bots[1], 4, 0]), sv.SeededSource(4))
    assert her.perturb(["b", "d", "e", "a"], sv.SeededSource(4)) == expected
    assert mechanism.perturb(["b", "d", "e", "a"], sv.SeededSource(4), tags=["home", "work", None, None]) == expected
    assert her.perturb_one("b", sv.SeededSource(9)) == mechanism.channel.perturb_one(bots[0], sv.SeededSource(9))
    assert "b" not in repr(her).replace("Bot", "")[len(repr(mechanism)) :]
    for marks in ({"gym": ["b"]}, {"home": ["z"]}, {"home": ["b"], "work": ["b"]}):
        with pytest.raises(sv.DomainError):
            mechanism.person(marks)
    with refused(sv.DomainError, 0, 1):
        mechanism.perturb(["a"], tags=[])
    for tags in ([], [""], ["home", "home"]):
        with refused(sv.DomainError, tuple(tags)):
            sv.pum(DOMAIN, 1.0, tags)


@pytest.mark.parametrize("base", [sv.urr, sv.urap])
def test_personal_mechanism_keeps_propositions_9_and_10(base: object) -> None:
    """Seen from outside, each person's own channel is ULDP with her items sensitive, and two people's channels are close."""
    mechanism = sv.pum(DOMAIN, 1.0, ["home"], sensitive=["a"], base=base)  # type: ignore[arg-type]  # a parameter of the test
    matrix = mechanism.channel.matrix(exact=True)
    bot = mechanism.inputs.code(sv.Bot("home"))

    def rows(marked: str) -> list[int]:
        return [bot if item == marked else code for code, item in enumerate(DOMAIN)]

    hers, his = sv.from_matrix(DOMAIN, matrix[rows("b")]), matrix[rows("c")]
    assert sv.ULDP(1.0 + 1e-9, ["a", "b"]).check(hers).holds
    assert not sv.ULDP(1.0 + 1e-9, ["a", "b", "c"]).check(hers).holds
    protected = [y for y in range(matrix.shape[1]) if (matrix[:, y] > 0).sum() > 1]
    for y in protected:
        for x in range(len(DOMAIN)):
            assert float(matrix[rows("b")][x][y] / his[x][y]) <= np.e * (1 + 1e-9)


@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary(), pa.binary_view()])
@pytest.mark.parametrize("size", [2, 8, 20, 64, 65, 70, 400])
def test_sets_are_read_from_any_column_of_bytes(kind: pa.DataType, size: int) -> None:
    channel = sv.oue(sv.Domain(size), 1.0).channel
    reports = channel.perturb(np.arange(50) % size, sv.SeededSource(1))
    column = reports.to_arrow().column("report").cast(pa.binary()).cast(kind)
    assert channel.reports_from_arrow(pa.table({"report": column})) == reports
    assert channel.reports_from_arrow(pa.table({"report": column.slice(7, 20)})) == reports[7:27]
    assert len(channel.reports_from_arrow(pa.table({"report": column.slice(0, 0)}))) == 0
    chunks = pa.chunked_array([column.slice(0, 9), column.slice(9)])
    assert channel.reports_from_arrow(pa.table({"report": chunks})) == reports
    for wrong in ([b"\0" * (-(-size // 8) + 1)], [b""], [b"\0" * -(-size // 8), b"\0" * (-(-size // 8) - 1)]):
        with pytest.raises(sv.ReportError) as caught:
            channel.reports_from_arrow(pa.table({"report": pa.array(wrong, type=pa.binary()).cast(kind)}))
        assert numbers_in(caught) == [size, len(wrong[-1]), -(-size // 8)]


def test_sets_of_other_widths_are_refused() -> None:
    channel = sv.oue(sv.Domain(20), 1.0).channel
    for wrong in (pa.array([b"ab", b"cd"], type=pa.binary(2)), pa.array([b"abcd"] * 3, type=pa.binary(4))):
        with refused(sv.ReportError, 3):
            channel.reports_from_arrow(pa.table({"report": wrong}))
    for other in (pa.array([1]), pa.array(["abc"])):
        with refused(sv.ReportError, "report", other.type):
            channel.reports_from_arrow(pa.table({"report": other}))
    for kind in (pa.binary(), pa.binary(3)):
        with refused(sv.ReportError, 20):
            channel.reports_from_arrow(pa.table({"report": pa.array([b"\0\0\0", b"\0\0\x10"], type=kind)}))


@pytest.mark.parametrize("kind", [pa.int16(), pa.uint16(), pa.int32(), pa.int64(), pa.uint64(), pa.decimal128(20, 0), pa.decimal128(30, 2)])
def test_codes_are_read_from_any_column_of_integers(kind: pa.DataType) -> None:
    for size in (5, 400):
        channel = sv.krr(sv.Domain(size), 1.0).channel
        reports = channel.perturb(np.arange(50) % size, sv.SeededSource(1))
        column = reports.to_arrow().column("report").cast(pa.int64()).cast(kind)
        assert channel.reports_from_arrow(pa.table({"report": column})) == reports
        assert channel.reports_from_arrow(pa.table({"report": column.slice(3, 9)})) == reports[3:12]
        assert len(channel.reports_from_arrow(pa.table({"report": column.slice(0, 0)}))) == 0
        for wrong in (size, *((-1,) if kind not in (pa.uint16(), pa.uint64()) else ())):
            with pytest.raises(sv.ReportError) as caught:
                channel.reports_from_arrow(pa.table({"report": pa.array([0, wrong]).cast(kind)}))
            assert numbers_in(caught)[0] == max(wrong, 0)  # the code, or the least one


def test_seeds_are_read_from_decimal_numbers() -> None:
    """Engines without an unsigned type of 64 bits hand out seeds so."""
    channel = sv.olh(DOMAIN, 1.0).channel
    reports = channel.perturb(np.arange(50) % 5, sv.SeededSource(1))
    columns = reports.to_arrow()
    for kind in (pa.decimal128(20, 0), pa.decimal128(38, 0), pa.decimal128(25, 3), pa.decimal256(40, 0)):
        seeds = columns.column("seed").cast(pa.decimal128(20, 0)).cast(kind)
        table = pa.table({"seed": seeds, "report": columns.column("report").cast(pa.int16())})
        assert channel.reports_from_arrow(table) == reports
        assert channel.reports_from_arrow(table.slice(5, 11)) == reports[5:16]
    for wrong in (-1, 1 << 62, 1 << 63, (1 << 64) - 1, 1 << 64, 10**37, -(1 << 64), -(10**37)):
        seeds = pa.array([Decimal(1), Decimal(wrong)], type=pa.decimal128(38, 0))
        with refused(sv.ReportError, *([1 << 62, 4] if 0 <= wrong < 1 << 64 else [0, (1 << 64) - 1])):
            channel.reports_from_arrow(pa.table({"seed": seeds, "report": [0, 0]}))
    for odd in (pa.array([Decimal("1.5")]), pa.array([Decimal(10**50)], type=pa.decimal256(60, 0))):
        with refused(sv.ReportError, odd.type):
            channel.reports_from_arrow(pa.table({"seed": odd, "report": [0]}))


@pytest.mark.parametrize("levels", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.large_string())])
@pytest.mark.parametrize("records", [pa.binary(), pa.large_binary()])
def test_populations_are_read_from_any_columns_of_texts_and_bytes(levels: pa.DataType, records: pa.DataType) -> None:
    crowd = sv.Population({"careful": sv.krr(DOMAIN, 0.5), "sets": sv.oue(DOMAIN, 1.0), "hashed": sv.olh(DOMAIN, 1.0)})
    reports = crowd.perturb(list("abcde") * 20, ["hashed", "careful", "sets", "careful"] * 25, sv.SeededSource(1))
    plain = reports.to_arrow()
    texts = pa.array(["careful", "sets", "hashed"]).take(pa.array(reports.levels))
    table = pa.table(
        {
            "level": texts.cast(levels) if not pa.types.is_dictionary(levels) else texts.dictionary_encode().cast(levels),
            "report": plain.column("report").cast(records),
        }
    )
    assert crowd.reports_from_arrow(table) == reports
    assert crowd.reports_from_arrow(table.slice(3, 50)) == reports[3:53]
    assert len(crowd.reports_from_arrow(table.slice(0, 0))) == 0


def test_populations_refuse_other_columns() -> None:
    crowd = sv.Population({"careful": sv.krr(DOMAIN, 0.5), "sets": sv.oue(DOMAIN, 1.0)})
    for wrong in (b"", b"12"):
        with refused(sv.ReportError, "careful", 1, len(wrong)):
            crowd.reports_from_arrow(pa.table({"level": ["careful"], "report": [wrong]}))
    with refused(sv.ReportError, "level"):
        crowd.reports_from_arrow(pa.table({"level": pa.array(["careful", None]), "report": [b"\0", b"\0"]}))
    with refused(sv.ReportError, "report", pa.string()):
        crowd.reports_from_arrow(pa.table({"level": ["careful"], "report": ["a"]}))


def test_only_marked_items_are_counted() -> None:
    bits = np.random.default_rng(1).random((20_000, 130)) < 0.4
    for marked in (np.zeros(130, dtype=np.bool_), np.arange(130) == 70, np.arange(130) % 3 == 0):
        assert np.array_equal(SetReports.of_dense(bits).among(marked), bits[:, marked].sum(axis=1))
