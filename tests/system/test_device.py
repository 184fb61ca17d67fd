"""What a browser keeps of an answer, and how much it gives to all studies of a collector: real Chromium, real collector."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import sottovoce as sv
from browser import axe, overflow, watched
from collectors import Served, added, serving
from messages import wording
from sottovoce.store import Role, Store
from suites.survey import counted

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

QUESTION = """
name = "{name}"
question = "Which of these do you have?"
items = ["quartz", "ochre", "cobalt", "jade", "umber"]
[privacy]
notion = "ldp"
epsilon = 1.0
[mechanism]
name = "krr"
"""
NAMES = [f"name-{k:02d}" for k in range(30)]

#: All that a page of this origin can read: web storage, databases, caches, cookies.
READ = """async () => {
    const found = { local: { ...localStorage }, tab: { ...sessionStorage }, cookies: document.cookie, caches: await caches.keys() };
    found.databases = {};
    for (const { name } of await indexedDB.databases()) {
        const database = await new Promise((resolve, reject) => {
            const opening = indexedDB.open(name);
            opening.onsuccess = () => resolve(opening.result);
            opening.onerror = reject;
        });
        for (const store of database.objectStoreNames)
            found.databases[`${name}/${store}`] = await new Promise((resolve) => {
                const reading = database.transaction(store).objectStore(store).getAll();
                reading.onsuccess = () => resolve(reading.result);
            });
        database.close();
    }
    return found;
}"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A collector that asks one question under thirty names."""
    folder = tmp_path_factory.mktemp("device")
    url = str(folder / "collector.sqlite")
    added(url, *(sv.Study.from_toml(QUESTION.format(name=name)) for name in NAMES))
    with serving(url, folder) as found:
        yield found


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A device of its own."""
    found = browser.new_context()
    yield found
    found.close()


def opened(context: BrowserContext, served: Served, name: str) -> Page:
    page = context.new_page()
    page.goto(f"{served.address}/s/{name}")
    page.wait_for_selector("form, .notice, #app > :is(h2, h3)")
    return page


def answer(page: Page, code: int = 2) -> str:
    """Answer on the page; what was sent."""
    page.check(f"input[name=item][value='{code}']")
    page.click("button.main")
    page.wait_for_selector("#send")
    shown = page.text_content("#body") or ""
    page.click("#send")
    page.wait_for_selector("text=Thank you")
    return shown


def total(served: Served) -> int:
    return sum(counted(served, name) for name in NAMES)


def test_nothing_of_an_answer_is_kept_once_it_is_acknowledged(served: Served, context: BrowserContext) -> None:
    """Neither the survey page nor the dashboard, which has the same origin, finds anything from which the answer could be computed."""
    page = opened(context, served, "name-00")
    page.check("input[name=item][value='0']")
    page.click("button.main")  # a thought that is given up
    page.wait_for_selector("#send")
    page.click("text=Back")
    sent = json.loads(answer(page))
    kept = page.evaluate(READ)
    line = {"url": f"{served.address}/studies/name-00", "state": "sent", "spent": {"epsilon": 1, "shown": 0}, "reports": []}
    ledger = json.loads(kept["local"]["sottovoce"])
    day = ledger["lines"][sent["study"]].pop("day")
    assert day == page.evaluate("new Date().toISOString().slice(0, 10)")
    assert ledger == {"lines": {sent["study"]: line}}
    assert kept["databases"] == {"sottovoce/sottovoce": [kept["local"]["sottovoce"]]}
    assert json.loads(kept["tab"]["sottovoce"]) == {"drafts": [], "marks": {}}
    assert (kept["cookies"], kept["caches"]) == ("", [])
    assert sent["id"] not in json.dumps(kept)
    token = served.token(Role.ANALYST, "*")["authorization"].removeprefix("Bearer ")
    board = context.new_page()
    board.goto(f"{served.address}/d/name-00#token={token}")
    board.wait_for_selector("#people")
    found = board.evaluate(READ)
    assert found["local"] == kept["local"]
    assert found["databases"] == kept["databases"]
    page.reload()
    page.wait_for_selector("#forgotten")
    assert page.query_selector("#body") is None
    assert sent["id"] not in page.content()


def test_the_report_that_waits_is_all_that_is_kept_and_can_be_removed(served: Served, context: BrowserContext) -> None:
    page = opened(context, served, "name-01")
    page.check("input[name=item][value='4']")
    page.click("button.main")
    page.wait_for_selector("#send")
    body = json.loads(page.text_content("#body") or "")
    page.route("**/reports", lambda route: route.abort())
    page.click("#send")
    page.wait_for_selector("text=Waiting for a connection")
    kept = page.evaluate(READ)
    (line,) = json.loads(kept["local"]["sottovoce"])["lines"].values()
    assert set(line) == {"url", "state", "day", "spent", "reports"}
    assert line["reports"] == [body]
    assert json.loads(kept["tab"]["sottovoce"]) == {"drafts": [], "marks": {}}
    page.click("#forget")
    page.wait_for_selector("text=Your report was removed")
    assert body["id"] not in json.dumps(page.evaluate(READ))
    assert page.evaluate("JSON.parse(Object.values(localStorage)[0]).lines")[body["study"]]["spent"] == {"epsilon": 1, "shown": 0}


def test_a_ledger_of_the_version_before_is_cleaned_when_any_study_is_opened(served: Served, context: BrowserContext) -> None:
    page = opened(context, served, "name-02")
    with served.client() as client:
        fingerprint = client.get("/studies/name-03").json()["fingerprint"]
    report = {"study": fingerprint, "id": "0" * 32, "report": 1}
    old = {
        "lines": {
            fingerprint: {"url": f"{served.address}/studies/name-03", "state": "sent", "drafts": {}, "given": "/3", "reports": [report]}
        },
        "marks": {f"{served.address}/studies/name-03": [["jade", "mine"]]},
    }
    page.evaluate(
        "(text) => new Promise((done) => { localStorage.sottovoce = text; indexedDB.deleteDatabase('sottovoce').onsuccess = done; })",
        json.dumps(old),
    )
    page.reload()
    page.wait_for_selector("form")
    kept = page.evaluate(READ)
    assert not any(text in json.dumps(kept) for text in ("given", "jade", "0" * 32))
    assert "1 study on this site that you answered may send some answers as they are" in (page.text_content("#given") or "")
    page.goto(f"{served.address}/s/name-03")
    page.wait_for_selector("#forgotten")


def test_one_question_under_thirty_names(served: Served, context: BrowserContext) -> None:
    """Eight answers leave, and the ninth page doesn't ask."""
    before = total(served)
    page = opened(context, served, "name-04")
    answer(page)
    page.click("#left > summary")
    page.click(".experts > summary")
    wording(page.inner_text("#given"))
    page.goto(f"{served.address}/s/name-05")
    page.wait_for_selector("form")
    assert not page.is_visible("#given"), "it is folded away while enough is left"
    wording(page.text_content("#given") or "")
    refused = page.evaluate(
        """async (names) => {
            const { Device, loadStudy } = await import("/static/sottovoce.js");
            const device = new Device();
            const found = [];
            for (const name of names) {
                const study = await loadStudy(`/studies/${name}`);
                const sent = device.prepare(study, "cobalt").then((reports) => device.send(study, reports));
                await sent.catch((error) => found.push(`${error.kind}: ${error.message}`));
            }
            return found;
        }""",
        NAMES,
    )
    assert len(refused) == 1 + 22  # one is the study that has its answer
    assert total(served) == before + 8
    for text in sorted(set(refused)):
        wording(text)
    watch = watched(page)
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(f"{served.address}/s/name-20")
    page.wait_for_selector("#capped")
    wording(page.inner_text("#capped"))
    assert page.query_selector("form") is None
    assert axe(page) == []
    assert overflow(page) <= 0
    assert watch.complaints == []


def test_tabs_at_the_same_time_do_not_give_more_than_the_cap(served: Served, context: BrowserContext) -> None:
    """Five tabs, processes of their own, each give six answers at once. Web Locks alone let more pass: localStorage lags behind them."""
    before = total(served)
    pages = [opened(context, served, "name-06") for _ in range(5)]
    for k, page in enumerate(pages):
        page.evaluate(
            """async (names) => {
                const { Device, loadStudy } = await import("/static/sottovoce.js");
                const device = new Device();
                window.ready = await Promise.all(names.map(async (name) => {
                    const study = await loadStudy(`/studies/${name}`);
                    return [study, await device.prepare(study, "jade")];
                }));
                window.answer = () => Promise.allSettled(window.ready.map(([study, reports]) => device.send(study, reports)))
                    .then((all) => (window.settled = all.map(({ status, reason }) => reason?.kind ?? status)));
            }""",
            NAMES[k * 6 : k * 6 + 6],
        )
    for page in pages:
        page.evaluate("() => { setTimeout(window.answer, 1000 - (Date.now() % 1000)); }")
    outcome: list[str] = []
    for page in pages:
        outcome += page.evaluate(
            "async () => { while (!window.settled) await new Promise((later) => setTimeout(later, 20)); return window.settled; }"
        )
    assert sorted(outcome) == ["fulfilled"] * 8 + ["ledger"] * 22
    assert total(served) == before + 8
    fresh = opened(context, served, "name-07")
    assert fresh.evaluate("async () => { const { Device } = await import('/static/sottovoce.js'); return new Device().spent(); }") == {
        "epsilon": 8,
        "shown": 0,
    }


def test_what_was_spent_survives_clearing_half_of_the_storage_and_is_never_reset(served: Served, context: BrowserContext) -> None:
    page = opened(context, served, "name-08")
    answer(page)
    page.evaluate("localStorage.clear()")
    page.reload()
    page.wait_for_selector("#forgotten")
    assert page.evaluate("Object.keys(JSON.parse(localStorage.sottovoce).lines).length") == 1
    page.evaluate(
        """() => new Promise((resolve) => {
            const opening = indexedDB.open("sottovoce");
            opening.onsuccess = () => {
                const work = opening.result.transaction("sottovoce", "readwrite");
                work.objectStore("sottovoce").put('{"lines":[]}', "sottovoce");
                work.oncomplete = () => (opening.result.close(), resolve());
            };
        })"""
    )
    page.goto(f"{served.address}/s/name-09")
    page.wait_for_selector("form")
    page.check("input[name=item][value='1']")
    page.click("button.main")
    page.wait_for_selector(".notice.bad")
    wording(page.inner_text("#status"))
    assert page.query_selector("#send") is None


def test_the_cap_is_a_setting_of_the_collector(browser: Browser, tmp_path: Path) -> None:
    url = str(tmp_path / "collector.sqlite")
    levels = QUESTION.format(name="levels").replace("epsilon = 1.0", "levels = {much = 1.0, little = 0.4}")
    added(url, sv.Study.from_toml(QUESTION.format(name="one")), sv.Study.from_toml(levels))
    with serving(url, tmp_path, device_cap=1.5) as served:
        context = browser.new_context()
        page = opened(context, served, "one")
        assert "Used so far: 0 of 1.5." in (page.text_content("#given") or "")
        answer(page)
        page.goto(f"{served.address}/s/levels")
        page.wait_for_selector("form")
        page.check("input[name=level][value=much]")
        wording(page.inner_text("#beyond"))
        page.check("input[name=item][value='1']")
        page.click("button.main")
        page.wait_for_selector("#status .notice.bad")
        page.check("input[name=level][value=little]")
        page.click("button.main")
        page.wait_for_selector("#send")
        context.close()
        store = Store(url)
        assert store.tally(store.entry("one")).n == 1
        store.close()
