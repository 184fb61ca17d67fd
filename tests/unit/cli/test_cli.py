"""Every command, as a process of its own: what it prints, what it writes, how it fails."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

import sottovoce as sv
from processes import COMMANDS, GROUPS, PROGRAM, SHARES, as_json, run
from sottovoce.cli.app import app
from studies import STUDIES


def test_help_teaches_by_example(tmp_path: Path) -> None:
    text = run(tmp_path, "--help").stdout.decode()
    assert all(command in text for command in COMMANDS)
    assert "Exit codes" in text
    assert {command.name for command in app.registered_commands} == set(COMMANDS)
    groups = {
        group.name: {command.name for command in group.typer_instance.registered_commands}
        for group in app.registered_groups
        if group.typer_instance
    }
    assert groups == {name: set(commands) for name, commands in GROUPS.items()}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_an_example_and_json(command: str, tmp_path: Path) -> None:
    text = run(tmp_path, command, "--help").stdout.decode()
    assert f"$ sottovoce {command}" in text
    assert "--json" in text or command == "serve", "what serve prints is JSON, line by line"


@pytest.mark.parametrize(("group", "command"), [(group, command) for group, commands in GROUPS.items() for command in commands])
def test_every_command_of_a_group_has_help_and_json(group: str, command: str, tmp_path: Path) -> None:
    assert command in run(tmp_path, group, "--help").stdout.decode()
    text = run(tmp_path, group, command, "--help").stdout.decode()
    assert "--json" in text
    assert "--db" in text


def test_nothing_heavy_is_loaded_for_help(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-X", "importtime", "-m", "sottovoce", "--help"], cwd=tmp_path, capture_output=True, check=True)
    loaded = done.stderr.decode()
    assert "typer" in loaded
    assert not [
        name for name in ("numpy", "numba", "scipy", "pyarrow", "pandas", "altair", "sqlalchemy", "uvicorn") if f" {name}\n" in loaded
    ]


def test_completion_of_commands(tmp_path: Path) -> None:
    environment = os.environ | {"_SOTTOVOCE_COMPLETE": "complete_bash", "COMP_WORDS": "sottovoce che", "COMP_CWORD": "1"}
    program = Path(sys.executable).with_name("sottovoce")
    done = subprocess.run([str(program)], cwd=tmp_path, env=environment, capture_output=True, check=False)
    assert done.stdout.decode().split() == ["check"]


@pytest.mark.parametrize("kind", ["survey", "grid", "telemetry", "personal"])
def test_new_writes_a_study_that_passes_check(kind: str, tmp_path: Path) -> None:
    told = as_json(tmp_path, "new", kind)
    assert told["output"] == "study.toml"
    assert as_json(tmp_path, "check")["fingerprint"] == told["fingerprint"]
    before = (tmp_path / "study.toml").read_text()
    assert b"is there already" in run(tmp_path, "new", "survey", code=1).stderr
    assert (tmp_path / "study.toml").read_text() == before
    run(tmp_path, "new", "survey", "--force")
    assert b"there is no template 'quiz'; there are survey" in run(tmp_path, "new", "quiz", "--force", code=1).stderr


def test_new_takes_the_items_of_a_file(place: Path) -> None:
    run(
        place,
        "new",
        "survey",
        "-o",
        "own.toml",
        "--items-from",
        "answers.csv",
        "--sensitive",
        "hiv",
        "--name",
        "own",
        "--question",
        "Well?",
    )
    study = sv.Study.load(place / "own.toml")
    assert (set(study.domain), study.name, study.question) == (set(SHARES), "own", "Well?")
    assert b"not among the items" in run(place, "new", "-o", "x.toml", "--items-from", "answers.csv", "--sensitive", "aids", code=1).stderr
    assert not (place / "x.toml").exists()
    assert run(place, "new", "survey", "-o", "-").stdout.decode().startswith("# A survey")


def test_check_says_what_is_promised(place: Path) -> None:
    text = run(place, "check", "study.toml", "--compiled", "study.json").stdout.decode()
    assert "If your answer is sensitive" in text
    told = as_json(place, "check")
    assert told["fingerprint"] in text
    assert told["blocks"] == [{"level": "", "mechanism": told["blocks"][0]["mechanism"], "notion": "ULDP", "holds": True, "epsilon": 1.0}]
    assert as_json(place, "check", "study.json")["fingerprint"] == told["fingerprint"]
    (place / "study.toml").write_text(STUDIES["uldp"].replace("epsilon", "epsilom"))
    broken = run(place, "check", code=1)
    assert broken.stderr.decode() == "sottovoce: study.toml, line 6, [privacy] epsilom: there is no such key; did you mean 'epsilon'?\n"
    assert as_json(place, "check", code=1) == {
        "error": broken.stderr.decode().removeprefix("sottovoce: ").strip(),
        "code": 1,
        "kind": "study",
    }


def test_plan(place: Path) -> None:
    told = as_json(place, "plan", "--people", "5000", "--target", "0.01")
    assert told["n"] == 5000
    assert [option["tv"] for option in told["options"]] == sorted(option["tv"] for option in told["options"])
    assert "Ask 4" in told["reason"]
    text = run(
        place, "plan", "--items", "400", "--sensitive", "76", "--epsilon", "1", "--target", "0.05", "--chart", "plan.svg"
    ).stdout.decode()
    assert "ubd needs the fewest people" in text
    assert (place / "plan.svg").read_text().startswith("<svg")
    (place / "truth.csv").write_text("item,share\nflu,0.5\nnone,0.5\n")
    assert "this population" in as_json(place, "plan", "-n", "5000", "--truth", "truth.csv")["reason"]
    assert b"--epsilon and --sensitive go with --items" in run(place, "plan", "--epsilon", "1", code=1).stderr


def test_from_answers_to_an_estimate_in_files_and_in_a_pipe(place: Path) -> None:
    told = as_json(place, "perturb", "study.toml", "answers.csv", "-o", "reports.parquet")
    assert (told["answers"], told["reports"], told["skipped"]["count"]) == (4000, 4000, 0)
    assert pq.read_metadata(place / "reports.parquet").num_rows == 4000
    found = as_json(place, "estimate", "study.toml", "reports.parquet", "--level", "0.999999999")
    assert {"n", "method", "gap", "items"} <= set(found)
    assert (found["n"], found["method"]) == (4000, "mle")
    held = [row["low"] <= SHARES[row["item"]] <= row["high"] for row in found["items"]]
    assert [row["item"] for row in found["items"]] == list(SHARES)
    assert all(held)
    assert sum(row["p"] for row in found["items"]) == pytest.approx(1)
    lines = run(place, "perturb", stdin=(place / "answers.csv").read_bytes()).stdout
    assert len(lines.splitlines()) == 4000
    assert {tuple(json.loads(line)) for line in lines.splitlines()} == {("study", "id", "report")}
    piped = as_json(place, "estimate", "study.toml", stdin=lines)
    assert piped["n"] == 4000
    assert piped["fingerprint"] == found["fingerprint"]


def test_a_whole_pipeline_in_a_shell(place: Path) -> None:
    program = " ".join(PROGRAM)
    script = f"set -o pipefail; cat answers.csv | {program} perturb study.toml | {program} estimate study.toml --json"
    done = subprocess.run(["bash", "-c", script], cwd=place, capture_output=True, check=True)
    assert json.loads(done.stdout)["n"] == 4000
    first = subprocess.run(
        ["bash", "-c", f"{program} perturb study.toml answers.csv | head -1"], cwd=place, capture_output=True, check=True
    )
    assert first.stdout.startswith(b'{"study":')
    assert first.stderr == b""


def test_the_budget_of_a_new_study_is_the_one_asked_for(tmp_path: Path) -> None:
    for kind in ("survey", "grid", "telemetry", "personal"):
        assert b"\nepsilon = 0.2" in run(tmp_path, "new", kind, "-o", "-", "--epsilon", "0.2").stdout
    assert b"must be a positive number" in run(tmp_path, "new", "survey", "--epsilon", "-1", code=1).stderr
    assert as_json(tmp_path, "new", "survey", "-o", "-")["text"].startswith("# A survey")


def test_levels_are_planned_by_their_name(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDIES["levels"].replace("{careful", "{open = inf, careful").replace(", open = inf}", "}"))
    assert "level 'careful'" in run(tmp_path, "plan").stdout.decode()
    assert "level 'usual'" in run(tmp_path, "plan", "--level", "usual").stdout.decode()


def test_tallies_add_up(place: Path) -> None:
    (place / "reports").mkdir()
    for day in ("monday", "tuesday"):
        run(place, "perturb", "answers.csv", "-o", f"reports/{day}.parquet")
        run(place, "tally", "study.toml", f"reports/{day}.parquet", "-o", f"{day}.arrow")
    whole = as_json(place, "tally", "study.toml", "reports/*.parquet")
    merged = as_json(place, "tally", "study.toml", "monday.arrow", "tuesday.arrow", "-o", "week.arrow")
    assert merged["n"] == whole["n"] == 8000
    assert merged["blocks"] == whole["blocks"]
    from_tally, from_reports = as_json(place, "estimate", "week.arrow"), as_json(place, "estimate", "reports")
    assert from_tally["items"] == from_reports["items"]
    assert b"written to week.arrow" in run(place, "tally", "monday.arrow", "tuesday.arrow", "-o", "week.arrow").stdout
    totals = as_json(place, "tally", "monday.arrow", "--totals")
    assert not totals["kept"]
    assert b"named more than once" in run(place, "tally", "monday.arrow", "monday.arrow", code=1).stderr
    (place / "study.toml").write_text(STUDIES["uldp"].replace("1.0", "2.0"))
    assert b"was made under another study" in run(place, "estimate", "week.arrow", code=1).stderr


def test_estimates_in_every_form(place: Path) -> None:
    run(place, "perturb", "answers.csv", "-o", "r.parquet")
    files = ["--html", "page.html", "--chart", "chart.png", "-o", "x.csv", "-o", "x.parquet", "-o", "x.json"]
    done = run(place, "estimate", "r.parquet", *files, "--truth", "answers.csv", "--level", "0.9")
    assert "90% intervals" in done.stdout.decode()
    table = pd.read_csv(place / "x.csv")
    assert table["item"].tolist() == list(SHARES)
    assert list(table.columns) == ["item", "p", "low", "high", "truth"]
    pd.testing.assert_frame_equal(pd.read_parquet(place / "x.parquet"), table)
    assert json.loads((place / "x.json").read_text())["level"] == 0.9
    assert (place / "chart.png").read_bytes().startswith(b"\x89PNG")
    assert "Which of these do you have?" in (place / "page.html").read_text()
    assert as_json(place, "estimate", "r.parquet", "--method", "uniform")["items"][0]["p"] == 0.2
    assert b"'magic' is not a method; the methods are" in run(place, "estimate", "r.parquet", "--method", "magic", code=1).stderr
    assert b"strictly between 0 and 1" in run(place, "estimate", "r.parquet", "--level", "2", code=1).stderr


def test_marked_answers_are_spread(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDIES["tags"])
    (tmp_path / "answers.csv").write_text("answer,tag\n" + "0 / 0,home\n" * 2000 + "2 / 2,\n" * 3000)
    (tmp_path / "homes.csv").write_text("item,share\n0 / 0,1\n")
    run(tmp_path, "perturb", "answers.csv", "-o", "r.parquet")
    sure = ("--level", "0.999999999")  # reports are drawn securely: an interval of 95 % misses once in twenty runs
    known = as_json(tmp_path, "estimate", "r.parquet", "--tag-spread", "home=homes.csv", *sure)
    vague = as_json(tmp_path, "estimate", "r.parquet", *sure)
    assert known["items"][0]["p"] == pytest.approx(0.4, abs=0.1)
    assert vague["items"][0]["p"] < 0.2
    assert known["tags"][0]["low"] < 0.4 < known["tags"][0]["high"]
    for found in (known, vague):
        assert found["items"][0]["low"] <= 0.4 <= found["items"][0]["high"]
    assert any("nothing is known about where those lie" in caution for caution in vague["cautions"])
    assert b"write TAG=FILE" in run(tmp_path, "estimate", "r.parquet", "--tag-spread", "gym=homes.csv", code=1).stderr


def test_simulate_and_compare(place: Path) -> None:
    (place / "truth.csv").write_text("item,share\n" + "".join(f"{item},{share}\n" for item, share in SHARES.items()))
    told = as_json(place, "simulate", "--truth", "truth.csv", "-n", "5000", "--runs", "20", "--method", "mle", "--method", "projected")
    assert [each["method"] for each in told["methods"]] == ["mle", "projected"]
    for each in told["methods"]:
        assert each["tv"] == pytest.approx(each["predicted"], rel=0.5)
        assert each["held"] > 0.85
    assert "a Zipf law" in run(place, "simulate", "--runs", "3").stdout.decode()
    told = as_json(place, "compare", "-m", "urr", "-m", "krr", "-n", "5000", "--runs", "10", "--truth", "truth.csv")
    assert [each["mechanism"] for each in told["mechanisms"]] == ["urr", "krr"]
    assert told["mechanisms"][0]["tv"] < told["mechanisms"][1]["tv"]
    assert "urap" in run(place, "compare", "--runs", "3").stdout.decode()
    assert b"'magic' is not a mechanism" in run(place, "compare", "-m", "magic", code=1).stderr


def test_lists(tmp_path: Path) -> None:
    names = [each["name"] for each in as_json(tmp_path, "mechanisms")["mechanisms"]]
    assert {"krr", "ubd", "iprr", "optimal_lip"} <= set(names)
    assert "utility-optimized" in run(tmp_path, "mechanisms", "urr").stdout.decode().lower()
    assert [each["name"] for each in as_json(tmp_path, "notions")["notions"]] == ["ldp", "uldp", "ipldp", "minid", "item_uldp", "lip"]
    assert "e^ε" in run(tmp_path, "notions", "uldp").stdout.decode()
    assert b"there is no notion 'dp'" in run(tmp_path, "notions", "dp", code=1).stderr


def test_demo(tmp_path: Path) -> None:
    told = as_json(tmp_path, "demo", "--folder", "here")
    health, city = told["studies"]
    assert city["tv"] < 0.15
    assert city["plain_ldp_tv"] > 0.4
    assert health["tv"] < 0.15
    survey, places = (sv.Study.load(tmp_path / "here" / f"{name}.toml") for name in ("health", "city"))
    promise, whole = survey.promises[""], places.promises[""]
    assert promise is not None
    assert whole is not None
    assert (promise.notion, dict(promise.budgets or {})) == ("ipldp", {"hiv": 0.1, "cancer": 0.5, "hepatitis": 1.0})
    assert (list(survey.domain), survey.blocks[""].name) == (["hiv", "cancer", "hepatitis", "flu", "none"], "iprr")
    assert (places.domain.shape, places.tags, len(whole.sensitive), whole.epsilon) == ((25, 25), ("home",), 15, 1.0)
    for study in told["studies"]:
        assert Path(study["page"]).read_text().startswith("<!DOCTYPE html>")
    text = run(tmp_path, "demo", "--folder", "here").stdout.decode()
    assert "Total variation from the truth" in text
    for line in text.splitlines():  # the commands that the demonstration shows can be typed
        if line.startswith("$ sottovoce estimate"):
            run(tmp_path, *line.split()[2:])
