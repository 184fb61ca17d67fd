"""Calls as a stranger gets them wrong: each raises an error of this package that names the value and what to do."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sottovoce as sv
from messages import refused
from sottovoce.errors import FileError, MissingFileError
from studies import QUESTIONNAIRES, STUDIES

URL = "https://collector.example/studies/x"


def study() -> sv.Study:
    return sv.Study.from_toml(STUDIES["ldp"])


def questionnaire() -> sv.Study:
    return sv.Study.from_toml(next(iter(QUESTIONNAIRES.values())))


class Stored:
    """A ledger in memory."""

    data: bytes | None = None

    def load(self) -> bytes | None:
        return self.data

    def save(self, data: bytes) -> None:
        self.data = data


def test_comparing_what_cannot_be_compared() -> None:
    mechanism = sv.krr(sv.Domain("ab"), 1.0)
    with refused(sv.ParameterError, "mechanisms", "study"):
        sv.compare(mechanisms=[3])  # type: ignore[list-item]
    with refused(sv.ParameterError, "None"):
        sv.compare()
    with refused(sv.ParameterError, "Mechanism, int"):
        sv.compare([mechanism, 3])
    with refused(sv.ParameterError, "3", "'krr'"):
        sv.compare(study(), mechanisms=["krr", 3])  # type: ignore[list-item]
    with refused(sv.ParameterError, "'krrr'"):
        sv.compare(study(), mechanisms="krrr")


def test_one_mechanism_may_be_named_without_a_list() -> None:
    assert [each.mechanism for each in sv.compare(study(), n=1000, mechanisms="krr", runs=2).trials] == ["krr"]


@pytest.mark.parametrize(
    ("options", "values"),
    [
        ({"n": 0}, ["n is 0"]),
        ({"n": 100, "seed": "x"}, ["'x'"]),
        ({"n": 100, "seed": -1}, ["-1"]),
        ({"n": 100, "runs": "x"}, ["'x'"]),
        ({"n": 100, "truth": {"flu": "much"}}, ["'flu'", "'much'"]),
        ({"n": 100, "truth": [[1, 2], [3]]}, ["differ in length"]),
        ({"n": 100, "truth": [math.nan] * 5}, ["nan"]),
    ],
)
def test_simulating_with_odd_values(options: dict[str, Any], values: list[str]) -> None:
    with refused(sv.SottovoceError, *values):
        sv.simulate(study(), **options)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    none = str(tmp_path / "none.csv")
    for call in (lambda: sv.simulate(study(), none, 100), lambda: sv.compare(study(), none), lambda: study().estimate(none)):
        with refused(MissingFileError, "none.csv"):
            call()
    with refused(FileError, "folder"):
        sv.simulate(study(), str(tmp_path), 100)
    with refused(MissingFileError, "folder"):
        study().estimate(str(tmp_path))
    with refused(sv.ReportError, "No files"):
        study().estimate([])


@pytest.mark.parametrize("path", [3, None, "", "\0"])
def test_paths_that_are_none(path: Any) -> None:
    with refused(sv.StudyError, repr(path)):
        sv.Study.load(path)


def test_loading_what_is_no_study(tmp_path: Path) -> None:
    (tmp_path / "empty.toml").touch()
    (tmp_path / "binary.toml").write_bytes(b"PAR1\0\xff" * 10)
    for name, value in (("empty.toml", "empty"), ("binary.toml", "binary"), (".", "folder")):
        with refused(sv.StudyError, value):
            sv.Study.load(tmp_path / name)


def test_domains() -> None:
    with refused(sv.DomainError, "100,000,000,000,000,000,000"):
        sv.Domain(10**20)
    with refused(sv.DomainError, "'b'", "3"):
        sv.Domain.product(a="xy", b=3)  # type: ignore[arg-type]
    with refused(sv.DomainError, "(5, 5)", "latitude"):
        sv.Domain.grid((5, 5))
    with refused(sv.DomainError, "'a'", "axes"):
        sv.Domain("ab").encode({"a": ["a"]})


def test_mechanisms() -> None:
    domain = sv.Domain("ab")
    with refused(sv.ClaimError, "from_matrix", "rules out"):
        sv.from_matrix(domain, [[1, 0], [0, 1]], sv.LDP(1.0))
    with refused(sv.DomainError, "'a'", "3"):
        sv.Population({"a": 3})  # type: ignore[dict-item]
    with refused(sv.BudgetError, "1000", "40"):
        sv.krr(domain, 1000)
    with refused(sv.BudgetError, "LDP", "None"):
        sv.LDP(None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("call", "kind", "value"),
    [
        (lambda: sv.identity(3), sv.DomainError, "3"),  # type: ignore[arg-type]
        (lambda: sv.compose([3]), sv.ParameterError, "[3]"),  # type: ignore[arg-type]
        (lambda: sv.repeated(3, 2), sv.ParameterError, "3"),  # type: ignore[arg-type]
        (lambda: sv.ReplaySource(3), sv.SourceError, "64"),  # type: ignore[arg-type]
        (lambda: sv.Domain("ab").locate(x=[1]), sv.DomainError, "grid"),
        (lambda: sv.Domain.grid((2, 2), x=(0, 1), y=(0, 1)).locate(x=[1]), sv.DomainError, "'y'"),
        (lambda: sv.Study.from_toml(b"x"), sv.StudyError, "bytes"),  # type: ignore[arg-type]
        (lambda: sv.Study.from_json(None), sv.StudyError, "NoneType"),  # type: ignore[arg-type]
        (lambda: study().plan(level="x"), sv.StudyError, "no levels"),
        (lambda: sv.compare(study(), n=100, mechanisms="krr", runs=1).plot("x.svg"), sv.ParameterError, "'x.svg'"),  # type: ignore[arg-type]
        (lambda: sv.price(3), sv.ParameterError, "3"),  # type: ignore[arg-type]
        (lambda: sv.Device(Stored()).record(3, "flu"), sv.ParameterError, "3"),  # type: ignore[arg-type]
        (lambda: sv.Device(Stored()).status(3), sv.ParameterError, "3"),  # type: ignore[arg-type]
        (lambda: sv.Device(Stored()).forget(3), sv.ParameterError, "3"),  # type: ignore[arg-type]
        (lambda: sv.Device(Stored()).record(study(), "flu", marks=3, url=URL), sv.DomainError, "3"),  # type: ignore[arg-type]
        (lambda: sv.Device(Stored()).record(questionnaire(), 3, url=URL), sv.DomainError, "by name"),
    ],
)
def test_values_of_the_wrong_type(call: Callable[[], object], kind: type[sv.SottovoceError], value: str) -> None:
    with refused(kind, value):
        call()
