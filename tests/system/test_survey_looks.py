"""The survey page for everyone: in every language and direction, by axe, on a small phone, in the dark, and on a slow connection."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

import pytest

import sottovoce as sv
from browser import axe, overflow
from collectors import Served, added, serving
from kitchen import ANSWERS, kitchen
from pseudo import arabic
from respondent import SCREENS, begin, forward, give, question
from visiting import visitors

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, ViewportSize

NAMES = ("plain", "all", "screen", "clinic", "early", "late", "big", "skip")
LANGUAGES = ("en", "de", "fr", "es", "ja")
#: A study of one question, with levels and marks.
SINGLE = """
name = "illness"
question = "Which of these do you have?"
items = ["hiv", "flu", "none"]
[privacy]
notion = "uldp"
levels = {careful = 1.0, usual = 2.0}
sensitive = ["hiv"]
tags = ["mine"]
"""
PHONE: ViewportSize = {"width": 360, "height": 740}
#: The language of a browser ("ar": one that runs from right to left), its colours, and a study.
WALKS = [
    ("en-US", "light", "plain"),
    ("de-AT", "dark", "all"),
    ("fr-CA", "light", "plain"),
    ("es-MX", "dark", "plain"),
    ("ja-JP", "light", "plain"),
    ("ar", "light", "all"),
    ("ar", "dark", "screen"),
    ("de", "light", "clinic"),
]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A collector with questionnaires in one language and in two."""
    folder = tmp_path_factory.mktemp("looks")
    url = str(folder / "collector.sqlite")
    added(url, *(kitchen(name) for name in NAMES), sv.Study.from_toml(SINGLE))
    with serving(url, folder) as found:
        yield found


@pytest.fixture
def visit(browser: Browser, served: Served) -> Iterator[Any]:
    """Opens the page of a study, on a device of its own."""
    yield from visitors(browser, served)


def unfolded(page: Page) -> None:
    """Open every fold."""
    page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")


def screens(page: Page) -> Iterator[str]:
    """Each screen, from the first one to the last."""
    yield "start"
    begin(page)
    while not page.locator("#send").count():
        names = page.locator("fieldset[data-question]:not([hidden])").evaluate_all("all => all.map(each => each.dataset.question)")
        for name in ANSWERS if len(names) > 1 else names:
            if page.locator(f"fieldset[data-question={name}]").count():
                _first(page, name)
        yield question(page)
        forward(page)
    unfolded(page)
    yield "review"
    page.click("#send")
    page.wait_for_selector("#forgotten")
    unfolded(page)
    yield "thanks"


def _first(page: Page, name: str) -> None:
    """Answer by the place of an item, since its name depends on the language."""
    field = page.locator(f"fieldset[data-question={name}]")
    if name in {"age", "home"}:
        give(page, name, ANSWERS[name])
    elif name == "group":
        for axis in field.locator("fieldset").all():
            axis.locator("input").first.check()
    elif name == "symptoms":
        field.locator("input").nth(0).check()
        field.locator("input").nth(2).check()
    else:
        field.locator("input:not([type=search])").first.check()


def fine(page: Page, where: str) -> None:
    """See that nothing bars the way."""
    assert axe(page) == [], where
    assert overflow(page) <= 0, where


@pytest.mark.parametrize(("language", "scheme", "name"), WALKS)
def test_nothing_bars_the_way(browser: Browser, served: Served, language: str, scheme: Literal["light", "dark"], name: str) -> None:
    """axe-core finds nothing, and nothing is wider than a small phone, on every screen."""
    locale = "de" if language == "ar" else language
    context = browser.new_context(viewport=PHONE, color_scheme=scheme, locale=locale, reduced_motion="reduce")
    page = context.new_page()
    if language == "ar":
        page.route("**/static/survey.de.json", lambda route: route.fulfill(body=arabic(), content_type="application/json"))
    page.goto(f"{served.address}/s/{name}")
    page.wait_for_selector(SCREENS)
    assert page.evaluate("document.documentElement.lang") == language[:2]
    assert page.evaluate("document.documentElement.dir") == ("rtl" if language == "ar" else "ltr")
    for where in screens(page):
        fine(page, where)
        if language == "ar":  # labels of the study stay as they are, and all of the page's own texts are turned
            left = page.evaluate("getComputedStyle(document.querySelector('#survey')).direction")
            assert left == "rtl"
    context.close()


@pytest.mark.parametrize("name", ["early", "late", "big"])
def test_nothing_bars_the_way_of_those_who_can_not_answer(visit: Any, name: str) -> None:
    fine(visit(name, viewport=PHONE).page, name)


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_bars_the_way_of_a_report_that_does_not_arrive(visit: Any, language: str) -> None:
    """axe-core finds nothing on the screens of reports that wait, are refused and are removed, in every language."""
    page = visit("plain", locale=language, viewport=PHONE, quiet=False).page
    for where in screens(page):
        if where == "review":
            break
    page.route("**/reports", lambda route: route.abort())
    page.click("#send")
    page.wait_for_selector("#retry")
    fine(page, "waiting")
    page.unroute("**/reports")
    page.route("**/reports", lambda route: route.fulfill(status=409, content_type="application/problem+json", body='{"detail": "closed"}'))
    page.click("#retry")
    page.wait_for_selector("#send")
    fine(page, "refused")
    page.click("#forget")
    page.wait_for_selector("#forget", state="detached")
    fine(page, "removed")


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_bars_the_way_through_a_single_question(visit: Any, language: str) -> None:
    page = visit("illness", locale=language, viewport=PHONE).page
    assert page.evaluate("document.documentElement.lang") == language
    page.locator("input[name=item]").first.check()
    page.locator("input[name=mark]").last.check()
    for summary in page.locator("summary").all():
        summary.click()
    fine(page, "question")
    page.click("button.main")
    page.wait_for_selector("#send")
    unfolded(page)
    fine(page, "review")
    page.click("#send")
    page.wait_for_selector("#forgotten")
    fine(page, "thanks")
    unfolded(page)
    fine(page, "thanks")


def test_the_server_speaks_the_language_of_the_browser(served: Served) -> None:
    with served.client() as client:
        for header, name, found, title in (
            ("fr-CH, fr;q=0.9, en;q=0.8", "plain", "fr", "How are you?"),
            ("de", "all", "de", "Wie geht es Ihnen?"),
            ("ja, de;q=0.5", "all", "de", "Wie geht es Ihnen?"),
            ("", "all", "en", "How are you?"),
            ("it", "plain", "en", "How are you?"),
        ):
            answer = client.get(f"/s/{name}", headers={"accept-language": header})
            assert answer.headers["vary"] == "accept-language"
            assert answer.headers["content-language"] == found
            assert f'<html lang="{found}" dir="ltr">' in answer.text
            assert f"<title>{title}</title>" in answer.text
            texts = client.get(f"/static/survey.{found}.json").json()["texts"]
            assert texts["needs_scripts"] in answer.text.replace("&#39;", "'")
        assert '<html lang="es"' in client.get("/s/plain?lang=es").text
        assert '<html lang="en"' in client.get("/s/plain?lang=%ff&lang=xx&utm=1").text


def test_a_link_and_a_switch_choose_the_language(served: Served, visit: Any) -> None:
    visitor = visit("all", "?lang=de")
    page = visitor.page
    assert page.inner_text("h1") == "Wie geht es Ihnen?"
    begin(page)
    assert page.inner_text("#progress") == "Frage 1 (bis zu 8)"
    assert page.locator("[data-question=smokes] label").all_inner_texts() == ["ja", "nein", "Möchte ich nicht sagen"]
    give(page, "smokes", "Möchte ich nicht sagen")
    page.select_option("#language", "en")
    page.wait_for_selector("text=Question 1 of 7")
    assert page.is_checked("label:has-text('Prefer not to say') input"), "a switch loses nothing"
    assert page.evaluate("document.documentElement.lang") == "en"
    assert page.title() == "How are you?"
    assert page.inner_text("footer").startswith("No cookies")
    page.reload()
    page.wait_for_selector("text=Question 1 of 7")
    assert visitor.watch.requests.count(f"{served.address}/static/survey.en.json") == 2, "only what is needed is loaded"
    assert not [each for each in visitor.watch.requests if "survey.fr" in each]


def test_languages_without_texts_of_the_page_fall_back(served: Served, visit: Any) -> None:
    page = visit("plain", locale="it-IT").page
    assert page.inner_text("#start") == "Start"
    assert page.locator("#language option").all_inner_texts() == ["English", "Deutsch", "Español", "Français", "日本語"]


def test_the_page_is_small_and_quick(served: Served, browser: Browser) -> None:
    """Less than 60 KB over the wire without the study. A first paint in less than a second at 1.6 Mbit/s, 150 ms away and on a slow CPU."""
    with served.client() as client:
        page = client.get("/s/all").text
        paths = [*re.findall(r'(?:href|src)="(/static/[^"]+)"', page), "/static/survey.ja.json"]
        sizes = {path: len(client.get(path, headers={"accept-encoding": "gzip"}).read()) for path in set(paths)}
        wire = sum(len(gzip.compress(client.get(path).content)) for path in set(paths)) + len(page)
    assert sizes
    assert wire < 60_000
    context = browser.new_context()
    tab = context.new_page()
    session = context.new_cdp_session(tab)
    session.send("Network.enable")
    session.send(
        "Network.emulateNetworkConditions", {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 94_000}
    )
    session.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    tab.goto(f"{served.address}/s/all")
    tab.wait_for_selector("#start")
    painted = tab.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    assert painted < 1000, json.dumps(
        tab.evaluate("performance.getEntriesByType('resource').map(({ name, responseEnd }) => [name, responseEnd])")
    )
    context.close()
