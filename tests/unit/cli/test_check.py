"""sottovoce check: what a study promises."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

import sottovoce as sv
from invoking import as_json, complaint, run
from messages import wording
from paths import BROKEN_STUDIES
from scripted_server import Scripted
from studies import QUESTIONNAIRES, STUDIES


@pytest.fixture
def scripted() -> Iterator[Scripted]:
    server = Scripted()
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_check_reads_what_a_collector_serves_and_standard_input(place: Path, scripted: Scripted) -> None:
    study = sv.Study.load(place / "study.toml")
    compiled = json.dumps(study.compile()).encode()
    url = f"{scripted.address}/studies/{study.name}"
    scripted.script += [(200, {}, compiled)] * 2
    assert study.fingerprint in run(place, "check", f"{url}/?#ticket=secret").stdout.decode()
    assert scripted.requests[0][1] == f"/studies/{study.name}", "nothing after the path is sent"
    assert f"`{study.fingerprint}`" in run(place, "explain", url, "--for", "board").stdout.decode()
    for data in (compiled, (place / "study.toml").read_bytes()):
        assert as_json(place, "check", "-", stdin=data)["fingerprint"] == study.fingerprint
    changed = compiled.replace(b'"none"', b'"nothing"')
    scripted.script += [(200, {}, changed), (200, {}, b"<html>"), (404, {}, b"{}"), (200, {}, b" " * (1 << 24) + b"{}")]
    for words in ("fingerprint", "/studies/", "404", "16,777,216"):
        said = run(place, "check", url, code=1).stderr.decode()
        assert words in said, said
        assert said.count("\n") == 1
    assert "https" in complaint(place, "check", "http://collector.example/studies/x", kind="parameter")


def test_check_says_what_is_promised(place: Path) -> None:
    text = run(place, "check", "study.toml", "--compiled", "study.json").stdout.decode()
    told = as_json(place, "check")
    wording(text)
    assert told["fingerprint"] in text
    assert told["blocks"] == [
        {
            "level": "",
            "mechanism": told["blocks"][0]["mechanism"],
            "notion": "ULDP",
            "holds": True,
            "epsilon": 1.0,
            "epsilon_per_report": 1.0,
        }
    ]
    assert as_json(place, "check", "study.json")["fingerprint"] == told["fingerprint"]
    (place / "study.toml").write_text(STUDIES["uldp"].replace("epsilon", "epsilom"))
    broken = complaint(place, "check", kind="study")
    assert all(each in broken for each in ("study.toml", "line 6", "[privacy]", "epsilom", "'epsilon'"))
    assert broken.count("\n") == 1


def test_epsilon_is_that_of_a_person_wherever_it_stands(place: Path) -> None:
    """With several reports, check, its data and the page for the board name the same ε, and that of one report beside it."""
    (place / "study.toml").write_text(STUDIES["three-reports"])
    study = sv.Study.load(place / "study.toml")
    (block,) = as_json(place, "check")["blocks"]
    promise = study.promises[""]
    assert promise is not None
    assert promise.epsilon is not None
    assert 3 * block["epsilon_per_report"] <= block["epsilon"] <= promise.epsilon
    assert block["epsilon_per_report"] == study.blocks[""].certify().level
    said = run(place, "check").stdout.decode()
    row = next(line for line in said.splitlines() if line.rstrip().endswith(" kept"))
    each, person = re.findall(r"ε = ([\d.]+)", row)
    assert (float(each), float(person)) == pytest.approx((block["epsilon_per_report"], block["epsilon"]), rel=1e-3)
    assert said.index("Each person gives 3 reports. Together they keep") < said.index("What follows is about one of them.")
    assert "at level" not in said
    board = run(place, "explain", "--for", "board").stdout.decode()
    assert f"| {promise.epsilon:g} | {person} | yes |" in board


def test_broken_study_files_are_refused_with_their_name_and_what_to_write() -> None:
    """Each in a line of its own, which names the file and then says what to do."""
    broken = sorted(BROKEN_STUDIES.glob("*.toml"))
    said = [complaint(BROKEN_STUDIES, "check", path.name, kind="study") for path in broken]
    assert len(said) == len(set(said)) >= 20
    for path, sentence in zip(broken, said, strict=True):
        assert sentence.startswith(f"sottovoce: {path.name}")
        assert "; " in sentence or ". " in sentence, "what is wrong, then the remedy"
        assert sentence.count("\n") == 1
        assert len(sentence) < 260 + len("sottovoce: \n")


def test_check_shows_the_forms_of_a_questionnaire_and_their_budgets(tmp_path: Path) -> None:
    questions = [("age", "numbers = {from = 0, to = 100, bins = 41}"), ("rooms", "numbers = {from = 0, to = 10, bins = 12}")]
    questions += [("smokes", 'items = ["yes", "no"]')]
    text = 'name = "t"\ntitle = "T"\n[privacy]\nnotion = "ldp"\nepsilon = 8.0\n'
    text += "".join(f'[[questions]]\nname = "{name}"\ntext = "?"\n{answers}\n' for name, answers in questions)
    (tmp_path / "study.toml").write_text(text)
    forms = as_json(tmp_path, "check")["forms"]
    assert sum(form["chance"] for form in forms) == 1
    for form in forms:
        assert sum(part["epsilon"] for part in form["parts"]) <= 8
        assert 8 - 1e-6 < form["epsilon"] <= 8
    shown = run(tmp_path, "check").stdout.decode()
    assert all(f"{part['questions'][0]} ({part['mechanism']}, ε = " in shown for form in forms for part in form["parts"])
    (tmp_path / "study.toml").write_text(text.replace('"ldp"', '"uldp"').replace('items = ["yes", "no"]', "items = 5\nsensitive = [1]"))
    assert "age (identity, in the clear)" in run(tmp_path, "check").stdout.decode()
    parts = as_json(tmp_path, "check")["forms"][0]["parts"]
    assert [part["epsilon"] for part in parts if part["mechanism"] == "identity"] == [None, None]


def test_check_shows_the_levels_of_a_questionnaire(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(QUESTIONNAIRES["tiers"])
    told = as_json(tmp_path, "check")
    assert told["levels"] == {"careful": 1.5, "usual": 4.0}
    for level in ("careful", "usual"):
        forms = [form for form in told["forms"] if form["level"] == level]
        assert all(form["form"].startswith(f"{level}/") for form in forms)
        assert abs(sum(form["chance"] for form in forms) - 1) < 1e-12
    shown = run(tmp_path, "check").stdout.decode()
    wording(shown)
    assert all(form["form"] in shown for form in told["forms"])
    (tmp_path / "study.toml").write_text(QUESTIONNAIRES["block"])
    told = as_json(tmp_path, "check")
    assert "levels" not in told
    assert not any("level" in form for form in told["forms"])


def test_warnings_are_shown_without_the_code_that_they_come_from(tmp_path: Path) -> None:
    """Sensitive numbers with others between them."""
    privacy = '[privacy]\nnotion = "uldp"\nepsilon = 1.0\nsensitive = [{from = 0, to = 5}, {from = 30, to = 35}]\n'
    (tmp_path / "study.toml").write_text(f'name = "s"\nquestion = "?"\nnumbers = {{from = 0, to = 40, bins = 10}}\n{privacy}')
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        shown = run(tmp_path, "check").stderr.decode()
    wording(shown)
    assert shown.startswith("! The sensitive items aren't one range")
    assert ".py" not in shown
    assert "UserWarning" not in shown
