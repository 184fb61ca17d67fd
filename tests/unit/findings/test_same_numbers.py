"""What a report reveals is said with the same numbers everywhere: words, dots, charts, explained pages, checks and JSON.

Browsers are held to them by `spec/vectors`. The numbers themselves are computed a second time here: by Bayes' rule, from the table of
all reports, in fractions.
"""

from __future__ import annotations

import re
from fractions import Fraction
from math import ceil, inf
from pathlib import Path

import pytest

import sottovoce as sv
from invoking import as_json, run
from paths import ROOT
from sottovoce.findings.answer_groups import groups_of
from sottovoce.findings.explanations import PAGES
from sottovoce.findings.guarantee import guarantee_lines, guarantees_of
from sottovoce.findings.pages.findings import findings_page
from sottovoce.findings.pages.parts import illustrated
from sottovoce.findings.results import Findings
from sottovoce.notions.odds import swing_of
from studies import HEAD, ITEMS, QUESTIONNAIRES, STUDIES

#: Studies where the notion allows more than the channel does, or answers differ.
OTHERS = {
    "weak": HEAD + ITEMS + '[privacy]\nnotion = "ipldp"\n[privacy.budgets]\nhiv = 0.2\ncancer = 3.0\nflu = 9.0\n',
}
ONE = STUDIES | OTHERS
#: Numbers in sentences, and in pictures.
SAID, DRAWN = re.compile(r"at most (?:about )?([\d.]+) in 100"), re.compile(r"at most ([\d.]+) in 100")


#: What 50 in 100 becomes, in sentences.
HALF = re.compile(r"from 50 in 100 (?:to )?(?:at most about|nearly) ([\d.]+)")


def halves(text: str) -> set[float]:
    return {float(each.rstrip(".")) for each in HALF.findall(text)}


def numbers(text: str) -> set[float]:
    found = {float(each.rstrip(".")) for each in SAID.findall(text)}
    return found | ({100.0} if "almost certain" in text else set())


def by_hand(study: sv.Study, level: str) -> dict[int, float]:
    """For each protected answer the most that 1 in 100 becomes, over all reports, against the other answer that makes it most."""
    promise, mechanism = study.promises[level], study.blocks[level]
    assert promise is not None
    inputs = mechanism.inputs
    marked = [inputs.code(item) for item in promise.budgets or [*promise.sensitive, *promise.bots]] or range(len(inputs))
    table = mechanism.channel.matrix()
    found, half = dict[int, float](), dict[int, int]()
    for code in marked:
        odds = Fraction(1)
        for y in range(table.shape[1]):
            column = [Fraction(each) for each in table[:, y].tolist()]
            if not column[code]:
                continue
            least = min(each for other, each in enumerate(column) if other != code)
            assert least, "no report reveals a protected answer"
            odds = max(odds, column[code] / least)
        odds **= study.reports
        after = odds / (odds + 99)
        tenths = ceil(1000 * after - Fraction(1, 10**9))  # tables are rounded to floats
        found[code] = tenths / 10 if tenths < 20 else ceil(100 * after - Fraction(1, 10**9))
        half[code] = ceil(100 * odds / (odds + 1) - Fraction(1, 10**9))
    groups = groups_of(study, level)
    assert [group.half for group in groups] == [max(half[code] for code in group.codes) for group in groups]
    return found


@pytest.mark.parametrize("name", [name for name in ONE if name not in {"olh", "integers", "hadamard"}])
def test_the_numbers_are_those_of_bayes(name: str) -> None:
    study = sv.Study.from_toml(ONE[name])
    for level, promise in study.promises.items():
        found = {code: group.after for group in groups_of(study, level) for code in group.codes}
        assert found == ({} if promise is None else by_hand(study, level))


@pytest.mark.parametrize("name", [*ONE, *QUESTIONNAIRES])
def test_words_dots_pages_checks_and_data_agree(name: str, tmp_path: Path) -> None:
    toml = (ONE | QUESTIONNAIRES)[name]
    study = sv.Study.from_toml(toml)
    expected = {float(group.after) for each in guarantees_of(study) for group in each.groups}
    assert expected
    for guarantee, drawn in zip(guarantees_of(study), illustrated(guarantees_of(study)), strict=True):
        mine = {float(group.after) for group in guarantee.groups}
        assert guarantee.after == (max(mine) if mine else None)
        assert numbers(" ".join(guarantee.sentences)) == mine, "words"
        evens = {float(group.half) for group in guarantee.groups} if len(guarantee.groups) == 1 else set()
        assert {float(each) for each in DRAWN.findall(str(drawn.picture))} == mine | evens, "dots"
    half = {float(group.half) for each in guarantees_of(study) for group in each.groups if group.after < 100}
    assert halves(" ".join(line for line, _ in guarantee_lines(study))) == half
    assert numbers(" ".join(line for line, _ in guarantee_lines(study))) == expected, "terminal and notebooks"
    for reader, page in PAGES.items():
        assert numbers(page(study, "study.toml")) == expected, f"explained to a {reader}"
        assert halves(page(study, "study.toml")) == half
    (tmp_path / "study.toml").write_text(toml)
    checked = " ".join(run(tmp_path, "check", "study.toml").stdout.decode().split())
    assert numbers(checked) == expected, "check"
    assert halves(checked) == half
    told = as_json(tmp_path, "check", "study.toml")["beliefs"]
    assert {float(group["after_in_100"]) for each in told for group in each["groups"]} == expected, "JSON"
    assert {float(group["from_50_in_100"]) for each in told for group in each["groups"] if group["after_in_100"] < 100} == half
    notes = study.plot().to_dict()["title"]["subtitle"]
    charted = {float(each) for note in notes for each in DRAWN.findall(note)}
    assert charted == {float(each.after) for each in guarantees_of(study) if each.after is not None}, "chart: the least protected answer"


@pytest.mark.parametrize("name", ["ldp", "uldp", "ipldp", "item_uldp", "minid", "lip", "levels", "tags", "scale", "three-reports"])
def test_pages_of_findings_agree(name: str) -> None:
    study = sv.Study.from_toml(ONE[name])
    people = dict.fromkeys(study.blocks, 100) if study.levels else 100
    shares = [1 / len(study.inputs)] * len(study.inputs)
    tally = sv.Tally.simulate(study.mechanism, shares, people, sv.SeededSource(1), reports=study.reports)
    page = findings_page(Findings.of(study, sv.estimate(tally, progress=False)))
    evens = {float(each.groups[0].half) for each in guarantees_of(study) if len(each.groups) == 1}
    assert numbers(page) == evens | {float(group.after) for each in guarantees_of(study) for group in each.groups}


@pytest.mark.parametrize("name", ["ldp", "uldp", "ipldp", "item_uldp", "minid", "lip", "matrix", "window"])
def test_a_certificate_raises_as_much_as_its_study(name: str) -> None:
    study = sv.Study.from_toml(ONE[name])
    up, _ = swing_of(study.blocks[""].certify())
    assert up == groups_of(study, "")[-1].ratio != inf


def test_browsers_are_tested_with_every_study() -> None:
    assert {path.stem for path in (ROOT / "spec/vectors/studies").glob("*.json")} == set(STUDIES)
