"""The commands of a collector, over a store: studies, tokens, tickets, exports, backups.

The unit tests run them in their own process, on SQLite. The system tests run them as processes, on PostgreSQL. A test file that imports
this suite defines the fixtures `program`, with `run`, `as_json` and `complaint`, and `hosting`, which starts a collector.
"""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import sottovoce as sv
from collectors import NDJSON, Hosting, recounted, some_reports
from sottovoce.store import Store
from sottovoce.store.credentials import today
from sottovoce.wire import lines
from studies import STUDIES


@pytest.fixture
def folder(tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a study, and a store that the environment names."""
    monkeypatch.setenv("SOTTOVOCE_DB", url)
    (tmp_path / "study.toml").write_text(STUDIES["ldp"])
    return tmp_path


def test_a_study_from_adding_to_deleting(folder: Path, url: str, program: Any, hosting: Hosting) -> None:
    name = "clinic-2026"
    program.run(folder, "store", "migrate")
    assert program.as_json(folder, "store", "studies") == []
    assert program.run(folder, "store", "studies").stderr.startswith(b"The store has no studies")
    fingerprint = program.as_json(folder, "store", "add")["fingerprint"]
    token = program.as_json(folder, "token", "create", name, "--note", "Ada")
    printed = program.run(folder, "token", "create", "--role", "admin").stdout.decode().strip()
    listed = program.as_json(folder, "token", "list")
    assert [(each["role"], each["studies"], each["note"]) for each in sorted(listed, key=lambda each: each["role"])] == [
        ("admin", ["*"], ""),
        ("analyst", [name], "Ada"),
    ]
    assert token["token"] not in json.dumps(listed)
    assert "Ada" in program.run(folder, "token", "list").stdout.decode()

    program.as_json(folder, "store", "change", name, "--respondents", "tickets")
    for option, listed in (("--listed", True), ("--unlisted", False)):
        assert program.as_json(folder, "store", "change", name, option)["listed"] is listed
    assert program.run(folder, "ticket", "create", name, "--count", "3", "-o", "tickets.txt").stdout == b""
    tickets = (folder / "tickets.txt").read_text().split()
    assert len(set(tickets)) == 3
    assert (folder / "tickets.txt").stat().st_mode & 0o777 == 0o600
    assert len(program.run(folder, "ticket", "create", name, "-n", "2").stdout.split()) == 2
    assert program.as_json(folder, "ticket", "count", name) == {"study": name, "respondents": "tickets", "issued": 5, "unused": 5}
    program.run(folder, "ticket", "create", name, "-n", "2", "-o", "/no/such/folder/x", code=3)
    program.run(folder, "ticket", "create", name, "-n", "2", "-o", "/dev/full", code=3)
    assert program.as_json(folder, "ticket", "count", name)["unused"] == 5, "none was issued that nobody has"

    study = sv.Study.load(folder / "study.toml")
    assert study.fingerprint == fingerprint
    with hosting() as served, served.client() as client:
        body = lines(study.fingerprint, some_reports(study, 1))
        headers = {"content-type": NDJSON, "authorization": f"Ticket {tickets[0]}"}
        assert client.post(f"/studies/{name}/reports", content=body, headers=headers).status_code == 200
        program.as_json(folder, "store", "change", name, "--respondents", "open")
        body = lines(study.fingerprint, some_reports(study, 4000))
        assert client.post(f"/studies/{name}/reports", content=body, headers={"content-type": NDJSON}).json()["accepted"] == 4000
        found = client.get(f"/studies/{name}/estimate", headers={"authorization": f"Bearer {token['token']}"}).json()
        assert client.get("/audit", headers={"authorization": f"Bearer {printed}"}).status_code == 200
        program.run(folder, "token", "revoke", token["name"])
        assert client.get(f"/studies/{name}/estimate", headers={"authorization": f"Bearer {token['token']}"}).status_code == 401
        assert program.as_json(folder, "export", name, "-o", "reports.parquet", "--compiled", "study.json")["reports"] == 4001
        assert program.as_json(folder, "store", "recount")[0]["holds"]
        program.run(folder, "store", "backup", "backup.sqlite")
    assert program.as_json(folder, "estimate", "study.json", "reports.parquet")["items"] == found["items"], "the same by every way"
    assert program.as_json(folder, "store", "studies")[0]["reports"] == 4001
    assert "4,001" in program.run(folder, "store", "studies").stdout.decode()
    assert b": OK" in program.run(folder, "store", "recount").stdout
    recounted(url, name)

    _deleted_and_restored(folder, name, program)


def _deleted_and_restored(folder: Path, name: str, program: Any) -> None:
    said = program.complaint(folder, "store", "delete", name, stdin=b"n\n")
    assert name in said
    assert "4,001" in said
    assert program.as_json(folder, "store", "delete", name, "--yes")["reports"] == 4001
    assert program.as_json(folder, "store", "studies") == []
    actions = [each["action"] for each in program.as_json(folder, "store", "audit")]
    assert actions[0] == "delete study"
    assert {"export", "revoke token", "issue tickets", "change study", "create token", "add study"} <= set(actions)
    assert "delete study" in program.run(folder, "store", "audit", "--limit", "1").stdout.decode()

    pruned = ("store", "prune", "--before", "365d")
    program.complaint(folder, *pruned, stdin=b"n\n")
    assert program.as_json(folder, *pruned, "--yes") == {"before": str(today() - timedelta(365)), "entries": 0, "tokens": 0}
    assert b"0 audit entries and 0 tokens" in program.run(folder, *pruned, "--yes").stdout
    assert [each["action"] for each in program.as_json(folder, "store", "audit")] == actions

    other = ("--db", "other.sqlite")
    assert program.as_json(folder, "store", "restore", "backup.sqlite", *other)["restored"] == [name]
    assert program.as_json(folder, "store", "recount", *other)[0]["reports"] == 4001
    program.complaint(folder, "store", "restore", "backup.sqlite", *other, kind="parameter")


def test_migrations_by_command(folder: Path, program: Any) -> None:
    assert program.as_json(folder, "store", "migrate") == {"before": 0, "now": 5}
    program.complaint(folder, "store", "migrate", "--to", "1", stdin=b"n\n")
    assert program.as_json(folder, "store", "migrate", "--to", "1", "--yes") == {"before": 5, "now": 1}
    assert "9" in program.complaint(folder, "store", "migrate", "--to", "9", kind="store")
    assert b"step 5 of 5 (before: 1)" in program.run(folder, "store", "migrate").stdout


def test_a_recount_that_differs_is_told(folder: Path, url: str, program: Any) -> None:
    from sqlalchemy import text

    program.as_json(folder, "store", "add")
    store = Store(url)
    with store.dialect.writing() as connection:
        connection.execute(text("INSERT INTO ids (study, id) SELECT key, :id FROM studies"), {"id": b"0" * 16})
    store.close()
    for options in ((), ("--repair",)):
        program.complaint(folder, "store", "recount", *options)


@pytest.mark.parametrize(
    ("kind", "value", "arguments"),
    [
        ("not-found", "'nope'", ("export", "nope")),
        ("not-found", "'nope'", ("ticket", "create", "nope", "-n", "1")),
        ("parameter", "'nope'", ("token", "create", "nope")),
        ("parameter", "", ("token", "create")),
        ("parameter", "'nope'", ("token", "revoke", "nope")),
        ("not-found", "'nope'", ("store", "delete", "nope", "--yes")),
        ("parameter", "open", ("store", "change", "clinic-2026")),
        ("parameter", "nope.sqlite", ("store", "restore", "nope.sqlite")),
        ("parameter", "'yesterday'", ("store", "prune", "--before", "yesterday", "--yes")),
        ("parameter", "nonsense", ("store", "studies", "--config", "wrong.toml")),
        ("store", "/no/such/folder", ("store", "studies", "--db", "/no/such/folder/x.sqlite")),
        ("parameter", "'mysql'", ("store", "studies", "--db", "mysql://x/y")),
        ("", "2", ("serve", "--db", "one.sqlite", "--workers", "2")),
    ],
    ids=lambda each: " ".join(each[:2]) if isinstance(each, tuple) else each,
)
def test_what_cannot_be_is_told(kind: str, value: str, arguments: tuple[str, ...], folder: Path, program: Any) -> None:
    (folder / "wrong.toml").write_text("nonsense = 1")
    program.run(folder, "store", "migrate")
    assert value in program.complaint(folder, *arguments, kind=kind)
