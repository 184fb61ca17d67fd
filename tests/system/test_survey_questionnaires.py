"""The survey page for questionnaires, in a real browser and before a real collector."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import sottovoce as sv
from browser import watched
from collectors import Served, added, recounted, serving
from kitchen import ANSWERS, STUDIES, kitchen
from messages import wording
from respondent import answer_all, begin, change, forward, give, kept, question, send
from sottovoce.store import Store
from sottovoce.study.questionnaire import Questionnaire
from suites.survey import counted
from suites.survey_questionnaires import asked_for, people_answer
from visiting import Visitor, visitors

if TYPE_CHECKING:
    from playwright.sync_api import Browser

WAITING = "text=Waiting for a connection"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A collector with a questionnaire of every kind."""
    folder = tmp_path_factory.mktemp("questionnaires")
    url = str(folder / "collector.sqlite")
    added(url, *(kitchen(name) for name in STUDIES))
    with serving(url, folder) as found:
        yield found
        recounted(url, *STUDIES)


@pytest.fixture
def visit(browser: Browser, served: Served) -> Iterator[Any]:
    """Opens the page of a study, on a device of its own."""
    yield from visitors(browser, served)


def answers_in(text: str) -> list[str]:
    """The answers of `ANSWERS` that a text contains, as JSON has them."""
    words = ["yes", "one or two", "33", "good", "cough", "rash", "1 / 2", "m / old", "Village 22"]
    return [word for word in words if re.search(rf'[":]\\?"?{re.escape(word)}\b', text)]


def test_people_answer_and_the_estimate_is_the_librarys(url: str, tmp_path: Path, browser: Browser) -> None:
    people_answer(8, url, tmp_path, browser)


def test_everything_that_is_typed_skipped_and_changed_stays_here(served: Served, visit: Any) -> None:
    before = counted(served, "all")
    visitor: Visitor = visit("all")
    page = visitor.page
    begin(page)
    asked = answer_all(page, ANSWERS | {"smokes": "no", "age": 44})
    assert asked == ["smokes", "age", "mood", "symptoms", "home", "group", "village"]
    change(page, "Do you smoke?")
    page.wait_for_selector("#next")
    give(page, "smokes", "yes")
    forward(page)
    assert question(page) == "packs", "it applies now"
    give(page, "packs", "one or two")
    forward(page)
    page.wait_for_selector("#send")
    change(page, "How old are you?")
    page.wait_for_selector("#next")
    assert page.input_value("input[type=number]") == "44"
    give(page, "age", 33)
    forward(page)
    page.wait_for_selector("#send")
    assert set(page.locator(".given-answer").all_text_contents()) == {  # first those of which the report is
        "yes", "one or two", "33", "good", "cough and rash", "40.738° N, 73.980° W", "m / old", "Village 22",
    }  # fmt: skip
    assert visitor.bodies() == []
    assert answers_in(page.evaluate("JSON.stringify({...localStorage})")) == [], "other pages of the origin could read it"
    shown = page.text_content("#body")
    about = page.locator(".answered", has_text="Protected: drawn by chance").locator(".asked").inner_text()
    assert f"you gave a certain answer to “{about}”. The dots" in (page.text_content("#guarantee") or "")
    assert page.locator(".pair strong").all_text_contents() == ["1 in 100", "at most 3 in 100", "50 in 100", "at most 74 in 100"]
    send(page)
    assert visitor.bodies() == [shown]
    assert set(json.loads(shown or "")) == {"study", "id", "report", "level"}
    assert "The results will be out in May." in page.inner_text(".thanks")
    assert answers_in(kept(page)) == []
    assert "sottovoce-answers" not in kept(page)
    assert {re.sub(r"^https?://[^/]+", "", each.url) for each in visitor.sent} == asked_for("all")
    assert not any(header in each["headers"] for each in visitor.letters() for header in ("cookie", "referer", "authorization"))
    assert counted(served, "all") == before + 1


def test_skip_logic_changes_what_is_seen_and_not_what_is_sent(visit: Any) -> None:
    sizes = set()
    for answers, seen in (({"smokes": "no"}, ["smokes"]), (ANSWERS, ["smokes", "packs"]), ({"smokes": "Prefer not to say"}, ["smokes"])):
        page = visit("skip").page
        begin(page)
        assert answer_all(page, answers) == seen
        assert page.locator(".parts > li").count() == 2, "the report is about both questions"
        sizes.add(len(page.text_content("#body") or ""))
    assert len(sizes) == 1


def test_only_what_was_drawn_is_asked(served: Served, visit: Any) -> None:
    before = counted(served, "drawn")
    page = visit("drawn").page
    said = re.search(r"You are asked only some of the study’s (?P<all>\d) questions, (?P<most>\d) at most", page.inner_text("form .card"))
    assert said
    begin(page)
    seen = answer_all(page, ANSWERS)
    assert 1 <= len(seen) <= int(said["most"]) < int(said["all"])
    form = json.loads(page.text_content("#body") or "")["level"]
    study = kitchen("drawn")
    assert isinstance(study, Questionnaire)
    reported = set(study.mechanism.groups[form].questions)
    assert {name.partition(":")[0] for name in reported} <= set(seen)
    send(page)
    assert counted(served, "drawn") == before + 1


def test_all_questions_on_one_screen(served: Served, visit: Any) -> None:
    before = counted(served, "screen")
    page = visit("screen").page
    begin(page)
    assert page.locator("fieldset[data-question]:not([hidden])").count() == 7
    give(page, "smokes", "yes")
    assert page.locator("fieldset[data-question]:not([hidden])").count() == 8
    page.click("#next")
    page.wait_for_selector("#problem")
    wording(page.inner_text("#problem"))
    for name, answer in ANSWERS.items():
        if name != "town":
            give(page, name, answer)
    forward(page)
    send(page)
    assert counted(served, "screen") == before + 1


def test_back_reload_and_forward(visit: Any) -> None:
    """Each screen is a step of the history, and a reload loses nothing and draws nothing again."""
    page = visit("all").page
    begin(page)
    for name in ("smokes", "packs", "age"):
        give(page, name, ANSWERS[name])
        forward(page)
    assert question(page) == "mood"
    drawn = json.loads(page.evaluate("localStorage.sottovoce"))["drawn"]
    page.go_back()
    page.wait_for_selector("[data-question=age]")
    assert page.input_value("input[type=number]") == "33"
    page.reload()
    page.wait_for_selector("[data-question=age]")
    assert page.input_value("input[type=number]") == "33"
    page.go_back()
    page.wait_for_selector("[data-question=packs]")
    page.click("#back")
    page.wait_for_selector("[data-question=smokes]")
    assert page.is_checked("label:has-text('yes') input")
    page.go_back()
    page.wait_for_selector("#start")
    assert page.is_checked("#consent")
    assert page.inner_text("#start") == "Continue"
    page.go_forward()
    page.wait_for_selector("[data-question=smokes]")
    answer_all(page, ANSWERS)
    shown = page.text_content("#body")
    page.reload()
    page.wait_for_selector("#send")
    assert page.text_content("#body") == shown
    assert json.loads(page.evaluate("localStorage.sottovoce"))["drawn"] == drawn
    send(page)
    page.go_back()
    page.wait_for_timeout(300)
    assert page.locator("#forgotten").count() == 1, "nothing is asked again"
    page.reload()
    page.wait_for_selector("#forgotten")


@pytest.mark.parametrize("ticked", [False, True])
def test_answers_outlive_the_tab_only_if_the_person_wants_that(served: Served, visit: Any, ticked: bool) -> None:
    page = visit("all").page
    if ticked:
        page.check("input[name=keep]")
    begin(page)
    for name in ("smokes", "packs"):
        give(page, name, ANSWERS[name])
        forward(page)
    other = page.context.new_page()
    page.close()
    other.goto(f"{served.address}/s/all")
    other.wait_for_selector("#start")
    assert other.inner_text("#start") == ("Continue" if ticked else "Start")
    assert ("sottovoce-answers" in kept(other)) is ticked
    if ticked:
        other.click("#start")
        other.wait_for_selector("[data-question=age]")
        answer_all(other, ANSWERS)
        send(other)
    else:
        begin(other)
        assert question(other) == "smokes"
    assert ticked is ("sottovoce-answers" not in kept(other))


def test_clearing_removes_the_answers_and_draws_nothing_again(visit: Any) -> None:
    page = visit("all").page
    page.check("input[name=keep]")
    begin(page)
    answer_all(page, ANSWERS)
    drawn = json.loads(page.evaluate("localStorage.sottovoce"))["drawn"]
    page.click(".pause summary")
    page.click("#clear")
    page.wait_for_selector("text=Your answers were removed from this browser.")
    assert answers_in(kept(page)) == []
    assert '"report"' not in kept(page)
    begin(page)
    assert page.locator("input[type=radio]:checked").count() == 0
    assert json.loads(page.evaluate("localStorage.sottovoce"))["drawn"] == drawn


def test_two_tabs_give_one_answer(served: Served, visit: Any) -> None:
    before = counted(served, "all")
    visitor: Visitor = visit("all")
    page, other = visitor.page, visitor.context.new_page()
    other.goto(f"{served.address}/s/all")
    begin(other)
    give(other, "smokes", "yes")
    forward(other)
    begin(page)
    answer_all(page, ANSWERS)
    send(page)
    other.wait_for_selector("#forgotten")
    assert answers_in(kept(other)) == []
    assert counted(served, "all") == before + 1


def test_offline_in_the_middle(served: Served, visit: Any) -> None:
    before = counted(served, "all")
    visitor: Visitor = visit("all", quiet=False)
    page = visitor.page
    page.check("input[name=keep]")
    begin(page)
    give(page, "smokes", "yes")
    visitor.context.set_offline(True)
    forward(page)
    answer_all(page, ANSWERS)
    page.click("#send")
    page.wait_for_selector(WAITING)
    assert answers_in(kept(page)) == [], "only the report waits"
    wording(page.inner_text("#status"))
    visitor.context.set_offline(False)
    page.wait_for_selector("#forgotten")
    assert counted(served, "all") == before + 1
    assert '"report"' not in kept(page)


def test_a_study_that_changes_while_someone_answers(browser: Browser, tmp_path: Path) -> None:
    url = str(tmp_path / "collector.sqlite")
    added(url, kitchen("skip"))
    page = browser.new_context().new_page()
    with serving(url, tmp_path) as served, served.client() as client:
        page.goto(f"{served.address}/s/skip")
        begin(page)
        give(page, "smokes", "yes")
        forward(page)
        store = Store(url)
        store.delete("skip", "test")
        store.close()
        changed = STUDIES["skip"].replace('"kitchen"', '"skip"').replace("Pipes count too.", "Pipes don't count.")
        after = sv.Study.from_toml(changed)
        added(url, after)
        while client.get("/studies/skip").json()["fingerprint"] != after.fingerprint:
            page.wait_for_timeout(100)
        page.reload()
        page.wait_for_selector("text=The study was changed since you began")
        assert answers_in(kept(page)) == []
        begin(page)
        answer_all(page, ANSWERS)
        store = Store(url)
        store.change("skip", "test", state="closed")
        page.click("#send")
        page.wait_for_selector("text=The report wasn’t accepted")
        wording(page.inner_text("#app .notice.bad"))
        assert page.get_by_role("link", name="survey@example.org").is_visible()
        page.click("#forget")
        page.wait_for_selector("text=Your report was removed")
        assert store.tally(store.entry("skip")).n == 0
        store.close()
    page.context.close()


def test_tickets(browser: Browser, tmp_path: Path) -> None:
    url = str(tmp_path / "collector.sqlite")
    added(url, kitchen("skip"), respondents="tickets")
    store = Store(url)
    tickets = store.access.new_tickets("skip", 2)
    store.close()
    with serving(url, tmp_path) as served:
        for ticket, link in zip(tickets, ["", f"#ticket={tickets[1]}"], strict=True):
            page = browser.new_context().new_page()
            watch = watched(page)
            page.goto(f"{served.address}/s/skip{link}")
            page.wait_for_selector("#start")
            if not link:
                page.check("#consent")
                page.click("#start")
                wording(page.inner_text("#problem"))
                page.fill("#ticket", ticket)
            begin(page)
            answer_all(page, ANSWERS)
            send(page)
            assert not any(ticket in each for each in watch.requests)
            assert ticket not in kept(page)
            page.context.close()
        assert counted(served, "skip") == 2
