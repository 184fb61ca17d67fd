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
    "lone-weak": LONE.replace("epsilon = 1.0", "epsilon = 6.0"),
    "own": HEAD + 'tags = ["home"]\n',
    "lone-several": SEVERAL + SMOKES.replace("{sensitive}", '["yes"]') + TOWN,
    "pair-several": SEVERAL + SMOKES.replace("{sensitive}", '["yes", "no"]') + TOWN,
}
ALWAYS = "This protected answer is always sent as it is: {}. By chance, about 37% of people with other answers send the same."
UNKNOWN = "Sent as it is, or drawn by chance."
SURE = "no one can tell from it for sure"
EVERYONE = "Everyone with such an answer sends this. By chance, about 37% of people with other answers send it too."
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
    assert ALWAYS.format("hiv") in said(page)
    assert SURE in said(page)
    page.close()
    page = chosen(visit, name, "hiv")
    assert "You answered: hiv." in page.inner_text("#answered")
    assert page.inner_text("#answered .badge") == BADGE
    assert page.inner_text(".says") == f"Your report says: hiv. Chance had no part in this. {EVERYONE}"
    send(page)
    assert f"{UNKNOWN} {EVERYONE}" in said(page), "the page has forgotten the answer, and what it says is still true"


def test_nothing_says_that_chance_draws_it(visit: Any) -> None:
    for name in ("lone", "lone-urr"):
        page = chosen(visit, name, "hiv")
        before = said(page)
        send(page)
        assert " drawn" not in before
        for text in (before, said(page)):
            assert "chance left your answer" not in text
            assert ALWAYS.format("hiv") in text


def test_other_answers_can_be_sent_like_it(visit: Any) -> None:
    """An answer that isn't protected is shown as it is, or sends the protected one."""
    found = set()
    for _ in range(60):
        page = chosen(visit, "lone-urr", "flu")
        badge = page.inner_text("#answered .badge")
        assert badge != BADGE
        if badge != "Sent as it is":
            assert page.inner_text(".says") == f"Your report says: hiv. Drawn by chance. {EVERYONE}"
            assert "for protected answers" in page.inner_text(".guarantee summary")
            assert "Your answer isn’t one of them." in page.inner_text(".guarantee summary")
        found.add(badge)
        page.context.close()
        if len(found) == 2:
            break
    assert found == {"Sent as it is", "Not protected, but this report doesn’t show it"}


def test_chance_draws_what_is_sent_of_two_sensitive_answers(visit: Any) -> None:
    page = chosen(visit, "pair", "hiv")
    assert "always sent as it is" not in said(page)
    assert "What is sent about protected answers is drawn by chance." in said(page)
    assert page.inner_text("#answered .badge") == "Protected: drawn by chance"
    assert EVERYONE not in said(page)


def test_questionnaires_say_the_same(visit: Any) -> None:
    page = visit("lone-several").page
    page.wait_for_selector("#start")
    assert ALWAYS.format("“Do you smoke?”: yes") in said(page)
    assert "draws a report" not in (page.text_content("form .card ul") or "")
    begin(page)
    assert ALWAYS.format("yes") in page.inner_text("fieldset[data-question=smokes]")
    answer_all(page, {"smokes": "yes", "town": "north"})
    assert page.locator(".answered .badge").all_inner_texts() == [BADGE, "Sent as it is"]
    (drawn,) = page.locator(".parts .drawn").all_inner_texts()
    about = "About “Do you smoke?”, the report says: yes. You answered: yes."
    assert " ".join(drawn.split()) == f"{about} Chance had no part in this. {EVERYONE}"
    assert "Your device has drawn" not in said(page)
    send(page)
    assert f"{UNKNOWN} {EVERYONE}" in said(page)


def test_questionnaires_with_two_sensitive_answers_draw(visit: Any) -> None:
    page = visit("pair-several").page
    begin(page)
    answer_all(page, {"smokes": "yes", "town": "north"})
    assert "always sent as it is" not in said(page)
    assert EVERYONE not in said(page)
    assert page.locator(".answered .badge").first.inner_text() == "Protected: drawn by chance"


def test_a_weak_guarantee_promises_no_doubt(visit: Any) -> None:
    """At epsilon 6, 1 in 100 becomes 81: few others send the same."""
    page = visit("lone-weak").page
    assert "always sent as it is: hiv. By chance, about 0.25% of people with other answers send the same." in said(page)
    assert SURE not in said(page)
    assert "proves nothing" not in said(page)


def test_a_mark_leaves_as_what_it_is(visit: Any) -> None:
    """The report says that the answer is marked, and the page doesn't deny that."""
    page = visit("own").page
    page.check("label:has-text('flu') input")
    page.check("input[name=mark][value=home]")
    assert "the report can show that you marked it, and as what, but never which answer it is" in page.inner_text("#marks")
    assert "If you mark your answer as “home”, the report always says that" in said(page)
    page.click("button.main")
    page.wait_for_selector("#send")
    assert "Your report says: what is marked as “home”." in page.inner_text(".says")
    assert "A report that shows an answer also shows that you haven’t marked it." in said(page)


def test_an_answer_that_is_shown_may_lead_to_its_report(visit: Any) -> None:
    for answer, found in (("none", True), ("hiv", False)):
        for _ in range(60):
            page = chosen(visit, "lone", answer)
            if not found or page.inner_text("#answered .badge") == "Sent as it is":
                break
            page.context.close()
        assert ("ask the people who run the study whether it can be found" in page.inner_text("#final")) is found
        send(page)
        assert ("ask the people who run the study whether it can be found" in (page.text_content("#left") or "")) is found
