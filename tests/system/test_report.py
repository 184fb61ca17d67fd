"""The pages of findings in a browser: on phones and screens, in both colour schemes, and printed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import sottovoce as sv
from browser import axe, chromium, overflow, watched
from collectors import named, some_reports
from sottovoce.findings import Findings, QuestionnaireFindings, findings_page, questionnaire_page
from sottovoce.study.questionnaire import Questionnaire
from studies import QUESTIONNAIRES, STUDIES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

NUMBERS = (
    'name = "ages"\nquestion = "How old are you?"\nnumbers = {from = 0, to = 100, bins = 20}\n[privacy]\nnotion = "ldp"\nepsilon = 2.0\n'
)
#: A city whose land is drawn, and where most people are at a few places.
CITY = """
name = "city"
question = "Where do you check in?"
[grid]
latitude = [40.70, 40.80]
longitude = [-74.04, -73.92]
shape = [25, 25]
map = "new-york"
[privacy]
notion = "ldp"
epsilon = 3.0
"""
PAGES = ["uldp", "axes", "grid", "numbers", "levels", "questionnaire", "city"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages as files, as people open them."""
    place = tmp_path_factory.mktemp("pages")
    for name in PAGES:
        (place / f"{name}.html").write_text(_page(name), encoding="utf-8")
    return place


def _page(name: str) -> str:
    if name == "city":
        return _city()
    study = (
        named(name)
        if name in QUESTIONNAIRES
        else named("ldp")
        if name == "questionnaire"
        else sv.Study.from_toml(NUMBERS if name == "numbers" else STUDIES[name])
    )
    if isinstance(study, Questionnaire):
        tally = sv.Tally(study.mechanism, keep_reports=True).add(some_reports(study, 3000))
        return questionnaire_page(QuestionnaireFindings.of(study, tally))
    shares = np.full(len(study.inputs), 1 / len(study.inputs))
    people = 5000 if isinstance(study.mechanism, sv.Mechanism) else dict.fromkeys(study.blocks, 5000)
    tally = sv.Tally.simulate(study.mechanism, shares, people, sv.SeededSource(1), keep_reports=True)
    return findings_page(Findings.of(study, sv.estimate(tally)))


def _city() -> str:
    study = sv.Study.from_toml(CITY)
    p = np.full(625, 0.4 / 625)
    p[[339, 340, 314, 364, 365]] += 0.12
    tally = sv.Tally.simulate(study.mechanism, p, 60_000, sv.SeededSource(1), keep_reports=True)
    return findings_page(Findings.of(study, sv.estimate(tally), beside={"truth": p, "another": p}), notice="Invented.")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


def opened(browser: Browser, folder: Path, name: str, width: int, scheme: str = "light") -> Page:
    page = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme).new_page()  # type: ignore[arg-type]  # one of two texts
    page.goto((folder / f"{name}.html").as_uri())
    return page


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (1280, "light"), (1280, "dark")])
def test_pages_fit_and_are_accessible(browser: Browser, folder: Path, name: str, width: int, scheme: str) -> None:
    page = opened(browser, folder, name, width, scheme)
    watch = watched(page)
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    page.set_viewport_size({"width": width, "height": 800})
    assert axe(page) == []
    assert overflow(page) == 0
    assert watch.complaints == []
    page.context.close()


@pytest.mark.parametrize("name", ["uldp", "numbers", "grid", "city"])
def test_text_in_drawings_is_as_large_as_the_text_around_it(browser: Browser, folder: Path, name: str) -> None:
    page = opened(browser, folder, name, 360)
    sizes = page.evaluate(
        """() => {
            const seen = [...document.querySelectorAll('svg text')].filter((each) => each.getBoundingClientRect().width);
            const scale = (each) => each.ownerSVGElement.getScreenCTM()?.a ?? 1;
            return seen.map((each) => parseFloat(getComputedStyle(each).fontSize) * scale(each));
        }"""
    )
    assert sizes
    assert min(sizes) >= 15.9
    page.context.close()


def test_tables_and_charts_have_one_left_edge(browser: Browser, folder: Path) -> None:
    """And tables of the same people have their ticks at the same places."""
    page = opened(browser, folder, "axes", 1280)
    edges = page.evaluate("() => [...document.querySelectorAll('table.shares')].map((each) => each.getBoundingClientRect().x)")
    ticks = page.evaluate("""() => [...document.querySelectorAll('table.shares thead')].map((each) =>
        [...each.querySelectorAll('.tick')].map((tick) => Math.round(tick.getBoundingClientRect().x)).join())""")
    assert len(edges) == 3
    assert len(set(edges)) == len(set(ticks)) == 1
    page.context.close()


@pytest.mark.parametrize(("name", "most"), [("uldp", 2), ("numbers", 2)])
def test_a_page_prints_on_few_sheets(browser: Browser, folder: Path, name: str, most: int) -> None:
    """What analysts check stands in two columns, and no sheet has a line or two alone."""
    page = opened(browser, folder, name, 1280)
    sheets = len(re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True)))
    assert 1 <= sheets <= most
    page.context.close()


@pytest.mark.parametrize("name", ["uldp", "questionnaire"])
def test_everything_to_check_is_printed(browser: Browser, folder: Path, name: str) -> None:
    page = opened(browser, folder, name, 700, "dark")
    hidden = page.locator("details.check table.facts").first
    assert not hidden.is_visible()
    page.emulate_media(media="print")
    assert hidden.is_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert overflow(page) == 0
    assert page.pdf(format="A4").startswith(b"%PDF")
    page.context.close()


@pytest.mark.parametrize("width", [360, 1280])
def test_numbers_and_names_of_a_map_do_not_touch(browser: Browser, folder: Path, width: int) -> None:
    page = opened(browser, folder, "city", width)
    boxes = page.evaluate(
        """() => {
            const map = [...document.querySelectorAll('.mapped figure svg')].find((each) => each.getBoundingClientRect().width);
            const texts = [...map.querySelectorAll('text')].filter((each) => each.getAttribute('fill') !== 'transparent');
            return texts.map((each) => {
                const { left, top, right, bottom } = each.getBoundingClientRect();
                return [each.textContent, left, top, right, bottom];
            });
        }"""
    )
    names = [each for each in boxes if not each[0].isdigit()]
    assert sorted(each[0] for each in boxes if each[0].isdigit()) == ["1", "2", "3", "4", "5"], "in each size"
    assert len(names) >= 4
    for name, left, top, right, bottom in boxes:
        for other, *box in boxes:
            over = top + 3 >= box[3] - 3 or box[1] + 3 >= bottom - 3  # a line has room above and below its letters
            apart = name == other or left >= box[2] or box[0] >= right or over
            assert apart, (name, other)
    page.context.close()


def test_a_city_on_a_phone_is_short(browser: Browser, folder: Path) -> None:
    """The notice comes first, the claim takes three lines, one map is open, and of the table five rows."""
    page = opened(browser, folder, "city", 360)
    top = {name: page.locator(name).first.bounding_box() for name in (".notice", ".headline", ".mapped")}
    assert top[".notice"]["y"] < top[".headline"]["y"] < top[".mapped"]["y"]  # type: ignore[index]  # they are there
    lines = page.evaluate(
        """() => {
            const range = document.createRange();
            range.selectNode(document.querySelector('.headline').firstChild);
            return new Set([...range.getClientRects()].map((each) => Math.round(each.top))).size;
        }"""
    )
    assert lines <= 3
    assert len([each for each in page.locator("figure").all() if each.is_visible()]) == 1
    assert page.locator(".shares").first.locator("tbody tr").count() == 5
    assert page.evaluate("document.documentElement.scrollHeight") < 4000
    page.context.close()


def test_a_phone_shows_whose_shares_a_table_has(browser: Browser, tmp_path: Path) -> None:
    """Of how many people the shares are stands above the table, if some aren't among them."""
    (tmp_path / "block.html").write_text(_page("block"), encoding="utf-8")
    page = opened(browser, tmp_path, "block", 360)
    base = page.locator(".base", has_text="in 100 people who").first
    section = page.locator("section.question", has=base).first
    above, axis = base.bounding_box(), section.locator(".shares .plot").first.bounding_box()
    assert above is not None
    assert axis is not None
    assert above["width"] > 100
    assert above["y"] + above["height"] <= axis["y"] + 1
