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
    assert asked(smokes, study.questions, 7, 9) == "7 of 9 reports cover this question."
    assert asked(smokes, study.questions, 9, 9) == "All 9 reports cover this question."
    said = "Asked of those who answered “daily” to “Do you smoke?”. 7 of 9 reports cover this question, also those of people to whom it "
    said += "didn’t apply. The shares leave out those who preferred not to answer."
    assert asked(quits, study.questions, 7, 9) == said


def test_findings_name_them(study: Questionnaire) -> None:
    table = {"smokes": np.resize(["daily", "no"], 6000), "quit": ["yes"] * 6000, "packs": ["one"] * 6000, "why": ["health"] * 6000}
    reports = study.perturb(table, sv.SeededSource(3))
    findings = QuestionnaireFindings.of(study, sv.Tally(study.mechanism, keep_reports=True).add(reports))
    quits = findings["quit"]
    assert re.match(r"(About|Nearly|More than|Nearly everyone)[\w ]* of those asked answered “(yes|no)”: ", quits.headline)
    assert quits.headline.endswith(f"Asked were {quits.whom}.")
    text = re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", "", questionnaire_page(findings))))
    assert quits.apart is not None
    base = 100 * (1 - quits.apart.p.sum())
    assert f"Of the about {base:.0f} in 100 people who were asked and answered:" in text
    assert f"“does not apply” {quits.apart.cells(1, quits.main.digits)[0]} of everyone" in text
    assert f"{quits.n:,} of 6,000 reports cover this question, also those of people to whom it didn’t apply." in text
    assert findings.to_dict()["questions"]["quit"]["whom"] == quits.whom
    printed = " ".join(str(findings).split())
    assert quits.asked in printed
    assert f"Among {quits.whom}:" in printed
