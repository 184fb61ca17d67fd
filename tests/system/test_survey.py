"""The survey page in a real browser, before a real collector: what leaves the device, what does not, and that anybody can use it."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import sottovoce as sv
from browser import axe, overflow, watched
from collectors import Served, added, named, recounted, serving
from kitchen import STUDIES as KITCHEN
from kitchen import kitchen
from messages import wording
from sottovoce.store import Role, Store
from suites.survey import counted, people_answer
from visiting import visitors

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CITY = """
name = "city"
question = "Where were you yesterday at noon?"
[grid]
latitude = [40.70, 40.80]
longitude = [-74.04, -73.92]
shape = [25, 25]
[privacy]
notion = "uldp"
epsilon = 1.0
tags = ["home", "work"]
sensitive = [[10, 10], [12, 14]]
"""
WORDS = """
name = "words"
question = "Which of these do you have?"
items = ["quartz-feldspar", "ochre-umber", "cobalt-azure", "jade-olive"]
[privacy]
notion = "ldp"
epsilon = 1.0
"""
FINE = CITY.replace('"city"', '"fine"').replace("[25, 25]", "[90, 90]")
LONG = f'name = "long"\nquestion = "Which village?"\nitems = {json.dumps([f"Village {k}" for k in range(300)])}\n'
LONG += '[privacy]\nnotion = "ldp"\nepsilon = 2.0\n'
KINDS = ["uldp", "levels", "axes", "three-reports", "tags-and-levels", "unicode", "lip", "numbers", "ages", "scale"]
SPREAD = CITY.split("[privacy]", maxsplit=1)[0].replace('"city"', '"spread"') + '[privacy]\nnotion = "ldp"\nepsilon = 2.0\n'
TEXTS = {"city": CITY, "spread": SPREAD, "words": WORDS, "fine": FINE, "long": LONG}
#: What the page shows when a report was taken, waits, or was refused.
SENT, WAITING, REFUSED = "text=Thank you", "text=Waiting for a connection", "text=The report wasn’t accepted"


@cache
def study(name: str) -> sv.Study:
    """A study of this file, or one of a kind."""
    return sv.Study.from_toml(TEXTS[name]) if name in TEXTS else named(name)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A collector with studies of all kinds."""
    folder = tmp_path_factory.mktemp("survey")
    url = str(folder / "collector.sqlite")
    studies = [study(name) for name in (*TEXTS, *KINDS)]
    added(url, *studies)
    with serving(url, folder) as found:
        yield found
        recounted(url, *(each.name for each in studies))


@pytest.fixture
def visit(browser: Browser, served: Served) -> Iterator[Any]:
    """Opens the page of a study, on a device of its own."""
    yield from visitors(browser, served)


def choose(page: Page, name: str) -> None:
    """Choose some answer, by the mouse."""
    if name in {"city", "tags"}:
        page.click("[data-code='300']")
    elif name == "fine":
        page.fill("#axis-0", "40.75")
        page.fill("#axis-1", "-74")
    elif name == "axes":
        page.check("input[name=axis-0][value='1']")
        page.check("input[name=axis-1][value='1']")
    elif name in {"numbers", "ages"}:
        page.fill("#number", "33")
    else:
        page.check("input[name=item][value='1']")


def review(page: Page) -> None:
    page.click("button.main")
    page.wait_for_selector("#send")


def database(served: Served) -> bytes:
    """All bytes of the collector's files."""
    return b"".join(path.read_bytes() for path in sorted(Path(served.url).parent.glob("collector.sqlite*")))


def test_what_leaves_is_what_was_shown_and_nothing_else(served: Served, visit: Any) -> None:
    before, kept = counted(served, "words"), database(served)
    visitor = visit("words")
    page = visitor.page
    page.check("text=cobalt-azure")
    review(page)
    shown = page.text_content("#body")
    assert visitor.bodies() == []
    page.click("#send")
    page.wait_for_selector(SENT)
    assert visitor.bodies() == [shown]
    assert page.text_content("#body") == shown
    assert set(json.loads(shown)) == {"study", "id", "report"}
    assert counted(served, "words") == before + 1
    for each in visitor.letters():
        text = json.dumps(each)
        assert not any(str(label) in text for label in study("words").domain), each["url"]
        assert not any(header in each["headers"] for header in ("cookie", "referer", "authorization"))
        assert "?" not in each["url"]
    assert {re.sub(r"^https?://[^/]+", "", each.url) for each in visitor.sent} == {
        "/s/words",
        "/static/survey.css",
        "/static/survey.en.json",
        "/static/survey.js",
        "/static/icon.svg",
        "/studies/words",
        "/studies/words/reports",
    }
    now = database(served)
    for label in study("words").domain:  # they stand in the study, and nowhere else
        assert now.count(str(label).encode()) == kept.count(str(label).encode())
    store = Store(served.url)
    reports = store.tally(store.entry("words"), keep_reports=True)
    store.close()
    assert reports.n == before + 1


def test_the_personal_map_stays_on_the_device(served: Served, visit: Any) -> None:
    kept = database(served)
    visitor = visit("city")
    page = visitor.page
    page.click("[data-code='320']")
    page.check("input[name=mark][value=home]")
    page.click("[data-code='55']")
    page.check("input[name=mark][value=work]")
    page.click("[data-code='320']")
    assert page.is_checked("input[name=mark][value=home]")
    assert page.locator(".marks li").all_inner_texts() == ["40.7100° N, 74.0136° W, marked as work Remove"], "others'"
    review(page)
    assert "shows your answer as it is" not in page.inner_text("#app")
    assert not re.search(r"home|12 / 20", page.evaluate("localStorage.sottovoce"))  # other tabs can read that
    marks = json.loads(page.evaluate("sessionStorage.sottovoce"))["marks"][f"{served.address}/studies/city"]
    assert marks == [["12 / 20", "home"], ["2 / 5", "work"]]
    page.click("#send")
    page.wait_for_selector(SENT)
    kept_here = page.evaluate("localStorage.sottovoce + sessionStorage.sottovoce")
    assert not re.search(r"home|12 / 20|2 / 5|\"report\"", kept_here)
    for each in visitor.letters():
        assert not re.search(r"home|work|12 / 20|2 / 5", json.dumps(each)), each["url"]
    now = database(served)
    for text in (b"home", b"work", b"12 / 20"):
        assert now.count(text) == kept.count(text)


def test_a_marked_place_is_never_shown_as_it_is(visit: Any) -> None:
    """Cell 300 is not sensitive to everybody: most of its reports show it. Marked, none does."""
    visitor = visit("city")
    found = visitor.page.evaluate(
        """async () => {
            const { loadStudy, perturb, explain } = await import("/static/sottovoce.js");
            const study = await loadStudy("/studies/city");
            const shown = (marks) => {
                let count = 0;
                for (let k = 0; k < 300; k += 1)
                    if (explain(study, { report: perturb(study, "12 / 0", { marks }) }).odds.some((each) => each.shown)) count += 1;
                return count;
            };
            return [shown({}), shown({ home: ["12 / 0"] })];
        }"""
    )
    assert found[0] > 100
    assert found[1] == 0


def test_people_are_collected_and_the_estimate_covers_the_truth(tmp_path: Path, browser: Browser) -> None:
    people_answer(200, tmp_path, browser)


def test_offline_then_online_sends_once(served: Served, visit: Any) -> None:
    before = counted(served, "words")
    visitor = visit("words", quiet=False)
    page = visitor.page
    choose(page, "words")
    review(page)
    shown = page.text_content("#body")
    visitor.context.set_offline(True)
    page.click("#send")
    page.wait_for_selector(WAITING)
    assert counted(served, "words") == before
    visitor.context.set_offline(False)
    page.wait_for_selector(SENT)
    assert counted(served, "words") == before + 1
    page.reload()
    page.wait_for_selector(SENT)
    page.wait_for_timeout(300)
    assert page.query_selector("#body") is None  # the device has forgotten it
    assert counted(served, "words") == before + 1
    assert set(visitor.bodies()) == {shown}


def test_a_report_that_waits_is_sent_when_the_page_is_opened_again(served: Served, visit: Any) -> None:
    before = counted(served, "words")
    visitor = visit("words", quiet=False)
    page = visitor.page
    choose(page, "words")
    review(page)
    page.route("**/reports", lambda route: route.abort())
    page.click("#send")
    page.wait_for_selector(WAITING)
    page.unroute("**/reports")
    other = visitor.context.new_page()
    other.goto(f"{served.address}/s/words")
    other.wait_for_selector(SENT, timeout=5000)  # at once, and not only after the next regular attempt
    page.wait_for_selector(SENT)  # the first page sees what the second one did
    assert counted(served, "words") == before + 1


def test_an_answer_that_was_lost_on_the_way_back_counts_once(served: Served, visit: Any) -> None:
    """The collector takes the report, and its acknowledgement never arrives."""
    before = counted(served, "words")
    visitor = visit("words", quiet=False)
    page = visitor.page
    choose(page, "words")
    review(page)
    lost: list[int] = []

    def lose(route: Any) -> None:
        if lost:
            route.continue_()
        else:
            lost.append(route.fetch().status)
            route.abort()

    page.route("**/reports", lose)
    page.click("#send")
    page.wait_for_selector(SENT)
    assert lost == [200]
    assert counted(served, "words") == before + 1


def test_a_double_click_sends_once(served: Served, visit: Any) -> None:
    before = counted(served, "words")
    visitor = visit("words")
    page = visitor.page
    choose(page, "words")
    review(page)
    page.evaluate("const send = document.getElementById('send'); send.click(); send.click(); send.dispatchEvent(new MouseEvent('click'))")
    page.wait_for_selector(SENT)
    assert len(visitor.bodies()) == 1
    assert counted(served, "words") == before + 1
    second = visit("words")
    choose(second.page, "words")
    review(second.page)
    second.page.dblclick("#send")
    second.page.wait_for_selector(SENT)
    assert counted(served, "words") == before + 2


def test_a_second_answer_is_refused_on_the_device(served: Served, visit: Any) -> None:
    """Also in a tab whose form was open before the first answer, and which hasn't heard of it."""
    before = counted(served, "words")
    visitor = visit("words")
    page, other = visitor.page, visitor.context.new_page()
    other.add_init_script("addEventListener('storage', (event) => event.stopImmediatePropagation(), true)")
    other.goto(f"{served.address}/s/words")
    choose(page, "words")
    review(page)
    page.click("#send")
    page.wait_for_selector(SENT)
    other.check("input[name=item][value='3']")
    other.click("button.main")
    other.wait_for_selector(SENT)
    assert other.query_selector("#send") is None
    page.reload()
    page.wait_for_selector(SENT)
    assert page.query_selector("form") is None
    wording(re.sub(r"on [A-Z][a-z]+ \d+, \d{4}", "on <day>", page.inner_text("#forgotten")).replace("\n\n", " "))
    assert len(visitor.bodies()) == 1
    assert counted(served, "words") == before + 1


def test_thinking_again_before_sending_is_free_and_draws_nothing_anew(served: Served, visit: Any) -> None:
    visitor = visit("words")
    page = visitor.page
    drawn: dict[str, str] = {}
    for code in ("0", "1", "0", "1"):
        page.check(f"input[name=item][value='{code}']")
        review(page)
        assert drawn.setdefault(code, page.text_content("#body")) == page.text_content("#body")
        page.click("text=Back")
    assert drawn["0"] != drawn["1"]
    assert visitor.bodies() == []


def test_the_page_says_what_the_library_says(visit: Any) -> None:
    """The odds on the page are those of the certificate."""
    page = visit("uldp").page
    page.click(".experts > summary")
    assert "2.72" in page.inner_text("table")
    said = page.inner_text("form .notice")
    assert "Suppose someone suspects that you gave a certain protected answer." in said
    assert page.locator(".pair strong").all_inner_texts() == ["1 in 100", "at most 3 in 100", "50 in 100", "at most 74 in 100"]
    assert page.locator(".badge").all_inner_texts() == [*["protected"] * 3, *["not protected"] * (len(study("uldp").domain) - 3)]
    levels = visit("levels").page
    levels.check("input[name=level][value=open]")
    choose(levels, "levels")
    review(levels)
    assert "shows your answer as it is: cancer" in levels.inner_text("#app")
    three = visit("three-reports").page
    choose(three, "three-reports")
    review(three)
    assert len(json.loads(three.text_content("#body"))) == 3


def test_a_set_of_places_is_a_picture_below_what_was_answered(visit: Any) -> None:
    page = visit("spread").page
    promised = page.locator("form .guarantee")
    assert "that you gave a certain answer. The dots" in promised.inner_text(), "no place is named"
    assert "at most 89 in 100" in promised.inner_text()
    assert "What isn’t hidden: that you took part." in promised.inner_text()
    assert not page.is_visible("#clear")
    page.click("[data-code='300']")
    assert page.is_visible("#clear")
    place = page.inner_text(".chosen").removeprefix("Chosen: ")
    assert place not in promised.inner_text()
    review(page)
    assert page.inner_text("#answered") == f"You answered: {place}. Protected: drawn by chance"
    said = re.search(r"Your report says: (\d+) of 625 places\.", page.inner_text(".says"))
    assert said
    assert (page.get_attribute(".set .in", "d") or "").count("M") == int(said[1])
    assert page.get_attribute(".set .mine", "d") == "M0 12h1v1h-1z"
    assert not page.is_visible("table"), "the odds are folded away"
    assert "latitude" not in page.inner_text(".meaning")
    above = page.locator("#final").bounding_box()
    below = page.locator("#send").bounding_box()
    assert above is not None
    assert below is not None
    assert above["y"] < below["y"], "it is said before it is sent"
    assert "can’t be withdrawn" in page.inner_text("#final")


def test_the_page_says_what_it_does_below_the_button(served: Served, visit: Any) -> None:
    page = visit("words").page
    choose(page, "words")
    review(page)
    assert page.inner_text("#unsent") == "Nothing has been sent yet."
    held: list[Any] = []
    page.route("**/reports", lambda route: held.append(route))
    page.click("#send")
    page.wait_for_function("document.querySelector('#unsent').textContent === 'Sending …'")
    while not held:
        page.wait_for_timeout(20)
    held[0].continue_()
    page.wait_for_selector(SENT)


def test_a_captive_portal_is_not_taken_for_the_collector(served: Served, visit: Any) -> None:
    before = counted(served, "words")
    page = visit("words", quiet=False).page
    choose(page, "words")
    review(page)
    page.route("**/reports", lambda route: route.fulfill(body="{}", content_type="application/json"))
    page.click("#send")
    page.wait_for_selector(WAITING)
    page.unroute("**/reports")
    page.click("#retry")
    page.wait_for_selector(SENT)
    assert counted(served, "words") == before + 1


FULL = "() => { Storage.prototype.setItem = () => { throw new DOMException('the quota is exceeded', 'QuotaExceededError'); }; }"


def test_a_full_device_says_so_and_nothing_is_lost_or_stuck(served: Served, visit: Any) -> None:
    before = counted(served, "words")
    page = visit("words").page
    choose(page, "words")
    review(page)
    page.evaluate("() => { window.kept = Storage.prototype.setItem; }")
    page.evaluate(FULL)
    page.click("#send")
    page.wait_for_selector(".notice.bad")
    wording(page.inner_text("#status"))
    assert counted(served, "words") == before
    page.evaluate("() => { Storage.prototype.setItem = window.kept; }")
    page.click("#send")
    page.wait_for_selector(SENT)
    assert counted(served, "words") == before + 1


def test_a_mark_that_could_not_be_kept_is_not_shown_as_kept(visit: Any) -> None:
    page = visit("city").page
    page.click("[data-code='320']")
    page.evaluate(FULL)
    page.click("input[name=mark][value=home]")
    page.wait_for_selector(".notice.bad")
    wording(page.inner_text("#status"))
    assert page.is_checked("input[name=mark][value='']")
    assert page.locator(".marks li").count() == 0


def test_what_the_device_keeps_before_anything_is_sent_can_be_removed(visit: Any) -> None:
    page = visit("city").page
    page.click("[data-code='320']")
    page.check("input[name=mark][value=home]")
    review(page)
    page.click("text=Back")
    assert "12 / 20" in page.evaluate("sessionStorage.sottovoce")
    page.click("#clear")
    page.wait_for_selector("text=keeps nothing about your answer")
    assert not re.search(r"home|12 / 20|\"report\"", page.evaluate("localStorage.sottovoce + sessionStorage.sottovoce"))


def test_a_level_that_hides_nothing_is_not_called_harmless(visit: Any) -> None:
    page = visit("levels").page
    page.check("input[name=level][value=open]")
    promised = page.inner_text("form .notice")
    assert "Nothing is guaranteed. The report shows your answer as it is." in promised
    assert "learns nothing" not in promised


def test_coordinates_out_of_range(visit: Any) -> None:
    page = visit("fine").page
    page.fill("#axis-0", "99")
    page.fill("#axis-1", "-74")
    page.click("button.main")
    wording(page.inner_text("#problem"))


def test_a_study_that_was_changed_after_the_answer(browser: Browser, tmp_path: Path) -> None:
    url = str(tmp_path / "collector.sqlite")
    after = sv.Study.from_toml(WORDS.replace("epsilon = 1.0", "epsilon = 2.0").replace("ochre-umber", "ochre"))
    added(url, study("words"))
    context = browser.new_context()
    page = context.new_page()
    with serving(url, tmp_path) as served, served.client() as client:
        page.goto(f"{served.address}/s/words")
        choose(page, "words")
        review(page)
        page.click("#send")
        page.wait_for_selector(SENT)
        store = Store(url)
        store.delete("words", "test")
        store.close()
        added(url, after)
        while client.get("/studies/words").json()["fingerprint"] != after.fingerprint:
            page.wait_for_timeout(100)  # the collector looks at the study anew every two seconds
        page.goto(f"{served.address}/s/words")
        page.wait_for_selector("text=This study was changed after this device answered it")
        assert page.query_selector("form") is None
        assert '"report":' not in page.evaluate("localStorage.sottovoce")
        assert counted(served, "words") == 0
    context.close()


def test_a_long_list_is_searched(visit: Any) -> None:
    page = visit("long").page
    assert "240 more answers" in page.inner_text("#answer")
    page.fill("#search", "nowhere")
    assert "No answer contains this text" in page.inner_text("#answer")
    page.fill("#search", "lage 222")
    assert page.locator("input[name=item]").count() == 1
    page.check("input[name=item]")
    page.fill("#search", "")
    assert page.locator("input[name=item]:checked").get_attribute("value") == "222"  # what was chosen stays in sight
    review(page)


def test_a_number_is_typed_or_chosen_on_a_slider(served: Served, visit: Any) -> None:
    before = counted(served, "ages")
    visitor = visit("ages")
    page = visitor.page
    page.click("button.main")
    assert page.locator("#send").count() == 0, "a number is missing"
    page.fill("#number", "17")
    assert "18 to 34" in page.inner_text("#counts")
    page.click("button.main")
    assert page.inner_text("#problem") == "The survey counts 17 as 18. Is 17 a typo? If not, go on."
    assert page.locator("#send").count() == 0, "17 may be a typo"
    page.fill("#number", "51")
    assert page.input_value("#slider") == "51"
    assert "51 to 67" in page.inner_text("#counts")
    page.focus("#slider")
    page.keyboard.press("ArrowLeft")
    assert page.input_value("#number") == "50"
    assert "35 to 50" in page.inner_text("#counts")
    review(page)
    shown = page.text_content("#body")
    assert json.loads(shown)["report"] < 5, "a bin leaves, not the number"
    page.click("#send")
    page.wait_for_selector(SENT)
    assert visitor.bodies() == [shown]
    assert counted(served, "ages") == before + 1


def test_open_ends_take_every_number(visit: Any) -> None:
    page = visit("numbers").page
    page.fill("#number", "-5")
    assert page.inner_text("#counts") == "Your answer counts as under 18."
    page.fill("#number", "1e6")
    assert page.inner_text("#counts") == "Your answer counts as 65 or more."
    review(page)  # no question whether it is a typo


def test_a_scale_is_a_row_of_buttons(visit: Any) -> None:
    for width in (390, 1000):
        page = visit("scale", viewport={"width": width, "height": 800}).page
        tops = {round(page.locator(".step").nth(k).bounding_box()["y"]) for k in range(4)}
        assert len(tops) == 1, "one row"
        page.click("text=often")
        review(page)


def test_an_answer_must_be_chosen(visit: Any) -> None:
    page = visit("words").page
    page.click("button.main")
    wording(page.inner_text("#problem"))
    assert page.evaluate("document.activeElement.name") == "item"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["uldp", "levels", "axes", "three-reports", "city", "fine", "long", "tags-and-levels", "ages", "scale"])
def test_nothing_bars_the_way(visit: Any, name: str, scheme: str) -> None:
    """axe-core finds nothing, and nothing is wider than a small phone, at every step."""
    page = visit(name, viewport={"width": 360, "height": 740}, color_scheme=scheme).page
    for summary in page.locator("summary").all():
        summary.click()
    for act in (lambda: choose(page, name), lambda: review(page), lambda: (page.click("#send"), page.wait_for_selector(SENT))):
        act()
        assert axe(page) == []
        assert overflow(page) <= 0


def test_the_whole_survey_by_keyboard(served: Served, visit: Any) -> None:
    before = counted(served, "words")
    page = visit("words").page
    keys = page.keyboard

    def tab_to(selector: str) -> None:
        for _ in range(40):
            keys.press("Tab")
            if page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
                return
        raise AssertionError(f"{selector} cannot be reached")

    tab_to("input[name=item]")
    keys.press("Space")
    keys.press("ArrowDown")
    keys.press("ArrowDown")
    assert page.evaluate("document.querySelector('input[name=item]:checked').value") == "2"
    tab_to("button.main")
    keys.press("Enter")
    page.wait_for_selector("#send")
    assert page.evaluate("document.activeElement.textContent") == "This is what will leave your device"
    tab_to("#send")
    keys.press("Enter")
    page.wait_for_selector(SENT)
    assert counted(served, "words") == before + 1


def test_the_grid_by_keyboard(visit: Any) -> None:
    page = visit("city").page
    keys = page.keyboard
    for _ in range(20):
        keys.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('role')") == "gridcell":
            break
    start = int(page.evaluate("document.activeElement.dataset.code"))
    for key in ("ArrowUp", "ArrowUp", "ArrowRight", "ArrowDown", "ArrowLeft", "ArrowLeft"):
        keys.press(key)
    keys.press("Space")
    assert page.evaluate("document.querySelector('.cell[aria-selected=true]').dataset.code") == str(start + 25 - 1)
    assert "40.7540" in page.inner_text(".chosen")
    keys.press("End")
    keys.press("ArrowRight")  # the edge of the map
    keys.press("Enter")
    assert page.evaluate("document.querySelector('.cell[aria-selected=true]').dataset.code") == str((start // 25 + 1) * 25 + 24)
    page.click("[aria-label='One place down']")
    assert page.evaluate("document.querySelector('.cell[aria-selected=true]').dataset.code") == str(start // 25 * 25 + 24)
    keys.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "One place to the right"


def test_the_policy_of_the_page_holds(served: Served, visit: Any, browser: Browser) -> None:
    """Scripts of elsewhere, scripts in the page and changed scripts do not run; nothing is fetched from elsewhere."""
    with served.client() as client:
        answer = client.get("/s/words")
    policy = dict(each.strip().split(" ", 1) for each in answer.headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert {policy[key] for key in ("script-src", "style-src", "connect-src", "img-src")} == {"'self'"}
    assert policy["frame-ancestors"] == policy["base-uri"] == policy["form-action"] == "'none'"
    assert policy["trusted-types"] == "'none'"
    assert re.findall(r'(?:src|href)="(?!/)', answer.text) == []
    assert answer.text.count('integrity="sha384-') == 2
    assert "set-cookie" not in answer.headers
    page = visit("words", quiet=False).page
    refused = page.evaluate(  # in a timer, where the page's policy holds for scripts of the debugger, too
        """() => new Promise((resolve) => setTimeout(async () => {
            const tries = {
                inline: () => { const s = document.createElement("script"); s.textContent = "window.pwned = 1"; document.head.append(s); },
                eval: () => { window.pwned = eval("1"); },
                markup: () => { document.body.innerHTML = "<b>1</b>"; window.pwned = 1; },
                elsewhere: async () => { await fetch("http://127.0.0.1:9/"); window.pwned = 1; },
            };
            const found = {};
            for (const [name, act] of Object.entries(tries)) {
                try { await act(); found[name] = "done"; } catch (error) { found[name] = error.name; }
            }
            resolve([found, window.pwned ?? null]);
        }))"""
    )
    assert refused == [{"inline": "TypeError", "eval": "EvalError", "markup": "TypeError", "elsewhere": "TypeError"}, None]
    context = browser.new_context()
    page = context.new_page()
    page.route(
        "**/survey.js",
        lambda route: route.fulfill(body="document.body.textContent = 'evil'", content_type="text/javascript"),
    )
    page.goto(f"{served.address}/s/words")
    page.wait_for_timeout(300)
    assert "evil" not in page.inner_text("body")
    context.close()


def test_a_study_that_does_not_keep_its_promise_is_not_asked(served: Served, browser: Browser) -> None:
    context = browser.new_context()
    page = context.new_page()
    broken = json.dumps(study("words").compile()).replace('"epsilon": "1.0"', '"epsilon": "0.5"')
    page.route("**/studies/words", lambda route: route.fulfill(body=broken, content_type="application/json"))
    page.goto(f"{served.address}/s/words")
    page.wait_for_selector(".notice.bad")
    wording(page.inner_text("#app"))
    assert page.query_selector("form") is None
    context.close()


def test_without_storage_nothing_is_asked(served: Served, browser: Browser) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.add_init_script("Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('blocked', 'SecurityError'); } })")
    page.goto(f"{served.address}/s/words")
    page.wait_for_selector(".notice.bad")
    wording(page.inner_text("#app"))
    context.close()


def test_without_scripts_the_page_says_what_is_missing(served: Served, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{served.address}/s/words")
    wording(page.inner_text("noscript"))
    context.close()


def test_going_back_finds_the_form_as_it_was(visit: Any) -> None:
    page = visit("levels").page
    page.check("input[name=level][value=usual]")
    page.check("input[name=item][value='2']")
    review(page)
    page.click("text=Back")
    assert page.is_checked("input[name=level][value=usual]")
    assert page.is_checked("input[name=item][value='2']")


def test_two_pages_of_one_device_show_the_same(served: Served, visit: Any) -> None:
    """Marks stay with the tab. An answer that waits is known to both, also that it was removed."""
    visitor = visit("city", quiet=False)
    page, other = visitor.page, visitor.context.new_page()
    page.click("[data-code='320']")
    page.check("input[name=mark][value=home]")
    other.goto(f"{served.address}/s/city")
    other.wait_for_selector("form")
    assert other.locator(".marks li").count() == 0
    review(page)
    visitor.context.set_offline(True)
    page.click("#send")
    page.wait_for_selector(WAITING)
    other.wait_for_selector(WAITING)
    other.click("#forget")
    page.wait_for_selector("text=Your report was removed")
    wording(page.inner_text("#app p"))
    assert '"report":' not in page.evaluate("localStorage.sottovoce + sessionStorage.sottovoce")
    visitor.context.set_offline(False)
    page.reload()
    page.wait_for_selector("text=Your report was removed")


def test_the_front_page_leads_here(served: Served, browser: Browser) -> None:
    with served.client() as client:
        client.patch("/studies/words", json={"listed": True}, headers=served.token(Role.ADMIN)).raise_for_status()
    context = browser.new_context(color_scheme="dark")
    page = context.new_page()
    watch = watched(page)
    page.goto(f"{served.address}/?lang=de")
    page.click("a[href='/s/words?lang=de']")
    page.wait_for_selector("form")
    assert page.get_attribute("html", "lang") == "de"
    page.click("footer a[href='/?lang=de#stored']")
    page.wait_for_selector("#stored")
    assert page.get_attribute("html", "lang") == "de"
    page.goto(served.address)
    page.click("a[href='/s/words']")
    page.wait_for_selector("form")
    page.goto(served.address)
    page.locator("footer summary").click()
    page.click("a[href='/d/words']")
    page.wait_for_selector("#token")
    assert watch.complaints == []
    context.close()


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "ja"])
def test_the_front_page_can_be_read_on_a_phone_in_every_language(served: Served, browser: Browser, language: str) -> None:
    for scheme in ("light", "dark"):
        context = browser.new_context(locale=language, color_scheme=scheme, viewport={"width": 360, "height": 740})
        page = context.new_page()
        watch = watched(page)
        page.goto(served.address)
        assert page.get_attribute("html", "lang") == language
        assert axe(page) == []
        assert overflow(page) == 0
        for summary in page.locator("summary").all():
            summary.click()
        assert axe(page) == []
        assert overflow(page) == 0
        assert watch.complaints == []
        context.close()


def test_the_front_page_of_six_studies_is_short_on_a_phone(browser: Browser, tmp_path: Path) -> None:
    """Three screens of a phone. What is stored stands before the studies, and everything technical is folded."""
    url = str(tmp_path / "six.sqlite")
    added(url, *(dataclasses.replace(kitchen(name), listed=True) for name in ("all", "drawn", "joint", "skip", "early", "late")))
    with serving(url, tmp_path, operator="City of Example", contact="survey@example.org") as served:
        context = browser.new_context(viewport={"width": 360, "height": 740})
        page = context.new_page()
        for language in ("en", "de", "fr", "es", "ja"):
            page.goto(f"{served.address}/?lang={language}")
            assert page.evaluate("document.documentElement.scrollHeight") < 2200
            assert page.locator("article:visible").count() == page.locator("article a.main").count() == 4
            assert page.get_by_role("link", name="survey@example.org").is_visible()
            stored, first = page.evaluate("['#stored', 'article'].map(each => document.querySelector(each).getBoundingClientRect().top)")
            assert stored < first < 740
            names = page.locator("article a.main").evaluate_all("all => all.map(each => each.getAttribute('aria-labelledby'))")
            assert len(set(names)) == 4, "links with the same words name their study for screen readers"
        context.close()


@pytest.mark.parametrize(("operator", "contact"), [("City of Example", "survey@example.org"), ("", "")])
def test_a_study_that_names_no_one_has_the_name_and_contact_of_the_site(
    browser: Browser, tmp_path: Path, operator: str, contact: str
) -> None:
    """Also one of a single question, and where nothing is asked. A study's own contact comes first."""
    url = str(tmp_path / "named.sqlite")
    silent = re.sub("(organisation|contact) = .*", "", KITCHEN["big"]).replace('"kitchen"', '"silent"')
    added(url, study("words"), sv.Study.from_toml(silent), kitchen("big"))
    with serving(url, tmp_path, operator=operator, contact=contact) as served:
        context = browser.new_context()
        page = context.new_page()
        watch = watched(page)
        for name, asking in (("words", contact), ("silent", contact), ("big", "survey@example.org")):
            page.goto(f"{served.address}/s/{name}")
            page.wait_for_selector("form, #capped")
            assert page.inner_text(".brand").strip() == (operator or "sottovoce")
            links = page.locator("#app a[href^=mailto]").all_inner_texts()
            assert links == ([asking] if asking else [])
            assert ("Asked by" in page.inner_text("#app")) == (name == "big")
        assert page.inner_text("#app h2") == "This study can’t be answered here"
        assert page.locator("#capped dl").all_inner_texts()[0].split("\n") == [
            "Privacy budget for all studies, in ε",
            "8",
            "Used by your earlier reports",
            "0",
            "Needed by this study",
            "9",
        ]
        assert watch.complaints == []
        context.close()


def test_what_a_mailer_puts_behind_the_link_does_no_harm(visit: Any) -> None:
    page = visit("words?utm_source=newsletter&fbclid=1").page
    assert page.query_selector("form") is not None


def test_tickets_and_closed_studies(browser: Browser, tmp_path: Path) -> None:
    url = str(tmp_path / "collector.sqlite")
    entry = added(url, study("words"), respondents="tickets")[0]
    store = Store(url)
    tickets = store.access.new_tickets("words", 3)
    with serving(url, tmp_path) as served:
        page = browser.new_context().new_page()
        watch = watched(page)
        page.goto(f"{served.address}/s/words#ticket={tickets[0]}")
        page.wait_for_selector("form")
        assert page.url == f"{served.address}/s/words"
        assert page.query_selector("#ticket") is None
        choose(page, "words")
        review(page)
        assert "ticket goes with it" in page.inner_text("#app")
        page.click("#send")
        page.wait_for_selector(SENT)
        assert not any(tickets[0] in each for each in watch.requests)
        assert tickets[0] not in page.evaluate("localStorage.sottovoce")

        page = browser.new_context().new_page()
        page.goto(f"{served.address}/s/words")
        page.wait_for_selector("#ticket")
        choose(page, "words")
        page.click("button.main")
        wording(page.inner_text("#problem"))
        page.fill("#ticket", f"{tickets[1]}\u200b")  # as it may come out of a mail
        page.click("button.main")
        wording(page.inner_text("#problem"))
        page.fill("#ticket", tickets[0])
        review(page)
        shown = page.text_content("#body")
        page.click("#send")
        page.wait_for_selector(REFUSED)
        wording(page.inner_text("#app .notice.bad"))
        page.fill("#ticket", tickets[1])
        page.click("#send")
        page.wait_for_selector(SENT)
        assert page.text_content("#body") == shown
        assert store.tally(entry).n == 2

        page = browser.new_context().new_page()
        page.goto(f"{served.address}/s/words#ticket={tickets[2]}")
        choose(page, "words")
        review(page)
        assert '"report"' in page.evaluate("sessionStorage.sottovoce")
        store.change("words", "test", state="closed")
        page.reload()
        page.wait_for_selector("text=This study is closed")
        page.wait_for_function("""!sessionStorage.sottovoce.includes('"report"')""")
        assert page.locator("#clear").count() == 0, "there is nothing to clear"
    store.close()
