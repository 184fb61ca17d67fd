"""The guarantee in words and as a picture: what a belief about someone's answer can become."""

from __future__ import annotations

import re

import pytest

import sottovoce as sv
from collectors import named
from paths import ROOT
from sottovoce.findings.guarantee import guarantees_of
from sottovoce.findings.pages.pictures import beliefs, pictures_of
from sottovoce.notions.beliefs import LITTLE, WEAK
from studies import QUESTIONNAIRES, STUDIES

HEAD = 'name = "clinic"\nquestion = "Which?"\nitems = ["hiv", "cancer", "flu", "none"]\n'


def said(privacy: str, head: str = HEAD) -> tuple[str, float | None]:
    (found,) = guarantees_of(sv.Study.from_toml(f"{head}[privacy]\n{privacy}"))
    return " ".join(found.sentences), found.after


def test_one_budget_for_every_answer() -> None:
    text, after = said('notion = "ldp"\nepsilon = 1.0\n')
    assert after == 3
    assert text == (
        "If someone thinks there is a 1 in 100 chance that a person’s answer is “hiv”, seeing the report can raise that to at most about "
        "3 in 100, and from 50 in 100 to at most about 74. The same is true of every answer."
    )
    assert "make that almost certain" in said('notion = "ldp"\nepsilon = 12.0\n')[0]


def test_some_answers_are_sensitive() -> None:
    text, after = said('notion = "uldp"\nepsilon = 2.0\nsensitive = ["hiv", "cancer"]\n')
    assert after == 7
    assert "is “hiv”, seeing" in text
    assert text.endswith("The same is true of “cancer”. Reports can show answers that aren’t sensitive as they are.")


def test_budgets_differ() -> None:
    text, after = said('notion = "item_uldp"\n[privacy.budgets]\nhiv = 0.5\ncancer = 2.0\n')
    assert after == 7, "the picture is that of the answer that is protected least"
    assert "is “hiv”, seeing the report can raise that to at most about 1.7 in 100, and from 50 in 100 to at most about 63." in text
    assert "For “cancer”, with the least protection, it can become at most about 7 in 100, and from 50 in 100 at most about 89." in text
    assert text.endswith("Reports can show answers that aren’t sensitive as they are.")


def test_a_prior_is_not_trusted() -> None:
    """ε-LIP is a promise to those who know the prior. For others it's 2ε-LDP, and the channel may do better for some answers."""
    text, after = said('notion = "lip"\nepsilon = 1.0\nprior = {hiv = 0.1, cancer = 0.1, flu = 0.3, none = 0.5}\n')
    assert after == 7
    assert text.endswith(
        "is “none”, seeing the report can raise that to at most about 5 in 100, and from 50 in 100 to at most about 82. "
        "For “hiv” or 2 others, with the least protection, it can become at most about 7 in 100, and from 50 in 100 at most about 89."
    )


def test_several_reports_and_levels() -> None:
    several = guarantees_of(sv.Study.from_toml(STUDIES["three-reports"]))
    assert "seeing all 3 reports can raise" in several[0].sentences[0]
    levels = guarantees_of(sv.Study.from_toml(STUDIES["levels"]))
    assert len({each.tier for each in levels}) == len(levels) > 1
    assert [each.sentences for each in levels if each.after is None] == [["Nothing is hidden: reports show answers as they are."]]


@pytest.mark.parametrize("name", [*STUDIES, *QUESTIONNAIRES])
def test_every_study_has_a_guarantee_in_words(name: str) -> None:
    found = guarantees_of(named(name) if name in QUESTIONNAIRES else sv.Study.from_toml(STUDIES[name]))
    assert found
    for each in found:
        text = " ".join(each.sentences)
        assert not re.search(r"ε|⊥|nan|\(\d+, \d+\)", text), text
        assert each.after is None or 1 < each.after <= 100
        assert ("weak protection" in text) == (each.after is not None and each.after > 20)
        assert ("likelier than all others together" in text) == (each.after is not None and each.after > 50)


def test_a_part_of_a_person_is_a_smaller_dot() -> None:
    half = 'transform="translate(15.0 5.0)" d="M0.00 -3.60A3.6 3.6 0 0 0 0.00 3.60Z"'
    assert f'<path class="person marked" {half}/>' in beliefs(("“hiv”", 1.5))
    assert "at most 1.5 in 100" in beliefs(("“hiv”", 1.5))


@pytest.mark.parametrize("after", [2, 37, 100])
def test_the_picture_has_a_hundred_people(after: int) -> None:
    drawn = beliefs(("“hiv”", after))
    left, right = drawn.split('class="arrow"')
    assert (left.count("<circle"), right.count("<circle")) == (100, 100)
    assert (left.count("marked"), right.count("marked")) == (1, after)
    assert f"at most {after} in 100" in drawn


def test_answers_with_budgets_of_their_own_are_drawn_apart() -> None:
    (found,) = guarantees_of(sv.Study.from_toml(HEAD + '[privacy]\nnotion = "item_uldp"\n[privacy.budgets]\nhiv = 0.5\ncancer = 2.0\n'))
    assert [(each.answers, each.after) for each in found.groups] == [("“hiv”", 1.7), ("“cancer”", 7)]
    drawn = beliefs(*((each.answers, each.after) for each in found.groups))
    assert drawn.count("<svg") == 4
    assert "Before the report: 1 in 100. After it, “hiv”: at most 1.7 in 100. After it, “cancer”: at most 7 in 100." in drawn
    assert "&lt;b&gt;" in beliefs(("<b>", 2), ("c", 3))


def test_many_groups_are_cut_and_the_last_one_stays() -> None:
    items = [f"item {k}" for k in range(8)]
    budgets = "".join(f'"{item}" = {0.25 * (k + 1)}\n' for k, item in enumerate(items[:7]))
    text = f'name = "many"\nquestion = "Which?"\nitems = {items}\n[privacy]\nnotion = "ipldp"\n[privacy.budgets]\n{budgets}'
    (found,) = guarantees_of(sv.Study.from_toml(text))
    assert [each.answers for each in found.groups] == ["“item 0”", "“item 1”", "“item 2” or “item 3”", "… “item 6”"]
    assert found.sentences[1:3] == [
        "For “item 6”, with the least protection, it can become at most about 6 in 100, and from 50 in 100 at most about 86.",
        "All other answers lie between.",
    ]
    assert found.groups[-1].after == found.after
    (alike,) = guarantees_of(sv.Study.from_toml(HEAD + '[privacy]\nnotion = "ldp"\nepsilon = 1.0\n'))
    assert [(each.answers, each.after) for each in alike.groups] == [("“hiv”", 3)]
    drawn = pictures_of([("“hiv”", 3, 73)])
    assert drawn.count("How likely someone thinks it is that a person’s answer is “hiv”:") == 1
    assert [f"<strong>{said} in 100</strong>" in drawn for said in ("1", "at most 3", "50", "at most 73")] == [True] * 4
    assert "50 in 100" not in pictures_of([("“hiv”", 3, 73), ("“flu”", 5, 84)]), "groups stand beside each other"


def test_pages_in_the_browser_call_the_same_guarantees_weak() -> None:
    page = (ROOT / "clients" / "js" / "pages" / "beliefs.ts").read_text(encoding="utf-8")
    assert f"const [WEAK, LITTLE] = [{WEAK}, {LITTLE}];" in page
