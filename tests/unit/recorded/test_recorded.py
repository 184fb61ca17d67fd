"""What an earlier version wrote is read, and gives the same: names, channels, reports, tallies, estimates, studies, files and stores.

The files are in tests/recorded, beside the script that recorded them.
"""

from __future__ import annotations

import ast
import gzip
import json
import math
import shutil
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import sottovoce as sv
from collectors import JSON, NDJSON, hosted, recounted
from invoking import as_json
from paths import ROOT
from sottovoce.store import Store
from sottovoce.wire import bodies, read_stream, reports_of, restore
from tests.recorded import record

FOLDER = ROOT / "tests" / "recorded"
FILES, STORE = FOLDER / "files", FOLDER / "store"
#: How far numbers may be off, relative to their size, and near zero: other processors round differently.
RELATIVE, ABSOLUTE = 1e-12, 1e-14
#: A gap is the difference of two sums over all reports, and has their rounding.
GAP = 1e-9
#: Mechanisms that are searched for numerically. On another processor the search ends at tables that differ in the ninth digit, so these
#: have the recorded tables, and what is searched for here is compared with them up to this factor.
SEARCHED, FOUND = {"idue", "idue-opt1", "ipue", "ipue-opt2", "optimal_lip", "optimal_lip-sum"}, 1e-6
#: Attributes that no page described and that moved: to the planner, and to the part of a lifted channel that knows the base's reports.
GONE = {"Promise.candidates", "Promise.limit", "LiftedChannel.placed"}
#: Parameters with a new name: only the library calls this constructor.
RENAMED = {("Block", "POSITIONAL_OR_KEYWORD elsewhere = …"): "POSITIONAL_OR_KEYWORD remote = …"}
#: The bound of earlier versions put a billionth of the people everywhere; that of hashed reports was simulated from few reports.
BOUND, BOUND_OF_HASHED = 2e-6, 0.1
#: Their simulated counts are drawn without making reports now, and so the same seed gives other ones; 'corrected' simulates too.
DRAWN = {"subset_selection", "hadamard", "hadamard-blocks", "ubd", "ubd-one", "ubd-all", "lh_lip"}
DRAWN |= {"lift-rappor", "lift-oue", "lift-oue-one", "lift-subset", "lift-hadamard"}


def differences(old: Any, new: Any, place: str = "", relative: float = RELATIVE) -> Iterator[str]:
    """Where two values differ. Entries of stores have one more key, which is what it was without it."""
    if isinstance(new, dict) and new.get("listed") is False and isinstance(old, dict) and "listed" not in old:
        new = {key: value for key, value in new.items() if key != "listed"}
    if place.startswith(".methods.") and isinstance(old, dict) and isinstance(new, dict):  # descriptions of methods can have other words
        old, new = ({key: value for key, value in each.items() if key != "about"} for each in (old, new))
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        for key in old:
            yield from differences(old[key], new[key], f"{place}.{key}", relative)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for k, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from differences(one, other, f"{place}.{k}", relative)
    elif not (
        old == new
        or (isinstance(old, float) and math.isclose(old, new, rel_tol=relative, abs_tol=GAP if place.endswith(".gap") else ABSOLUTE))
    ):
        yield f"{place}: {old!r} became {new!r}"


def _absolute(place: str) -> float:
    return GAP if place.endswith(".gap") else ABSOLUTE


def alike(old: Any, new: Any, relative: float = RELATIVE) -> None:
    """Compare plain data with what JSON keeps of a value."""
    assert list(differences(old, json.loads(json.dumps(new)), relative=relative)) == []


def alike_as_findings(old: Any, new: Any) -> None:
    """Compare findings with what was recorded, apart from what changed on purpose.

    There are more keys, intervals reach to their estimates, and cautions have other words. Items of a product sum to the margins of
    its axes, which are estimated by themselves: then only the unchanged keys are compared.
    """
    new = {key: value for key, value in new.items() if key in old}
    new["items"] = [{key: item[key] for key in before} for before, item in zip(old["items"], new["items"], strict=True)]
    for item in old["items"]:
        if item["low"] is not None:
            item |= {"low": min(item["low"], item["p"]), "high": max(item["high"], item["p"])}
    del old["cautions"], new["cautions"]
    alike(old, new)


def alike_as_outlook(old: Any, new: Any) -> None:
    """Compare an outlook with what was recorded: its keys, and what it is about. Its figures are those of the shown intervals now."""
    assert old.keys() <= new.keys()
    assert {tuple(point) for point in new["curve"]} == {tuple(point) for point in old["curve"]}
    same = ("study", "fingerprint", "people", "level", "target")
    alike({key: old[key] for key in same}, {key: new[key] for key in same})


def read(name: str) -> Any:
    path = FOLDER / name
    return json.loads(gzip.decompress(path.read_bytes()) if name.endswith(".gz") else path.read_bytes())


@cache
def names() -> dict[str, Any]:
    return record.names()


@cache
def built(name: str) -> sv.Mechanism:
    """A mechanism as it is made now, or with the tables that were recorded if it's searched for."""
    made = record.MECHANISMS[name]()
    if name not in SEARCHED:
        return made
    recorded = restore(read(f"mechanisms/{name}.json.gz")["channel"])
    assert recorded.matrix() == pytest.approx(made.channel.matrix(), rel=FOUND, abs=FOUND)
    return replace(made, channel=recorded)


def test_public_names_and_their_attributes_are_still_there() -> None:
    old, new = read("names.json"), names()
    assert [name for name in old["names"] if name not in new["names"]] == []
    for package, listed in old["packages"].items():
        assert (package, set(listed) - set(new["packages"][package])) == (package, set())
    lost = {
        f"{name}.{attribute}"
        for part in ("names", "instances")
        for name, about in old[part].items()
        for attribute in set(_attributes(about)) - set(_attributes(new[part].get(name, [])))
    }
    assert lost == GONE


def _attributes(about: Any) -> list[str]:
    return about.get("attributes", []) if isinstance(about, dict) else about if isinstance(about, list) else []


def test_public_names_are_called_as_before() -> None:
    """Parameters keep their names, kinds and places. New ones come last, or by name, and may be left out. Lists of names may grow."""
    old, new = read("names.json")["names"], names()["names"]
    assert set(ast.literal_eval(old.pop("METHODS"))) <= set(ast.literal_eval(new["METHODS"]))
    for name, about in old.items():
        if not isinstance(about, dict):
            assert (name, new[name]) == (name, about)
            continue
        before, now = [RENAMED.get((name, each), each) for each in about["parameters"]], new[name]["parameters"]
        more = [each for each in now if each not in before]
        assert (name, [each for each in now if each in before]) == (name, before)
        assert (name, [each for each in more if not each.endswith(" = …")]) == (name, [])


@pytest.mark.parametrize("name", record.PLANS)
def test_a_plan_recommends_the_same(name: str) -> None:
    alike(read("plans.json")[name], record.plan(record.PLANS[name]), FOUND if name in {"minid", "item_uldp"} else RELATIVE)


def without_promise(form: dict[str, Any]) -> dict[str, Any]:
    """A compiled study without the guarantee in words, which isn't part of the fingerprint and may be reworded."""
    return {key: value for key, value in form.items() if key != "promise"}


@pytest.mark.parametrize("name", record.STUDIES)
def test_a_study_compiles_to_the_same(name: str) -> None:
    recorded = read(f"studies/{name}.json")
    if name not in SEARCHED:
        assert without_promise(sv.Study.from_toml(recorded["toml"]).compile()) == without_promise(recorded["compiled"])
    found = sv.Study.from_json(json.dumps(recorded["compiled"]))
    assert found.fingerprint == recorded["compiled"]["fingerprint"]
    assert without_promise(found.compile()) == without_promise(recorded["compiled"])


@pytest.mark.parametrize("name", record.MECHANISMS)
def test_a_mechanism_gives_the_same(name: str) -> None:
    recorded, found = read(f"mechanisms/{name}.json.gz"), record.mechanism(built(name))
    for passing in ("lines", "stream"):  # they have random identifiers, and are read below
        del recorded[passing], found[passing]
    for old, new in zip(recorded["tallies"].values(), found["tallies"].values(), strict=True):
        _with_estimates_inside(old)
        for about in (old, new):
            about["estimates"].pop("auto", None)  # rebuilt since: see docs/decisions/0006-shrinkage.md
        for bars in (*old["bars"].values(), *new["bars"].values()):
            del bars["group"]  # known for more channels since, and closer: the total of all items is used
    then, now = (about["expected"].pop("cramer_rao") for about in (recorded, found))
    assert now == (then if isinstance(then, str) else pytest.approx(then, rel=BOUND_OF_HASHED if "olh" in name else BOUND))
    if name in DRAWN:
        for about in (recorded, found):
            about["tallies"]["kept"]["estimates"].pop("corrected")
            about["tallies"].pop("simulated")
    alike(recorded, found)


def _with_estimates_inside(tally: dict[str, Any]) -> None:
    """Intervals of earlier versions could miss their own estimate. Now they reach to it."""
    for method, bars in tally["bars"].items():
        p = tally["estimates"][method]["p"]
        for name in ("interval", "simultaneous"):
            if isinstance(bars[name], list):
                low, high = bars[name]
                bars[name] = [[min(*each) for each in zip(low, p, strict=True)], [max(*each) for each in zip(high, p, strict=True)]]


@pytest.mark.parametrize("name", record.MECHANISMS)
def test_what_a_mechanism_wrote_is_read(name: str) -> None:
    """Its channel, its reports in three forms and its tallies. What is read is written again as it was."""
    recorded, made = read(f"mechanisms/{name}.json.gz"), built(name)
    channel = restore(recorded["channel"])
    assert channel == made.channel
    assert channel.fingerprint == recorded["fingerprint"]
    reports = channel.reports_from_bytes(bytes.fromhex(recorded["bytes"]))
    assert reports.to_bytes().hex() == recorded["bytes"]
    few = [body for line in recorded["lines"].splitlines() for body in bodies(line.encode())]
    assert reports_of(made, few) == reports[: record.FEW]
    ((_, streamed),) = read_stream(b64decode(recorded["stream"]), "f" * 64, made)
    assert streamed == reports[: record.FEW]
    for kind, about in recorded["tallies"].items():
        data = b64decode(about["bytes"])
        tally = sv.Tally.from_bytes(made, data)
        assert tally.to_bytes() == data
        assert kind != "kept" or tally == sv.Tally(made, keep_reports=True).add(reports)


@pytest.fixture(params=record.COLLECTED)
def collected(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of the recorded files of a study."""
    place = tmp_path / request.param
    shutil.copytree(FILES / request.param, place)
    return place


def test_the_commands_find_the_same_in_files(collected: Path) -> None:
    recorded = read("files/found.json")[collected.name]
    checked = as_json(collected, "check", "study.toml")
    assert checked["promise"]
    old = without_promise(recorded["check"])
    new = {key: checked[key] for key in old}  # there are more keys now
    new["blocks"] = [{key: block[key] for key in before} for before, block in zip(old["blocks"], checked["blocks"], strict=True)]
    alike(old, new)
    alike_as_findings(recorded["estimate"], as_json(collected, "estimate", "study.toml", "kept.arrow"))
    alike_as_findings(recorded["projected"], as_json(collected, "estimate", "study.toml", "totals.arrow", "--method", "projected"))


def test_files_of_reports_are_counted_as_before(collected: Path) -> None:
    for ending in ("parquet", "ndjson"):
        for kept, output in (("--keep-reports", "kept.arrow"), ("--totals", "totals.arrow")):
            as_json(collected, "tally", "study.toml", f"0.{ending}", f"1.{ending}", kept, "--no-parts", "-o", f"again-{output}")
            assert (collected / f"again-{output}").read_bytes() == (collected / output).read_bytes()


def test_tallies_of_single_files_are_found_again(collected: Path) -> None:
    counted = as_json(collected, "tally", "study.toml", "0.parquet", "1.parquet", "--keep-reports", "-o", "kept.arrow")
    assert (counted["again"], counted["n"]) == (2, 65)
    assert (collected / "kept.arrow").read_bytes() == (FILES / collected.name / "kept.arrow").read_bytes()


def test_the_same_seed_writes_the_same_reports(collected: Path) -> None:
    rows = [{"answer": "abcde"[k * k % 5]} | ({"level": ("careful", "usual", "open")[k % 3]}) for k in range(40)]
    names = ["answer", "level"] if collected.name == "levels" else ["answer"]
    text = "".join(",".join(row[name] for name in names) + "\n" for row in rows)
    (collected / "answers.csv").write_text(",".join(names) + "\n" + text)
    as_json(collected, "perturb", "study.toml", "answers.csv", "--seed", "5", "-o", "again.parquet")
    assert pq.read_table(collected / "again.parquet").equals(pq.read_table(collected / "0.parquet"), check_metadata=True)


def store(folder: Path, name: str) -> str:
    """A copy of a recorded store."""
    place = folder / name
    place.write_bytes(gzip.decompress((STORE / f"{name}.gz").read_bytes()))
    return str(place)


@pytest.fixture(params=["collector.sqlite", "backup.sqlite", "first-step.sqlite", "restored.sqlite"])
def recorded_store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A recorded store, a recorded backup, a store at the first step that is brought up to date, and a backup that is restored."""
    if request.param == "restored.sqlite":
        as_json(tmp_path, "store", "restore", store(tmp_path, "backup.sqlite"), "--db", request.param)
        return str(tmp_path / request.param)
    url = store(tmp_path, request.param)
    if request.param == "first-step.sqlite":
        assert as_json(tmp_path, "store", "migrate", "--db", url) == {"before": 1, "now": 5}
    return url


def test_a_store_has_the_same_studies_and_reports(recorded_store: str, tmp_path: Path) -> None:
    listed = as_json(tmp_path, "store", "studies", "--db", recorded_store)
    if "first-step" in recorded_store:  # the first step has no tickets yet
        listed = [each | {"respondents": "tickets"} if each["name"] == record.TICKETS else each for each in listed]
    alike(read("store/found.json")["studies"], listed)
    recounted(recorded_store, *record.COLLECTED)
    opened = Store(recorded_store)
    for name in record.COLLECTED:
        sent = (FILES / name / "0.ndjson").read_bytes().splitlines()[: 1 if name == record.TICKETS else None]
        entry = opened.entry(name)
        mechanism = entry.study.mechanism
        expected = sv.Tally(mechanism, keep_reports=True).add(reports_of(mechanism, [body for line in sent for body in bodies(line)]))
        assert opened.tally(entry, keep_reports=True) == expected
        assert opened.tally(entry) == expected.totals()
    opened.close()


def test_a_collector_goes_on_with_a_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It answers as before, and recognises the identifiers that it counted, the token, and the ticket that wasn't used."""
    recorded = read("store/found.json")
    token = {"authorization": f"Bearer {recorded['token']}"}
    url = store(tmp_path, "collector.sqlite")
    as_json(tmp_path, "store", "migrate", "--db", url)
    with hosted(url) as running, running.client() as client:
        assert client.get("/studies/krr/estimate", headers=token).json()["reports"] == 40  # results are shown from 50 reports on
    monkeypatch.setattr("sottovoce.study.study.MINIMUM", 1)
    with hosted(url) as running, running.client() as client:
        assert list(recorded["answers"]) == record.PATHS
        for path, before in recorded["answers"].items():
            totals = path.endswith("/estimate") and before["method"] == "projected"  # few reports are read today, if no method is named
            answer = client.get(f"{path}?method=projected" if totals else path, headers=token).json()
            if path.endswith("/outlook"):
                alike_as_outlook(before, answer)
            else:
                (alike_as_findings if "cautions" in before else alike)(before, answer)
        for name in record.COLLECTED:
            lines = (FILES / name / "0.ndjson").read_bytes().splitlines()
            if name == record.TICKETS:
                sending = {"content-type": JSON, "authorization": f"Ticket {recorded['ticket']}"}
                answer = client.post(f"/studies/{name}/reports", content=lines[1], headers=sending)
                assert answer.json() == {"accepted": 1, "repeated": 0}
                continue
            answer = client.post(f"/studies/{name}/reports", content=b"\n".join(lines), headers={"content-type": NDJSON})
            assert answer.json() == {"accepted": 0, "repeated": 40}


@pytest.mark.parametrize(("name", "files"), [(record.CLOSED, "ubd.parquet"), (record.CLOSED, "exported"), ("levels", "levels.parquet")])
def test_exports_contain_the_reports_of_the_store(name: str, files: str) -> None:
    found = as_json(STORE, "tally", f"{name}.json", files)
    expected = as_json(STORE, "tally", f"{name}.json", str(FILES / name / "0.ndjson"))
    assert (found["n"], found["blocks"]) == (40, expected["blocks"])


def test_an_export_knows_what_the_files_of_a_folder_contain(tmp_path: Path) -> None:
    shutil.copytree(STORE / "exported", tmp_path / "exported")
    url = store(tmp_path, "collector.sqlite")
    assert as_json(tmp_path, "export", record.CLOSED, "-o", "exported/", "--db", url)["reports"] == 0
