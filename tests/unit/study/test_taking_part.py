"""How many questions a person reports about and is asked, in the same words everywhere."""

from __future__ import annotations

import pytest

import sottovoce as sv
from kitchen import kitchen
from sottovoce.findings.explained_respondents import for_respondents
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.study.taking_part import TakingPart, needed

TAIL = "because some depend on the answer to an earlier one."


@pytest.mark.parametrize(
    ("name", "found", "sentence", "beyond"),
    [
        (
            "depends",
            TakingPart(1, 1, 2, 2, False, True),
            "about 1 of 2 questions and is asked at most 2 of them.",
            f"You are asked at most 2 of the 2 questions, {TAIL}",
        ),
        (
            "whole",
            TakingPart(1, 1, 2, 2, True, True),
            "about 1 of 2 questions and is asked all 2 of them.",
            "You are asked all 2 questions. Your other answers stay on your device.",
        ),
        ("skip", TakingPart(2, 2, 2, 2, False, False), "about all 2 questions.", ""),
    ],
)
def test_what_a_person_reports_about_and_is_asked(name: str, found: TakingPart, sentence: str, beyond: str) -> None:
    study = kitchen(name)
    assert isinstance(study, Questionnaire)
    taking = TakingPart.of(study)
    assert taking == found
    assert taking.sentence == f"Each person reports {sentence}"
    assert taking.beyond.startswith(beyond)
    assert (taking.beyond == "") == (beyond == "")
    said = " ".join(for_respondents(study).split())
    assert f"A report about {taking.reported}" in said
    assert taking.beyond in said
    assert ("Your other answers stay on your device." in said) == taking.all_asked


def test_no_others_are_asked() -> None:
    study = sv.Study.from_toml(
        'name = "two"\ntitle = "Two"\n[privacy]\nnotion = "ldp"\nepsilon = 1.0\n[strategy]\nkind = "sample"\nquestions = 1\n'
        '[[questions]]\nname = "a"\ntext = "A?"\nitems = ["x", "y"]\n[[questions]]\nname = "b"\ntext = "B?"\nitems = ["x", "y"]\n'
    )
    assert isinstance(study, Questionnaire)
    assert TakingPart.of(study).sentence == "Each person reports about 1 of 2 questions and is asked no others."
    assert "stay on your device" not in for_respondents(study)
    assert [len(needed(study, form)) for form in study.mechanism.groups.values()] == [1, 1]
