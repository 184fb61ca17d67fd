"""What every store must do: count each report once, keep tallies that fit the reports, and store nothing that links a report to a person.

The unit tests run this suite on SQLite, the system tests on PostgreSQL.
"""

from __future__ import annotations

import json
import os
import threading
from collections import Counter
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import inspect, select, text, update

import sottovoce as sv
from collectors import named, some_reports
from messages import refused
from sottovoce.errors import ParameterError, StoreError
from sottovoce.store import Arrival, Receipt, Refusal, Role, Store, schema
from sottovoce.store.arrivals import ID, Lane, rows_of
from sottovoce.store.backups import backup, restore
from sottovoce.store.credentials import ticket_hash
from sottovoce.store.migrations import LATEST, STEPS
from sottovoce.store.store import ExistsError, MissingError
from sottovoce.tallies import Tally
from stores import arrival, opened
from studies import QUESTIONNAIRES, STUDIES


@pytest.mark.parametrize("kind", [*STUDIES, *QUESTIONNAIRES])
def test_the_tally_is_that_of_the_reports_whatever_the_channel(url: str, kind: str) -> None:
    store, (entry,) = opened(url, named(kind))
    reports = some_reports(entry.study, 5000)
    for begin, end in ((0, 3), (3, 4), (4, 2300), (2300, 5000)):
        assert store.write([arrival(entry, reports[begin:end])]) == [Receipt(end - begin, 0)]
        assert store.count(entry) == end
    assert store.tally(entry) == Tally(entry.study.mechanism).add(reports)
    assert store.tally(entry, keep_reports=True) == Tally(entry.study.mechanism, keep_reports=True).add(reports)
    found = store.recount(entry)
    assert (found.holds, found.reports, found.identifiers) == (True, 5000, 5000)
    store.close()


def test_a_report_counts_once(url: str) -> None:
    store, (one, two) = opened(url, named("ldp"), named("uldp"))
    reports = some_reports(one.study, 100)
    ids = os.urandom(ID * 100)
    half = arrival(one, reports[:50], ids[: ID * 50])
    assert store.write([half, arrival(one, reports, ids), half]) == [Receipt(50, 0), Receipt(50, 50), Receipt(0, 50)]
    assert store.write([arrival(one, reports, ids)]) == [Receipt(0, 100)]
    assert store.write([arrival(one, reports[:3], ids[:ID] * 3)]) == [Receipt(0, 3)]
    fresh = os.urandom(ID)
    assert store.write([arrival(one, reports[:3], fresh * 3)]) == [Receipt(1, 2)]
    assert store.tally(one).n == 101
    assert store.write([arrival(two, some_reports(two.study, 100), ids)]) == [Receipt(100, 0)], "an identifier is of its study"
    assert store.recount(one).holds
    assert store.recount(two).holds
    store.close()


def test_the_first_of_equal_ids_is_counted(url: str) -> None:
    store, (entry,) = opened(url, named("ldp"))
    ids = os.urandom(ID)
    channel = entry.study.blocks[""].channel
    store.write([Arrival(entry.key, entry.fingerprint, {"": Lane(ids * 2, bytes([3, 1]))})])
    store.write([Arrival(entry.key, entry.fingerprint, {"": Lane(ids, bytes([4]))})])
    assert store.tally(entry) == Tally(entry.study.mechanism).add(channel.reports_from_bytes(bytes([3])))
    store.close()


def test_one_id_at_two_levels_counts_once(url: str) -> None:
    store, (entry,) = opened(url, named("levels"))
    reports = some_reports(entry.study, 3)
    assert store.write([arrival(entry, reports, os.urandom(ID) * 3)]) == [Receipt(1, 2)]
    assert store.recount(entry).holds
    store.close()


def test_no_order_is_kept(url: str) -> None:
    """Reports come with rising codes, one at a time, and come out without a trace of it."""
    study = sv.Study.from_toml(
        'name = "order"\nquestion = "?"\nitems = 30000\n[privacy]\nnotion = "ldp"\nepsilon = 20\n[mechanism]\nname = "krr"\n'
    )
    store, (entry,) = opened(url, study)
    channel = study.blocks[""].channel
    for begin in range(0, 6000, 20):
        codes = np.arange(begin, begin + 20, dtype=np.uint16)
        store.write([arrival(entry, channel.reports_from_bytes(codes[k : k + 1].tobytes())) for k in range(20)])
    with store.chunks(entry) as parts:
        found = np.concatenate([np.array(reports.tolist()) for _, reports in parts.everything()])
    assert sorted(found.tolist()) == list(range(6000))
    # within a chunk every order is as likely: the correlation of place and code is within 6 deviations of none
    with store.dialect.reading() as connection:
        chunks = [np.frombuffer(each, dtype="<u2").astype(float) for each in connection.execute(select(schema.chunks.c.records)).scalars()]
    assert len(chunks) == 2
    for each in chunks:
        assert abs(np.corrcoef(np.arange(len(each)), each)[0, 1]) < 6 / np.sqrt(len(each))
    store.close()


def test_nothing_leads_from_an_id_to_a_report(url: str) -> None:
    store, _ = opened(url, named("ldp"))
    with store.dialect.reading() as connection:
        columns = {
            table: {column["name"] for column in inspect(connection).get_columns(table)} for table in inspect(connection).get_table_names()
        }
    store.close()
    assert columns["ids"] == {"study", "id"}
    assert columns["pending"] == {"study", "level", "part", "records"}
    assert columns["chunks"] == {"study", "level", "key", "records"}
    assert columns["tickets"] == {"study", "hash"}
    times = {f"{table}.{name}" for table, names in columns.items() for name in names if name in {"at", "created", "revoked"}}
    assert times == {"audit.at", "tokens.created", "tokens.revoked"}


def test_a_ticket_is_good_for_one_person(url: str) -> None:
    store, (entry,) = opened(url, named("three-reports"), respondents="tickets")
    first, second, third = store.access.new_tickets(entry.name, 3)
    reports = some_reports(entry.study, 4)
    ids = os.urandom(ID * 4)
    whole = arrival(entry, reports[:3], ids[: 3 * ID], first)
    assert store.write([arrival(entry, reports[:1])]) == [Refusal.NO_TICKET]
    assert store.write([arrival(entry, reports[:1], None, "0" * 32)]) == [Refusal.BAD_TICKET]
    assert store.write([arrival(entry, reports, None, first)]) == [Refusal.TOO_MANY]
    assert store.write([whole]) == [Receipt(3, 0)]
    assert store.write([whole, arrival(entry, reports[:3], ids[: 3 * ID])]) == [Receipt(0, 3)] * 2, "a retry is acknowledged"
    assert store.write([arrival(entry, reports[:1], None, first)]) == [Refusal.BAD_TICKET], "it is used up"
    same = [arrival(entry, reports[:1], None, second) for _ in range(5)]
    outcomes = store.write(same)
    assert outcomes == [Receipt(1, 0), *[Refusal.BAD_TICKET] * 4], "once, also within a group"
    assert store.access.unused_tickets(entry.key) == 1
    assert store.write([arrival(entry, reports[:1], ids[:ID], third)]) == [Receipt(0, 1)]
    assert store.access.unused_tickets(entry.key) == 1, "a retry does not use a ticket up"
    assert store.tally(entry).n == 4
    assert store.recount(entry).holds
    store.close()


def test_a_refused_arrival_leaves_its_ids_free(url: str) -> None:
    store, (entry,) = opened(url, named("ldp"), respondents="tickets")
    (good,) = store.access.new_tickets(entry.name, 1)
    reports, ids = some_reports(entry.study, 1), os.urandom(ID)
    assert store.write([arrival(entry, reports, ids), arrival(entry, reports, ids, good)]) == [Refusal.NO_TICKET, Receipt(1, 0)]
    store.close()


def test_closed_and_deleted_studies_take_nothing(url: str) -> None:
    store, (entry, other) = opened(url, named("ldp"), named("uldp"))
    reports = some_reports(entry.study, 10)
    first = arrival(entry, reports)
    store.write([first, arrival(other, some_reports(other.study, 10))])
    store.change("ldp", "test", state="closed")
    assert store.write([arrival(entry, reports), first]) == [Refusal.CLOSED, Receipt(0, 10)], "a retry is acknowledged"
    store.change("ldp", "test", state="open")
    assert store.write([arrival(entry, reports)]) == [Receipt(10, 0)]
    store.delete("ldp", "test")
    assert store.write([arrival(entry, reports), arrival(other, some_reports(other.study, 1))]) == [Refusal.GONE, Receipt(1, 0)]
    again = store.add(entry.study, json.dumps(entry.study.compile()))
    assert again.key != entry.key, "a key is never given again"
    assert store.write([arrival(entry, reports)]) == [Refusal.GONE]
    assert store.tally(again).n == 0
    assert store.recount(other).holds
    store.close()


def test_what_is_deleted_is_gone(url: str, tmp_path: Path) -> None:
    study = named("olh", "secret-study")
    store, (entry, _) = opened(url, study, named("ldp"))
    reports, ids = some_reports(study, 5000), os.urandom(ID * 5000)
    tickets = store.access.new_tickets("secret-study", 3)
    store.write([arrival(entry, reports, ids)])
    store.delete("secret-study", "test")
    store.close()
    data = _every_row(url) if "://" in url else b"".join(path.read_bytes() for path in tmp_path.iterdir())
    records = reports.records()
    traces = [ids[k : k + ID] for k in range(0, len(ids), 50 * ID)] + [records[k].tobytes() for k in range(0, 5000, 50)]
    traces += [ticket_hash(each) or b"" for each in tickets]
    assert [trace for trace in traces if trace in data] == []


def _every_row(url: str) -> bytes:
    store = Store(url)
    with store.dialect.reading() as connection:
        rows = [row for table in schema.metadata.sorted_tables for row in connection.execute(select(table)).all()]
    store.close()
    return b"".join(bytes(value) if isinstance(value, (bytes, memoryview)) else str(value).encode() for row in rows for value in row)


def test_two_stores_count_the_same_reports_at_the_same_time(url: str) -> None:
    """As several processes do: the same identifiers in different orders, and studies in different orders."""
    store, entries = opened(url, named("ldp"), named("integers"))
    reports = [some_reports(entry.study, 4000) for entry in entries]
    ids = [os.urandom(ID * 4000) for _ in entries]
    accepted, errors = Counter[str](), list[BaseException]()

    def work(seed: int) -> None:
        mine, random = Store(url), np.random.default_rng(seed)
        try:
            for begin in random.permutation(np.arange(0, 4000, 250)).tolist():
                order = random.permutation(np.arange(begin, begin + 250))
                group = [
                    arrival(entry, each[order], rows_of(own, ID)[order].tobytes())
                    for entry, each, own in random.permutation(
                        np.array(list(zip(entries, reports, ids, strict=True)), dtype=object)
                    ).tolist()
                ]
                for entry, receipt in zip(group, mine.write(group), strict=True):
                    assert isinstance(receipt, Receipt)
                    accepted[str(entry.study)] += receipt.accepted
        except BaseException as error:
            errors.append(error)
        finally:
            mine.close()

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert set(accepted.values()) == {4000}
    for entry, each in zip(entries, reports, strict=True):
        assert store.tally(entry) == Tally(entry.study.mechanism).add(each)
        assert store.recount(entry).holds
    store.close()


def test_tickets_are_single_use_among_several_writers(url: str) -> None:
    store, (entry,) = opened(url, named("ldp"), respondents="tickets")
    tickets = store.access.new_tickets(entry.name, 30)
    reports = some_reports(entry.study, 1)
    outcomes = list[Any]()

    def work() -> None:
        mine = Store(url)
        outcomes.extend(mine.write([arrival(entry, reports, None, ticket)])[0] for ticket in tickets)
        mine.close()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Counter(str(each) for each in outcomes) == {str(Receipt(1, 0)): 30, str(Refusal.BAD_TICKET): 90}
    assert store.tally(entry).n == 30
    store.close()


def test_a_recount_finds_and_mends_a_wrong_tally(url: str) -> None:
    store, (entry,) = opened(url, named("ldp"))
    reports = some_reports(entry.study, 5000)
    store.write([arrival(entry, reports)])
    with store.dialect.writing() as connection:
        wrong = np.array([5000, 0, 0, 0, 0], dtype="<i8").tobytes()
        connection.execute(update(schema.tallies).values(counts=wrong))
    found = store.recount(entry)
    assert not found.holds
    assert found.wrong == ("the tally says 5,000 reports, the chunks hold 5,000, with other counts",)
    store.recount(entry, repair=True)
    assert store.recount(entry).holds
    assert store.tally(entry) == Tally(entry.study.mechanism).add(reports)
    with store.dialect.writing() as connection:
        connection.execute(
            text("DELETE FROM ids WHERE id = (SELECT min(id) FROM ids)")
            if "://" not in url
            else text("DELETE FROM ids WHERE id IN (SELECT id FROM ids LIMIT 1)")
        )
    assert not store.recount(entry).holds, "an identifier without a report, or the other way round, is seen too"
    store.close()


def test_tokens(url: str) -> None:
    store, _ = opened(url, named("ldp"), named("uldp"))
    secret, made = store.access.new_token(Role.ANALYST, ["ldp"], "Ada")
    found = store.access.token(secret)
    assert found == made
    assert found is not None
    assert (found.opens("ldp"), found.opens("uldp")) == (True, False)
    for wrong in (
        "",
        "sv_",
        secret[:-1],
        secret[:-1] + ("0" if secret[-1] != "0" else "1"),
        secret.upper(),
        secret + "0",
        "sv_000000000000_" + "0" * 64,
    ):
        assert store.access.token(wrong) is None
    assert secret.encode() not in _every_row(url)
    assert secret.rsplit("_", 1)[1].encode() not in _every_row(url)
    store.access.revoke(made.name)
    assert store.access.token(secret) is None
    both, _ = store.access.new_token(Role.ANALYST, ["ldp", "uldp"])
    only, _ = store.access.new_token(Role.ANALYST, ["ldp"])
    store.delete("ldp", "test")
    assert store.access.token(only) is None, "a later study of the same name is another"
    left = store.access.token(both)
    assert left is not None
    assert left.studies == ("uldp",)
    with refused(ParameterError, "'*'"):
        store.access.new_token(Role.ADMIN, ["*", "uldp"])
    with refused(ParameterError, "'nope'", "uldp"):
        store.access.new_token(Role.ANALYST, ["nope"])
    with refused(ParameterError, "'*'"):
        store.access.new_token(Role.ANALYST, [])
    with refused(ParameterError, "'nope'"):
        store.access.revoke("nope")
    assert [each["action"] for each in store.access.audit()] == [
        "delete study",
        "create token",
        "create token",
        "revoke token",
        "create token",
        "add study",
        "add study",
    ]
    store.close()


def test_pruning_forgets_what_was_done_before_a_day(url: str, tmp_path: Path) -> None:
    """Ended tokens go with their notes, tokens that still work and later entries stay, and one entry shows that the audit is shorter."""
    store, _ = opened(url, named("ldp", "old-study"), named("uldp"))
    old, revoked = store.access.new_token(Role.ANALYST, ["uldp"], "Grace Hopper, revoked")
    new, _ = store.access.new_token(Role.ANALYST, ["uldp"], "works")
    _, expired = store.access.new_token(Role.ANALYST, ["uldp"], "Alan Turing, expired")
    store.access.revoke(revoked.name)
    store.delete("old-study", "test")
    with store.dialect.writing() as connection:  # all of that was long ago
        connection.execute(update(schema.audit).values(at=datetime(2020, 5, 31, 23, 59, 59)))
        connection.execute(update(schema.tokens).where(schema.tokens.c.name == revoked.name).values(revoked=date(2020, 5, 31)))
        connection.execute(update(schema.tokens).where(schema.tokens.c.name == expired.name).values(expires=date(2020, 5, 31)))
    store.access.note("Ada", "export", "uldp")
    assert not store.access.prune("2020-05-31").anything, "that day itself stays"
    pruned = store.access.prune("2020-06-01")
    assert (pruned.before, pruned.entries, pruned.tokens) == (date(2020, 6, 1), 7, 2)
    assert [(each["action"], each["detail"]) for each in store.access.audit()] == [
        ("prune", "7 entries and 2 tokens from before 2020-06-01"),
        ("export", ""),
    ]
    assert [each.note for each in store.access.tokens()] == ["works"]
    assert store.access.token(new) is not None
    assert store.access.token(old) is None
    assert not store.access.prune("2020-06-01").anything
    assert len(store.access.audit()) == 2, "if nothing is deleted, nothing is written down"
    with refused(ParameterError, "2999-01-01"):
        store.access.prune("2999-01-01")
    with refused(ParameterError, "'yesterday'"):
        store.access.prune("yesterday")
    assert store.access.prune("1d").entries == 0
    store.close()
    data = _every_row(url) if "://" in url else b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert [name for name in (b"Hopper", b"Turing", b"old-study") if name in data] == []


def test_another_study_of_the_same_name_is_refused(url: str) -> None:
    store, (entry,) = opened(url, named("ldp"))
    other = named("uldp", "ldp")
    with refused(ExistsError, "'ldp'"):
        store.add(other, json.dumps(other.compile()))
    assert store.entry("ldp") == entry
    store.close()


def test_migrations_lead_to_the_tables_that_the_code_knows(url: str) -> None:
    store, _ = opened(url)
    with store.dialect.reading() as connection:
        seen = inspect(connection)
        found = {
            name: {column["name"]: bool(column["nullable"]) for column in seen.get_columns(name)}
            for name in seen.get_table_names()
            if name not in {"migrations", "sqlite_sequence"}
        }
        keys = {name: seen.get_pk_constraint(name)["constrained_columns"] for name in found}
    expected = {table.name: {column.name: bool(column.nullable) for column in table.c} for table in schema.metadata.sorted_tables}
    assert found == expected
    assert keys == {table.name: [column.name for column in table.primary_key] for table in schema.metadata.sorted_tables}
    store.close()


def test_migrations_forwards_and_back_keep_the_reports(url: str) -> None:
    store, (entry,) = opened(url, named("ldp"))
    reports = some_reports(entry.study, 3000)
    store.write([arrival(entry, reports)])
    before = store.tally(entry)
    for step in (2, 1, 2, 3, LATEST):
        store.migrate(step)
        assert store.version == step
    assert store.tally(store.entry("ldp")) == before
    assert store.recount(entry).holds
    for step in range(LATEST, -1, -1):
        store.migrate(step)
    with store.dialect.reading() as connection:
        assert set(inspect(connection).get_table_names()) <= {"migrations", "sqlite_sequence"}
    store.ready()
    assert store.studies() == []
    with refused(StoreError, len(STEPS) + 1, LATEST):
        store.migrate(len(STEPS) + 1)
    with store.dialect.writing() as connection:
        connection.execute(text(f"INSERT INTO migrations (number) VALUES ({LATEST + 1})"))
    with refused(StoreError, LATEST + 1, LATEST):
        store.ready()
    store.close()


def test_a_migration_that_fails_changes_nothing(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from sottovoce.store import migrations

    store = Store(url)
    store.migrate(1)
    broken = migrations.Step("broken", ("CREATE TABLE half (one INTEGER)", "CREATE NONSENSE"), ())
    monkeypatch.setattr(migrations, "STEPS", (STEPS[0], broken, STEPS[2]))
    with pytest.raises(StoreError):
        store.migrate(2)
    assert store.version == 1
    with store.dialect.reading() as connection:
        assert not inspect(connection).has_table("half")
    store.close()


def test_a_backup_holds_everything_and_moves_between_stores(url: str, tmp_path: Path) -> None:
    store, (one, two) = opened(url, named("levels"), named("olh"))
    for entry in (one, two):
        store.write([arrival(entry, some_reports(entry.study, 3000))])
    secret, _ = store.access.new_token(Role.ANALYST, ["levels"])
    (ticket,) = store.access.new_tickets("olh", 1)
    backup(store, tmp_path / "backup.sqlite")
    with refused(ParameterError, tmp_path / "backup.sqlite"):
        backup(store, tmp_path / "backup.sqlite")
    assert sorted(path.name for path in tmp_path.iterdir() if "backup" in path.name) == ["backup.sqlite"]
    copy = Store(str(tmp_path / "copy.sqlite"))
    restore(tmp_path / "backup.sqlite", copy)
    for entry in (one, two):
        there = copy.entry(entry.name)
        assert copy.tally(there) == store.tally(entry)
        assert copy.recount(there).holds
    assert copy.access.token(secret) is not None
    assert copy.access.unused_tickets(copy.entry("olh").key) == 1
    assert [each["action"] for each in copy.access.audit()] == [each["action"] for each in store.access.audit()]
    copy.change("olh", "test", respondents="tickets")
    there = copy.entry("olh")
    assert copy.write([arrival(there, some_reports(there.study, 1), None, ticket)]) == [Receipt(1, 0)]
    with refused(ParameterError):
        restore(tmp_path / "backup.sqlite", copy)
    store.migrate(0)
    store.ready()
    restore(tmp_path / "copy.sqlite", store)
    assert store.tally(store.entry("olh")).n == 3001
    store.close()
    copy.close()


def test_a_retry_beside_its_first_try_is_acknowledged(url: str) -> None:
    """Two processes have the same report and the same ticket at the same time."""
    store, (entry,) = opened(url, named("ldp"), respondents="tickets")
    reports = some_reports(entry.study, 1)
    for ticket in store.access.new_tickets(entry.name, 20):
        ids, outcomes, ready = os.urandom(ID), list[Any](), threading.Barrier(2)

        def work(ids: bytes = ids, ticket: str = ticket, ready: threading.Barrier = ready, outcomes: list[Any] = outcomes) -> None:
            mine = Store(url)
            mine.studies()
            ready.wait()
            outcomes.extend(mine.write([arrival(entry, reports, ids, ticket)]))
            mine.close()

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(outcomes, key=str) == [Receipt(0, 1), Receipt(1, 0)]
    assert store.tally(entry).n == 20
    store.close()


def test_after_closing_nothing_comes_in(url: str) -> None:
    """A writer that began before is waited for, or finds the study closed."""
    store, (entry,) = opened(url, named("ldp"))
    reports, stop, accepted = some_reports(entry.study, 1), threading.Event(), list[int]()

    def work() -> None:
        mine = Store(url)
        while not stop.is_set():
            (outcome,) = mine.write([arrival(entry, reports)])
            if isinstance(outcome, Receipt):
                accepted.append(outcome.accepted)
        mine.close()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(5):
        while not accepted:
            stop.wait(0.001)
        store.change("ldp", "test", state="closed")
        n = store.tally(entry).n
        assert [store.tally(entry).n for _ in range(5)] == [n] * 5
        store.change("ldp", "test", state="open")
    stop.set()
    for thread in threads:
        thread.join()
    assert store.tally(entry).n == sum(accepted)
    store.close()


def test_a_key_alone_does_not_open_a_study(url: str) -> None:
    """Knowledge of a store that was made anew, where another study has the same key."""
    store, (entry,) = opened(url, named("ldp"))
    old = arrival(entry, some_reports(entry.study, 5))
    other = Store(url)
    other.migrate(0)
    other.ready()
    study = named("integers")
    there = other.add(study, json.dumps(study.compile()))
    assert store.write([old]) == [Refusal.GONE]
    assert other.tally(there).n == 0
    store.close()
    other.close()


def test_a_study_that_was_replaced_meanwhile_is_left_alone(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody deletes it, and adds another of the same name, between the look and the deed."""
    store, (old,) = opened(url, named("ldp", "same"))
    store.delete("same", "test")
    new = named("uldp", "same")
    store.add(new, json.dumps(new.compile()))
    secret, _ = store.access.new_token(Role.ANALYST, ["same"])
    monkeypatch.setattr(store, "entry", lambda _: old)
    with refused(MissingError, "'same'"):
        store.delete("same", "test")
    with refused(MissingError, "'same'"):
        store.change("same", "test", state="closed")
    monkeypatch.undo()
    assert store.access.token(secret) is not None
    assert store.entry("same").state == "open"
    store.close()


def test_tickets_that_cannot_be_told_are_not_issued(url: str) -> None:
    store, (entry,) = opened(url, named("ldp"))

    def told(_: list[str]) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left on device"):
        store.access.new_tickets("ldp", 5, show=told)
    assert store.access.unused_tickets(entry.key) == 0
    assert store.entry("ldp").issued == 0
    store.close()


def test_who_takes_a_study_alone_has_its_turn(url: str) -> None:
    """Under writers that never pause."""
    store, (entry,) = opened(url, named("ldp"))
    reports, stop = some_reports(entry.study, 1), threading.Event()

    def work() -> None:
        mine = Store(url)
        while not stop.is_set():
            mine.write([arrival(entry, reports)])
        mine.close()

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    try:
        for state in ("closed", "open") * 3:
            store.change("ldp", "test", state=state)
        assert store.recount(entry, repair=True).holds
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    store.close()
