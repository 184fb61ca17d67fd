"""What a browser keeps of a survey on disk, in its history and in storage: while it is answered, and when nothing more is asked."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import sottovoce as sv
from collectors import Served, added, serving
from respondent import answer_all, begin, forward, give, kept, question, send
from sottovoce.store import Store
from visiting import Visitor, visitors

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

QUESTION = '[[questions]]\nname = "{}"\ntext = "{}?"\n{}\n'
HEAD = 'name = "{}"\ntitle = "Health"\n[privacy]\nnotion = "ldp"\nepsilon = 6.0\nminimum = 1\n[strategy]\nkind = "split"\n'
#: Answers that no other file of a browser has by chance.
WEIGHT, LATITUDE, LONGITUDE, SUBSTANCE = 73719, "40.71237713", "-74.55512345", "quixotine"
HEALTH = HEAD.format("health") + "".join(
    [
        QUESTION.format("drugs", "Drugs", 'items = ["yes", "no"]'),
        QUESTION.format("which", "Which", f'items = ["{SUBSTANCE}", "other"]\nafter = {{drugs = ["yes"]}}'),
        QUESTION.format("weight", "Weight", "numbers = {from = 0, to = 100000, bins = 8}"),
        QUESTION.format("home", "Home", "grid = {latitude = [40.0, 41.0], longitude = [-75.0, -74.0], shape = [100, 100]}"),
    ]
)
#: Names that every object of JavaScript has.
NAMES = HEAD.format("names") + "".join(
    [
        QUESTION.format("constructor", "First", 'items = ["toString", "valueOf"]'),
        QUESTION.format("__proto__", "Second", 'items = ["yes", "no"]\nafter = {constructor = ["toString"]}'),
    ]
)
OPT_OUT = "async () => { const { Device } = await import('/static/sottovoce.js'); await new Device().optOut(); }"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A collector with studies whose answers can be found in files."""
    folder = tmp_path_factory.mktemp("traces")
    url = str(folder / "collector.sqlite")
    added(url, sv.Study.from_toml(HEALTH), sv.Study.from_toml(NAMES))
    with serving(url, folder) as found:
        yield found


@pytest.fixture
def visit(browser: Browser, served: Served) -> Iterator[Any]:
    """Opens the page of a study, on a device of its own."""
    yield from visitors(browser, served)


@pytest.fixture
def profile(browser: Browser, tmp_path: Path) -> Iterator[tuple[Path, BrowserContext]]:
    """A browser with a profile on disk."""
    folder = tmp_path / "profile"
    context = browser.browser_type.launch_persistent_context(
        folder,
        executable_path=shutil.which("chromium") or shutil.which("chromium-browser"),
        args=["--no-sandbox", "--headless=new"],  # the old kind writes no sessions
        headless=False,
        ignore_default_args=["--headless", "--headless=old"],
    )
    yield folder, context
    context.close()


def place(page: Page) -> None:
    for k, value in enumerate((LATITUDE, LONGITUDE)):
        page.fill(f"[data-question=home] input[id$='axis-{k}']", value)


def found(folder: Path, words: list[str]) -> dict[str, list[str]]:
    """The files of a folder that contain words, in the ways in which browsers write them."""
    files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    coded = {word: (word.encode(), word.encode("utf-16-le")) for word in words}
    hits = {word: [name for name, text in files.items() if any(each in text for each in coded[word])] for word in words}
    return {word: names for word, names in hits.items() if names}


def test_nothing_that_is_chosen_or_typed_is_in_the_profile_on_disk(served: Served, profile: tuple[Path, BrowserContext]) -> None:
    folder, context = profile
    page = context.pages[0]
    page.goto(f"{served.address}/s/health")
    begin(page)
    for name, answer in (("drugs", "yes"), ("which", SUBSTANCE), ("weight", WEIGHT)):
        give(page, name, answer)
        forward(page)
    place(page)
    remembered = page.locator("form:not([autocomplete=off]), input:not([autocomplete=off]), select:not([autocomplete=off])").count()
    forward(page)
    send(page)
    page.wait_for_timeout(3000)  # sessions are written every 2.5 seconds
    context.close()
    assert any((folder / "Default" / "Sessions").iterdir()), "this browser writes sessions"
    assert found(folder, ["s/health"]), "and they name the page"
    assert found(folder, [str(WEIGHT), LATITUDE, LONGITUDE.lstrip("-"), "q which", "q drugs", "q1-item"]) == {}
    assert remembered == 0


def test_the_history_has_numbers_and_no_names_of_screens(visit: Any) -> None:
    page = visit("health").page
    states: list[Any] = []

    def note() -> None:
        states.append(page.evaluate("history.state"))

    begin(page)
    for name, answer in (("drugs", "yes"), ("which", SUBSTANCE), ("weight", 5000)):
        note()
        give(page, name, answer)
        forward(page)
    place(page)
    forward(page)
    note()
    assert [set(state["sottovoce"]) for state in states] == [{"study", "depth"}] * 4
    assert [state["sottovoce"]["depth"] for state in states] == [1, 2, 3, 5]
    page.go_back()
    page.go_back()
    page.wait_for_selector("[data-question=weight]")
    page.reload()
    page.wait_for_selector("[data-question=weight]")
    page.go_back()
    page.wait_for_selector("[data-question=which]")
    for _ in range(3):
        page.go_forward()
    page.wait_for_selector("#send")
    send(page)
    assert "which" not in kept(page)
    page.go_back()
    page.wait_for_timeout(300)
    assert page.locator("#forgotten").count() == 1


def test_questions_and_answers_can_be_called_like_parts_of_objects(visit: Any) -> None:
    visitor: Visitor = visit("names")
    begin(visitor.page)
    assert answer_all(visitor.page, {"constructor": "toString", "__proto__": "no"}) == ["constructor", "__proto__"]
    assert visitor.page.locator(".given-answer").all_inner_texts() == ["toString", "no"]
    send(visitor.page)


def keep_and_answer(page: Page) -> None:
    """Answer two questions, and keep them after the browser is closed."""
    page.wait_for_selector("#start")
    page.check("input[name=keep]")
    begin(page)
    give(page, "drugs", "yes")
    forward(page)
    give(page, "which", SUBSTANCE)
    forward(page)
    assert SUBSTANCE in page.evaluate("JSON.stringify({...localStorage})")


def test_answers_that_were_kept_go_when_the_study_is_closed(served: Served, visit: Any) -> None:
    page = visit("health").page
    keep_and_answer(page)
    store = Store(served.url)
    store.change("health", "me", state="closed")
    try:
        wait_until(lambda: page.request.get(f"{served.address}/s/health").text().count('data-state="closed"') > 0)
        page.reload()
        page.wait_for_selector("text=This study is closed")
        assert page.locator("#clear").count() == 0, "there is nothing to clear"
        assert SUBSTANCE not in kept(page)
        assert "sottovoce-answers" not in kept(page)
    finally:
        store.change("health", "me", state="open")
        wait_until(lambda: page.request.get(f"{served.address}/s/health").text().count('data-state="open"') > 0)


def test_answers_that_were_kept_go_when_the_person_opts_out(visit: Any) -> None:
    page = visit("health").page
    keep_and_answer(page)
    other = page.context.new_page()  # of the same browser, as it was before
    other.goto(page.url)
    other.wait_for_selector("#start")
    other.evaluate(OPT_OUT)
    page.wait_for_selector("#out")
    for each in (page, other):
        assert SUBSTANCE not in kept(each)
    other.reload()
    other.wait_for_selector("#out")
    assert other.inner_text("#app") == "Reports are turned off on this device."
    assert other.locator("#start").count() == 0


def test_answers_that_were_kept_go_when_nothing_more_can_be_given(visit: Any) -> None:
    page = visit("health").page
    keep_and_answer(page)
    other = page.context.new_page()
    other.goto(page.url.replace("health", "names"))
    begin(other)
    answer_all(other, {"constructor": "valueOf"})
    send(other)
    page.wait_for_selector("#capped")
    assert SUBSTANCE not in kept(page)


def test_a_tab_keeps_nothing_of_answers_that_another_one_sent(visit: Any) -> None:
    page = visit("health").page
    begin(page)
    give(page, "drugs", "no")
    forward(page)
    give(page, "weight", 5000)
    forward(page)
    place(page)
    forward(page)
    page.wait_for_selector("#send")
    assert json.loads(page.evaluate("sessionStorage.sottovoce"))["drafts"], "a draft with the codes of the answers"
    other = page.context.new_page()
    other.goto(page.url)
    begin(other)
    assert question(other) == "drugs"
    give(other, "drugs", "no")
    forward(other)
    give(other, "weight", 5000)
    forward(other)
    place(other)
    forward(other)
    send(other)
    page.wait_for_selector("#forgotten")
    assert json.loads(page.evaluate("sessionStorage.sottovoce"))["drafts"] == []
    assert "sottovoce-answers" not in kept(page)


def wait_until(holds: Callable[[], bool]) -> None:
    for _ in range(100):
        if holds():
            return
        time.sleep(0.1)
    raise AssertionError("it didn't happen within ten seconds")
