from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sottovoce as sv
from messages import refused


@given(st.lists(st.text(min_size=1), min_size=2, unique=True), st.data())
def test_labels_and_codes_round_trip(labels: list[str], data: st.DataObject) -> None:
    domain = sv.Domain(labels)
    values = data.draw(st.lists(st.sampled_from(labels)))
    codes = domain.encode(values)
    assert domain.decode(codes) == values
    assert [domain.code(value) for value in values] == codes.tolist()
    assert domain.encode(codes).tolist() == codes.tolist()
    assert domain.encode(pa.array(values, type=pa.string())).tolist() == codes.tolist()


def test_integers_are_labels_where_the_items_are_integers() -> None:
    years = sv.Domain([2020, 2021, 2022])
    assert years.encode(np.array([2022, 2020])).tolist() == [2, 0]
    with refused(sv.DomainError, 1):
        years.encode(np.array([1]))
    assert sv.Domain(5).encode(np.array([4, 0])).tolist() == [4, 0]
    assert sv.Domain(range(10, 20, 5)).encode([15]).tolist() == [1]
    with refused(sv.DomainError, 12):
        sv.Domain(range(10, 20, 5)).encode([12])


def test_product_domain() -> None:
    domain = sv.Domain.product(age=["young", "old"], sex=["f", "m", "x"])
    assert len(domain) == 6
    assert list(domain)[4] == ("old", "m")
    assert domain.code(("old", "m")) == 4
    assert domain.encode([("young", "x"), ("old", "f")]).tolist() == [2, 3]
    assert domain.encode({"sex": ["x", "f"], "age": ["young", "old"]}).tolist() == [2, 3]
    assert domain.encode(np.array([2, 3])).tolist() == [2, 3]
    assert domain.decode([2]) == [("young", "x")]
    assert ("old", "f") in domain
    assert "old" not in domain
    with refused(sv.DomainError, "ancient", "age"):
        domain.code(("ancient", "f"))
    with refused(sv.DomainError):
        domain.code("old")
    with refused(sv.DomainError):
        domain.encode({"age": ["young"]})
    with refused(sv.DomainError):
        domain.encode({"age": ["young"], "sex": ["f", "m"]})


def test_grid() -> None:
    city = sv.Domain.grid((25, 25), latitude=(40.70, 40.80), longitude=(-74.04, -73.92))
    assert len(city) == 625
    assert city.decode(city.locate(latitude=[40.70, 40.80], longitude=[-74.04, -73.92])) == [(0, 0), (24, 24)]
    with refused(sv.DomainError):
        city.locate(latitude=[41.0], longitude=[-74.0])
    with refused(sv.DomainError):
        city.locate(latitude=[float("nan")], longitude=[-74.0])
    with refused(sv.DomainError):
        city.locate(latitude=[40.75])
    with refused(sv.DomainError):
        sv.Domain.grid((2,), x=(0, 1), y=(0, 1))
    with refused(sv.DomainError):
        sv.Domain.grid((2,), x=(1, 0))
    with refused(sv.DomainError):
        sv.Domain.grid((0,), x=(0, 1))


@pytest.mark.parametrize(
    "items",
    [[], ["a"], 1, 0, ["a", "b", "a"], ["a", ""], ["a", None], [["a"], ["b"]], {"a": 1, "b": 2}, None],
    ids=str,
)
def test_items_that_form_no_domain(items: object) -> None:
    with refused(sv.DomainError):
        sv.Domain(items)  # type: ignore[arg-type]  # wrong on purpose


def test_unknown_values_are_named_with_a_hint() -> None:
    domain = sv.Domain(["hepatitis", "cancer", "none"])
    with refused(sv.DomainError, "hepatits", "hepatitis"):
        domain.encode(["none", "hepatits"])
    with refused(sv.DomainError, "x", "y"):
        domain.encode(["x", "y", "cancer"])
    with refused(sv.DomainError, 3):
        domain.encode(np.array([0, 3]))
    with refused(sv.DomainError, -1):
        domain.encode(np.array([0, -1]))
    with refused(sv.DomainError):
        domain.encode(np.zeros((2, 2), dtype=np.int64))
    with refused(sv.DomainError):
        domain.encode("cancer")
    for values in ([1.0, 2.0], np.array([0.0, 1.0]), [True, False], [None], np.array([True])):
        with pytest.raises(sv.DomainError):
            domain.encode(values)


def test_subset_and_indicator() -> None:
    domain = sv.Domain(["a", "b", "c"])
    assert list(domain.subset(["c", "a"])) == ["a", "c"]
    assert len(domain.subset("b")) == 1
    assert domain.indicator("ab").tolist() == [True, True, False]
    with refused(sv.DomainError):
        domain.indicator(["a", "a"])
    with refused(sv.DomainError, "z"):
        domain.indicator(["z"])


def test_domains_compare_by_their_items() -> None:
    assert sv.Domain("ab") == sv.Domain(["a", "b"])
    assert sv.Domain("ab") != sv.Domain("ba")
    assert hash(sv.Domain("ab")) == hash(sv.Domain(["a", "b"]))
    assert repr(sv.Domain.product(x="ab", y="cd")) == "Domain(x: 2 × y: 2; K = 4)"
