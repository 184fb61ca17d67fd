"""What waits is sent with the same bytes until it is acknowledged or refused, with growing pauses, and by one thread for each collector."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

import sottovoce as sv
from devices import URL, Memory, ScriptedCollector, answered, device, named, problem, receipt
from messages import wording
from sottovoce.devices import endings
from sottovoce.devices.sender import FIRST_PAUSE, LONGEST_PAUSE, Pauses
from sottovoce.devices.transport import Response


def until(met: Callable[[], Any], seconds: float = 10.0) -> None:
    end = time.monotonic() + seconds
    while not met():
        assert time.monotonic() < end
        time.sleep(0.005)


def threads() -> int:
    return sum(each.name == "sottovoce-device" for each in threading.enumerate())


def test_a_thread_sends_in_the_background_and_ends(collector: ScriptedCollector) -> None:
    until(lambda: threads() == 0)  # those of other tests
    with sv.Device(Memory()) as given:
        assert threads() == 0
        answered(given, named("ldp"))
        until(lambda: given.status(named("ldp")).state == "sent")
        until(lambda: threads() == 0)
        answered(given, named("scale"))
        until(lambda: given.status(named("scale")).state == "sent")
    assert len(collector.counted) == 2


def test_what_waited_before_is_sent_at_the_next_start(collector: ScriptedCollector) -> None:
    storage = Memory()
    answered(device(storage), named("ldp"))
    with sv.Device(storage) as given:
        until(lambda: given.status(named("ldp")).state == "sent")


@pytest.mark.parametrize(
    "first",
    [
        "offline",
        problem(503, "busy", retry_after="0"),
        problem(500, "broken"),
        problem(429, "slow down"),
        problem(408, "too slow"),
        Response(302, b"", {"location": "https://elsewhere.example"}),
        Response(200, b"<html>Log in to this network</html>", {}),
        receipt(2),
        Response(200, b'{"accepted":true,"repeated":0}', {}),
    ],
    ids=repr,
)
def test_the_same_bytes_are_sent_until_they_are_acknowledged(first: Response | str, collector: ScriptedCollector) -> None:
    collector.script += [first, first]
    with sv.Device(Memory()) as given:
        status = answered(given, named("three-reports"))
        until(lambda: given.status(named("three-reports")).state == "sent")
    assert [reports for _, reports, _ in collector.sent] == [status.reports] * 3
    assert len(collector.counted) == 3


def test_why_it_still_waits_is_shown(collector: ScriptedCollector) -> None:
    given = device()
    answered(given, named("ldp"))
    for response in ("offline", problem(503, "the store is busy"), Response(502, b"bad gateway", {}), Response(200, b"[]", {})):
        collector.script.append(response)
        assert given.flush() == 0
        status = given.status(named("ldp"))
        assert status.state == "waiting"
        wording(status.reason)


@pytest.mark.parametrize("status", [400, 403, 404, 409, 410, 422])
def test_refusals_are_final(status: int, collector: ScriptedCollector) -> None:
    storage = Memory()
    given = device(storage)
    answered(given, named("ldp"))
    collector.script.append(problem(status, "it was made under another\x1b[31m study"))
    assert given.flush() == 0
    found = given.status(named("ldp"))
    assert (found.state, found.reason) == ("refused", "it was made under another\\u001b[31m study. Read this.")
    assert bool(found.reports) == (status == 403)  # another ticket may help
    assert given.flush() == 0
    assert len(collector.sent) == 1
    assert given.spent().epsilon == 1.0


def test_a_collector_that_fails_is_asked_once_and_others_are_still_served(collector: ScriptedCollector) -> None:
    given = device()
    for k in range(3):
        given.record(named("ldp", f"study-{k}"), "flu", url=f"https://down.example/studies/{k}")
    given.record(named("scale"), "often", url="https://up.example/studies/s")
    collector.down.add("down.example")
    assert given.flush() == 1
    assert sorted(url.split("/")[2] for url, _, _ in collector.sent) == ["down.example", "up.example"]
    collector.down.clear()
    assert given.flush() == 3


def test_a_slow_collector_delays_no_other(collector: ScriptedCollector, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither what waits beside its reports, nor what is recorded while it takes its time."""
    released, reached = threading.Event(), threading.Event()

    def post(url: str, *arguments: Any) -> Response:
        if "slow" in url:
            reached.set()
            released.wait(30)
        return collector.post(url, *arguments)

    monkeypatch.setattr("sottovoce.devices.sender.post", post)
    with sv.Device(Memory()) as given:
        given.record(named("ldp"), "flu", url="https://slow.example/studies/ldp")
        assert reached.wait(10)
        given.record(named("scale"), "often", url="https://quick.example/studies/scale")
        until(lambda: given.status(named("scale")).state == "sent")
        assert given.status(named("ldp")).state == "waiting"
        assert threads() >= 1
        released.set()
        until(lambda: given.status(named("ldp")).state == "sent")


def test_pauses_grow_with_full_jitter_after_what_the_collector_asked_for() -> None:
    for failures in (0, 3, 6, 20):
        pauses = []
        for _ in range(200):
            found = Pauses(failures)
            found.failed("x", 60.0)
            pauses.append(found.due - time.monotonic() - 60.0)
        most = min(FIRST_PAUSE * 2**failures, LONGEST_PAUSE)
        assert -0.1 < min(pauses) < most / 4
        assert most * 3 / 4 < max(pauses) <= most
    assert Response(503, b"", {"retry-after": "99999"}).pause == 3600
    assert Response(503, b"", {"retry-after": "-3"}).pause == Response(503, b"", {}).pause == 0
    assert Response(503, b"", {"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}).pause == 0
    assert 3500 < Response(503, b"", {"retry-after": "Wed, 21 Oct 2065 07:28:00 GMT"}).pause <= 3600


def test_what_is_removed_while_others_are_sent_is_not_sent(collector: ScriptedCollector, monkeypatch: pytest.MonkeyPatch) -> None:
    given = device()
    answered(given, named("ldp"))
    answered(given, named("scale"))

    def post(url: str, *arguments: Any) -> Response:
        given.opt_out()
        return collector.post(url, *arguments)

    monkeypatch.setattr("sottovoce.devices.sender.post", post)
    assert given.flush() == 1
    assert len(collector.sent) == 1
    assert [given.status(named(kind)).state for kind in ("ldp", "scale")] == ["sent", "removed"]


def test_a_ledger_that_was_removed_meanwhile_gets_its_line_again(collector: ScriptedCollector, monkeypatch: pytest.MonkeyPatch) -> None:
    storage = Memory()
    given = device(storage)
    answered(given, named("ldp"))

    def post(url: str, *arguments: Any) -> Response:
        storage.data = None
        return collector.post(url, *arguments)

    monkeypatch.setattr("sottovoce.devices.sender.post", post)
    assert given.flush() == 1
    assert given.spent().epsilon == 1.0


def test_flush_waits_no_longer_than_it_is_told(collector: ScriptedCollector, monkeypatch: pytest.MonkeyPatch) -> None:
    released = threading.Event()

    def post(*arguments: Any) -> Response:
        released.wait(10)
        return collector.post(*arguments)

    monkeypatch.setattr("sottovoce.devices.sender.post", post)
    given = device()
    answered(given, named("ldp"))
    start = time.monotonic()
    assert given.flush(0.1) == 0
    given.close(0.1)
    assert time.monotonic() - start < 5
    released.set()
    until(lambda: given.status(named("ldp")).state == "sent")  # what arrived is noted, although nobody waits
    assert given.flush() == 0
    assert answered(given, named("scale")).state == "waiting"  # recorded, and sent by the next device
    until(lambda: threads() == 0)


def test_the_end_of_a_program_is_bounded(collector: ScriptedCollector, monkeypatch: pytest.MonkeyPatch) -> None:
    released = threading.Event()

    def post(*arguments: Any) -> Response:
        released.wait(10)
        return collector.post(*arguments)

    monkeypatch.setattr("sottovoce.devices.sender.post", post)
    monkeypatch.setattr(endings, "AT_EXIT", 0.2)
    kept = [sv.Device(Memory()) for _ in range(3)]
    for each in kept:
        answered(each, named("ldp"))
    start = time.monotonic()
    endings._end_all()
    assert time.monotonic() - start < 5
    released.set()
    until(lambda: threads() == 0)


def test_a_child_process_has_locks_and_a_thread_of_its_own(collector: ScriptedCollector) -> None:
    """What a fork does, without one: the parent's thread holds everything."""
    given = sv.Device(Memory())
    given._book._lock.acquire()
    given._sender._lock.acquire()
    endings._leave_all()
    answered(given, named("ldp"))
    until(lambda: given.status(named("ldp")).state == "sent")
    until(lambda: threads() == 0)


def test_several_answers_of_one_person_go_together(collector: ScriptedCollector) -> None:
    given = device()
    given.record(named("three-reports"), "flu", url=URL)
    assert given.flush() == 1
    assert [len(reports) for _, reports, _ in collector.sent] == [3]


@pytest.mark.parametrize(("status", "kind", "remedy"), [(409, "another-study", "a new name"), (404, "not-found", "Add the study")])
def test_a_refusal_says_what_a_device_can_do(collector: ScriptedCollector, status: int, kind: str, remedy: str) -> None:
    """The collector's remedy is for clients that can make the report again. A device can't: its budget is spent."""
    body = {"type": f"/problems/{kind}", "title": "x", "status": status, "detail": "It's refused.", "remedy": "Make the report again."}
    collector.script.append(Response(status, json.dumps(body).encode(), {}))
    given = device()
    answered(given, named("ldp"))
    given.flush()
    found = given.status(named("ldp"))
    assert (found.state, "Make the report again" in found.reason) == ("refused", False)
    assert remedy in found.reason
