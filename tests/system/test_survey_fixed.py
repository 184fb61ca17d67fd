"""An only sensitive answer, which some mechanisms send as it is: the page never says that chance draws what is sent about it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

import sottovoce as sv
from collectors import Served, added, serving
from respondent import answer_all, begin, send
from visiting import visitors

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

HEAD = """\
name = "{name}"
question = "Which of these do you have?"
items = ["hiv", "cancer", "flu", "none"]
[privacy]
notion = "uldp"
epsilon = 1.0
"""
LONE = HEAD + 'sensitive = ["hiv"]\n'
SMOKES = '[[questions]]\nname = "smokes"\ntext = "Do you smoke?"\nitems = ["yes", "no"]\nsensitive = {sensitive}\n'
TOWN = '[[questions]]\nname = "town"\ntext = "Where do you live?"\nitems = ["north", "south"]\n'
SEVERAL = 'name = "{name}"\ntitle = "Health"\n[privacy]\nnotion = "uldp"\nepsilon = 1.0\n[strategy]\nkind = "split"\n'
STUDIES = {
    "lone": LONE,
    "lone-urr": LONE + '[mechanism]\nname = "urr"\n',
    "pair": HEAD + 'sensitive = ["hiv", "cancer"]\n',
    "lone-several": SEVERAL + SMOKES.replace("{sensitive}", '["yes"]') + TOWN,
    "pair-several": SEVERAL + SMOKES.replace("{sensitive}", '["yes", "no"]') + TOWN,
}
ALWAYS = "A protected answer may always be sent as it is. By chance, people with other answers send it too, so it proves nothing."
EVERYONE = "Everyone with this answer sends it. By chance, people with other answers send it too."
BADGE = "Protected: others send it too, by chance"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("fixed")
    url = str(folder / "c.sqlite")
    added(url, *[sv.Study.from_toml(text.replace("{name}", name)) for name, text in STUDIES.items()])
    with serving(url, folder) as served:
        yield served


@pytest.fixture
def visit(browser: Browser, served: Served) -> Iterator[Any]:
    yield from visitors(browser, served)


def said(page: Page) -> str:
    """All that the page says, also in folds."""
    return page.text_content("#app") or ""


def chosen(visit: Any, name: str, answer: str) -> Page:
    """The page that shows what will be sent."""
    page: Page = visit(name).page
    page.check(f"label:has-text('{answer}') input")
    page.click("button.main")
    page.wait_for_selector("#send")
    return page


@pytest.mark.parametrize("name", ["lone", "lone-urr"])
def test_an_only_sensitive_answer_is_said_to_be_sent_always(visit: Any, name: str) -> None:
    page = visit(name).page
    assert ALWAYS in said(page)
    page.close()
    page = chosen(visit, name, "hiv")
    assert "You answered: hiv." in page.inner_text("#answered")
    assert page.inner_text("#answered .badge") == BADGE
    assert page.inner_text(".says") == f"Your report says: hiv. {EVERYONE}"
    send(page)
    assert EVERYONE in said(page), "the page has forgotten the answer, and what it says is still true"


def test_nothing_says_that_chance_draws_it(visit: Any) -> None:
    for name in ("lone", "lone-urr"):
        page = chosen(visit, name, "hiv")
        before = said(page)
        send(page)
        for text in (before, said(page)):
            assert " drawn" not in text
            assert "chance left your answer" not in text
            assert ALWAYS in text


def test_other_answers_can_be_sent_like_it(visit: Any) -> None:
    """An answer that isn't protected is shown as it is, or sends the protected one."""
    found = set()
    for _ in range(60):
        page = chosen(visit, "lone-urr", "flu")
        badge = page.inner_text("#answered .badge")
        assert badge != BADGE
        if badge != "Sent as it is":
            assert page.inner_text(".says") == f"Your report says: hiv. {EVERYONE}"
        found.add(badge)
        page.context.close()
        if len(found) == 2:
            break
    assert found == {"Sent as it is", "Not protected, but this report doesn’t show it"}


def test_chance_draws_what_is_sent_of_two_sensitive_answers(visit: Any) -> None:
    page = chosen(visit, "pair", "hiv")
    assert ALWAYS not in said(page)
    assert "What is sent about protected answers is drawn by chance." in said(page)
    assert page.inner_text("#answered .badge") == "Protected: drawn by chance"
    assert EVERYONE not in said(page)


def test_questionnaires_say_the_same(visit: Any) -> None:
    page = visit("lone-several").page
    page.wait_for_selector("#start")
    assert ALWAYS in said(page)
    assert "draws a report" not in (page.text_content("form .card ul") or "")
    begin(page)
    answer_all(page, {"smokes": "yes", "town": "north"})
    assert page.locator(".answered .badge").all_inner_texts() == [BADGE, "Sent as it is"]
    (drawn,) = page.locator(".parts .drawn").all_inner_texts()
    assert " ".join(drawn.split()) == f"About “Do you smoke?”, the report says: yes. {EVERYONE} You answered: yes."
    assert "Your device has drawn" not in said(page)
    send(page)
    assert EVERYONE in said(page)
    assert "Drawn by chance." not in said(page)


def test_questionnaires_with_two_sensitive_answers_draw(visit: Any) -> None:
    page = visit("pair-several").page
    begin(page)
    answer_all(page, {"smokes": "yes", "town": "north"})
    assert ALWAYS not in said(page)
    assert EVERYONE not in said(page)
    assert page.locator(".answered .badge").first.inner_text() == "Protected: drawn by chance"
