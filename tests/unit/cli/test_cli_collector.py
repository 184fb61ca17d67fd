"""The commands of a collector, as processes of their own, over either store."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import pytest

from collectors import NDJSON, named, recounted, serving, some_reports
from processes import as_json, run
from sottovoce.store import Role, Store
from sottovoce.wire import lines
from studies import STUDIES


@pytest.fixture
def folder(tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a study, and a store that the environment names."""
    monkeypatch.setenv("SOTTOVOCE_DB", url)
    (tmp_path / "study.toml").write_text(STUDIES["ldp"])
    return tmp_path


def test_a_study_from_adding_to_deleting(folder: Path, url: str) -> None:
    name = "clinic-2026"
    assert as_json(folder, "store", "studies") == []
    assert b"no studies yet" in run(folder, "store", "studies").stderr
    fingerprint = as_json(folder, "store", "add")["fingerprint"]
    token = as_json(folder, "token", "create", name, "--note", "Ada")
    printed = run(folder, "token", "create", "--role", "admin").stdout.decode().strip()
    listed = as_json(folder, "token", "list")
    assert [(each["role"], each["studies"], each["note"]) for each in sorted(listed, key=lambda each: each["role"])] == [
        ("admin", ["*"], ""),
        ("analyst", [name], "Ada"),
    ]
    assert token["token"] not in json.dumps(listed)
    assert "Ada" in run(folder, "token", "list").stdout.decode()

    as_json(folder, "store", "change", name, "--respondents", "tickets")
    assert run(folder, "ticket", "create", name, "--count", "3", "-o", "tickets.txt").stdout == b""
    tickets = (folder / "tickets.txt").read_text().split()
    assert len(set(tickets)) == 3
    assert (folder / "tickets.txt").stat().st_mode & 0o777 == 0o600
    assert len(run(folder, "ticket", "create", name, "-n", "2").stdout.split()) == 2
    assert as_json(folder, "ticket", "count", name) == {"study": name, "respondents": "tickets", "issued": 5, "unused": 5}
    run(folder, "ticket", "create", name, "-n", "2", "-o", "/no/such/folder/x", code=3)
    run(folder, "ticket", "create", name, "-n", "2", "-o", "/dev/full", code=3)
    assert as_json(folder, "ticket", "count", name)["unused"] == 5, "none was issued that nobody has"

    study = named("ldp", name)
    assert study.fingerprint == fingerprint
    with serving(url, folder) as served, served.client() as client:
        body = lines(study.fingerprint, some_reports(study, 1))
        headers = {"content-type": NDJSON, "authorization": f"Ticket {tickets[0]}"}
        assert client.post(f"/studies/{name}/reports", content=body, headers=headers).status_code == 200
        as_json(folder, "store", "change", name, "--respondents", "open")
        body = lines(study.fingerprint, some_reports(study, 4000))
        assert client.post(f"/studies/{name}/reports", content=body, headers={"content-type": NDJSON}).json()["accepted"] == 4000
        found = client.get(f"/studies/{name}/estimate", headers={"authorization": f"Bearer {token['token']}"}).json()
        assert client.get("/audit", headers={"authorization": f"Bearer {printed}"}).status_code == 200
        run(folder, "token", "revoke", token["name"])
        assert client.get(f"/studies/{name}/estimate", headers={"authorization": f"Bearer {token['token']}"}).status_code == 401
        assert as_json(folder, "export", name, "-o", "reports.parquet", "--compiled", "study.json")["reports"] == 4001
        assert as_json(folder, "store", "recount")[0]["holds"]
        run(folder, "store", "backup", "backup.sqlite")
    assert as_json(folder, "estimate", "study.json", "reports.parquet")["items"] == found["items"], "the same by every way"
    assert as_json(folder, "store", "studies")[0]["reports"] == 4001
    assert "4,001" in run(folder, "store", "studies").stdout.decode()
    assert b"all fits" in run(folder, "store", "recount").stdout
    recounted(url, name)

    _deleted_and_restored(folder, name)


def _deleted_and_restored(folder: Path, name: str) -> None:
    assert b"cannot be undone" in run(folder, "store", "delete", name, code=1, stdin=b"n\n").stderr
    assert as_json(folder, "store", "delete", name, "--yes")["reports"] == 4001
    assert as_json(folder, "store", "studies") == []
    actions = [each["action"] for each in as_json(folder, "store", "audit")]
    assert actions[0] == "delete study"
    assert {"export", "revoke token", "issue tickets", "change study", "create token", "add study"} <= set(actions)
    assert "delete study" in run(folder, "store", "audit", "--limit", "1").stdout.decode()

    os.environ["SOTTOVOCE_DB"] = str(folder / "other.sqlite")
    assert as_json(folder, "store", "restore", "backup.sqlite")["restored"] == [name]
    assert as_json(folder, "store", "recount")[0]["reports"] == 4001
    assert b"holds something" in run(folder, "store", "restore", "backup.sqlite", code=1).stderr


def test_migrations_by_command(folder: Path) -> None:
    assert as_json(folder, "store", "migrate") == {"before": 0, "now": 3}
    assert b"Going back" in run(folder, "store", "migrate", "--to", "1", code=1, stdin=b"n\n").stderr
    assert as_json(folder, "store", "migrate", "--to", "1", "--yes") == {"before": 3, "now": 1}
    assert b"not a step" in run(folder, "store", "migrate", "--to", "9", code=1).stderr
    assert b"step 3 of 3 (before: 1)" in run(folder, "store", "migrate").stdout


def test_a_recount_that_differs_is_told(folder: Path, url: str) -> None:
    from sqlalchemy import text

    as_json(folder, "store", "add")
    store = Store(url)
    with store.dialect.writing() as connection:
        connection.execute(text("INSERT INTO ids (study, id) SELECT key, :id FROM studies"), {"id": b"0" * 16})
    store.close()
    assert b"cannot be mended" in run(folder, "store", "recount", code=1).stderr
    assert b"cannot be mended" in run(folder, "store", "recount", "--repair", code=1).stderr


def test_what_cannot_be_is_told(folder: Path) -> None:
    for words, *arguments in (
        ("no study 'nope'", "export", "nope"),
        ("no study 'nope'", "ticket", "create", "nope", "-n", "1"),
        ("no study 'nope'", "token", "create", "nope"),
        ("for some studies", "token", "create"),
        ("no token", "token", "revoke", "nope"),
        ("no study 'nope'", "store", "delete", "nope", "--yes"),
        ("is open or closed", "store", "change", "clinic-2026"),
        ("no such backup", "store", "restore", "nope.sqlite"),
        ("not a setting", "store", "studies", "--config", "wrong.toml"),
        ("there is no folder", "store", "studies", "--db", "/no/such/folder/x.sqlite"),
        ("not a store that is known", "store", "studies", "--db", "mysql://x/y"),
        ("several need PostgreSQL", "serve", "--db", "one.sqlite", "--workers", "2"),
    ):
        (folder / "wrong.toml").write_text("nonsense = 1")
        assert words in run(folder, *arguments, code=1).stderr.decode(), arguments
    told = as_json(folder, "export", "nope", code=1)
    assert "no study 'nope'" in told["error"]


def test_serve_tells_why_it_cannot(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDIES["ldp"])
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        told = run(tmp_path, "serve", "study.toml", "--port", str(taken.getsockname()[1]), code=3)
    assert b"cannot listen on 127.0.0.1" in told.stderr
    (tmp_path / "study.toml").write_text(STUDIES["uldp"])
    assert b"give it another name, or delete the stored one" in run(tmp_path, "serve", "study.toml", code=1).stderr
    assert b"no such file" in run(tmp_path, "serve", "nope.toml", code=3).stderr


def test_serve_takes_studies_and_asks_for_tickets(tmp_path: Path) -> None:
    import subprocess
    import time

    from processes import PROGRAM

    (tmp_path / "study.toml").write_text(STUDIES["ldp"])
    with open(tmp_path / "log", "wb") as log:
        process = subprocess.Popen([*PROGRAM, "serve", "study.toml", "--tickets", "--port", "0"], cwd=tmp_path, stderr=log)
    try:
        for _ in range(400):
            if b"listening" in (tmp_path / "log").read_bytes():
                break
            time.sleep(0.05)
        store = Store(str(tmp_path / "collector.sqlite"))
        assert store.entry("clinic-2026").respondents == "tickets"
        assert store.access.new_token(Role.MONITOR, [])[1].role is Role.MONITOR
        store.close()
    finally:
        process.terminate()
        assert process.wait(30) == 0
    events = [json.loads(line)["event"] for line in (tmp_path / "log").read_text().splitlines()]
    assert events == ["listening", "study", "stopped"]
