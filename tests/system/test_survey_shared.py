"""The page on a device that several people use, one after the other."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

import sottovoce as sv
from collectors import Served, added, serving
from kitchen import ANSWERS, kitchen
from respondent import answer_all, begin, kept, send
from visiting import visitors

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ONE = 'name = "one"\nquestion = "Which one?"\nitems = ["a", "b", "c"]\n[privacy]\nnotion = "ldp"\nepsilon = 5.0\n'


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("shared")
    url = str(folder / "collector.sqlite")
    added(url, sv.Study.from_toml(ONE), kitchen("drawn"))
    with serving(url, folder) as found:
        yield found


@pytest.fixture
def visit(browser: Browser, served: Served) -> Iterator[Any]:
    """Opens the page of a study, on a device of its own."""
    yield from visitors(browser, served)


def test_the_next_person_can_answer_on_a_shared_device(visit: Any) -> None:
    """Each has the whole budget, so that two answers of 5 fit under a cap of 8, and a report of her own."""
    visitor = visit("one", "?shared")
    page = visitor.page
    for item in ("a", "c"):
        page.check(f"label:has-text('{item}') input")
        page.click("button.main")
        send(page)
        assert "Nothing about your answers stays on it." in page.inner_text("#forgotten")
        said = page.inner_text("body")
        assert "remembers" not in said, "what it doesn't"
        assert "Used so far" not in page.text_content("#given")
        assert "doesn’t count" in page.text_content("#given")
        page.click("#again")
        page.wait_for_selector("form")
        assert page.locator("fieldset input:checked").count() == 0
    bodies = [json.loads(body) for body in visitor.bodies()]
    assert len(bodies) == 2
    assert bodies[0]["id"] != bodies[1]["id"]
    assert not [each for each in bodies if each["id"] in kept(page)]


def test_everyone_else_has_answered(visit: Any) -> None:
    """Nothing offers a second report about the same person."""
    page = visit("one").page
    page.check("label:has-text('a') input")
    page.click("button.main")
    send(page)
    assert page.locator("#again").count() == 0
    page.reload()
    page.wait_for_selector("#forgotten")
    assert page.locator("#again").count() == 0


def test_a_shared_device_keeps_no_answers_to_questionnaires(visit: Any) -> None:
    page = visit("drawn", "?shared").page
    assert page.locator("input[name=keep]").count() == 0, "nothing can be kept for later"
    begin(page)
    answer_all(page, ANSWERS)
    assert "village" not in kept(page).lower()
    assert '"answers"' not in kept(page)
    page.reload()
    page.wait_for_selector("#start")
    begin(page)
    answer_all(page, ANSWERS)
    send(page)
    page.click("#again")
    page.wait_for_selector("#start")
    page.go_back()
    page.wait_for_selector("#start")
    assert page.locator("#send").count() == 0
