"""What programs give to a device: answers by name, and what is refused before anything is drawn."""

from __future__ import annotations

from typing import Any

import pytest

import sottovoce as sv
from devices import URL, Memory, device, named
from messages import refused
from sottovoce.errors import DomainError, ParameterError


def test_one_question_by_name_and_by_axes() -> None:
    assert device().record(named("ldp"), answer="flu", url=URL).state == "waiting"
    assert device().record(named("axes"), sex="f", age="old", url=URL).state == "waiting"
    assert device().record(named("axes"), {"sex": "f", "age": "old"}, url=URL).state == "waiting"
    assert device().record(named("split"), {"smokes": "no"}, age=30, town=3, url=URL).state == "waiting"


@pytest.mark.parametrize(
    ("kind", "answer", "more", "error", "values"),
    [
        ("ldp", None, {}, DomainError, ["ldp"]),
        ("ldp", None, {"illness": "flu"}, DomainError, ["illness"]),
        ("ldp", "flu", {"illness": "flu"}, ParameterError, ["illness", "flu"]),
        ("ldp", "flue", {}, DomainError, ["flue", "flu"]),
        ("ldp", "flu", {"level": "usual"}, DomainError, ["usual"]),
        ("levels", "flu", {}, DomainError, ["careful"]),
        ("block", None, {"marks": {"home": []}}, DomainError, []),
        ("block", "yes", {}, DomainError, ["answer", "smokes"]),
        ("ldp", "flu", {"ticket": "two words"}, ParameterError, []),
        ("ldp", "flu", {"url": "http://collector.example/studies/x"}, ParameterError, ["http://collector.example"]),
        ("ldp", "flu", {"url": "ftp://collector.example"}, ParameterError, ["ftp"]),
        ("ldp", "flu", {"url": None}, ParameterError, ["ldp"]),
    ],
)
def test_what_cannot_be_recorded(kind: str, answer: Any, more: dict[str, Any], error: type[Exception], values: list[str]) -> None:
    storage = Memory()
    with refused(error, *values):
        device(storage).record(named(kind), answer, **({"url": URL} | more))
    assert storage.data is None


@pytest.mark.parametrize(
    "options",
    [{"cap": 0}, {"cap": "8"}, {"max_waiting": 0}, {"max_bytes": 1.5}, {"max_days": True}, {"send": "later"}, {"storage": 7}],
    ids=repr,
)
def test_settings_that_make_no_sense(options: dict[str, Any]) -> None:
    with refused(ParameterError, repr(next(iter(options.values())))):
        sv.Device(**({"storage": Memory()} | options))
