"""The dashboard of a questionnaire in a real browser, on a real collector: contents with headlines, and a section for each question."""

from __future__ import annotations

import csv
import io
import json
import re
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import sottovoce as sv
from browser import Watch, axe, overflow, watched
from collectors import NDJSON, Served, added, named, serving, some_reports
from shown_shares import digits_for, largest_first, rows, written
from sottovoce.findings.formatting import ends_text, share_text
from sottovoce.store import Role, Store
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.wire import lines

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FILE = """
name = "several"
title = "How <b>are</b> you?"
[privacy]
notion = "ldp"
epsilon = 6.0
minimum = 1
[[questions]]
name = "smokes"
text = "Do you smoke?"
help = "Pipes count."
items = ["yes", "no"]
prefer_not_to_say = true
[[questions]]
name = "age"
text = "How old are you?"
numbers = {from = 18, to = 98, bins = 20}
[[questions]]
name = "mood"
text = "How <i>do</i> you feel?"
scale = ["bad", "fair", "<u>good</u>"]
[[questions]]
name = "symptoms"
text = "Which did you have?"
choices = ["cough", "fever", "none"]
[[questions]]
name = "home"
text = "Where do you live?"
grid = {latitude = [0, 1], longitude = [0, 1], shape = [3, 3]}
[[questions]]
name = "sex"
text = "Your sex?"
items = ["female", "male"]
together = "pay"
[[questions]]
name = "pay"
text = "Is your pay fair?"
items = ["fair", "unfair"]
together = "pay"
"""
Visit = Callable[..., tuple["Page", Watch]]


def questionnaire(text: str = FILE) -> Questionnaire:
    found = sv.Study.from_toml(text)
    assert isinstance(found, Questionnaire)
    return found


def send(served: Served, study: sv.Study, count: int, seed: int = 1) -> None:
    with served.client() as client:
        body = lines(study.fingerprint, some_reports(study, count, seed))
        assert client.post(f"/studies/{study.name}/reports", content=body, headers={"content-type": NDJSON}).status_code == 200


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("dashboard")
    url = str(folder / "collector.sqlite")
    added(url, questionnaire(), questionnaire(FILE.replace('"several"', '"empty"')))
    with serving(url, folder) as found:
        send(found, questionnaire(), 4000)
        yield found


@pytest.fixture
def token(served: Served) -> str:
    return served.token(Role.ANALYST, "*")["authorization"].removeprefix("Bearer ")


@pytest.fixture
def visit(browser: Browser, served: Served, token: str) -> Iterator[Visit]:
    """Opens dashboards, and sees in the end that none complained or asked anybody else."""
    contexts, watches = [], list[Watch]()

    def opened(name: str, *, width: int = 1280, **options: Any) -> tuple[Page, Watch]:
        contexts.append(browser.new_context(viewport={"width": width, "height": 900}, **options))
        page = contexts[-1].new_page()
        watches.append(watched(page))
        page.goto(f"{served.address}/d/{name}#token={token}")
        page.wait_for_selector("#checked")
        return page, watches[-1]

    yield opened
    for context in contexts:
        context.close()
    for watch in watches:
        assert watch.elsewhere(served.address) == []
        assert [each for each in watch.complaints if "Failed to load resource" not in each] == []


def drawn(page: Page) -> None:
    """Wait until every question has its shares, and the charts of numbers and places are drawn."""
    until(lambda: page.locator(".question").count() > 0)
    until(lambda: page.locator(".question .figure:not([data-drawn]):not([hidden])").count() == 0)


def until(holds: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.1)


def told(served: Served, name: str, what: str = "estimate", **query: Any) -> dict[str, Any]:
    with served.client() as client:
        answer = client.get(f"/studies/{name}/{what}", params=query, headers=served.token(Role.ANALYST, name))
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found


def test_contents_and_sections_show_what_the_collector_tells(served: Served, visit: Visit) -> None:
    page, _ = visit("several")
    drawn(page)
    found = told(served, "several")
    assert page.inner_text("h1") == "How <b>are</b> you?"
    assert page.inner_text("#people") == "4,000"
    questions = list(found["questions"].values())
    assert page.locator("#contents a").all_inner_texts() == [each["text"] for each in questions]
    assert page.locator("#contents .said").all_inner_texts() == [each["headline"] for each in questions]
    sections = page.locator(".question")
    assert sections.count() == len(questions) + 1
    for place, question in enumerate(questions):
        section = sections.nth(place)
        assert section.locator("h2").inner_text() == question["text"]
        assert section.locator(".headline").text_content() == question["headline"]
        assert question["asked"] in section.inner_text()
        shown = question.get("answered", question["items"])
        listed = rows(page, f"#{section.get_attribute('id')}-shares")
        assert [row[1:] for row in listed] == [row[1:] for row in written(shown if "mean" in question else largest_first(shown))]
    assert "Pipes count." in sections.nth(0).inner_text()
    apart = found["questions"]["smokes"]["items"][-1]
    assert written([apart])[0] in rows(page, "#q1-smokes")
    ticks = page.locator(".question .shares thead .plot").all_text_contents()
    assert len(set(ticks) - {""}) == 1, "all tables have one scale"
    assert "Several answers were possible" in sections.nth(3).inner_text()
    assert (sections.nth(4).locator(".figure").first.get_attribute("aria-label") or "").startswith("Map of")
    assert "the fingerprint matches" in page.inner_text("#checked")
    assert page.text_content("#fingerprint") == found["fingerprint"]
    assert "1 in 100" in (page.text_content("#promise") or "")


def test_contents_lead_to_the_sections_and_back(visit: Visit) -> None:
    page, _ = visit("several")
    drawn(page)
    page.locator("#contents a").nth(3).click()
    assert page.url.endswith("#q4-symptoms")
    top = page.locator("#q4-symptoms").evaluate("element => element.getBoundingClientRect().top")
    assert 0 <= top < 300
    page.locator("#q4-symptoms").get_by_text("Back to the contents").click()
    assert page.locator("#in-short").evaluate("element => element.getBoundingClientRect().top") >= 0


def test_questions_asked_together_are_crossed(served: Served, visit: Visit) -> None:
    page, _ = visit("several")
    drawn(page)
    (joint,) = told(served, "several")["together"].values()
    assert rows(page, "#together1-sex-pay .shares") == written(joint["items"])
    cells = page.locator("#together1-sex-pay .crossing td").all_inner_texts()
    digits = digits_for(joint["within"])
    assert [cell.split("\n") for cell in cells] == [
        [share_text(item["p"], digits), ends_text(item["low"], item["high"], digits)] for item in joint["within"]
    ]


def test_more_answers_levels_and_methods(served: Served, visit: Visit) -> None:
    study = questionnaire(FILE.replace('"several"', '"growing"'))
    added(served.url, study)
    page, _ = visit("growing")
    page.wait_for_selector("#empty:not([hidden])")
    send(served, study, 500)
    until(lambda: page.inner_text("#people") == "500")
    drawn(page)
    page.locator("#q1-smokes").evaluate("element => { element.mine = true; }")
    send(served, study, 700, seed=2)
    until(lambda: page.inner_text("#people") == "1,200", seconds=90)  # the page asks less often if the first estimate took long

    def headlines(**query: Any) -> list[str]:
        return [each["headline"] for each in told(served, "growing", **query)["questions"].values()]

    until(lambda: page.locator("#contents .said").all_inner_texts() == headlines())
    assert page.locator("#q1-smokes").evaluate("element => element.mine"), "sections stay where the reader is"
    page.get_by_text("Method and intervals").click()
    page.get_by_label("Intervals").select_option("80%")
    page.get_by_label("Method").select_option("projected")
    until(lambda: page.locator("#contents .said").all_inner_texts() == headlines(level=0.8, method="projected"))


def test_the_outlook_has_every_question(served: Served, visit: Visit) -> None:
    page, _ = visit("several")
    drawn(page)
    found = told(served, "several", "outlook", target=0.03)["questions"]
    listed = rows(page, "#outlook")
    assert [row[0] for row in listed] == [each["text"] for each in found.values()]
    assert all(row[1].startswith("± ") for row in listed)
    assert [row[2] == "enough" for row in listed] == [each["more"] == 0 and each["mean"] is None for each in found.values()]
    assert page.input_value("#target") == "3"
    page.get_by_label("For ±").fill("40")
    page.get_by_text("you have enough people for every question but those for numbers").wait_for()
    page.get_by_label("For ±").fill("0")
    page.get_by_text("give a number between 0.01 and 99").wait_for()


def test_files_can_be_had(served: Served, visit: Visit) -> None:
    page, _ = visit("several")
    drawn(page)
    found = told(served, "several")
    assert page.get_by_role("button", name="Chart (PNG)").count() == 0

    def downloaded(name: str) -> bytes:
        with page.expect_download() as waiting:
            page.get_by_role("button", name=name).click()
        return waiting.value.path().read_bytes()

    assert json.loads(downloaded("Estimate (JSON)")) == found
    every = list(csv.DictReader(io.StringIO(downloaded("Estimate (CSV)").decode(), newline="")))
    means = {row["question"]: float(row["value"]) for row in every if row["quantity"] == "mean"}
    assert means == {name: each["mean"]["value"] for name, each in found["questions"].items() if "mean" in each}
    listed = [row for row in every if row["quantity"] == "share"]
    shares = [(name, item) for name, each in found["questions"].items() for item in (*each["items"], *each.get("answered", []))]
    assert [(row["question"], row["item"], float(row["p"])) for row in listed] == [(name, item["item"], item["p"]) for name, item in shares]
    assert {row["of"] for row in listed} == {"everyone", "those who answered"}


def test_a_study_of_one_question_takes_its_place(served: Served, visit: Visit) -> None:
    study, after = questionnaire(FILE.replace('"several"', '"replaced"')), named("ldp", "replaced")
    added(served.url, study)
    send(served, study, 300)
    page, _ = visit("replaced")
    drawn(page)
    store = Store(served.url)
    store.delete("replaced", "test")
    store.close()
    added(served.url, after)
    time.sleep(0.5)  # the collector may know the old study for a fifth of a second
    send(served, after, 400)
    until(lambda: page.locator("#found #shares tbody tr").count() > 0, 60)
    assert page.inner_text("h1") == after.question
    assert page.inner_text("#people") == "400"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("name", ["several", "empty"])
def test_it_is_accessible_and_fits_any_screen(visit: Visit, name: str, width: int, scheme: str) -> None:
    page, _ = visit(name, width=width, color_scheme=scheme, reduced_motion="reduce")
    if name == "several":
        drawn(page)
    assert axe(page) == []
    assert overflow(page) <= 0


def test_headlines_are_right(served: Served, visit: Visit) -> None:
    """Three answers in turn, with reports from a seed: each third smokes, does not, or doesn't say."""
    page, _ = visit("several")
    drawn(page)
    said = page.locator("#contents .said").first.inner_text()
    found = re.search(r"\(([\d.]+)%\) .* among those who answered. The intervals are ([\d.]+) to ([\d.]+)%", said)
    assert found is not None, said
    share, low, high = map(float, found.groups())
    assert low < 50 < high
    assert np.isclose(share, 50, atol=4)
