"""Compiled studies say the same in any language, and nothing that was changed is believed."""

from __future__ import annotations

import copy
import hashlib
import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sottovoce as sv
from messages import refused
from paths import ROOT
from sottovoce.study.compiled import fingerprint_of
from studies import QUESTIONNAIRES, STUDIES


@cache
def schema() -> Any:
    return json.loads((ROOT / "spec" / "study.schema.json").read_text(encoding="utf-8"))


@cache
def compiled(name: str) -> dict[str, Any]:
    return sv.Study.from_toml(STUDIES[name]).compile()


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_keeps_its_promise_and_survives_compilation(name: str) -> None:
    study = sv.Study.from_toml(STUDIES[name])
    assert all(mechanism.certify().holds for mechanism in study.blocks.values())
    form = study.compile()
    jsonschema.validate(form, schema())
    again = sv.Study.from_json(json.dumps(form))
    assert again.fingerprint == study.fingerprint
    assert again.compile() == form
    assert again.mechanism == study.mechanism
    assert (again.domain, again.promises, again.reports, again.tags) == (study.domain, study.promises, study.reports, study.tags)
    words = sv.SeededSource(5).take(20_000)
    for mine, theirs in zip(study.blocks.values(), again.blocks.values(), strict=True):
        codes = np.arange(50) % len(mine.inputs)
        assert mine.channel.perturb(codes, sv.ReplaySource(words)) == theirs.channel.perturb(codes, sv.ReplaySource(words))


@pytest.mark.parametrize("name", QUESTIONNAIRES)
def test_a_questionnaire_survives_compilation(name: str) -> None:
    study = sv.Study.from_toml(QUESTIONNAIRES[name])
    form = study.compile()
    jsonschema.validate(form, schema())
    again = sv.Study.from_json(json.dumps(form))
    assert again.compile() == form
    assert again.mechanism == study.mechanism
    assert again.questions == study.questions


def test_what_the_fingerprint_depends_on() -> None:
    base = sv.Study.from_toml(STUDIES["uldp"])
    changes = [
        ("clinic-2026", "clinic-2027"),
        ("Which of", "What of"),
        ('"flu"', '"cold"'),
        ("epsilon = 1.0", "epsilon = 1.0000001"),
        ('"cancer", "hepatitis"]\n', '"cancer"]\n'),
        ("[privacy]", "reports = 2\n[privacy]"),
    ]
    prints = {sv.Study.from_toml(STUDIES["uldp"].replace(old, new)).fingerprint for old, new in changes}
    assert len(prints) == len(changes)
    assert base.fingerprint not in prints
    same = STUDIES["uldp"].replace("items = [", "# a comment\nitems   =  [").replace("epsilon = 1.0", "epsilon = 1")
    assert sv.Study.from_toml(same).fingerprint == base.fingerprint


def test_the_automatic_choice_is_part_of_the_fingerprint() -> None:
    auto, named = STUDIES["uldp"], STUDIES["uldp"] + '[mechanism]\nname = "urr"\n'
    chosen = sv.Study.from_toml(auto)
    assert chosen.mechanism.name != "urr"  # type: ignore[union-attr]  # one level
    assert chosen.fingerprint != sv.Study.from_toml(named).fingerprint
    assert chosen.fingerprint == sv.Study.from_toml(auto + f'[mechanism]\nname = "{chosen.mechanism.name}"\n').fingerprint  # type: ignore[union-attr]  # likewise


def test_the_canonical_form_is_the_same_in_every_language() -> None:
    """Whole numbers smaller than 2^53 (steps of maps can be negative), texts, lists, objects: nothing that languages write differently."""

    def walk(value: Any) -> None:
        assert value is None or (isinstance(value, (str, list, dict)) or type(value) is int)
        if isinstance(value, dict):
            assert all(isinstance(key, str) for key in value)
        if isinstance(value, int):
            assert -(1 << 53) < value < 1 << 53
        for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            walk(part)

    for text in STUDIES.values():
        walk(sv.Study.from_toml(text).compile())


def test_a_changed_compiled_study_is_refused() -> None:
    form = sv.Study.from_toml(STUDIES["uldp"] + '[mechanism]\nname = "urr"\n').compile()
    for path, value in [
        (("question",), "What?"),
        (("reports",), 2),
        (("blocks", 0, "privacy", "epsilon"), "2.0"),
        (("blocks", 0, "channel", "truth"), "1"),
        (("fingerprint",), "0" * 64),
        (("domain", "items", 0), "aids"),
    ]:
        changed = copy.deepcopy(form)
        place: Any = changed
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
        with refused(sv.StudyError, "study.json: "):
            sv.Study.from_json(json.dumps(changed))


def test_tables_that_break_the_promise_are_refused_even_with_the_right_fingerprint() -> None:
    form = sv.Study.from_toml(STUDIES["uldp"] + '[mechanism]\nname = "urr"\n').compile()
    channel = form["blocks"][0]["channel"]
    moved = 1 << 50
    channel["truth"] = str(int(channel["truth"]) + moved)
    channel["noise"][0] = str(int(channel["noise"][0]) - moved)
    form["fingerprint"] = fingerprint_of({key: value for key, value in form.items() if key not in {"promise", "fingerprint"}})
    with refused(sv.StudyError, "ε = 1"):
        sv.Study.from_json(json.dumps(form))


@given(st.data())
def test_no_broken_compiled_study_raises_anything_else(data: st.DataObject) -> None:
    form = copy.deepcopy(compiled(data.draw(st.sampled_from(["axes-budgets", "ipldp", "levels", "lifted", "lip", "tags"]))))
    place: Any = form
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = data.draw(st.sampled_from(keys))
        if not isinstance(place[key], (dict, list)) or not place[key] or data.draw(st.booleans()):
            break
        place = place[key]
    value = data.draw(
        st.one_of(st.none(), st.integers(-2, 3), st.text(max_size=3), st.just([]), st.just({}), st.just("1e999"), st.booleans())
    )
    if value == place[key] or (form.get("promise") is place.get(key) if isinstance(place, dict) else False):
        return
    if place is form and key == "promise":
        return
    place[key] = value
    with pytest.raises(sv.StudyError):
        sv.Study.from_json(json.dumps(form))


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"sottovoce": 2}', "{" * 10_000, '{"sottovoce": 1}', "[" * 100_000])
def test_what_is_no_compiled_study(text: str, tmp_path: Path) -> None:
    path = tmp_path / "study.json"
    path.write_text(text)
    with pytest.raises(sv.StudyError):
        sv.Study.load(path)
    with pytest.raises(sv.StudyError):
        sv.Study.from_json(text)


def test_the_fingerprint_as_the_specification_has_it() -> None:
    """A second implementation of spec/study.md, letter by letter."""

    def written(value: Any) -> str:
        if isinstance(value, dict):
            return "{" + ",".join(f"{written(key)}:{written(value[key])}" for key in sorted(value)) + "}"
        if isinstance(value, list):
            return "[" + ",".join(map(written, value)) + "]"
        if isinstance(value, int):
            return str(value)
        if value is None:
            return "null"
        short = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
        text = ""
        for letter in value:
            units = letter.encode("utf-16-be", "surrogatepass")
            escaped = "".join(f"\\u{units[k]:02x}{units[k + 1]:02x}" for k in range(0, len(units), 2))
            text += short.get(letter) or (letter if " " <= letter <= "~" else escaped)
        return f'"{text}"'

    studies = [sv.Study.from_toml(text) for text in STUDIES.values()]
    # study files refuse control characters, and what was compiled earlier may have them
    studies.append(replace(sv.Study.from_toml(STUDIES["ldp"]), question='A "quote", a\ttab,\na line, \x7f, é, 🙂: which of these?'))
    for study in studies:
        form = study.compile()
        own = {key: value for key, value in form.items() if key not in {"promise", "fingerprint"}}
        assert hashlib.sha256(written(own).encode("ascii")).hexdigest() == form["fingerprint"]


def test_a_compiled_study_says_nothing_more() -> None:
    form = sv.Study.from_toml(STUDIES["levels"]).compile()
    changes: list[dict[str, Any]] = [{"extra": 1}, {"name": "x[/y]"}, {"question": "\ud800"}, {"blocks": []}]
    for change in changes:
        changed = form | change
        changed["fingerprint"] = fingerprint_of({key: value for key, value in changed.items() if key not in {"promise", "fingerprint"}})
        with pytest.raises(sv.StudyError):
            sv.Study.from_json(json.dumps(changed))


@pytest.mark.parametrize("text", [*STUDIES.values(), *QUESTIONNAIRES.values()])
def test_changing_what_was_compiled_does_not_change_the_study(text: str) -> None:
    study = sv.Study.from_toml(text)
    kept = json.dumps(study.compile())
    _spoiled(study.compile())
    assert json.dumps(study.compile()) == kept
    assert sv.Study.from_json(kept).fingerprint == study.fingerprint


def _spoiled(value: Any) -> None:
    """Everything in a form is replaced, at every depth."""
    for key, each in list(value.items() if isinstance(value, dict) else enumerate(value)):
        if isinstance(each, (dict, list)):
            _spoiled(each)
        value[key] = "spoiled"
