"""Someone who answers a questionnaire on the survey page, in a real browser."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

#: A number that is typed, the label of an item, labels of several choices, a cell of a grid, or a label on each axis.
Answer = int | float | str | Sequence[str] | Mapping[str, Any]
#: Screens on which one can wait.
SCREENS = "#start, #next, #send, #forgotten, .notice.bad"


def speak(page: Page, language: str) -> None:
    """Choose a language, whose texts are loaded first."""
    page.select_option(".languages select", language)
    page.wait_for_selector(f"html[lang='{language}']")


def begin(page: Page) -> None:
    """Agree, and go to the first question."""
    page.wait_for_selector("#start")
    if page.locator("#consent").count():
        page.check("#consent")
    page.click("#start")
    page.wait_for_selector("#next, #send, .notice.bad")


def question(page: Page) -> str:
    """The name of the question that is shown."""
    return page.locator("fieldset[data-question]:not([hidden])").first.get_attribute("data-question") or ""


def give(page: Page, name: str, answer: Answer) -> None:
    """Answer a question that is shown."""
    field = page.locator(f"fieldset[data-question='{name}']")
    if isinstance(answer, Mapping):
        if "cell" in answer:
            field.locator(f"[data-code='{answer['cell']}']").click()
        for k, label in enumerate(answer.get("labels", ())):
            _choice(field.locator("fieldset").nth(k), label).check()
    elif isinstance(answer, int | float):
        field.locator("input[type=number]").fill(str(answer))
    elif isinstance(answer, str):
        _choice(field, answer).check()
    else:
        for label in answer:
            _choice(field, label).check()


def _choice(field: Locator, label: str) -> Locator:
    """The input of the item that is called so."""
    return field.locator(f"label:has(span:text-is({json.dumps(label, ensure_ascii=False)})) input")


def forward(page: Page) -> None:
    """Go to the next screen."""
    button = page.locator("#next").element_handle()
    button.click()
    page.wait_for_function("button => !button.isConnected", arg=button)
    page.wait_for_selector(SCREENS)


def answer_all(page: Page, answers: Mapping[str, Answer]) -> list[str]:
    """Answer what is asked, up to the overview; returns the questions that were asked."""
    seen = []
    while not page.locator("#send").count():
        name = question(page)
        seen.append(name)
        give(page, name, answers[name])
        forward(page)
    return seen


def forward_to(page: Page, name: str, answers: Mapping[str, Answer]) -> None:
    """Answer up to a question."""
    while question(page) != name:
        give(page, question(page), answers[question(page)])
        forward(page)


def change(page: Page, text: str) -> None:
    """Go from the overview back to a question. Answers that aren't used are in a fold."""
    page.evaluate("document.querySelectorAll('#unused').forEach((each) => (each.open = true))")
    page.click(f"[aria-label='Change the answer to {text}']")


def send(page: Page) -> None:
    """Send the report, and wait until it is acknowledged."""
    page.click("#send")
    page.wait_for_selector("#forgotten")


def kept(page: Page) -> str:
    """All that the page's origin keeps in this browser, and what its history knows."""
    return str(
        page.evaluate(
            """async () => {
                const found = [localStorage, sessionStorage].map((each) => JSON.stringify({ ...each }));
                found.push(JSON.stringify(history.state), location.href, document.cookie, window.name);
                for (const { name } of await indexedDB.databases()) {
                    const opening = indexedDB.open(name);
                    const database = await new Promise((resolve) => (opening.onsuccess = () => resolve(opening.result)));
                    for (const store of database.objectStoreNames) {
                        const read = database.transaction(store).objectStore(store).getAll();
                        found.push(await new Promise((resolve) => (read.onsuccess = () => resolve(JSON.stringify(read.result)))));
                    }
                    database.close();
                }
                for (const each of await caches.keys()) found.push(each);
                return found.join("\\n");
            }"""
        )
    )
