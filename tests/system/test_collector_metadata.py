"""What the collector knows: read from its database, its log and its process, during a run and after it."""

from __future__ import annotations

import datetime
import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from collectors import NDJSON, Served, added, bodies, named, serving, some_reports
from postgres import Server
from sottovoce.store import Store, schema

#: What a person's request carries besides the report; none of it may be found anywhere.
AGENT, FORWARDED, COOKIE, REFERER = "SpyBrowser/77.7", "203.0.113.77", "session=tell-tale-cookie", "https://tell-tale.example/page"
SOURCE = "127.0.0.77"


def sent(served: Served, name: str, body: bytes, query: str = "") -> int:
    """A report from an address of its own, with all that a browser tells."""
    head = (
        f"POST /studies/{name}/reports{query} HTTP/1.1\r\nhost: collector.example\r\nuser-agent: {AGENT}\r\n"
        f"x-forwarded-for: {FORWARDED}\r\nforwarded: for={FORWARDED}\r\n"
        f"x-real-ip: {FORWARDED}\r\ncookie: {COOKIE}\r\nreferer: {REFERER}\r\n"
        f"content-type: {NDJSON}\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", served.port), timeout=20, source_address=(SOURCE, 0)) as line:
        line.sendall(head.encode() + body)
        return int(line.recv(4096)[9:12])


def files_of(pid: int) -> Iterator[Path]:
    """The files that a process has open, and those beside its database."""
    for link in Path(f"/proc/{pid}/fd").iterdir():
        try:
            target = Path(os.readlink(link))
        except OSError:
            continue
        if target.is_file() and not str(target).startswith(("/proc", "/dev")):
            yield target


def rows(url: str) -> list[tuple[str, object]]:
    store = Store(url)
    with store.dialect.reading() as connection:
        found = [
            (f"{table.name}.{column}", value)
            for table in schema.metadata.sorted_tables
            for row in connection.execute(select(table)).mappings()
            for column, value in row.items()
        ]
    store.close()
    return found


TRACES = [trace.encode() for trace in (AGENT, "SpyBrowser", FORWARDED, COOKIE, "tell-tale", REFERER, SOURCE, "collector.example")]


@pytest.mark.parametrize("access_log", [False, True])
def test_nothing_of_a_request_but_its_report_is_kept(url: str, tmp_path: Path, access_log: bool) -> None:
    study = named("ldp")
    added(url, study)
    reports = bodies(study, some_reports(study, 300))
    with serving(url, tmp_path, access_log=access_log, check=not access_log) as served:
        for body in reports:
            assert sent(served, study.name, body) == 200
        assert sent(served, study.name, b"broken") == 422
        assert sent(served, "nothing", reports[0]) == 404
        assert sent(served, study.name, reports[0], "?tell-tale=1") == 422
        during = {path: path.read_bytes() for path in files_of(served.process.pid)}
        during |= {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
        log = served.log.read_text()
        if access_log:
            served.stop()
    after = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    if "://" in url:
        server: Path = Path(url.split("host=")[1])
        after |= {path: path.read_bytes() for path in server.rglob("*") if path.is_file()}
    for path, data in (during | after).items():
        for trace in TRACES:
            assert trace not in data, (path, trace)
    for line in log.splitlines():
        event = json.loads(line)
        assert event["event"] in ({"listening", "study", "request"} if access_log else {"listening", "study", "stopped"})
        assert set(event) <= {"time", "level", "event", "address", "workers", "method", "status", "name", "survey", "dashboard"}
        assert len(event["time"]) == len("2026-01-01T00:00Z"), "to the minute"
    assert log.count('"event": "request"') == (303 if access_log else 0)


def test_no_time_and_no_address_is_in_the_tables(url: str, tmp_path: Path) -> None:
    study = named("ldp")
    before = datetime.datetime.now(datetime.UTC).timestamp() - 60
    added(url, study)
    with serving(url, tmp_path) as served:
        for body in bodies(study, some_reports(study, 100)):
            sent(served, study.name, body)
    until = datetime.datetime.now(datetime.UTC).timestamp() + 60
    for place, value in rows(url):
        if place in {"audit.at", "tokens.created", "studies.compiled"}:
            continue
        assert not isinstance(value, (datetime.datetime, datetime.date)), place
        if isinstance(value, int):
            for unit in (1, 10**3, 10**6, 10**9):
                assert not before <= value / unit <= until or place == "chunks.key", (place, value)
        if isinstance(value, (bytes, memoryview)):
            assert socket.inet_aton(SOURCE) not in bytes(value) or len(bytes(value)) in {16, 32}, place
        if isinstance(value, str) and place != "studies.compiled":
            assert SOURCE not in value
            assert AGENT not in value


def test_postgresql_is_told_to_wait_for_the_disk(postgres: Server, tmp_path: Path) -> None:
    """Whatever the server's default is."""
    from sqlalchemy import text

    url = postgres.database()
    name = url.split("/")[3].split("?")[0]
    postgres.run(
        "psql", "--host", str(postgres.folder), "--username", "tester", name, "-c", f"ALTER DATABASE {name} SET synchronous_commit = off"
    )
    store = Store(url)
    with store.dialect.writing() as connection:
        assert connection.execute(text("SHOW synchronous_commit")).scalar_one() == "on"
    store.close()
