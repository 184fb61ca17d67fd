"""The recorded vectors, the compiled loops and the plain implementation of spec/sampling.md agree."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import reference
import sottovoce as sv
from paths import ROOT
from sottovoce.wire import Body, describe, restore
from sottovoce.wire.reports import Records
from studies import STUDIES
from zoo import ZOO, built

SPEC = ROOT / "spec"
VECTORS = sorted((SPEC / "vectors").glob("*.json"))


def plain(value: Any) -> Any:
    return [str(part) for part in value] if isinstance(value, tuple) else value


def test_there_is_a_vector_for_every_kind_of_channel() -> None:
    kinds = {json.loads(path.read_text())["channel"]["kind"] for path in VECTORS}
    assert kinds == {describe(built(name).channel)["kind"] for name in ZOO}


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_vector(path: Path) -> None:
    vector = json.loads(path.read_text())
    words = [int(word, 16) for word in vector["words"]]
    channel, source = restore(vector["channel"]), sv.ReplaySource(words)
    reports = channel.perturb(np.array(vector["items"]), source)
    assert [plain(value) for value in reports.tolist()] == vector["reports"]
    assert reports.to_bytes().hex() == vector["bytes"]
    assert source.remaining == 0
    assert channel.reports_from_bytes(bytes.fromhex(vector["bytes"])) == reports
    stream = iter(words)
    assert [plain(reference.report(vector["channel"], item, stream)) for item in vector["items"]] == vector["reports"]
    with pytest.raises(sv.SourceError):
        channel.perturb(np.array(vector["items"]), sv.ReplaySource(words[:-1]))


@pytest.fixture(scope="module")
def made() -> ModuleType:
    """The script that writes the vectors."""
    spec = importlib.util.spec_from_file_location("make_vectors", SPEC / "make_vectors.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def kept(folder: str) -> dict[str, Any]:
    return {path.stem: json.loads(path.read_text()) for path in (SPEC / "vectors" / folder).glob("*.json")}


def test_the_vectors_are_those_that_are_made_today(made: ModuleType) -> None:
    """A change of a table or of the reading order must be seen, and recorded with make vectors."""
    assert kept(".") == {name: made.case(number, build()) for number, (name, build) in enumerate(made.cases().items())}
    assert kept("levels") == made.levels()
    studies = {kind: sv.Study.from_toml(text) for kind, text in STUDIES.items()}
    assert kept("studies") == {kind: made.study_case(number, study) for number, (kind, study) in enumerate(studies.items())}
    assert kept("refused") == dict(made.refused())
    assert kept("written") == made.written()


@pytest.mark.parametrize("path", sorted((SPEC / "vectors" / "studies").glob("*.json")), ids=lambda path: path.stem)
def test_compiled_study(path: Path) -> None:
    vector = json.loads(path.read_text())
    study = sv.Study.from_json(json.dumps(vector["study"]))
    stream = iter([int(word, 16) for word in vector["words"]])
    for answer in vector["answers"]:
        form = describe(study.blocks[answer["level"]].channel)
        value = reference.report(form, answer["input"], stream)
        expected = Records(study.mechanism).one(Body(study.fingerprint, "0" * 32, answer["report"], answer["level"]))
        found = study.blocks[answer["level"]].channel.reports_from_bytes(expected).tolist()[0]
        assert plain(found) == plain(value)
    assert list(stream) == []


@pytest.mark.parametrize("path", sorted((SPEC / "vectors" / "refused").glob("*.json")), ids=lambda path: path.stem)
def test_bad_studies_are_refused(path: Path) -> None:
    with pytest.raises(sv.SottovoceError):
        sv.Study.from_json(path.read_text())


@pytest.mark.parametrize("name", ZOO)
def test_compiled_loops_follow_the_specification(name: str) -> None:
    channel = built(name, 1.7).channel
    form = json.loads(json.dumps(describe(channel)))
    codes = np.arange(400) % channel.size
    words = sv.SeededSource(23).take(40_000)
    stream = iter(words.tolist())
    expected = [plain(reference.report(form, int(code), stream)) for code in codes]
    assert [plain(value) for value in restore(form).perturb(codes, sv.ReplaySource(words)).tolist()] == expected
    assert [plain(value) for value in channel.perturb(codes, sv.ReplaySource(words)).tolist()] == expected


def edges(form: Any) -> list[int]:
    """The numbers at which a comparison with a word changes: thresholds, and the running sums of tables."""
    if isinstance(form, dict):
        return [edge for part in form.values() for edge in edges(part)]
    if isinstance(form, list) and all(isinstance(part, str) for part in form):
        return [*np.cumsum([int(part) for part in form], dtype=object), *(int(part) for part in form)]
    if isinstance(form, list):
        return [edge for part in form for edge in edges(part)]
    return [int(form)] if isinstance(form, str) and form.isdigit() else []


@pytest.mark.parametrize("name", ZOO)
def test_words_at_the_edges_of_the_tables(name: str) -> None:
    """A word just below a threshold, on it, and just above it: chance alone would not bring one in the lifetime of the universe."""
    channel = built(name, 1.7).channel
    form = json.loads(json.dumps(describe(channel)))
    near = [edge + step for edge in edges(form) for step in (-1, 0, 1) if 0 <= edge + step < 1 << 64]
    rng = np.random.default_rng(1)
    words = sv.SeededSource(5).take(60_000)
    chosen = np.flatnonzero(rng.random(len(words)) < 0.5)
    words[chosen] = np.array(near, dtype=np.uint64)[rng.integers(0, len(near), len(chosen))]
    codes = rng.integers(0, channel.size, 1000)
    stream = iter(words.tolist())
    expected = [plain(reference.report(form, int(code), stream)) for code in codes]
    assert [plain(value) for value in channel.perturb(codes, sv.ReplaySource(words)).tolist()] == expected


@pytest.mark.parametrize(
    "form",
    [
        {"kind": "direct", "truth": "5", "noise": ["1", "2"]},
        {"kind": "direct", "truth": "18446744073709551616", "noise": ["-1", "1"]},
        {"kind": "direct", "noise": ["1"]},
        {"kind": "unary", "present": ["1"], "absent": ["2"]},
        {"kind": "subset", "items": 3, "chosen": 4, "include": "9"},
        {"kind": "hadamard", "items": 9, "block": 4, "blocks": 1, "include": "9"},
        {"kind": "matrix", "rows": [["1", "1"]]},
        {"kind": "lifted", "items": 2, "sensitive": [5], "keep": "1", "keep_empty": "1", "base": {"kind": "subset", "items": 1}},
        {"kind": "psychic"},
        {},
    ],
)
def test_broken_tables_are_refused(form: dict[str, Any]) -> None:
    with pytest.raises(sv.SottovoceError):
        restore(form)
