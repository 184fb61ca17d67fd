"""The pages that explain a study: what they state is what the study guarantees, and no more."""

from __future__ import annotations

import json
import math
import re
from fractions import Fraction
from pathlib import Path

import pytest

import sottovoce as sv
from invoking import as_json, run
from sottovoce.findings.expected_precision import precision_of
from sottovoce.findings.explained_respondents import for_respondents
from sottovoce.findings.explanations import PAGES, for_analysts, for_board
from sottovoce.findings.limits import has_open_answers, limits_of
from sottovoce.findings.protection import protection_of
from sottovoce.policy.wording import percent
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.study.strategy_plan import StrategyPlan
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


CLEAR = """
name = "staff"
title = "Staff"
[privacy]
notion = "uldp"
epsilon = 1.0
[[questions]]
name = "mood"
text = "How are you?"
items = ["well", "ill"]
sensitive = ["ill"]
[[questions]]
name = "age"
text = "How old are you?"
items = ["young", "old"]
"""


def test_what_is_always_sent_as_it_is_stands_before_the_guarantee() -> None:
    """By the texts of the questions, and with the answers of the others that may be shown."""
    study = sv.Study.from_toml(CLEAR)
    board, person = for_board(study), for_respondents(study)
    named = board.index("**Answers to these questions are always sent as they are:** “How old are you?”.")
    assert named < board.index("## What is guaranteed")
    row = "| “How are you?” | “ill” (always sent, and by devices with other answers in 37% of their reports) | “well” | in 63% of reports |"
    assert row in board
    assert "| “How old are you?” | – | every answer | always |" in board
    assert "**A device with the answer “ill” to “How are you?” always sends it, if its report is about the question.**" in board
    assert "- **Your answer to this question as it is:** “How old are you?”. The study treats nothing about it as sensitive." in person
    assert "- A report about the other question." in person
    assert row in person
    assert "Devices with the answer “ill” to “How are you?” always send it." in person
    assert "Those can hint at the other answers too." in board
    assert "Those can hint at your other answers too." in person
    for text in (board, person):
        assert "could without any report" not in text
        assert "Chance picks them" not in text, "everyone gets the same form"
    assert "always sent as they are" not in for_board(sv.Study.from_toml(ALL))
    assert "| “Which pet do you have?” | every answer | – | – |" in for_board(sv.Study.from_toml(ALL))
    levels = for_board(sv.Study.from_toml(LEVELS))
    assert "| “Which pet do you have?” | every answer | every answer, at a level that hides nothing | always at that level |" in levels
    assert "None of this is true at the level “open”, which hides nothing." in levels


LONE = """
name = "lone"
question = "Do you have it?"
items = ["hiv", "flu", "none"]
[privacy]
notion = "uldp"
epsilon = 1.0
sensitive = ["hiv"]
"""


def test_one_sensitive_answer_is_always_sent_and_several_are_not() -> None:
    """What pages say of a device is what its channel does, whatever the notion."""
    alone = sv.Study.from_toml(LONE)
    assert alone.blocks[""].channel.row(0).tolist() == [1.0, 0.0, 0.0]
    person = for_respondents(alone)
    assert "If yours is “hiv”, it always shows “hiv”. Otherwise chance decides whether it shows “hiv” or yours." in person
    assert "**A device with the answer “hiv” always sends it.**" in for_board(alone)
    several = sv.Study.from_toml(LONE.replace('["hiv"]', '["hiv", "flu"]'))
    assert several.blocks[""].channel.row(0).max() < 1
    assert "chance decides which sensitive answers it names" in for_respondents(several)
    marks = sv.Study.from_toml(LONE.replace('sensitive = ["hiv"]', 'tags = ["mine"]'))
    assert "If you marked your answer, it always shows “mine”." in for_respondents(marks)
    assert "one that you marked as “mine”" in for_respondents(marks)
    assert "one that this person marked as “mine”" in for_board(marks)
    for study in (several, sv.Study.from_toml(ALL)):
        assert "always s" not in for_respondents(study) + for_board(study).partition("## What is guaranteed")[2]


def one_answer(mechanism: sv.Mechanism) -> list[float]:
    """How often devices with each of the other answers send the first one, by the matrix."""
    column: list[float] = mechanism.channel.matrix()[1:, 0].tolist()
    return column


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 6.0])
@pytest.mark.parametrize("name", ["auto", "urr", "ubd", "iprr"])
def test_pages_state_how_often_others_send_the_one_sensitive_answer(name: str, epsilon: float, tmp_path: Path) -> None:
    """Nothing else protects it. The chance is that of the matrix, also in `check`."""
    toml = LONE.replace("1.0", str(epsilon)) + f'[mechanism]\nname = "{name}"\n'
    if name == "iprr":
        toml = toml.replace("uldp", "ipldp").replace(f'epsilon = {epsilon}\nsensitive = ["hiv"]', f"budgets = {{hiv = {epsilon}}}")
    study = sv.Study.from_toml(toml)
    (chance,) = set(one_answer(study.blocks[""]))
    often = f"Devices with other answers send it in {percent(chance)} of their reports, and only this protects it"
    assert often in for_board(study)
    (tmp_path / "study.toml").write_text(toml)
    assert often in " ".join(run(tmp_path, "check", "study.toml").stdout.decode().split())


def test_with_several_reports_pages_state_what_happens_once_and_every_time() -> None:
    """Per report and per person: 28% of reports show an answer, and 63% of people send one at least that does."""
    study = sv.Study.from_toml(LONE.replace("items", "reports = 3\nitems"))
    (chance,) = set(one_answer(study.blocks[""]))
    (row,) = protection_of(study)
    assert row.often == f"in {percent(1 - chance)} of reports, for {percent(1 - chance**3)} of people in at least one of 3"
    assert row.often == "in 28% of reports, for 63% of people in at least one of 3"
    assert row.by_others == f"in {percent(chance)} of their reports, in all 3 for {percent(chance**3)} of them"


def test_a_weak_guarantee_is_not_called_no_proof() -> None:
    """The same rule as on the page for respondents."""
    for toml, report in ((LONE, "So a report that names it"), (ALL.replace("reports = 3\n", ""), "A report that names an answer")):
        said = [for_board(sv.Study.from_toml(re.sub("epsilon = .*", f"epsilon = {epsilon}", toml))) for epsilon in (1.0, 3.0, 6.0)]
        assert all(f"{report} isn’t proof" in page for page in said[:2])
        assert ["can still make a suspicion strong" in page for page in said] == [False, True, False]
        assert f"{report} can still show almost for certain that someone gave it" in said[2]
        assert not any("proves nothing" in page for page in said)


def test_people_who_mark_answers_read_what_a_mark_sends() -> None:
    marks = sv.Study.from_toml(LONE.replace('sensitive = ["hiv"]', 'tags = ["mine"]'))
    for page in (for_board(marks), for_respondents(marks)):
        assert "your device reports the name of the mark, such as “mine”" in page
        assert "A report that reveals an answer also reveals that you haven’t marked it." in page
    assert "mark" not in for_respondents(sv.Study.from_toml(LONE))


def test_a_question_of_which_only_the_refusal_is_protected_is_named(tmp_path: Path) -> None:
    toml = CLEAR.replace('items = ["young", "old"]', 'items = ["young", "old"]\nprefer_not_to_say = true')
    study = sv.Study.from_toml(toml)
    assert isinstance(study, Questionnaire)
    (part,) = [part for form in study.mechanism.groups.values() for part in form.parts if "age" in part.questions]
    rows = part.channel.matrix()
    shown = percent(1 - rows[0, rows[2].argmax()])  # the other reports are those of the refusal
    said = f"Of “How old are you?”, only “prefer not to say” is protected. Its other answers are shown as they are in {shown} of reports."
    (tmp_path / "study.toml").write_text(toml)
    for page in (for_board(study), for_respondents(study), " ".join(run(tmp_path, "check", "study.toml").stdout.decode().split())):
        assert said in page
        assert "Of “How are you?”" not in page
    assert not any(limit.startswith("Of “") for limit in limits_of(sv.Study.from_toml(CLEAR)))


def test_boxes_of_several_choices_are_protected_as_a_whole() -> None:
    rows = {row.question: row for row in protection_of(sv.Study.from_toml(QUESTIONNAIRES["in-part"]))}
    assert rows["Which did you have this week?"][1:] == ("every answer", "", "", "", "")
    assert rows["Do you smoke?"][1:] == ("“yes”", "“no”", "in 86% of reports", "“yes”", "in 14% of their reports")


@pytest.mark.parametrize("name", [*STUDIES, *QUESTIONNAIRES])
def test_a_board_reads_which_answers_reports_reveal(name: str) -> None:
    """An answer that a report can reveal is never among the protected ones, and what can't be revealed isn't called open."""
    study = sv.Study.from_toml((STUDIES | QUESTIONNAIRES)[name])
    rows = protection_of(study)
    assert len(rows) == (len(study.questions) if study.of_several_questions else 1)
    assert all(row.protected or row.shown for row in rows)
    assert has_open_answers(study) or None in study.promises.values() or not any(row.shown for row in rows)


def test_a_board_reads_what_a_changed_page_can_do_and_what_remains() -> None:
    board = for_board(sv.Study.from_toml(ALL))
    assert "It doesn’t stand against someone who changes the page or program before people answer" in board
    kept = board[board.index("## What the collector keeps") : board.index("## For a data protection")]
    for what in ("level and form", "identifier", "tickets", "tokens", "the audit", "backups", "order of arrival"):
        assert what in kept
    assert "sottovoce store prune" in kept
    assert "17 people if each person sends 3" in board
    assert "about 50 are about" not in board


def test_a_board_reads_why_devices_count_more_under_lip() -> None:
    assert "twice as much" in for_board(sv.Study.from_toml(STUDIES["lip"]))
    assert "twice as much" not in for_board(sv.Study.from_toml(ALL))


def test_respondents_read_who_to_ask_and_what_adds_up() -> None:
    person = for_respondents(sv.Study.from_toml(CLEAR.replace('title = "Staff"', 'title = "Staff"\norganisation = "Example Ltd"')))
    assert "- Who asks: Example Ltd" in person
    assert "- How long the reports are kept: (fill in)." in person
    assert "Further reports about the same answer, here or elsewhere, reveal more." in person
    assert "Administrators of the collector and everyone with its files can read reports at any time." in person


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


def test_a_board_sees_the_precision_of_each_question() -> None:
    """With the people that the study expects among them, at each level, and as the plan has it."""
    study = sv.Study.from_toml(QUESTIONNAIRES["tiers"].replace('title = "How are you?"', 'title = "How are you?"\npeople = 4000'))
    assert isinstance(study, Questionnaire)
    board = for_board(study)
    assert "| level | question | 1,000 people | 4,000 people | 10,000 people | 100,000 people |" in board
    assert "To see what other ways of asking would cost, run `sottovoce plan study.toml`." in board
    for level in ("careful", "usual"):
        plan = StrategyPlan.of(study, 4000, level=level)
        for place, theme in enumerate(plan.themes):
            (row,) = [line for line in board.splitlines() if line.startswith(f"| {level} |") and f"({theme.name})" in line]
            assert f" {plan.cell(plan.used, place, 4000)} " in row
    clear = for_analysts(sv.Study.from_toml(CLEAR))
    assert "“How are you?” (mood)" in clear
    assert "Answers to “How old are you?” are sent as they are" in clear
    compiled = sv.Study.from_json(json.dumps(study.compile()))
    assert "Run `sottovoce plan study.toml` on the study file" in for_board(compiled)


@pytest.mark.parametrize("name", ["tags", "lip"])
def test_a_board_sees_the_error_of_all_shares_if_single_ones_have_no_plan(name: str) -> None:
    """As `sottovoce plan` has it for the mechanism of the study, with a row for each number of people."""
    study = sv.Study.from_toml(STUDIES[name])
    board = for_board(study)
    assert "total variation" in board
    for n in (1_000, 10_000, 100_000, 1_000_000):
        (error,) = [each.tv for each in study.plan(n).options if each.name == study.blocks[""].name]
        assert error is not None
        assert f"| {n:,} | {100 * error:.3g}% |" in board


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
