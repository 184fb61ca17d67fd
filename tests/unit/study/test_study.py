"""Study files become mechanisms that keep their promise, and compiled studies that say the same in any language."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sottovoce as sv
from messages import refused, wording
from sottovoce.labels import labels_of
from sottovoce.policy import Promise
from sottovoce.study.templates import KINDS, template
from sottovoce.study.toml import Document
from sottovoce.utility.expectations import expected_tv
from studies import AXES, HEAD, ITEMS, QUESTIONNAIRES, STUDIES
from zoo import ENTRIES


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with refused(sv.StudyError, "none.toml"):
        sv.Study.load(tmp_path / "none.toml")
    with refused(sv.StudyError, tmp_path):
        sv.Study.load(tmp_path)
    (tmp_path / "latin.toml").write_bytes(b'name = "a"\nquestion = "caf\xe9"\n')
    with refused(sv.StudyError, "latin.toml, line 2", "UTF-8"):
        sv.Study.load(tmp_path / "latin.toml")
    (tmp_path / "bom.toml").write_bytes(b"\xef\xbb\xbf" + STUDIES["ldp"].encode())
    assert sv.Study.load(tmp_path / "bom.toml").name == "clinic-2026"


@pytest.mark.parametrize("reports", [1, 2, 3, 7, 10, 49])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 2.0, 0.3, 7.0])
def test_a_divided_budget_is_never_exceeded(reports: int, epsilon: float) -> None:
    share = Promise(sv.Domain("abc"), "ldp", epsilon).divided(reports).epsilon
    assert share is not None
    assert Fraction(share) * reports <= Fraction(epsilon)
    assert Fraction(math.nextafter(share, 9)) * reports > Fraction(epsilon)


def test_several_reports_together_keep_the_promise() -> None:
    study = sv.Study.from_toml(STUDIES["three-reports"])
    mechanism = study.blocks[""]
    together = sv.repeated(mechanism.claim, 3)
    assert isinstance(together, sv.LDP)
    assert together.epsilon <= math.nextafter(1.0, 2)
    assert mechanism.certify().level == pytest.approx(1 / 3)
    wording(study.explain())


@pytest.mark.parametrize("kind", KINDS)
def test_templates_are_studies(kind: str) -> None:
    study = sv.Study.from_toml(template(kind, None, None, [], [], 1.0))
    assert study.name == KINDS[kind].name
    assert all(mechanism.certify().holds for mechanism in study.blocks.values())


@given(
    st.lists(st.text(min_size=1, max_size=12).map(str.strip).filter(bool), min_size=2, max_size=8, unique_by=lambda text: text.strip()),
    st.text(min_size=1).filter(lambda text: bool(text.strip())),
)
def test_any_items_and_question_survive_a_template(items: list[str], question: str) -> None:
    text = template("survey", None, question, items, items[:1], 0.5)
    try:
        study = sv.Study.from_toml(text)
    except sv.StudyError:
        assert any(ord(letter) < 32 or 0x7F <= ord(letter) < 0xA0 or 0xD800 <= ord(letter) < 0xE000 for letter in "".join(items) + question)
        return
    assert list(study.domain) == items
    assert study.question == question


def test_sensitive_items_can_be_named_in_many_ways() -> None:
    axes = sv.Study.from_toml(STUDIES["axes"]).promises[""]
    assert axes is not None
    assert set(axes.sensitive) == {("f", "young"), ("f", "middle"), ("f", "old"), ("m", "old")}
    grid = sv.Study.from_toml(STUDIES["grid"]).promises[""]
    assert grid is not None
    assert set(grid.sensitive) == {(0, 0), (2, 1)}
    years = sv.Study.from_toml(STUDIES["years"]).promises[""]
    assert years is not None
    assert years.sensitive == (2025,)


@pytest.mark.parametrize("name", [name for name in ENTRIES if name not in {"from_matrix", "rr_lip_published"}])
def test_every_mechanism_can_be_written_in_a_study(name: str) -> None:
    takes = ENTRIES[name].takes
    privacy = 'notion = "ldp"\nepsilon = 1.0\n'
    if "budgets" in takes:
        privacy = (
            'notion = "item_uldp"\nbudgets = {a = 0.5, b = 1.0}\n' if name != "idue" else 'notion = "minid"\nbudgets = {a = 0.5, b = 1.0}\n'
        )
    elif "prior" in takes:
        privacy = 'notion = "lip"\nepsilon = 1.0\nprior = [0.4, 0.6]\n'
    elif "tags" in takes:
        privacy = 'notion = "uldp"\nepsilon = 1.0\ntags = ["home"]\n'
    elif "sensitive" in takes:
        privacy = 'notion = "uldp"\nepsilon = 1.0\nsensitive = ["a"]\n'
    items = '["a", "b"]' if name in {"idue", "mangat"} or "prior" in takes else '["a", "b", "c"]'
    listed = "scale" if name == "window" else "items"
    study = sv.Study.from_toml(f'{HEAD}{listed} = {items}\n[privacy]\n{privacy}[mechanism]\nname = "{name}"\n')
    assert study.blocks[""].certify().holds
    assert sv.Study.from_json(json.dumps(study.compile())).fingerprint == study.fingerprint


def test_budgets_of_reported_items_are_not_divided() -> None:
    """A pair of reports that names two items has no budget of one item: IPLDP does not add up."""
    with refused(sv.StudyError, "'ipldp'", "'item_uldp'"):
        sv.Study.from_toml(STUDIES["ipldp"].replace("[privacy]", "reports = 2\n[privacy]"))
    study = sv.Study.from_toml(STUDIES["item_uldp"].replace("[privacy]", "reports = 2\n[privacy]"))
    assert sv.repeated(study.blocks[""].claim, 2) == sv.ItemULDP({"hiv": 0.5, "cancer": 1.5})


@pytest.mark.parametrize(
    "text",
    [
        'items = ["flu", "flu "]\n',
        'items = ["flu", "  "]\n',
        "items = 99999999999999999999999\n",
        'items = ["a", 9007199254740993]\n',
        'items = ["a", "b"]\nreports = 1' + "0" * 400 + "\n",
        'items = ["a", "b"]\npeople = 1' + "0" * 5000 + "\n",
        "items = " + "[" * 3000 + "]" * 3000 + "\n",
        '[axes]\ncls = ["a", "b"]\n',
        '[axes]\nlow = ["a", "b"]\n',
        "[axes]\nx = []\n",
        "[grid]\ncls = [0, 1]\nshape = [3]\n",
        "[grid]\nx = [-1e308, 1.7e308]\nshape = [3]\n",
    ],
)
def test_strange_studies_are_refused_in_words(text: str) -> None:
    with pytest.raises(sv.StudyError):
        sv.Study.from_toml(HEAD + text + '[privacy]\nnotion = "ldp"\nepsilon = 1.0\n')


@pytest.mark.parametrize(
    "privacy",
    [
        'notion = "ldp"\nlevels = {"" = 0.5, x = 2.0}\n',
        'notion = "uldp"\nepsilon = 1\ntags = ["x", " x"]\n',
        'notion = "uldp"\nepsilon = 1\nsensitive = [true]\n',
        'notion = "uldp"\nepsilon = 1\nsensitive = [1.0]\n',
        'notion = "uldp"\nepsilon = 1\nsensitive = [{self = 1}]\n',
    ],
)
def test_strange_promises_are_refused_in_words(privacy: str) -> None:
    with refused(sv.StudyError, "line ", "[privacy]"):
        sv.Study.from_toml(HEAD + "items = 5\n[privacy]\n" + privacy)


def test_settings_are_blamed_on_their_line() -> None:
    with refused(sv.StudyError, "line 9", "[mechanism] theta"):
        sv.Study.from_toml(STUDIES["ldp"] + '[mechanism]\nname = "rappor"\ntheta = 7\n')
    with refused(sv.StudyError, "line 7", "[privacy] sensitive"):
        sv.Study.from_toml(STUDIES["ldp"] + 'sensitive = ["hiv"]\n')


def test_items_whose_texts_collide_are_refused() -> None:
    with refused(sv.StudyError, "'1'"):
        sv.Study.from_toml(HEAD + 'items = ["1", 1]\n[privacy]\nnotion = "ldp"\nepsilon = 1\n')
    with refused(sv.StudyError, "'a / b / c'"):
        sv.Study.from_toml(HEAD + '[axes]\nx = ["a", "a / b"]\ny = ["b / c", "c"]\n[privacy]\nnotion = "ldp"\nepsilon = 1\n')


@given(st.lists(st.sampled_from(["plain", "table", "list", "text", "comment", "inline"]), min_size=1, max_size=12))
def test_lines_of_keys(kinds: list[str]) -> None:
    """However a file is laid out, a key is found on the line where it was written."""
    lines: list[str] = []
    expected: dict[tuple[str | int, ...], int] = {}
    table: tuple[str, ...] = ()
    for number, kind in enumerate(kinds):
        key = f"key{number}"
        at = len(lines) + 1
        match kind:
            case "plain":
                lines.append(f'{key} = "a # [no] = comment"  # a comment')
                expected[*table, key] = at
            case "table":
                table = (f"table{number}",)
                lines.append(f"[{table[0]}]")
                expected[table] = at
            case "list":
                lines += [f'"{key}" = [', '  "one, ]",', "  'two',", "]"]
                expected |= {(*table, key): at, (*table, key, 0): at + 1, (*table, key, 1): at + 2}
            case "text":
                lines += [f'{key} = """first', 'fake = "key"', '"""']
                expected[*table, key] = at
            case "comment":
                lines += ["", "# fake = 1"]
            case _:
                lines.append(f"{key} = {{a = 1, 'b c' = [2]}}")
                expected |= {(*table, key): at, (*table, key, "b c"): at}
    found = Document.of("\n".join(lines), "x").lines
    assert {path: found.get(path) for path in expected} == expected


def test_labels_go_to_codes_and_back() -> None:
    study = sv.Study.from_toml(HEAD + AXES + '[privacy]\nnotion = "ldp"\nepsilon = 1\n')
    labels = labels_of(study.domain)
    assert [labels.code(text) for text in labels.texts] == list(range(6))
    assert labels.code(" f /old ") == labels.code("f / old")
    assert labels.code("f old") is None


@pytest.mark.parametrize("name", ["krr", "oue", "urr"])
def test_the_error_of_several_reports_is_predicted(name: str) -> None:
    """The noise is that of all reports, the choice of the people that of the people alone."""
    build = {
        "krr": lambda: sv.krr(sv.Domain(6), 3.0),
        "oue": lambda: sv.oue(sv.Domain(6), 3.0),
        "urr": lambda: sv.urr(sv.Domain(6), 3.0, [0]),
    }
    mechanism, p, n = build[name](), np.array([0.1, 0.2, 0.3, 0.2, 0.1, 0.1]), 2000
    for reports in (1, 4):
        runs = [
            sv.distance(sv.estimate(sv.Tally.simulate(mechanism, p, n, sv.SeededSource(k), reports=reports), "inversion").p, p).tv
            for k in range(400)
        ]
        error = float(np.std(runs)) / 20
        assert np.mean(runs) == pytest.approx(expected_tv(mechanism, p, n, reports), abs=5 * error)
    assert abs(expected_tv(mechanism, p, n * 4) - expected_tv(mechanism, p, n, 4)) > 5 * error


def test_several_reports_of_one_person_are_about_one_answer() -> None:
    open_channel = sv.identity(sv.Domain("ab"))
    tally = sv.Tally.simulate(open_channel, [0.5, 0.5], 1001, sv.SeededSource(1), reports=3)
    assert tally.n == 3003
    assert all(count % 3 == 0 for count in tally.blocks[0].counts.tolist())
    kept = sv.Tally.simulate(sv.olh(sv.Domain(9), 1.0), np.full(9, 1 / 9), 100, sv.SeededSource(1), keep_reports=True, reports=2)
    assert kept.n == 200
    with refused(sv.ParameterError, 0):
        sv.Tally.simulate(open_channel, [0.5, 0.5], 10, sv.SeededSource(1), reports=0)


def test_a_study_plans_for_one_report_of_each_person() -> None:
    one, three = (sv.Study.from_toml(HEAD + ITEMS + f'reports = {r}\n[privacy]\nnotion = "ldp"\nepsilon = 1.0\n') for r in (1, 3))
    assert (three.plan(1000).n, three.plan(1000).reports) == (1000, 3)
    worse, better = three.plan(1000).options[0].tv, one.plan(1000).options[0].tv
    assert worse is not None
    assert better is not None
    assert worse > better
    with refused(sv.StudyError, "'usual'"):
        one.plan(1000, level="usual")
    assert sv.Study.from_toml(STUDIES["levels"]).plan(1000, level="usual").promise.epsilon == 2.0


@pytest.mark.parametrize("kind", ["ldp", "block"])
def test_listed_is_read_and_no_part_of_the_study(kind: str) -> None:
    text = (STUDIES | QUESTIONNAIRES)[kind]
    plain, listed = sv.Study.from_toml(text), sv.Study.from_toml(f"listed = true\n{text}")
    assert (plain.listed, listed.listed, sv.Study.from_toml(f"listed = false\n{text}").listed) == (None, True, False)
    assert listed.compile() == plain.compile()
    assert sv.Study.from_json(json.dumps(listed.compile())).listed is None
    with refused(sv.StudyError, "listed", "yes"):
        sv.Study.from_toml(f'listed = "yes"\n{text}')
