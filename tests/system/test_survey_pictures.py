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


def risen(epsilon: float) -> int:
    """Of 100: p·e^ε/(p·e^ε + 1 − p) for p = 1/100, rounded up."""
    odds = Fraction(math.exp(epsilon))
    return math.ceil(100 * odds / (odds + 99))


def coloured(page: Page, within: str = "") -> list[int]:
    """How many dots of each hundred are in colour."""
    pictures = page.locator(f"{within} svg.people").all()
    return [each.locator(".one").count() for each in pictures]


@pytest.mark.parametrize(("name", "epsilon"), [("low", 0.25), ("usual", 1.0), ("open", 7.0), ("some", 2.0), ("each", 3.0)])
def test_beliefs_rise_from_one_dot_to_as_many_as_python_finds(visit: Any, name: str, epsilon: float) -> None:
    page = visit(name).page
    expected = risen(epsilon)
    assert coloured(page) == ([1, 2, expected] if name == "each" else [1, expected]), "answers with budgets of their own are drawn apart"
    said = page.inner_text("form .notice")
    assert f"can raise that to at most {expected if expected > 2 else 1.3} in 100, and from 50 in 100" in said
    assert ("That’s little protection." in said) == (expected > 50)
    assert ("Answers that aren’t marked “protected” may be sent as they are." in said) == (name in {"some", "each"})


@pytest.mark.parametrize(("name", "epsilon", "aside"), [("drawn", 4.0, False), ("clinic", 1.0, True)])
def test_beliefs_about_a_questionnaire(visit: Any, name: str, epsilon: float, aside: bool) -> None:
    """Answers that are sent as they are may hint at the others, which the number doesn't cover, and the page says so."""
    page = visit(name).page
    assert coloured(page, "#guarantee") == [1, risen(epsilon)]
    assert ("for someone who already knows the answers that you send as they are" in page.inner_text("#guarantee")) == aside


def test_a_hundred_people_who_send_the_same_report(visit: Any) -> None:
    """If all answers are equally common, as many gave another one as Bayes' rule says of the mechanism's matrix."""
    page = visit("usual").page
    page.check("label:has-text('b') input")
    page.click("button.main")
    page.wait_for_selector("#send")
    said = page.inner_text(".says").split("Your report says: ")[1][0]
    rows = sv.krr(sv.Domain("abcd"), 1.0).channel.matrix()
    column = rows[:, "abcd".index(said)]
    expected = math.floor(100 * (1 - column[1] / column.sum()))
    assert not page.is_visible(".crowd"), "it is folded away"
    page.click("summary:has-text('Who else could have sent this?')")
    assert f"{expected} of 100 people who send exactly this report gave another answer than you" in page.inner_text(".crowd")
    assert coloured(page, ".crowd") == [100 - expected]
    page.click("#send")
    page.wait_for_selector("#forgotten")
    assert page.locator(".crowd").count() == 0, "the page has forgotten the answer"


def test_a_hundred_people_for_each_question_that_counts(visit: Any) -> None:
    """A question in the clear leaves nobody else. One that isn't used has no picture."""
    page = visit("clinic").page
    begin(page)
    answer_all(page, {**ANSWERS, "smokes": "no"})
    page.click("summary:has-text('Who else could have sent this?')")
    crowds = {each.inner_text().splitlines()[0]: each for each in page.locator(".crowd").all()}
    assert set(crowds) <= set(page.locator(".answered .asked").all_inner_texts())
    for item in page.locator(".answered").all():
        badge, crowd = item.locator(".badge").inner_text(), crowds[item.locator(".asked").inner_text()]
        dots = crowd.locator(".one").count()
        if badge == "Sent as it is":
            assert dots == 100
            assert "0 of 100 gave another answer." in crowd.inner_text()
        else:
            assert 0 < dots < 100


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "ja"])
def test_how_it_works_is_folded_away(visit: Any, language: str) -> None:
    """The example of the documentation, with the page's own words. With reduced motion nothing moves."""
    page = visit("usual", locale=language, viewport={"width": 360, "height": 740}, reduced_motion="reduce").page
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
