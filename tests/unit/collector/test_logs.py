"""The log: a line for each event, and no more lines than a disk can take."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from sottovoce.collector.logs import log, relayed, write_left_out
from sottovoce.collector.metrics import Metrics
from sottovoce.collector.writer import Writer
from sottovoce.errors import StoreError
from sottovoce.store.dialects import explained


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


def test_of_each_event_some_lines_are_written_and_the_rest_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    write_left_out(all_of_it=True)
    lines(capsys)
    for number in range(500):
        log("a request failed", "error", number=number)
    log("another event", "warning")
    written = lines(capsys)
    assert [line.get("number") for line in written] == [*range(10), None]
    write_left_out()
    assert lines(capsys) == []  # the ten seconds are not over
    write_left_out(all_of_it=True)
    (rest,) = lines(capsys)
    assert (rest["event"], rest["of"], rest["count"], rest["level"]) == ("lines left out", "a request failed", 490, "error")
    log("a request failed", "error", number=500)
    assert [line["number"] for line in lines(capsys)] == [500]
    write_left_out(all_of_it=True)
    assert lines(capsys) == []


def test_what_no_request_causes_is_always_written(capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(50):
        log("study", name=str(number))
    assert len(lines(capsys)) == 50


def test_the_access_log_has_room_for_more(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(1500):
        log("request", method="GET", status=200)
    assert len(lines(capsys)) == 1000
    write_left_out(all_of_it=True)
    assert [line["count"] for line in lines(capsys)] == [500]


def test_the_event_loop_has_one_line_and_no_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    before = {name: (logging.getLogger(name).handlers, logging.getLogger(name).propagate) for name in ("asyncio", "uvicorn")}
    try:
        relayed()
        try:
            raise OSError("secret")
        except OSError:
            logging.getLogger("asyncio").exception("Fatal error on transport\nprotocol: secret")
        (line,) = lines(capsys)
        assert (line["message"], line["error"]) == ("Fatal error on transport", "OSError")
        assert "secret" not in str(line)
    finally:
        write_left_out(all_of_it=True)
        for name, (handlers, propagate) in before.items():
            logging.getLogger(name).handlers, logging.getLogger(name).propagate = handlers, propagate


def test_a_database_that_is_away_is_logged_with_its_host_and_never_answered_with_it(capsys: pytest.CaptureFixture[str]) -> None:
    driver = 'connection failed: connection to server at "10.0.0.7", port 5432 failed: Connection refused\n\tIs it running?'
    with pytest.raises(StoreError) as error, explained():
        raise OperationalError("INSERT", {"password": "secret"}, Exception(driver))
    assert "10.0.0.7" not in str(error.value)
    writer = Writer(None, Metrics(), 0.0, 1.0)  # type: ignore[arg-type]  # no group is written
    writer._refuse([], error.value)
    line = json.loads(capsys.readouterr().err)
    assert line["reason"] == driver.splitlines()[0]
    assert (line["error"], line["requests"]) == (str(error.value), 0)
    with pytest.raises(StoreError) as error, explained():
        raise OperationalError("", {}, Exception('invalid dsn "postgresql://ada:secret@db/x" password=secret sslkey = secret'))
    assert "secret" not in error.value.reason
    assert "invalid dsn" in error.value.reason
