"""Whose shares the findings of a question are, in words."""

from __future__ import annotations

import html
import re

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.findings import questionnaire_page
from sottovoce.findings.questionnaire import QuestionnaireFindings
from sottovoce.findings.whom import asked, whom
from sottovoce.study.questionnaire import Questionnaire

SMOKING = """
name = "smoking"
title = "Smoking"
[privacy]
notion = "ldp"
epsilon = 4.0
[[questions]]
name = "smokes"
text = "Do you smoke?"
items = ["daily", "now and then", "no"]
[[questions]]
name = "quit"
text = "Do you want to quit?"
items = ["yes", "no"]
after = {smokes = ["daily"]}
prefer_not_to_say = true
[[questions]]
name = "packs"
text = "How many packs of cigarettes do you smoke on a usual day, roughly?"
items = ["one", "more"]
after = {smokes = ["daily", "now and then"], quit = "no"}
[[questions]]
name = "why"
text = "Why not one more?"
items = ["money", "health"]
after = {packs = "one"}
"""


@pytest.fixture(scope="module")
def study() -> Questionnaire:
    found = sv.Study.from_toml(SMOKING)
    assert isinstance(found, Questionnaire)
    return found


def test_the_people_who_are_asked_a_question(study: Questionnaire) -> None:
    smokes, quits, packs, why = study.questions
    assert whom(smokes, study.questions) == "those who answered"
    assert whom(quits, study.questions) == "those who answered “daily” to “Do you smoke?”"
    both = "those who answered “daily” or “now and then” to “Do you smoke?” and “no” to “Do you want to quit?”"
    assert whom(packs, study.questions) == both
    assert whom(why, study.questions) == "those who answered “one” to “packs”", "the text is too long for a sentence"
    assert packs.text in whom(why, study.questions, whole=True)
    assert asked(smokes, study.questions, "7 people reported") == "7 people reported about it."
    said = "Asked of those who answered “daily” to “Do you smoke?”. 7 people reported about it, also if it didn’t apply to them. "
    said += "The shares leave out those who preferred not to answer."
    assert asked(quits, study.questions, "7 people reported") == said


def test_findings_name_them(study: Questionnaire) -> None:
    table = {"smokes": np.resize(["daily", "no"], 6000), "quit": ["yes"] * 6000, "packs": ["one"] * 6000, "why": ["health"] * 6000}
    reports = study.perturb(table, sv.SeededSource(3))
    findings = QuestionnaireFindings.of(study, sv.Tally(study.mechanism, keep_reports=True).add(reports))
    quits = findings["quit"]
    assert quits.headline.startswith("Among those who answered “daily” to “Do you smoke?”, ")
    text = re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", "", questionnaire_page(findings))))
    assert f"Asked of {quits.whom}. {quits.n:,} people reported about it" in text
    assert "were asked." not in text
    assert findings.to_dict()["questions"]["quit"]["whom"] == quits.whom
    printed = " ".join(str(findings).split())
    assert quits.asked in printed
    assert f"Among {quits.whom}:" in printed
