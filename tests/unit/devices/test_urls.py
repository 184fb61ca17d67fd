"""All spellings of one URL are one study, so a device answers it once."""

from __future__ import annotations

import json

import pytest

from devices import Memory, device, named
from messages import refused
from sottovoce.devices.urls import checked_url, is_at
from sottovoce.errors import ParameterError

PLACE = "https://collector.example/studies/survey"


@pytest.mark.parametrize(
    "spelling",
    [
        PLACE,
        f"{PLACE}/",
        f"{PLACE}?x=1#t",
        "HTTPS://Collector.Example/studies/survey",
        "https://collector.example:443/studies/survey",
        "https://collector.example:0443/studies/survey",
        "https://collector.example:/studies/survey",
        "https://collector.example./studies/survey",
        "https://collector.example/studies/%73urve%79",
        "https://collector.example/x/../studies/./survey",
        "https://collector.example/x/%2e%2E/studies/%2e/survey",
        "https://collector.example/../studies/survey",
    ],
)
def test_spellings_of_one_url_are_one_study(spelling: str) -> None:
    given = device()
    assert given.record(named("ldp"), "flu", url=PLACE).state == "waiting"
    spent = given.spent()
    assert given.record(named("scale"), "often", url=spelling).changed
    assert given.status(spelling).state == "waiting"
    assert given.record(spelling, "often").state == "waiting"  # nothing is fetched
    assert given.spent() == spent
    given.forget(spelling)
    assert given.status(PLACE).state == "removed"


@pytest.mark.parametrize(
    ("spelling", "usual"),
    [
        ("https://[0:0:0:0:0:0:0:1]:443/", "https://[::1]"),
        ("http://LOCALHOST:80/studies/a%2fb", "http://localhost/studies/a%2Fb"),
        ('https://a.example/"x"|', "https://a.example/%22x%22%7C"),
        ("https://a.example:8443", "https://a.example:8443"),
        ("https://192.0.2.1./a", "https://192.0.2.1/a"),
    ],
)
def test_the_usual_spelling(spelling: str, usual: str) -> None:
    assert checked_url(spelling) == usual == checked_url(usual)


@pytest.mark.parametrize(
    "url",
    [
        "https://collector.example//studies/survey",
        "https://collector.example/studies//survey",
        "https://collector.example\\studies\\survey",
        "https://collector.example../studies",
        "https://%63ollector.example/studies",
        "https://127.1/studies",
        "https://0x7f.0.0.1/studies",
        "https://2130706433/studies",
        "https://me@collector.example/studies",
        "https://collector.example:70000/studies",
        "https:///studies",
    ],
)
def test_ambiguous_urls_are_refused(url: str) -> None:
    with refused(ParameterError, repr(url)[1:-1]):
        checked_url(url)


def test_older_ledgers_have_other_spellings() -> None:
    storage = Memory()
    device(storage).record(named("ldp"), "flu", url=PLACE)
    ledger = storage.ledger
    for line in ledger["lines"].values():
        line["url"] = "https://Collector.example:443/studies/survey"
    given = device(Memory(json.dumps(ledger).encode()))
    assert given.status(PLACE).state == "waiting"
    assert given.record(named("scale"), "often", url=PLACE).changed
    assert not is_at("", "")
