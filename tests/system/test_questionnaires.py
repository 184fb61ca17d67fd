"""A questionnaire from answers to estimates by every way: files, a collector on SQLite and on PostgreSQL, Parquet, and Spark."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import sottovoce as sv
from adult import QUESTIONS, answers_of, counts, figures, file_of
from collectors import ARROW, JSON, NDJSON, recounted, serving
from processes import as_json, run
from sottovoce.batch.collecting import collect
from sottovoce.store import Role, Store
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.wire import body, reports_of, stream

PEOPLE = 6000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study, the answers of people who answer each question independently, and what the commands make of them."""
    place, found = tmp_path_factory.mktemp("adult"), counts()
    (place / "adult.toml").write_text(file_of(found))
    columns = answers_of(found, PEOPLE, seed=5)
    with open(place / "answers.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    run(place, "check", "adult.toml", "--compiled", "adult.json")
    run(place, "perturb", "adult.toml", "answers.csv", "-o", "reports.parquet")
    run(place, "perturb", "adult.toml", "answers.csv", "-o", "reports.ndjson", "--format", "ndjson")
    return place


def study_in(folder: Path) -> Questionnaire:
    found = sv.Study.load(folder / "adult.json")
    assert isinstance(found, Questionnaire)
    return found


def test_from_a_file_to_estimates(folder: Path) -> None:
    """The intervals of all shares, at a level that is missed once in 10^6, contain the truth."""
    plan = as_json(folder, "plan", "adult.toml", "--people", str(PEOPLE))
    assert {each["kind"] for each in plan["strategies"]} == {"split", "sample", "block"}
    told = as_json(folder, "estimate", "adult.toml", "reports.parquet", "--level", "0.99999999")
    assert told["n"] == PEOPLE
    assert list(told["questions"]) == ["age", *QUESTIONS]
    found = counts()
    for name in QUESTIONS:
        rows = found[found.question == name].set_index("answer")["count"]
        for item in told["questions"][name]["items"]:
            assert item["low"] <= rows[item["item"]] / rows.sum() <= item["high"], item
    ages = found[found.question == "age"]
    mean = float((ages.answer.astype(int) * ages["count"]).sum() / ages["count"].sum())
    assert told["questions"]["age"]["mean"]["low"] <= mean <= told["questions"]["age"]["mean"]["high"]


def test_one_estimate_by_every_way(url: str, folder: Path, tmp_path: Path) -> None:
    """The same submissions one by one, in batches and as Arrow, to a collector that is killed in between; then from its export."""
    study = study_in(folder)
    lines = (folder / "reports.ndjson").read_bytes().splitlines()
    expected = collect(study, [str(folder / "reports.ndjson")], keep=False).tally
    bodies = [(line, JSON) for line in lines[:40]]
    bodies += [(b"\n".join(lines[begin : begin + 495]), NDJSON) for begin in range(40, 4000, 495)]
    rest = [body(line, study.fingerprint) for line in lines[4000:]]
    bodies.append((stream(study.fingerprint, study.mechanism, reports_of(study.mechanism, rest)), ARROW))
    store = Store(url)
    store.ready()
    store.add(study, (folder / "adult.json").read_text())
    store.close()
    sent = 0
    for end in (len(bodies) // 3, 2 * len(bodies) // 3, len(bodies)):
        with serving(url, tmp_path, check=False) as served:
            with served.client() as client:
                for data, kind in bodies[max(0, sent - 3) : end]:  # the last ones again, as a device does that was cut off
                    answer = client.post("/studies/adult/reports", content=data, headers={"content-type": kind})
                    assert answer.status_code == 200, answer.text
            sent = end
            served.kill()
    recounted(url, "adult")
    with serving(url, tmp_path) as served, served.client(headers=served.token(Role.ANALYST, "adult")) as client:
        (tmp_path / "tally.arrow").write_bytes(client.get("/studies/adult/tally", headers={"accept": ARROW}).content)
        (tmp_path / "reports.parquet").write_bytes(client.get("/studies/adult/export").content)
    collected = collect(study, [str(tmp_path / "tally.arrow")]).tally
    assert collected == expected
    assert collect(study, [str(tmp_path / "reports.parquet")], keep=False).tally == expected
    assert figures(study, collected) == figures(study, expected)
    kept = collect(study, [str(tmp_path / "reports.parquet")], keep=True).tally
    assert figures(study, kept, "mle") == figures(study, collect(study, [str(folder / "reports.ndjson")], keep=True).tally, "mle")


@pytest.mark.usefixtures("java")
def test_spark_counts_the_same(folder: Path) -> None:
    alone = as_json(folder, "estimate", "adult.toml", "reports.parquet")
    cluster = as_json(folder, "estimate", "adult.toml", "reports.parquet", "--engine", "spark")
    assert cluster == alone
    (folder / "all.toml").write_text((folder / "adult.toml").read_text().replace("[[", '[strategy]\nkind = "split"\n[[', 1))
    run(folder, "perturb", "all.toml", "answers.csv", "-o", "all.parquet")  # sets, whose likelihood needs the reports
    assert not all(block.sufficient for block in sv.Tally(sv.Study.load(folder / "all.toml").mechanism).blocks)
    alone = as_json(folder, "estimate", "all.toml", "all.parquet")
    assert {each["method"] for each in alone["questions"].values()} >= {"mle"}
    assert as_json(folder, "estimate", "all.toml", "all.parquet", "--engine", "spark") == alone
