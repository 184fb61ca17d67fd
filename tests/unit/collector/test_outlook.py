"""The outlook and the methods that a collector offers to analysts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import sottovoce as sv
from collectors import NDJSON, Running, added, hosted, matches, named, some_reports
from sottovoce.catalogue import METHODS
from sottovoce.collector.analysis import Analysis
from sottovoce.collector.estimating import Estimates
from sottovoce.collector.metrics import Metrics
from sottovoce.findings.precision import Precision
from sottovoce.findings.results import Findings
from sottovoce.store import Entry, Role, Store
from sottovoce.tallies import Tally
from sottovoce.wire import lines
from studies import STUDIES


def estimate_of(study: sv.Study, count: int) -> sv.Estimate:
    tally = Tally(study.mechanism, keep_reports=True).add(some_reports(study, count))
    return sv.estimate(tally, "uniform" if not count else None)


@pytest.fixture(scope="module")
def collector(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    url = str(tmp_path_factory.mktemp("outlook") / "collector.sqlite")
    added(url, *(named(kind) for kind in STUDIES))
    with hosted(url) as running:
        yield running


@pytest.mark.parametrize("kind", STUDIES)
def test_the_collector_tells_the_outlook(collector: Running, kind: str) -> None:
    study = named(kind)
    analyst = collector.token(Role.ANALYST, study.name)
    with collector.client() as client:
        for count in (0, 300):
            reports = some_reports(study, count)
            if count:
                client.post(f"/studies/{study.name}/reports", content=lines(study.fingerprint, reports), headers={"content-type": NDJSON})
            answer = client.get(f"/studies/{study.name}/outlook", params={"level": 0.9, "target": 0.02}, headers=analyst)
            assert answer.status_code == 200
            matches(answer.json(), "Outlook")
            made = estimate_of(study, count)
            told = Precision.of(study, made, 0.9, Findings.of(study, made, level=0.9).tables if count else ()).to_dict(0.02)
            assert answer.json() == told


def test_who_may_read_the_outlook_and_what_may_be_asked(collector: Running) -> None:
    with collector.client() as client:
        assert client.get("/studies/ldp/outlook").status_code == 401
        assert client.get("/studies/ldp/outlook", headers=collector.token(Role.ANALYST, "uldp")).status_code == 403
        analyst = collector.token(Role.ANALYST, "ldp")
        assert client.get("/studies/nowhere/outlook", headers=collector.token(Role.ANALYST, "*")).status_code == 404
        for query in (
            "target=0",
            "target=1",
            "target=x",
            "target=nan",
            "level=2",
            "level=",
            "aim=0.1",
            "target=0.1&target=0.2",
            "method=magic",
        ):
            answer = client.get(f"/studies/ldp/outlook?{query}", headers=analyst)
            assert answer.status_code == 422, query
            assert answer.json()["type"] == "/problems/parameter"


@pytest.mark.parametrize("kind", STUDIES)
def test_the_methods_that_are_offered_are_those_that_work(collector: Running, kind: str) -> None:
    study = named(kind)
    analyst = collector.token(Role.ANALYST, study.name)
    with collector.client() as client:
        client.post(
            f"/studies/{study.name}/reports", content=lines(study.fingerprint, some_reports(study, 50, 9)), headers={"content-type": NDJSON}
        )
        told = client.get(f"/studies/{study.name}/tally", headers=analyst).json()
        matches(told, "Tally")
        offered = {each["method"] for each in told["methods"]}
        assert all(each["about"].endswith(".") for each in told["methods"])
        for method in sv.estimators.METHODS:
            answer = client.get(f"/studies/{study.name}/estimate", params={"method": method}, headers=analyst)
            assert (answer.status_code == 200) == (method in offered), (method, answer.text)


def test_methods_that_would_read_too_much_are_not_offered(tmp_path: Path) -> None:
    study = named("olh")
    (entry,) = added(str(tmp_path / "collector.sqlite"), study)
    assert isinstance(entry, Entry)
    found = Tally(study.mechanism).add(some_reports(study, 100))
    analysis = Analysis(Store(f"{tmp_path}/collector.sqlite"), entry, found, b"", 0, Estimates(30.0, Metrics()))
    record = analysis.room
    assert record == 100 * study.blocks[""].channel.reports_from_bytes(b"").records().shape[1]
    likelihood = {name for name, entry in METHODS.items() if entry.needs_reports} - {"mmse"}  # which needs a prior
    assert set(replace(analysis, most=record).methods) - set(replace(analysis, most=record - 1).methods) == likelihood
    assert "totals" in analysis.note(None), "it says that these aren't the numbers of a file"
    assert analysis.note("projected") == replace(analysis, most=record).note(None) == ""


@pytest.mark.parametrize("kind", ["olh", "uldp", "tags", "numbers"])
def test_a_collector_and_a_file_of_the_same_reports_have_the_same_numbers(kind: str, tmp_path: Path) -> None:
    """Where the method isn't chosen. A file's reports are kept, so their likelihood is maximised."""
    study = named(kind)
    url = str(tmp_path / "collector.sqlite")
    added(url, study)
    reports = some_reports(study, 400)
    file = tmp_path / "reports.ndjson"
    file.write_bytes(lines(study.fingerprint, reports))
    with hosted(url) as collector, collector.client() as client:
        client.post(f"/studies/{study.name}/reports", content=file.read_bytes(), headers={"content-type": NDJSON})
        told = client.get(f"/studies/{study.name}/estimate", headers=collector.token(Role.ANALYST, study.name)).json()
        totals = client.get(
            f"/studies/{study.name}/estimate", params={"method": "projected"}, headers=collector.token(Role.ANALYST, study.name)
        ).json()
    found = study.estimate(str(file))
    assert told["method"] == found.method
    shown = Findings.of(study, found)
    assert [each["p"] for each in told["items"]] == pytest.approx(shown.p.tolist(), abs=1e-6)
    assert told["headline"] == str(shown.headline)
    if kind != "uldp":
        assert [each["p"] for each in told["items"]] != pytest.approx([each["p"] for each in totals["items"]], abs=1e-6), (
            "the test can fail"
        )
