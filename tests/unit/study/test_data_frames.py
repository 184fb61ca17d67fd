"""What data scientists hand over: columns and tables of pandas, polars and Arrow, categoricals, missing values, counts by item."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sottovoce as sv
from messages import refused
from sottovoce.domain.columns import by_item, is_missing
from sottovoce.errors import DomainError, ParameterError, ReportError, SourceError
from sottovoce.study.comparing import truth_of

ITEMS = ["flu", "none", "hiv"]
ANSWERS = ["flu", "none", "hiv", "none"] * 50
DOMAIN = sv.Domain(ITEMS)
STUDY = 'name = "s"\nquestion = "?"\nitems = ["flu", "none", "hiv"]\n[privacy]\nnotion = "ldp"\nepsilon = 2.0\n'
COLUMNS: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "generator": lambda texts: (text for text in texts),
    "numpy": lambda texts: np.array(texts, dtype=object),
    "pandas": pd.Series,
    "filtered": lambda texts: pd.Series(["x", *texts])[1:],
    "string": lambda texts: pd.Series(texts, dtype="string"),
    "categorical": lambda texts: pd.Series(texts, dtype="category"),
    "arrow strings": lambda texts: pd.Series(texts, dtype="string[pyarrow]"),
    "index": lambda texts: pd.Index(texts, dtype=object),
    "polars": pl.Series,
    "polars categorical": lambda texts: pl.Series(texts, dtype=pl.Categorical),
    "polars enum": lambda texts: pl.Series(texts, dtype=pl.Enum(ITEMS)),
    "arrow": pa.array,
    "arrow dictionary": lambda texts: pa.array(texts).dictionary_encode(),
    "arrow chunks": lambda texts: pa.chunked_array([texts]),
}
TABLES: dict[str, Callable[[dict[str, Any]], Any]] = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}


def mechanism() -> sv.Mechanism:
    return sv.krr(DOMAIN, 2.0)


@pytest.mark.parametrize("kind", COLUMNS)
def test_every_column_is_read_and_what_is_missing_is_said(kind: str) -> None:
    assert DOMAIN.encode(COLUMNS[kind](ANSWERS)).tolist() == [0, 1, 2, 1] * 50
    with refused(DomainError, "2 of 202"):
        DOMAIN.encode(COLUMNS[kind]([*ANSWERS, None, None]))


def test_what_counts_as_missing() -> None:
    assert all(map(is_missing, (None, float("nan"), np.nan, np.float64("nan"), pd.NA, pd.NaT, np.datetime64("NaT"))))
    assert not any(map(is_missing, ("", "None", 0, False, (1, 2), np.array([np.nan, 1.0]))))


@pytest.mark.parametrize("kind", TABLES)
def test_tables_are_columns_or_refused(kind: str) -> None:
    table = TABLES[kind]
    with refused(DomainError, "table['answer']"):
        DOMAIN.encode(table({"answer": ANSWERS}))
    pairs = sv.Domain.product(sex=["f", "m"], age=["young", "old"])
    assert pairs.encode(table({"age": ["old", "young"], "id": [1, 2], "sex": ["f", "m"]})).tolist() == [1, 2]
    with refused(DomainError, "'sex', 'age'"):
        pairs.encode(table({"age": ["old"]}))


def test_numbers_and_texts_are_not_mixed_up() -> None:
    digits, ints, span = sv.Domain(["1", "2", "3"]), sv.Domain([1, 2, 3]), sv.Domain(5)
    with refused(DomainError, "'1'"):
        digits.encode(pd.Series([1, 2]))  # it would be taken for codes, and count the wrong items
    with refused(DomainError, "'1', '2'"):
        ints.encode(["1", "2"])
    with refused(DomainError, "10, 11"):
        ints.encode(np.array([10, 11]))
    for domain in (ints, span):
        whole = domain.encode([1, 2]).tolist()
        assert domain.encode(pd.Series([1, None, 2]).dropna()).tolist() == whole, "pandas makes floats of them"
    with refused(DomainError, "1.5"):
        span.encode([1.5])
    with refused(DomainError, "'flu'"):
        DOMAIN.encode(["Flu"])
    with refused(DomainError, "b'flu'"):
        DOMAIN.encode(b"flu")
    with pytest.raises(DomainError) as found:
        DOMAIN.encode(np.array(ANSWERS).reshape(2, -1))
    assert len(str(found.value)) < 200


@pytest.mark.parametrize("kind", ["mapping", "pandas", "normalized", "polars", "arrow", "column", "table", "estimate"])
def test_shares_stand_beside_their_items(kind: str) -> None:
    """The order is that of the frequency, and not that of the study."""
    column = pd.Series(ANSWERS, name="answer")
    given = {
        "mapping": {"none": 100, "flu": 50, "hiv": 50},
        "pandas": column.value_counts(),
        "normalized": column.value_counts(normalize=True),
        "polars": pl.Series("answer", ANSWERS).value_counts(sort=True),
        "arrow": pa.table({"share": [0.5, 0.25, 0.25], "item": ["none", "hiv", "flu"]}),
        "column": column,
        "table": pd.DataFrame({"item": ["none", "hiv", "flu"], "people": [100, 50, 50], "remark": [""] * 3}),
        "estimate": sv.compare(mechanism(), n=100, runs=1).p,
    }[kind]
    study = sv.Study.from_toml(STUDY)
    if kind != "estimate":
        assert truth_of(study, given)[0].tolist() == [0.25, 0.5, 0.25]
    if kind != "column":
        assert sv.Tally.simulate(mechanism(), given, 1000, sv.SeededSource(1)).n == 1000
    assert sv.simulate(study, given, 1000, runs=2).people == 1000


def test_counts_of_integer_items() -> None:
    counts = pd.Series([3, 3, 3, 1]).value_counts()
    assert truth_of(sv.krr(sv.Domain([1, 2, 3]), 1.0), counts)[0].tolist() == [0.25, 0, 0.75]
    answers = pd.Series([1, 2, 3, 3])[1:]
    assert by_item(answers, sv.Domain([1, 2, 3])) is None, "the index of a part of a column is no item"
    assert truth_of(sv.krr(sv.Domain([1, 2, 3]), 1.0), answers)[0].tolist() == [0, 1 / 3, 2 / 3]


def test_truths_that_are_wrong() -> None:
    study = sv.Study.from_toml(STUDY)
    for kind, truth, *values in (
        (ParameterError, {"flu": "20"}, "'flu'", "'20'"),
        (ParameterError, pd.Series([1, 2, None], index=ITEMS), "'hiv'", "nan"),
        (ParameterError, {"flu": 0}),
        (ParameterError, [0.5, 0.5], "2 shares", "3 items"),
        (ParameterError, [-0.1, 0.6, 0.5]),
        (ParameterError, []),
        (DomainError, pd.DataFrame({"answer": ANSWERS}), "table['answer']"),
    ):
        with refused(kind, *values):
            sv.simulate(study, truth, 100, runs=1)


def test_arguments_that_are_wrong() -> None:
    study, made = sv.Study.from_toml(STUDY), sv.estimate(sv.Tally(mechanism()).add(mechanism().perturb(ANSWERS)))
    for seed in (None, "3", -1):
        with refused(SourceError, repr(seed)):
            sv.simulate(study, n=100, runs=1, seed=seed)  # type: ignore[arg-type]  # that is the point
    with refused(ParameterError, "methods is 3"):
        sv.simulate(study, n=100, runs=1, methods=3)  # type: ignore[arg-type]
    with refused(ParameterError):
        sv.simulate(made)  # type: ignore[arg-type]
    for what in ([mechanism(), study], {"a": mechanism()}, "study.toml", []):
        with refused(ParameterError):
            sv.compare(what)
    with refused(ParameterError):
        sv.compare([mechanism(), sv.krr(sv.Domain("ab"), 1.0)])
    assert sv.simulate(study, n=100, runs=np.int64(1)).runs == 1  # type: ignore[arg-type]
    assert sv.compare(study, n=100, runs=1, mechanisms="krr").trials[0].mechanism == "krr"


def test_what_can_be_counted(tmp_path: Path) -> None:
    study = sv.Study.from_toml(STUDY)
    reports = study.mechanism.perturb(ANSWERS)  # type: ignore[call-arg]
    assert sv.Tally.from_files(study, [reports, reports]).n == 400
    assert study.estimate([study.tally(reports), reports]).n == 400
    for wrong in (pd.DataFrame({"report": [1]}), pl.DataFrame({"report": [1]}), pd.Series(ANSWERS)):
        for count in (study.tally, study.estimate, lambda files: sv.Tally.from_files(study, files)):
            with refused(ReportError, "perturb"):
                count(wrong)
