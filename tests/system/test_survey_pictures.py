"""The pictures of the survey page show the numbers that Python finds."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

import sottovoce as sv
from browser import axe, overflow
from collectors import Served, added, serving
from kitchen import ANSWERS, kitchen
from paths import ROOT
from respondent import answer_all, begin
from visiting import visitors

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

HEAD = 'name = "{name}"\nquestion = "Which one?"\nitems = ["a", "b", "c", "d"]\n[privacy]\n'
SINGLE = {
    "low": 'notion = "ldp"\nepsilon = 0.25\n',
    "usual": 'notion = "ldp"\nepsilon = 1.0\n',
    "open": 'notion = "ldp"\nepsilon = 7.0\n',
    "some": 'notion = "uldp"\nepsilon = 2.0\nsensitive = ["c"]\n',
    "each": 'notion = "item_uldp"\n[privacy.budgets]\na = 0.5\nb = 3.0\n',
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A collector with studies that guarantee different things."""
    folder = tmp_path_factory.mktemp("pictures")
    url = str(folder / "collector.sqlite")
    singles = (sv.Study.from_toml(HEAD.format(name=name) + privacy) for name, privacy in SINGLE.items())
    added(url, *singles, kitchen("drawn"), kitchen("clinic"))
    with serving(url, folder) as found:
        yield found


@pytest.fixture
def visit(browser: Browser, served: Served) -> Iterator[Any]:
    """Opens the page of a study, on a device of its own."""
    yield from visitors(browser, served)


def risen(epsilon: float, before: int = 1) -> int:
    """Of 100: p·e^ε/(p·e^ε + 1 − p) for p = `before`/100, rounded up."""
    odds = before * Fraction(math.exp(epsilon))
    return math.ceil(100 * odds / (odds + 100 - before))


def coloured(page: Page, within: str = "") -> list[int]:
    """How many dots of each hundred are in colour."""
    pictures = page.locator(f"{within} svg.people").all()
    return [each.locator(".one").count() for each in pictures]


def measured(epsilon: float) -> list[int]:
    """The measure: 1 in 100 and what it becomes, 50 in 100 and what it becomes."""
    return [1, risen(epsilon), 50, risen(epsilon, 50)]


@pytest.mark.parametrize(("name", "epsilon"), [("low", 0.25), ("usual", 1.0), ("open", 7.0), ("some", 2.0), ("each", 3.0)])
def test_beliefs_rise_to_as_many_dots_as_python_finds(visit: Any, name: str, epsilon: float) -> None:
    """If answers have budgets of their own, the dots are for those that are protected the least."""
    page = visit(name).page
    assert coloured(page) == measured(epsilon)
    said = page.inner_text("form .notice")
    expected = risen(epsilon)
    after = f"at most {expected if expected > 2 else 1.3} in 100"
    assert page.locator(".pair strong").all_inner_texts() == ["1 in 100", after, "50 in 100", f"at most {risen(epsilon, 50)} in 100"]
    assert ("likelier than all others together" in said) == (expected > 50)
    assert ("chance decides whether it is sent as it is, or something that" in said) == (name in {"some", "each"})
    assert ("The dots are for those that are protected the least." in said) == (name == "each")


@pytest.mark.parametrize(("name", "epsilon", "aside"), [("drawn", 4.0, False), ("clinic", 1.0, True)])
def test_beliefs_about_a_questionnaire(visit: Any, name: str, epsilon: float, aside: bool) -> None:
    """Answers that are sent as they are may hint at the others, which the number doesn't cover, and the page says so."""
    page = visit(name).page
    assert coloured(page, "#guarantee") == measured(epsilon)
    assert ("Answers that are sent as they are can hint at the protected ones." in (page.text_content("#guarantee") or "")) == aside


def test_people_who_send_the_same_report(visit: Any) -> None:
    """If all answers are equally common, as many gave another one as Bayes' rule says of the mechanism's matrix."""
    page = visit("usual").page
    page.check("label:has-text('b') input")
    page.click("button.main")
    page.wait_for_selector("#send")
    said = page.inner_text(".says").split("Your report says: ")[1][0]
    rows = sv.krr(sv.Domain("abcd"), 1.0).channel.matrix()
    column = rows[:, "abcd".index(said)]
    expected = math.floor(100 * (1 - column[1] / column.sum()))
    words = f"{expected} of 100 people who send exactly this report gave another answer than you"
    assert words not in page.inner_text("#app"), "it is folded away"
    assert ("This time chance left your answer as it was." in page.inner_text(".says")) == (said == "b")
    page.click(".experts > summary")
    assert words in page.inner_text(".experts")
    page.click("#send")
    page.wait_for_selector("#forgotten")
    assert "gave another answer" not in (page.text_content("#app") or ""), "the page has forgotten the answer"


def test_people_who_send_the_same_for_each_question_that_counts(visit: Any) -> None:
    """A question in the clear leaves nobody else. One that isn't used isn't listed."""
    page = visit("clinic").page
    begin(page)
    answer_all(page, {**ANSWERS, "smokes": "no"})
    page.click(".experts > summary")
    rows = [each.inner_text().split("\t") for each in page.locator(".experts tr").all()]
    others = {question: int(said.split(" in 100")[0]) for question, said in rows}
    assert set(others) <= set(page.locator(".answered .asked").all_inner_texts())
    for item in page.locator(".answered").all():
        badge, asked = item.locator(".badge").inner_text(), item.locator(".asked").inner_text()
        if "Not sent itself" in badge:
            assert asked not in others
        elif badge == "Sent as it is":
            assert others[asked] == 0
        else:
            assert 0 < others[asked] < 100


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "ja"])
def test_how_it_works_is_folded_away(visit: Any, language: str) -> None:
    """The example of the documentation, with the page's own words. The pictures are there at once."""
    page = visit("usual", locale=language, viewport={"width": 360, "height": 740}, reduced_motion="no-preference").page
    pictures = page.locator("#pictures li svg")
    assert [each.is_visible() for each in pictures.all()] == [False] * 3
    page.click("#pictures summary")
    assert [each.is_visible() for each in pictures.all()] == [True] * 3
    found = json.loads((ROOT / "clients/js/pages/survey/example.json").read_text())
    assert len(found["reports"]) * 4 == found["people"]
    says_yes = page.locator("#pictures .dots.yes").get_attribute("d") or ""
    assert says_yes.count("M") == int(found["reports"], 16).bit_count()
    assert str(says_yes.count("M")) in page.inner_text("#pictures li:nth-child(2)")
    assert page.evaluate("document.getAnimations().length") == 0
    assert axe(page) == []
    assert overflow(page) <= 0


@pytest.mark.parametrize("name", ["how-it-works.svg", "how-it-works-narrow.svg"])
def test_type_in_the_documentations_picture_is_readable(browser: Browser, name: str) -> None:
    """No text leaves its picture or meets another one, and none is small."""
    page = browser.new_page()
    page.goto((ROOT / "docs" / "images" / name).as_uri())
    edges = "({left, top, right, bottom}) => [left, top, right, bottom]"
    boxes = page.evaluate(f"[...document.querySelectorAll('text')].map((each) => each.getBoundingClientRect()).map({edges})")
    width, height = page.evaluate("[document.documentElement.width.baseVal.value, document.documentElement.height.baseVal.value]")
    assert width <= (1020 if name == "how-it-works.svg" else 360)
    assert all(left >= 0 and top >= 0 and right <= width and bottom <= height for left, top, right, bottom in boxes)
    for k, (left, top, right, bottom) in enumerate(boxes):
        assert bottom - top >= 19
        assert not [each for each in boxes[k + 1 :] if left < each[2] and each[0] < right and top + 4 < each[3] and each[1] + 4 < bottom]
    page.close()
