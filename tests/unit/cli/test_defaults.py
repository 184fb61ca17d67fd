"""Defaults that surprise no one: files for their owner only, tokens that expire, results from a minimum on, items in natural order."""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import insert

import sottovoce as sv
from collectors import added, hosted
from invoking import as_json, complaint, run
from processes import PROGRAM
from sottovoce.store import Role, Store, credentials, schema
from sottovoce.wire import lines
from studies import STUDIES

DB = ("--db", "c.sqlite")


@pytest.fixture(autouse=True)
def umask() -> Iterator[None]:
    """What most systems have."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "study.toml").write_text(STUDIES["ldp"])
    (tmp_path / "answers.csv").write_text("answer\n" + "flu\n" * 60)
    return tmp_path


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_files_with_reports_and_secrets_are_for_their_owner_only(folder: Path) -> None:
    run(folder, "perturb", "answers.csv", "-o", "r.parquet")
    run(folder, "perturb", "answers.csv", "-o", "r.ndjson")
    run(folder, "perturb", "answers.csv", "-o", "s.parquet")
    run(folder, "tally", "r.parquet", "s.parquet", "-o", "t.arrow")
    run(folder, "store", "add", *DB)
    run(folder, "token", "create", "clinic-2026", "-o", "token.txt", *DB)
    run(folder, "export", "clinic-2026", "-o", "e.parquet", *DB)
    run(folder, "store", "backup", "b.sqlite", *DB)
    store = Store(str(folder / "c.sqlite"))
    store.studies()
    private = ["r.parquet", "r.ndjson", "t.arrow", "c.sqlite", "c.sqlite-wal", "c.sqlite-shm", "token.txt", "e.parquet", "b.sqlite"]
    parts = list((folder / "t.arrow.parts").iterdir())
    assert parts
    assert {str(path): oct(_mode(path)) for path in (*parts, *(folder / name for name in private)) if _mode(path) != 0o600} == {}
    store.close()
    run(folder, "estimate", "r.parquet", "--html", "report.html", "-o", "shares.csv")
    assert {_mode(folder / name) for name in ("report.html", "shares.csv")} == {0o644}, "results are meant to be shared"
    (folder / "r.parquet").chmod(0o640)
    run(folder, "perturb", "answers.csv", "-o", "r.parquet", "--force")
    assert _mode(folder / "r.parquet") == 0o640, "what someone has chosen stays"


def test_a_token_goes_to_a_new_file_or_not_at_all(folder: Path) -> None:
    run(folder, "store", "add", *DB)
    told = as_json(folder, "token", "create", "clinic-2026", "-o", "token.txt", *DB)
    secret = (folder / "token.txt").read_text()
    assert "token" not in told
    assert Store(str(folder / "c.sqlite")).access.token(secret.strip()).name == told["name"]  # type: ignore[union-attr]  # it is one
    assert "token.txt" in complaint(folder, "token", "create", "clinic-2026", "-o", "token.txt", *DB, kind="parameter")
    assert (folder / "token.txt").read_text() == secret
    complaint(folder, "token", "create", "other", "-o", "second.txt", *DB, kind="parameter")
    assert not (folder / "second.txt").exists()
    assert len(as_json(folder, "token", "list", *DB)) == 1


def test_a_token_in_a_file_that_others_can_read_is_hinted_at(folder: Path) -> None:
    run(folder, "store", "add", *DB)
    for mode, hinted in ((0o644, True), (0o600, False)):
        with open(folder / "token.txt", "wb") as file:
            os.fchmod(file.fileno(), mode)
            done = subprocess.run(
                [*PROGRAM, "token", "create", "clinic-2026", *DB], cwd=folder, stdout=file, stderr=subprocess.PIPE, check=True
            )
        assert (b"chmod 600" in done.stderr) == hinted
        assert (folder / "token.txt").read_text().startswith("sv_")


def test_tokens_expire(folder: Path) -> None:
    run(folder, "store", "add", *DB)
    today = credentials.today()
    for option, last in (
        ((), today + timedelta(365)),
        (("--expires", "90d"), today + timedelta(90)),
        (("--expires", "2999-06-30"), "2999-06-30"),
    ):
        assert as_json(folder, "token", "create", "clinic-2026", *option, *DB)["expires"] == str(last)
    assert as_json(folder, "token", "create", "clinic-2026", "--expires", "never", *DB)["expires"] is None
    for wrong in ("soon", "0d", "99999d", "2020-01-01", "90"):
        assert wrong in complaint(folder, "token", "create", "clinic-2026", "--expires", wrong, *DB, kind="parameter")
    listed = run(folder, "token", "list", *DB).stdout.decode()
    assert "2999-06-30" in listed
    assert "never" in listed
    assert len(as_json(folder, "token", "list", *DB)) == 4


def _expire(url: str, days: int) -> str:
    """A token whose last day was so many days ago."""
    store = Store(url)
    name, secret, digest = credentials.new_token()
    row = {"name": name, "hash": digest, "role": "analyst", "studies": "*", "note": "", "created": credentials.today()}
    with store.dialect.writing() as connection:
        connection.execute(insert(schema.tokens).values(**row, expires=credentials.today() - timedelta(days)))
    store.close()
    return secret


def test_a_collector_refuses_an_expired_token(tmp_path: Path) -> None:
    url = str(tmp_path / "c.sqlite")
    added(url, sv.Study.from_toml(STUDIES["ldp"].replace("[privacy]\n", "[privacy]\nminimum = 1\n")))
    with hosted(url) as collector, collector.client() as client:
        for days, status, kind in ((1, 401, "/problems/expired-token"), (0, 200, None)):
            answer = client.get("/studies/clinic-2026/outlook", headers={"authorization": f"Bearer {_expire(url, days)}"})
            assert (answer.status_code, answer.json().get("type")) == (status, kind)
        guess = f"{_expire(url, 1)[:-1]}x"
        assert client.get("/metrics", headers={"authorization": f"Bearer {guess}"}).json()["type"] == "/problems/no-token"
    assert b"(expired)" in run(tmp_path, "token", "list", *DB).stdout


def test_a_step_back_leaves_expired_tokens_shut_and_earlier_tokens_never_expire(tmp_path: Path) -> None:
    url = str(tmp_path / "c.sqlite")
    added(url, sv.Study.from_toml(STUDIES["ldp"]))
    old, lasting = _expire(url, 1), _expire(url, -5)
    store = Store(url)
    store.migrate(3)
    store.migrate()
    assert store.access.token(old) is None
    again = store.access.token(lasting)
    assert again is not None
    assert again.expires is None
    store.close()


def test_results_are_shown_from_the_minimum_on(folder: Path) -> None:
    study = sv.Study.from_toml(STUDIES["ldp"])
    assert "50 reports" in study.explain()
    (folder / "few.csv").write_text("answer\n" + "flu\n" * 12)
    run(folder, "perturb", "few.csv", "-o", "few.parquet")
    said = complaint(folder, "estimate", "few.parquet", kind="few-reports")
    assert "12 reports so far. Results are shown once there are 50." in said
    told = as_json(folder, "estimate", "few.parquet", "--force")
    assert told["n"] == 12
    assert "50" in told["cautions"][0]
    run(folder, "tally", "few.parquet", "-o", "few.arrow")
    own = STUDIES["ldp"].replace("[privacy]\n", "[privacy]\nminimum = 10\n")
    (folder / "study.toml").write_text(own)
    assert sv.Study.from_toml(own).fingerprint != study.fingerprint
    run(folder, "perturb", "few.csv", "-o", "few.parquet", "--force")
    assert as_json(folder, "estimate", "few.parquet")["n"] == 12


def test_the_default_minimum_does_not_change_a_fingerprint() -> None:
    plain = sv.Study.from_toml(STUDIES["ldp"])
    assert "minimum" not in plain.compile()
    assert sv.Study.from_toml(STUDIES["ldp"].replace("[privacy]\n", "[privacy]\nminimum = 50\n")).fingerprint == plain.fingerprint


@pytest.mark.parametrize("minimum", ["0", "-1", "1.5", '"50"', "true"])
def test_a_strange_minimum_is_refused(folder: Path, minimum: str) -> None:
    (folder / "study.toml").write_text(STUDIES["ldp"].replace("[privacy]\n", f"[privacy]\nminimum = {minimum}\n"))
    assert "minimum" in complaint(folder, "check", kind="study")


def test_a_collector_shows_analysts_nothing_below_the_minimum(tmp_path: Path) -> None:
    url, study = str(tmp_path / "c.sqlite"), sv.Study.from_toml(STUDIES["ldp"])
    added(url, study)
    with hosted(url) as collector, collector.client() as client:
        analyst, admin = collector.token(Role.ANALYST, "clinic-2026"), collector.token(Role.ADMIN)
        reports = study.blocks[""].perturb(["flu"] * 50, source=sv.SeededSource(1))
        kind = {"content-type": "application/x-ndjson"}

        def send(begin: int, end: int) -> None:
            body = lines(study.fingerprint, reports[begin:end])
            assert client.post("/studies/clinic-2026/reports", content=body, headers=kind).status_code == 200

        send(0, 49)
        for path in ("tally", "estimate", "export", "estimate?method=projected"):
            answer = client.get(f"/studies/clinic-2026/{path}", headers=analyst)
            assert (answer.status_code, answer.json()["type"]) == (409, "/problems/few-reports"), path
            assert answer.json()["detail"] == "49 reports so far. Results are shown once there are 50."
            assert (answer.json()["reports"], answer.json()["minimum"]) == (49, 50)
        first = client.get("/studies/clinic-2026/outlook", headers=analyst).json()
        assert first["people"] == 49
        assert client.get("/studies/clinic-2026/estimate", headers=admin).status_code == 409
        assert client.get("/studies/clinic-2026/tally", headers=admin).json()["n"] == 49
        assert client.get("/studies/clinic-2026/export", headers=admin).status_code == 200
        send(49, 50)
        for path in ("tally", "estimate", "export"):
            assert client.get(f"/studies/clinic-2026/{path}", headers=analyst).status_code == 200, path


def test_items_of_a_file_are_in_natural_order_with_a_warning(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("answer\n" + "4\n" * 9 + "5\n" * 7 + "3\n" * 5 + "10\n" * 3 + "2\n" * 2 + "1\n")
    done = run(tmp_path, "new", "survey", "--items-from", "a.csv")
    assert list(sv.Study.load(tmp_path / "study.toml").domain) == ["1", "2", "3", "4", "5", "10"]
    assert b"reveals which answers occur" in done.stderr
    assert b"--item" in done.stderr
    (tmp_path / "b.csv").write_text("answer\npage 10\npage 10\nPage 9\nzebra\nzebra\nApple\nbanana\n")
    run(tmp_path, "new", "survey", "--items-from", "b.csv", "--force")
    assert list(sv.Study.load(tmp_path / "study.toml").domain) == ["Apple", "banana", "Page 9", "page 10", "zebra"]
