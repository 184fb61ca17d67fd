"""Studies are fetched, checked, and cached; a device that is offline uses the cached one."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

import sottovoce as sv
from devices import ANSWERS, URL, Memory, ScriptedCollector, device, named, problem
from messages import refused
from sottovoce.devices import Status
from sottovoce.devices.transport import Response
from sottovoce.devices.urls import checked_url
from sottovoce.errors import DomainError, ParameterError, StudyError, UnreachableError


def answers_to(study: sv.Study) -> dict[str, Any]:
    return {question.name: ANSWERS[question.name] for question in study.questions}


class Served:
    """A study at a URL, as `fetch` finds it."""

    def __init__(self, study: sv.Study) -> None:
        self.study = study
        self.asked: list[str] = []
        self.instead: Response | None = None
        self.closed = False
        self.offline = False

    def fetch(self, url: str, etag: str = "", timeout: float = 0) -> Response:
        self.asked.append(etag)
        if self.offline:
            raise UnreachableError("The collector can't be reached: offline.")
        if self.instead is not None:
            return self.instead
        tag = f'"{self.study.fingerprint}"'
        state = {"sottovoce-state": "closed"} if self.closed else {}
        if etag == tag:
            return Response(304, b"", state)
        return Response(200, json.dumps(self.study.compile()).encode(), {"etag": tag} | state)


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Served:
    found = Served(named("block"))
    monkeypatch.setattr("sottovoce.devices.loading.fetch", found.fetch)
    return found


@pytest.fixture
def pass_time(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    import time

    shift = [0.0]
    real = time.time
    monkeypatch.setattr("sottovoce.devices.loading.time.time", lambda: real() + shift[0])
    return lambda seconds: shift.__setitem__(0, shift[0] + seconds)


def test_a_study_is_fetched_once_and_asked_for_again_later(served: Served, pass_time: Callable[[float], None]) -> None:
    storage = Memory()
    for _ in range(3):
        assert device(storage).study(URL + "/?x#y").fingerprint == served.study.fingerprint
    assert served.asked == [""]
    pass_time(3601)
    assert device(storage).study(URL).fingerprint == served.study.fingerprint
    tag = f'"{served.study.fingerprint}"'
    assert served.asked == ["", tag]
    pass_time(3601)
    served.study = named("sample")
    assert device(storage).study(URL).fingerprint == named("sample").fingerprint
    assert device(storage).study(URL, max_age=0).fingerprint == named("sample").fingerprint
    assert len(served.asked) == 4
    pass_time(-100_000)  # a clock that was wrong
    device(storage).study(URL)
    assert len(served.asked) == 5


@pytest.mark.parametrize("failure", ["offline", 500, 503, 302])
def test_a_device_that_is_offline_uses_what_it_has(
    served: Served, pass_time: Callable[[float], None], failure: str | int, collector: ScriptedCollector
) -> None:
    storage = Memory()
    device(storage).study(URL)
    pass_time(10**6)
    served.offline, served.instead = failure == "offline", Response(failure, b"", {}) if isinstance(failure, int) else None
    collector.offline = True
    given = device(storage)
    assert given.record(given.study(URL), smokes="no", age=30, symptoms=[], town=3).state == "waiting"
    assert given.flush() == 0
    collector.offline = False
    assert given.flush() == 1


def test_a_study_that_cannot_be_had(served: Served) -> None:
    served.offline = True
    with refused(UnreachableError, URL, "offline"):
        device().study(URL)
    served.offline, served.instead = False, Response(503, b"", {})
    with refused(UnreachableError, URL, "503"):
        device().study(URL)
    served.instead = Response(304, b"", {})
    with refused(UnreachableError, URL, "304"):
        device().study(URL)
    served.instead = problem(404, "there is no study 'app'")
    with refused(StudyError, URL, "app"):
        device().study(URL)
    served.instead = Response(200, b"<html>", {})
    with refused(StudyError, URL):
        device().study(URL)
    served.instead = Response(200, b"\xff", {})
    with refused(StudyError, URL):
        device().study(URL)


def test_a_forged_study_is_refused_and_not_kept(served: Served) -> None:
    form = named("ldp").compile()
    form["blocks"][0]["privacy"]["epsilon"] = "0.1"
    served.instead = Response(200, json.dumps(form).encode(), {})
    storage = Memory()
    with pytest.raises(StudyError, match="fingerprint"):
        device(storage).study(URL)
    assert storage.data is None


def test_an_answered_study_is_not_even_fetched(served: Served, collector: ScriptedCollector) -> None:
    storage = Memory()
    given = device(storage)
    status = given.record(URL, {"smokes": "no", "age": 30, "symptoms": []}, town=3)
    assert (status.state, len(served.asked)) == ("waiting", 1)
    assert given.flush() == 1
    served.offline = True
    assert device(storage).record(URL, smokes="yes", anything="else").state == "sent"
    given.forget(URL)
    assert "studies" not in storage.ledger
    assert len(served.asked) == 1


def test_a_fetched_study_knows_where_it_is_collected_also_later(served: Served) -> None:
    storage = Memory()
    study = device(storage).study(URL)
    status = device(storage).record(study, smokes="no", age=30, symptoms=[], town=3)
    assert status.state == "waiting"
    assert storage.ledger["lines"][study.fingerprint]["url"] == URL
    with pytest.raises(DomainError):
        device(storage).record(URL.replace("app", "other"), nothing=1)


def test_only_the_latest_studies_are_kept(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    storage = Memory()
    for k in range(20):
        device(storage).study(f"{URL}-{k}")
    assert list(storage.ledger["studies"]) == [f"{URL}-{k}" for k in range(4, 20)]
    size = len(json.dumps(served.study.compile()))
    monkeypatch.setattr("sottovoce.devices.ledger.MOST_CHARACTERS", 2 * size)
    device(storage).study(URL)
    assert list(storage.ledger["studies"]) == [f"{URL}-19", URL]
    monkeypatch.setattr("sottovoce.devices.ledger.MOST_CHARACTERS", size - 1)
    assert device(storage).study(URL + "-new").fingerprint == served.study.fingerprint
    assert "studies" not in storage.ledger


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("https://a.example/studies/x/", "https://a.example/studies/x"),
        ("http://127.0.0.1:8000/studies/x?y", "http://127.0.0.1:8000/studies/x"),
        ("http://[::1]:8000/studies/x", "http://[::1]:8000/studies/x"),
        ("http://localhost/studies/x", "http://localhost/studies/x"),
    ],
)
def test_urls(url: str, found: str) -> None:
    assert checked_url(url) == found


@pytest.mark.parametrize(
    "url",
    [
        "",
        "studies/x",
        "file:///etc/passwd",
        "https://",
        "http://a.example/x",
        "https://me:word@a.example/x",
        "https://a.example:x/",
        "https://a.example/ x",
    ],
)
def test_urls_that_are_not_asked(url: str) -> None:
    with refused(ParameterError, repr(url)):
        checked_url(url)


@pytest.mark.parametrize("new", [True, False])
def test_a_closed_study_costs_nothing(served: Served, pass_time: Callable[[float], None], collector: ScriptedCollector, new: bool) -> None:
    storage, closed = Memory(), Status(reason="The study is closed.")
    given = device(storage)
    if not new:
        given.study(URL)  # it was open then
        pass_time(3601)
    served.closed = True
    study, answers = given.study(URL), answers_to(served.study)
    assert given.asked(study) is None
    for each in (given, device(storage)):
        assert each.record(study, answers, url=URL) == each.record(URL, answers) == closed
    served.offline = True
    assert given.record(URL, answers) == closed
    assert given.flush() == given.spent().epsilon == 0
    assert not collector.counted
    assert given.record(study, answers, url=f"{URL}-elsewhere").state == "waiting"


def test_a_study_that_opens_again_is_answered_at_once(served: Served) -> None:
    served.closed = True
    given = device(Memory())
    assert given.record(URL, answers_to(served.study)).state == "none"
    served.closed = False
    assert given.record(URL, answers_to(served.study)).state == "waiting"
