"""The search for places on the survey page, in a real browser: a combobox that chooses a cell of the map."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

import sottovoce as sv
from browser import axe, overflow
from collectors import Served, added, serving
from sottovoce.domain.maps import UNITS
from visiting import visitors

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page, ViewportSize

CITY = """
name = "city"
question = "Where were you yesterday at noon?"
[grid]
latitude = [40.70, 40.80]
longitude = [-74.04, -73.92]
shape = [25, 25]
map = "new-york"
[privacy]
notion = "ldp"
epsilon = 2.0
"""
PLAIN = CITY.replace('map = "new-york"\n', "").replace('"city"', '"plain"')
FINE = CITY.replace("[25, 25]", "[100, 100]").replace('"city"', '"fine"')
STUDY = sv.Study.from_toml(CITY)
PHONE: ViewportSize = {"width": 360, "height": 740}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("places")
    url = str(folder / "collector.sqlite")
    added(url, STUDY, *map(sv.Study.from_toml, (PLAIN, FINE)))
    with serving(url, folder) as found:
        yield found


@pytest.fixture
def visit(browser: Browser, served: Served) -> Iterator[Any]:
    """Opens the page of the study, on a device of its own."""
    yield from visitors(browser, served)


def cell_of(name: str) -> int:
    """The cell in which a place of the map lies."""
    basemap = STUDY.domain.basemap
    assert basemap is not None
    place = next(each for each in basemap.places if each.name == name)
    rows, columns = STUDY.domain.shape
    return int((UNITS - place.y) * rows / UNITS) * columns + int(place.x * columns / UNITS)


def combobox(page: Page) -> Locator:
    return page.get_by_role("combobox", name="Search for a place")


def options_of(page: Page) -> Locator:
    """The names that the list shows."""
    return page.locator("[role=listbox]:not([hidden]) [role=option]")


def chosen(page: Page) -> list[int]:
    """The cells that are chosen."""
    return list(page.eval_on_selector_all("[role=gridcell][aria-selected=true]", "all => all.map(each => Number(each.dataset.code))"))


def shown(elements: Locator) -> int:
    """How many of these lie within what is seen of the map."""
    return int(
        elements.evaluate_all(
            """all => all.filter(each => {
                const [a, b] = [each, each.closest(".map")].map(one => one.getBoundingClientRect());
                return a.left > b.left - 2 && a.right < b.right + 2 && a.top > b.top - 2 && a.bottom < b.bottom + 2;
            }).length"""
        )
    )


def active(page: Page) -> str:
    """The option that a screen reader is at."""
    script = "field => document.getElementById(field.getAttribute('aria-activedescendant') ?? '')?.textContent ?? ''"
    return str(combobox(page).evaluate(script))


def test_a_place_is_found_and_chosen_by_keyboard(visit: Any) -> None:
    page = visit("city", viewport=PHONE).page
    field = combobox(page)
    assert field.get_attribute("aria-expanded") == "false"
    field.press_sequentially("square")
    options = options_of(page).all_inner_texts()
    assert field.get_attribute("aria-expanded") == "true"
    assert len(options) >= 3
    assert all("square" in each.lower() for each in options)
    assert page.get_by_role("listbox").get_attribute("id") == field.get_attribute("aria-controls")
    assert axe(page) == []
    assert overflow(page) <= 0
    page.keyboard.press("ArrowDown")
    assert active(page) == options[0]
    page.keyboard.press("ArrowDown")
    assert active(page) == options[1]
    assert page.locator("[role=option][aria-selected=true]").all_inner_texts() == [options[1]]
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert active(page) == options[-1], "the list goes round"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert field.input_value() == options[0]
    assert field.get_attribute("aria-expanded") == "false"
    assert chosen(page) == [cell_of(options[0])]


def test_escape_closes_the_list_and_chooses_nothing(visit: Any) -> None:
    page = visit("city").page
    field = combobox(page)
    field.press_sequentially("times")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Escape")
    assert field.get_attribute("aria-expanded") == "false"
    assert field.get_attribute("aria-activedescendant") is None
    assert options_of(page).count() == 0
    page.keyboard.press("Enter")
    assert chosen(page) == []
    page.keyboard.press("ArrowDown")
    assert active(page) == "Times Square", "an arrow opens the list again"


def test_a_place_is_chosen_by_a_click_and_whatever_its_accents(visit: Any) -> None:
    page = visit("city").page
    combobox(page).fill("ÉAST HARL")
    options_of(page).filter(has_text="East Harlem").click()
    assert chosen(page) == [cell_of("East Harlem")]
    assert "East Harlem" in page.inner_text("main")
    combobox(page).fill("Chelsea")
    page.keyboard.press("Enter")
    assert chosen(page) == [cell_of("Chelsea")], "the first name is taken if none was chosen"


def test_a_name_that_no_place_has_is_said_and_nothing_leaves_the_device(visit: Any) -> None:
    visitor = visit("city")
    page, before = visitor.page, len(visitor.sent)
    combobox(page).press_sequentially("Atlantis")
    page.get_by_role("status").get_by_text("No answer contains this text.").wait_for()
    assert options_of(page).count() == 0
    page.keyboard.press("Enter")
    assert chosen(page) == []
    combobox(page).fill("union sq")
    page.keyboard.press("Enter")
    assert chosen(page) == [cell_of("Union Square")]
    assert visitor.sent[before:] == [], "names are searched on the device"
    page.click("button.main")
    page.wait_for_selector("#send")
    assert "Union Square" in page.inner_text("main")


def test_a_touch_enlarges_cells_until_a_finger_can_hit_them(visit: Any) -> None:
    """The first touch chooses and enlarges, so that a second one can correct it. A mouse can hit small cells."""
    page = visit("city", viewport=PHONE, has_touch=True).page
    cell = page.locator("[data-code='330']")
    assert cell.bounding_box()["width"] < 24
    cell.click()
    assert cell.bounding_box()["width"] < 24
    cell.tap()
    assert chosen(page) == [330]
    size = cell.bounding_box()["width"]
    assert size >= 24
    assert shown(cell) == 1
    page.locator("[data-code='331']").tap()
    assert chosen(page) == [331]
    assert cell.bounding_box()["width"] == size, "a cell that is large enough isn't enlarged further"


def test_without_a_map_numbers_come_first_and_the_only_lines_are_those_of_cells(visit: Any) -> None:
    page = visit("plain", viewport=PHONE).page
    fields, lattice = (page.locator(each).first.bounding_box() for each in ("#axis-0", ".map"))
    assert fields["y"] < lattice["y"]
    assert page.locator("details.typed").count() == 0
    assert page.locator(".parallel, .meridian").evaluate_all("all => all.map(each => getComputedStyle(each).borderWidth)") == ["0px"] * 3


def test_without_a_map_the_edges_have_degrees_at_every_size(visit: Any) -> None:
    page = visit("plain", viewport=PHONE).page
    marks = page.locator(".parallel, .meridian")
    assert sorted(marks.all_inner_texts()) == ["40.75° N", "73.95° W", "74.00° W"]
    page.get_by_role("button", name="Zoom in").click()
    page.get_by_role("button", name="Zoom in").click()
    page.wait_for_function("document.querySelectorAll('.parallel').length > 1")
    assert shown(page.locator(".meridian span")) >= 1, "numbers stay at the edge of what is seen"
    assert shown(page.locator(".parallel span")) >= 1
    page.locator("[data-code='330']").click()
    assert page.inner_text(".chosen") == "Chosen: 40.7540° N, 74.0136° W"
    assert axe(page) == []


def test_the_keys_are_named_only_to_people_who_use_them(visit: Any) -> None:
    page = visit("plain").page
    keys = page.locator(".keys")
    page.locator("[data-code='330']").click()
    assert not keys.is_visible()
    page.keyboard.press("ArrowRight")
    assert keys.is_visible()
    described = page.get_by_role("grid").get_attribute("aria-describedby")
    assert described == keys.get_attribute("id"), "screen readers say them with the grid"


def test_a_fine_grid_is_searched_too(visit: Any) -> None:
    page = visit("fine").page
    combobox(page).fill("union sq")
    page.keyboard.press("Enter")
    assert page.inner_text(".chosen") == "Chosen: near Union Square (40.7355° N, 73.9914° W)"
    page.click("button.main")
    page.wait_for_selector("#send")
    assert "Union Square" in page.inner_text("main")
