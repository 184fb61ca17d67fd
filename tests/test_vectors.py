"""The recorded vectors, the compiled loops and the plain implementation of spec/sampling.md agree."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import reference
import sottovoce as sv
from sottovoce.wire import describe, restore
from zoo import ZOO

SPEC = Path(__file__).resolve().parent.parent / "spec"
VECTORS = sorted((SPEC / "vectors").glob("*.json"))


def plain(value: Any) -> Any:
    return [str(part) for part in value] if isinstance(value, tuple) else value


def test_there_is_a_vector_for_every_kind_of_channel() -> None:
    kinds = {json.loads(path.read_text())["channel"]["kind"] for path in VECTORS}
    assert kinds == {"direct", "unary", "subset", "hadamard", "hashed", "hash-tables", "matrix", "lifted", "mixed"}


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
    with pytest.raises(sv.SourceError, match="used up"):
        channel.perturb(np.array(vector["items"]), sv.ReplaySource(words[:-1]))


def test_the_vectors_are_those_that_the_constructors_make_today() -> None:
    """A change of a table or of the reading order must be seen, and recorded with make vectors."""
    import importlib.util

    spec = importlib.util.spec_from_file_location("make_vectors", SPEC / "make_vectors.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert {path.stem for path in VECTORS} == set(module.cases())
    for number, (name, build) in enumerate(module.cases().items()):
        assert json.loads((SPEC / "vectors" / f"{name}.json").read_text()) == module.case(number, build()), name


@pytest.mark.parametrize("name", ZOO)
def test_compiled_loops_follow_the_specification(name: str) -> None:
    channel = ZOO[name](1.7).channel
    form = json.loads(json.dumps(describe(channel)))
    codes = np.arange(400) % channel.size
    words = sv.SeededSource(23).take(40_000)
    stream = iter(words.tolist())
    expected = [plain(reference.report(form, int(code), stream)) for code in codes]
    assert [plain(value) for value in restore(form).perturb(codes, sv.ReplaySource(words)).tolist()] == expected
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
