from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sottovoce as sv


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
    with pytest.raises(sv.DomainError, match="1 is not an item"):
        years.encode(np.array([1]))
    assert sv.Domain(5).encode(np.array([4, 0])).tolist() == [4, 0]
    assert sv.Domain(range(10, 20, 5)).encode([15]).tolist() == [1]
    with pytest.raises(sv.DomainError, match="12 is not an item"):
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
    with pytest.raises(sv.DomainError, match="'ancient' is not an item of axis 'age'"):
        domain.code(("ancient", "f"))
    with pytest.raises(sv.DomainError, match="tuples"):
        domain.code("old")
    with pytest.raises(sv.DomainError, match="columns are"):
        domain.encode({"age": ["young"]})
    with pytest.raises(sv.DomainError, match="differ in length"):
        domain.encode({"age": ["young"], "sex": ["f", "m"]})


def test_grid() -> None:
    city = sv.Domain.grid((25, 25), latitude=(40.70, 40.80), longitude=(-74.04, -73.92))
    assert len(city) == 625
    assert city.decode(city.locate(latitude=[40.70, 40.80], longitude=[-74.04, -73.92])) == [(0, 0), (24, 24)]
    with pytest.raises(sv.DomainError, match="outside the grid"):
        city.locate(latitude=[41.0], longitude=[-74.0])
    with pytest.raises(sv.DomainError, match="outside the grid"):
        city.locate(latitude=[float("nan")], longitude=[-74.0])
    with pytest.raises(sv.DomainError, match="needs a grid"):
        city.locate(latitude=[40.75])
    with pytest.raises(sv.DomainError, match="one interval per dimension"):
        sv.Domain.grid((2,), x=(0, 1), y=(0, 1))
    with pytest.raises(sv.DomainError, match="increasing"):
        sv.Domain.grid((2,), x=(1, 0))
    with pytest.raises(sv.DomainError, match="positive integer"):
        sv.Domain.grid((0,), x=(0, 1))


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([], "no items"),
        (["a"], "at least two"),
        (1, "at least two"),
        (0, "no items"),
        (["a", "b", "a"], "'a' more than once"),
        (["a", ""], "empty item at position 1"),
        (["a", None], "empty item at position 1"),
        ([["a"], ["b"]], "cannot be a label"),
        ({"a": 1, "b": 2}, "list of items"),
        (None, "list of items"),
    ],
)
def test_items_that_form_no_domain(items: object, message: str) -> None:
    with pytest.raises(sv.DomainError, match=message):
        sv.Domain(items)  # type: ignore[arg-type]  # wrong on purpose


def test_unknown_values_are_named_with_a_hint() -> None:
    domain = sv.Domain(["hepatitis", "cancer", "none"])
    with pytest.raises(sv.DomainError, match="'hepatits' is not an item; did you mean 'hepatitis'"):
        domain.encode(["none", "hepatits"])
    with pytest.raises(sv.DomainError, match="are not items"):
        domain.encode(["x", "y", "cancer"])
    with pytest.raises(sv.DomainError, match="3 is not a code"):
        domain.encode(np.array([0, 3]))
    with pytest.raises(sv.DomainError, match="-1 is not a code"):
        domain.encode(np.array([0, -1]))
    with pytest.raises(sv.DomainError, match="one value per person"):
        domain.encode(np.zeros((2, 2), dtype=np.int64))
    with pytest.raises(sv.DomainError, match="not a list of items"):
        domain.encode("cancer")
    for values in ([1.0, 2.0], np.array([0.0, 1.0]), [True, False], [None], np.array([True])):
        with pytest.raises(sv.DomainError):
            domain.encode(values)


def test_subset_and_indicator() -> None:
    domain = sv.Domain(["a", "b", "c"])
    assert list(domain.subset(["c", "a"])) == ["a", "c"]
    assert len(domain.subset("b")) == 1
    assert domain.indicator("ab").tolist() == [True, True, False]
    with pytest.raises(sv.DomainError, match="named twice"):
        domain.indicator(["a", "a"])
    with pytest.raises(sv.DomainError, match="'z' is not an item"):
        domain.indicator(["z"])


def test_domains_compare_by_their_items() -> None:
    assert sv.Domain("ab") == sv.Domain(["a", "b"])
    assert sv.Domain("ab") != sv.Domain("ba")
    assert hash(sv.Domain("ab")) == hash(sv.Domain(["a", "b"]))
    assert repr(sv.Domain.product(x="ab", y="cd")) == "Domain(x: 2 × y: 2; K = 4)"
