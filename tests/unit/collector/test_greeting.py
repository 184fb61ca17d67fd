"""What `serve` shows on a terminal. That it does so is a system test, on a real one."""

from __future__ import annotations

import pytest

from sottovoce.collector.greeting import greeting
from sottovoce.collector.logs import log, write_for_people, write_left_out

HERE = "http://127.0.0.1:8000"


def test_the_greeting_has_the_links_of_each_study() -> None:
    text = greeting(HERE, ["a", "b"], "sv_secret", "collector.sqlite")
    for name in ("a", "b"):
        assert f"{HERE}/s/{name}\n" in text
        assert f"{HERE}/d/{name}#token=sv_secret\n" in text
    assert "Ctrl+C" in text


def test_without_a_token_it_tells_how_to_make_one() -> None:
    text = greeting("http://0.0.0.0:80", ["a"], "", "other.sqlite", "City of Example")
    assert "#token" not in text
    assert text.rstrip().removesuffix(".").endswith("sottovoce token create a --db other.sqlite")
    assert "--db" not in greeting(HERE, ["a"], "", "postgresql://me:secret@host/db"), "a URL can contain a password"
    assert "sottovoce store add study.toml\n" in greeting(HERE, [], "", "collector.sqlite")
    assert "sottovoce store add study.toml --db other.sqlite\n" in greeting(HERE, [], "", "other.sqlite")


def test_it_hints_once_at_the_operator_that_pages_lack() -> None:
    for studies in (["a", "b"], []):
        assert greeting(HERE, studies, "", "collector.sqlite").count("SOTTOVOCE_OPERATOR") == 1
        assert "operator" not in greeting(HERE, studies, "", "collector.sqlite", "City of Example")


def test_many_studies_are_counted() -> None:
    text = greeting(HERE, [f"study-{number}" for number in range(25)], "sv_secret", "collector.sqlite", "City of Example")
    assert text.count("/s/") == 10
    assert "and 15 more studies" in text
    assert text.rstrip().count("sottovoce store studies\n") == 1
    assert "/studies" not in text, "it doesn't list studies that don't ask for it"


def test_a_person_reads_sentences(capsys: pytest.CaptureFixture[str]) -> None:
    write_left_out(all_of_it=True)
    capsys.readouterr()
    write_for_people(wanted=True)
    try:
        log("stopped")
        log("too many connections", "warning", connections=3, words="two\nlines")
    finally:
        write_for_people(wanted=False)
    assert capsys.readouterr().err == 'Stopped.\nWarning: Too many connections (connections 3, words "two\\nlines").\n'
