"""A ledger that can't be read is never replaced; a file is written whole, for its owner only; too much and too old is removed."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

import sottovoce as sv
from devices import URL, Memory, ScriptedCollector, answered, device, named
from messages import refused
from sottovoce.devices.ledger import today
from sottovoce.errors import LedgerError, ParameterError
from studies import QUESTIONNAIRES

#: A line that could be one.
LINE = '{"url":"https://a.example","state":"sent","day":"2027-01-01","spent":{"epsilon":1,"shown":0},"reports":[]}'


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"{}",
        b"null",
        b"\xff\xfe",
        b'{"lines":[]}',
        b'{"lines":{},"more":1}',
        f'{{"lines":{{"a":{LINE.replace("sent", "lost")}}}}}'.encode(),
        f'{{"lines":{{"a":{LINE.replace(":1,", ":-1,")}}}}}'.encode(),
        f'{{"lines":{{"a":{LINE.replace("2027-01-01", "yesterday")}}}}}'.encode(),
        f'{{"lines":{{"a":{LINE.replace(chr(34) + "epsilon" + chr(34) + ":1,", "")}}}}}'.encode(),
        f'{{"lines":{{"a":{LINE.replace("[]", "[7]")}}}}}'.encode(),
        b'{"lines":' + b"[" * 100_000,
    ],
    ids=lambda data: data[:80].decode("latin-1"),
)
def test_a_broken_ledger_is_refused_and_left_as_it_is(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "ledger.json"
    storage = Memory()
    given = device(storage)
    storage.data = data
    path.write_bytes(data)
    for act in (
        lambda: given.record(named("ldp"), "flu", url=URL),
        given.spent,
        lambda: given.status(URL),
        lambda: given.asked(named("block")),
        given.opt_out,
        lambda: given.forget(URL),
        lambda: sv.Device(path),
    ):
        with pytest.raises(LedgerError) as found:
            act()
        assert "can't be read" in str(found.value)
    assert given.flush(5) == 0
    assert (storage.data, path.read_bytes()) == (data, data)


def test_the_message_about_a_broken_ledger(tmp_path: Path) -> None:
    (tmp_path / "ledger.json").write_bytes(b"{")
    with refused(LedgerError, "ledger.json"):
        sv.Device(tmp_path / "ledger.json")
    (tmp_path / "folder").mkdir()
    with refused(LedgerError, "folder"):
        sv.Device(tmp_path / "folder")


def test_a_file_is_for_its_owner_only_and_replaced_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "new" / "ledger.json"
    given = sv.Device(path, send="never")
    assert not path.parent.exists()
    (tmp_path / "new").mkdir()
    left = path.with_name("ledger.json.new")
    left.write_bytes(b"what a killed process left behind" * 100)
    left.chmod(0o644)
    answered(given, named("ldp"))
    assert not any(b"cancer" in each.read_bytes() for each in path.parent.iterdir()), "the answer is nowhere"
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE((tmp_path / "new" / "ledger.json.lock").stat().st_mode) == 0o600
    assert not left.exists()
    before = path.read_bytes()

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with refused(LedgerError, "No space left"):
        answered(given, named("uldp"))
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert answered(given, named("uldp")).state == "waiting"


def test_a_link_to_the_ledger_stays_one(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "ledger.json"
    link.symlink_to(tmp_path / "real" / "ledger.json")
    answered(sv.Device(str(link), send="never"), named("ldp"))
    assert link.is_symlink()
    assert sv.Device(link, send="never").spent().epsilon == 1.0


def test_a_storage_of_a_program_is_locked_if_it_can_be() -> None:
    class Locked(Memory):
        def __init__(self) -> None:
            super().__init__()
            self.held = 0

        @contextmanager
        def lock(self) -> Iterator[None]:
            self.held += 1
            yield

    locked, plain = Locked(), Memory()
    plain.lock = threading.Lock()  # type: ignore[attr-defined]  # an attribute works too
    for storage in (locked, plain):
        assert answered(device(storage), named("ldp")).state == "waiting"
    assert locked.held == 1


@pytest.mark.parametrize("storage", [7, None, {}], ids=repr)
def test_a_storage_must_load_and_save(storage: Any) -> None:
    with refused(ParameterError, repr(storage)):
        sv.Device(storage)


def test_failures_of_a_storage_are_errors_of_the_ledger() -> None:
    class Failing(Memory):
        def save(self, data: bytes) -> None:
            raise KeyError("no such bucket")

    with refused(LedgerError, "no such bucket"):
        answered(device(Failing()), named("ldp"))
    storage = Memory()
    given = device(storage)
    storage.data = "text"  # type: ignore[assignment]  # what a program may do
    with refused(LedgerError, "str"):
        given.spent()


def test_another_process_that_keeps_the_lock_is_not_waited_for_forever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sottovoce.devices.locks import FileLock

    monkeypatch.setattr("sottovoce.devices.locks.PATIENCE", 0.05)
    given = sv.Device(tmp_path / "ledger.json", send="never")
    with FileLock(tmp_path / "ledger.json.lock").held(), refused(LedgerError, "ledger.json.lock"):
        answered(given, named("ldp"))


def many(given: sv.Device, count: int, start: int = 0) -> list[sv.Study]:
    studies = [named("scale", f"study-{k}") for k in range(start, start + count)]
    for study in studies:
        answered(given, study)
    return studies


def test_the_oldest_are_removed_if_too_many_wait() -> None:
    given = device(max_waiting=3, cap=100)
    studies = many(given, 5)
    assert [given.status(study).state for study in studies] == ["removed", "removed", "waiting", "waiting", "waiting"]
    assert given.removed() == {"More than 3 waited.": 2}
    assert given.spent().epsilon == 5.0


def test_the_oldest_are_removed_if_too_much_waits() -> None:
    given = device(max_bytes=500, cap=100)
    studies = many(given, 5)
    waiting = [study for study in studies if given.status(study).state == "waiting"]
    assert waiting == studies[-len(waiting) :]
    assert sum(len(msgspec.json.encode(given.status(study).reports)) for study in waiting) <= 500
    assert list(given.removed().values()) == [5 - len(waiting)]
    one = device(max_bytes=1)
    assert answered(one, named("ldp")).state == "waiting"  # the newest stays, however large it is


def test_what_waited_too_long_and_closed_studies_are_not_sent(collector: ScriptedCollector, monkeypatch: pytest.MonkeyPatch) -> None:
    closing = sv.Study.from_toml(QUESTIONNAIRES["split"].replace("[privacy]", f"closes = {today() + timedelta(3)}\n[privacy]", 1))
    given = device(max_days=10)
    answered(given, closing)
    answered(given, named("ldp"))
    collector.offline = True
    for days, waiting in ((3, 2), (4, 1), (10, 1), (11, 0)):
        monkeypatch.setattr("sottovoce.devices.sender.today", lambda days=days: today() + timedelta(days))
        collector.sent.clear()
        assert given.flush() == 0
        assert given.status(named("ldp")).state == ("waiting" if days < 11 else "removed")
        assert len(collector.sent) == min(waiting, 1)  # one attempt at a collector that can't be reached
    assert sorted(given.removed().values()) == [1, 1]
    assert "10 days" in " ".join(given.removed())


def test_limits_leave_what_arrived_alone(collector: ScriptedCollector) -> None:
    storage = Memory()
    given = device(storage, max_waiting=1)
    answered(given, named("ldp"))
    given.flush()
    answered(given, named("scale"))
    assert given.status(named("ldp")).state == "sent"
    assert given.removed() == {}


def test_a_change_within_a_change_is_refused() -> None:
    """As when a signal handler interrupts one."""

    class Interrupted(Memory):
        def save(self, data: bytes) -> None:
            with pytest.raises(LedgerError) as error:
                given.opt_in()
            found.append(error.value)
            super().save(data)

    found: list[LedgerError] = []
    given = device(Interrupted())
    given.opt_out()
    assert "under way" in str(found[0])
    assert given.opted_out
    given.opt_in()
    assert not given.opted_out


@pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="no such links here")
def test_a_lock_file_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "ledger.json.lock").symlink_to(tmp_path / "elsewhere")
    with refused(LedgerError, "ledger.json"):
        answered(device(tmp_path / "ledger.json"), named("ldp"))
    assert not (tmp_path / "elsewhere").exists()
