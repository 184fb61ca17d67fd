"""The review and the end: what stays in view, what is folded, how a weak guarantee is called, and a page that can be cleared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

import sottovoce as sv
from browser import axe, overflow
from collectors import Served, added, serving
from kitchen import ANSWERS, kitchen
from respondent import answer_all, begin, kept, send
from visiting import visitors

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, ViewportSize

PHONE: ViewportSize = {"width": 360, "height": 740}
ONE = 'name = "{name}"\nquestion = "Which?"\nitems = ["a", "b", "c", "d"]\n[privacy]\nnotion = "ldp"\nepsilon = {epsilon}\n'
#: Whether a guarantee at this epsilon is called weak: 1 in 100 becomes 3, 20, 22, 36, 75.
WEAK = {1.0: False, 3.2: False, 3.3: True, 4.0: True, 5.7: True}
LEVELS = ONE.replace("{name}", "levels").replace("epsilon = {epsilon}", "levels = {careful = 1.0, usual = 4.0}")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("last")
    url = str(folder / "c.sqlite")
    ones = [ONE.replace("{name}", f"e{round(100 * each)}").replace("{epsilon}", str(each)) for each in WEAK]
    added(url, kitchen("all"), kitchen("skip"), *[sv.Study.from_toml(text) for text in (*ones, LEVELS)])
    with serving(url, folder) as served:
        yield served


@pytest.fixture
def visit(browser: Browser, served: Served) -> Iterator[Any]:
    yield from visitors(browser, served)


def reviewed(visit: Any, name: str, **options: Any) -> Page:
    page: Page = visit(name, **options).page
    begin(page)
    answer_all(page, ANSWERS)
    return page


def top(page: Page, selector: str) -> float:
    return float(page.evaluate("(selector) => document.querySelector(selector).getBoundingClientRect().top", selector))


def test_the_last_step_stays_in_view_on_phones(visit: Any) -> None:
    page = reviewed(visit, "skip", viewport=PHONE)
    assert top(page, "#final") > 740, "there is something to read below"
    for selector in ("#back", "#send", "#unsent"):
        box = page.locator(selector).bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 740
    assert overflow(page) <= 0
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    assert top(page, "#send") > top(page, "#final"), "it covers nothing in the end"
    assert axe(page) == []


@pytest.mark.parametrize("viewport", [{"width": 1280, "height": 900}, {"width": 640, "height": 320}])
def test_the_last_step_comes_last_if_there_is_room_or_little_height(visit: Any, viewport: ViewportSize) -> None:
    page = reviewed(visit, "skip", viewport=viewport)
    assert page.evaluate("getComputedStyle(document.querySelector('.bar')).position") == "static"
    assert top(page, "#send") > top(page, "#final")


def test_nothing_with_the_focus_is_behind_the_last_step(visit: Any) -> None:
    """WCAG 2.2, 2.4.11: forwards and backwards by keyboard."""
    page = reviewed(visit, "skip", viewport=PHONE)
    page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    focused = """() => {
        const found = document.activeElement, bar = document.querySelector('.bar').getBoundingClientRect();
        const { top, bottom } = found.getBoundingClientRect();
        return [found.tagName, found.id, found.closest('.bar') !== null || top < bar.top - 1 || top >= bar.bottom, top >= 0 && bottom > 0];
    }"""
    seen = 0
    for key in ("Tab", "Shift+Tab"):
        for _ in range(40):
            page.keyboard.press(key)
            name, label, clear, visible = page.evaluate(focused)
            if name == "BODY":
                break
            seen += 1
            assert clear, (key, name, label)
            assert visible, (key, name, label)
    assert seen > 20


def test_answers_that_are_not_used_are_one_line(visit: Any) -> None:
    page = reviewed(visit, "all")
    visible = page.locator(".answered:visible").count()
    hidden = page.locator("#unused .answered").count()
    assert visible + hidden == page.locator(".answered").count() == 8
    assert page.inner_text("#unused summary") == f"Not used ({hidden})"
    page.click("#unused summary")
    assert page.locator("#unused .badge").all_inner_texts() == ["Not used"] * hidden


def test_the_guarantee_is_drawn_once_and_then_one_line(visit: Any) -> None:
    page = visit("skip").page
    page.wait_for_selector("#start")
    assert page.locator("svg.people").count() == page.locator("svg.people:visible").count() == 4
    begin(page)
    answer_all(page, ANSWERS)
    assert page.locator("svg.people:visible").count() == 0
    assert "Weak protection: a suspicion of 1 in 100 becomes at most 36 in 100." in page.inner_text("#guarantee summary")
    page.click("#guarantee summary")
    assert page.locator("svg.people:visible").count() == 4
    assert axe(page) == []


@pytest.mark.parametrize(("epsilon", "weak"), WEAK.items())
def test_a_weak_guarantee_is_called_weak_in_the_colour_of_cautions(visit: Any, epsilon: float, weak: bool) -> None:
    page = visit(f"e{round(100 * epsilon)}").page
    page.wait_for_selector(".guarantee")
    assert page.locator(".strength").all_inner_texts() == ["Weak protection"] * weak
    caution = page.evaluate("getComputedStyle(document.querySelector('.badge.open, .notice.warn') ?? document.body).borderInlineStartColor")
    assert (page.locator(".guarantee.warn").count() == 1) == weak
    assert (page.evaluate("getComputedStyle(document.querySelector('.people .one')).fill") == caution) == weak
    assert axe(page) == []


def test_each_level_says_how_far_it_goes(visit: Any) -> None:
    page = visit("levels").page
    lines = page.locator("input[name=level] + span > span")
    assert lines.all_inner_texts() == [
        "A suspicion of 1 in 100 becomes at most 3 in 100.",
        "Weak protection: a suspicion of 1 in 100 becomes at most 36 in 100.",
    ]
    assert [each.get_attribute("class") for each in lines.all()] == ["soft small", "small caution"]


def test_what_was_sent_is_folded_and_can_be_cleared(visit: Any) -> None:
    page = reviewed(visit, "skip")
    send(page)
    assert page.evaluate("parseFloat(getComputedStyle(document.querySelector('#app > h2')).fontSize)") > page.evaluate(
        "parseFloat(getComputedStyle(document.querySelector('#forgotten')).fontSize)"
    )
    assert not page.is_visible(".parts"), "a screen that is left behind shows no answer"
    page.click("#left > summary")
    assert page.is_visible(".parts")
    assert "can’t be withdrawn" in page.inner_text("#left")
    page.click("#clear-page")
    said = "What was sent is no longer on this page. The browser still remembers that you answered. You can close this page now."
    assert page.inner_text("#status") == said
    assert page.locator("#left, .parts, #body, #clear-page").count() == 0
    assert page.evaluate("history.state") is None
    assert "packs" not in kept(page)
    page.go_back()
    page.wait_for_selector("#forgotten")
    assert page.locator("#left, .parts").count() == 0
