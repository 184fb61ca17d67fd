"""The pages that explain a study: what they state is what the study guarantees, and no more."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from pathlib import Path

import pytest

import sottovoce as sv
from invoking import as_json, run
from sottovoce.findings.expected_precision import precision_of
from sottovoce.findings.explanations import PAGES, for_analysts, for_board, for_respondents
from sottovoce.findings.limits import limits_of
from sottovoce.study.templates import KINDS, template
from studies import QUESTIONNAIRES, STUDIES

ALL = """
name = "pets"
question = "Which pet do you have?"
items = ["cat", "dog", "none"]
reports = 3

[privacy]
notion = "ldp"
epsilon = 1.5
"""
LEVELS = """
name = "pets"
question = "Which pet do you have?"
items = ["cat", "dog", "none"]

[privacy]
notion = "ldp"

[privacy.levels]
careful = 0.5
open = inf
"""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("reader", PAGES)
def test_every_kind_of_study_has_every_page(kind: str, reader: str) -> None:
    study = sv.Study.from_toml(template(kind, "my-study", None, [], [], None))
    text = PAGES[reader](study, "my-study.toml")
    assert study.question in text
    assert not {"None", "nan", "inf"} & set(text.replace("|", " ").split())
    assert str(study.minimum) in text
    lines = text.splitlines()
    assert lines[0].startswith("# ")
    rows = [line for line in lines if line.startswith("|")]
    assert all(line.count("|") >= 3 for line in rows)


def test_a_board_sees_the_certificate_of_all_reports_together() -> None:
    study = sv.Study.from_toml(ALL)
    text = for_board(study)
    level = 3 * study.blocks[""].certify().level
    assert level <= 1.5
    assert f"| every answer (local differential privacy) | 1.5 | {math.ceil(level * 1000) / 1000:g} | yes |" in text
    assert study.fingerprint in text
    assert "| Reports per person | 3 |" in text


def test_notions_are_named_in_words_before_their_names() -> None:
    for name, words in {
        "ldp": "| every answer (local differential privacy) |",
        "minid": "| every answer, each up to a limit of its own (input-discriminative local differential privacy, MinID-LDP) |",
        "ipldp": "| the sensitive answers, each up to a limit of its own (item-oriented personalized local differential privacy) |",
        "lip": "| every answer, from someone who knows how common it is (local information privacy) |",
        "in-part": "| the sensitive answers to all questions together (",
    }.items():
        study = sv.Study.from_toml((STUDIES | QUESTIONNAIRES)[name])
        assert words in for_board(study)
        assert not re.search(r"\bplain\b|LDP|differential", for_respondents(study).replace("(ε-LIP is only 2ε-LDP)", ""), re.IGNORECASE)


def test_a_board_reads_what_an_assessment_can_use() -> None:
    text = for_board(sv.Study.from_toml(STUDIES["uldp"]))
    part = text.partition("## For a data protection impact assessment")[2].partition("\n## ")[0]
    for said in ("Article 35", "Articles 25 and 32", "a legal question that this page doesn’t decide", "may be sent as they are"):
        assert said in part
    assert "may be sent as they are" not in for_board(sv.Study.from_toml(ALL))


def test_a_check_lists_all_that_a_board_reads(tmp_path: Path) -> None:
    """Also of a questionnaire, whose guarantee has fewer limits of its own."""
    for name, toml in (STUDIES | QUESTIONNAIRES).items():
        if name not in {"ldp", "ipldp", "levels", "block", "in-part", "tiers"}:
            continue
        study = sv.Study.from_toml(toml)
        (tmp_path / "study.toml").write_text(toml)
        said = " ".join(run(tmp_path, "check", "study.toml").stdout.decode().split())
        board = for_board(study)
        for limit in limits_of(study):
            assert limit in said
            assert f"- {limit}" in board
        assert as_json(tmp_path, "check", "study.toml")["limits"] == limits_of(study)
        assert "Further reports about the same answer" in said


def test_the_belief_is_that_of_bayes() -> None:
    """By brute force: the largest chance after all three reports, for someone who thought that it was 1 in 100."""
    study = sv.Study.from_toml(ALL)
    matrix = study.blocks[""].channel.matrix()
    most = 0.0
    for y in range(matrix.shape[1]):
        for x in range(3):
            least = min(matrix[other, y] for other in range(3) if other != x)
            most = max(most, (matrix[x, y] / least) ** 3)
    after = math.ceil(100 * float(Fraction(1, 100)) * most / (0.01 * most + 0.99))
    assert f"at most about {after} in 100" in for_respondents(study)
    assert f"at most about {after} in 100" in for_board(study)


def test_what_may_be_shown_is_said_first() -> None:
    """A page for respondents never promises more than the study: some answers may be sent as they are."""
    survey = for_respondents(sv.Study.from_toml(template("survey", "s", None, [], [], None)))
    short = next(line for line in survey.splitlines() if line.startswith("**In short.**"))
    assert "Answers that aren’t sensitive may be sent as they are" in short
    pets = for_respondents(sv.Study.from_toml(ALL))
    assert "may be sent as they are" not in pets
    assert "3 reports in place of your answer" in pets
    levels = sv.Study.from_toml(LEVELS)
    assert "**Level “open”.** Nothing is hidden" in for_respondents(levels)
    assert "Which protection level someone chose isn’t hidden." in for_board(levels)
    assert "| open | none: answers are sent as they are | – | – | – |" in for_board(levels)


def gist(toml: str) -> str:
    return next(line for line in for_respondents(sv.Study.from_toml(toml)).splitlines() if line.startswith("**In short.**"))


def test_the_gist_promises_no_more_than_the_least_protection() -> None:
    """A level that hides nothing, and a budget that makes someone almost certain, are no reason to feel safe."""
    assert "so no one can be sure what your answer was" in gist(ALL)
    levels = gist(LEVELS)
    assert "so no one can be sure what your answer was" in levels
    assert "**At the level “open”, nothing is hidden**" in levels
    assert "sensitive" not in levels
    weak = gist(ALL.replace("1.5", "30"))
    assert "no one can be sure" not in weak
    assert "a report can still reveal almost for certain what your answer was" in weak


def test_analysts_see_the_precision_of_the_study_itself() -> None:
    study = sv.Study.from_toml(ALL)
    found = precision_of(study)
    assert found is not None
    assert found.rows[1][1] in for_analysts(study)
    wide, narrow = (float(row[1].split()[1]) for row in (found.rows[0], found.rows[2]))
    assert wide / narrow == pytest.approx(10, rel=0.01)


def test_the_command_writes_pages(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(ALL)
    assert run(tmp_path, "explain", "study.toml").stdout.decode() == for_respondents(sv.Study.from_toml(ALL))
    assert run(tmp_path, "explain", "--for", "board", "-o", "board.md").returncode == 0
    assert (tmp_path / "board.md").read_text() == for_board(sv.Study.from_toml(ALL))
    again = run(tmp_path, "explain", "--for", "analyst", "-o", "board.md", code=1)
    assert "board.md already exists" in again.stderr.decode()
    assert (tmp_path / "board.md").read_text() == for_board(sv.Study.from_toml(ALL))
    assert run(tmp_path, "explain", "--for", "analyst", "-o", "board.md", "--force").returncode == 0
    assert run(tmp_path, "explain", "-o", "study.toml", code=1).stderr
    assert run(tmp_path, "explain", "--for", "nobody", code=2).stderr
