"""People who answer on the survey page, one after the other."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from collectors import Served, added, named, serving
from sottovoce.store import Role, Store

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


def counted(served: Served, name: str) -> int:
    store = Store(served.url)
    found = store.tally(store.entry(name)).n
    store.close()
    return found


def answer(page: Page, code: int) -> None:
    """Somebody answers on the page, and leaves a device without a past."""
    page.evaluate(
        """async (code) => {
            const until = async (selector) => {
                for (let k = 0; k < 500; k += 1) {
                    const found = document.querySelector(selector);
                    if (found) return found;
                    await new Promise((resolve) => setTimeout(resolve, 10));
                }
                throw new Error(selector);
            };
            (await until(`input[name=item][value='${code}']`)).click();
            (await until("button[type=submit]")).click();
            (await until("#send")).click();
            await until("#forgotten");
            localStorage.clear();
            sessionStorage.clear();
            await new Promise((resolve) => (indexedDB.deleteDatabase("sottovoce").onsuccess = resolve));
        }""",
        code,
    )


def people_answer(people: int, tmp_path: Path, browser: Browser) -> None:
    """So many people answer, and the estimate covers the truth.

    Each of them answers on the page, on a device without a past. The interval is one that misses the truth once in 10^6.
    """
    study = named("uldp")
    truth = np.array([0.1, 0.15, 0.05, 0.4, 0.3])
    url = str(tmp_path / "collector.sqlite")
    added(url, study)
    context = browser.new_context()
    page = context.new_page()
    with serving(url, tmp_path) as served:
        page.goto(f"{served.address}/s/uldp")
        for code in np.repeat(np.arange(5), (people * truth).round().astype(int)).tolist():
            answer(page, code)
            page.reload(wait_until="domcontentloaded")
        assert counted(served, "uldp") == people
        with served.client(headers=served.token(Role.ANALYST, "uldp")) as client:
            found = client.get("/studies/uldp/estimate", params={"level": 1 - 1e-6}).json()
        assert found["people"] == people
        for row, share in zip(found["items"], truth, strict=True):
            assert row["low"] <= share <= row["high"], row
        assert [row["item"] for row in found["items"]] == list(study.domain)
        token = served.token(Role.ANALYST, "uldp")["authorization"].removeprefix("Bearer ")
        page.goto(f"{served.address}/d/uldp#token={token}")
        page.wait_for_selector("#shares tbody tr")
        assert page.inner_text("#people") == str(people)
        rows = page.eval_on_selector_all("#shares tbody tr", "rows => rows.map(row => [...row.cells].map(cell => cell.innerText))")
        shares = dict(zip(study.domain, truth, strict=True))
        assert {row[0].split("\n")[0] for row in rows} == set(shares)  # the largest share first, and a remark may follow
        for item, _, shown, ends, *_ in rows:
            share = shares[item.split("\n")[0]]
            low, high = (float(each) / 100 for each in ends.split("\n")[0].rstrip("%").split(" to "))
            p = float(shown.rstrip("%")) / 100
            assert abs(p - share) <= 3 * (high - low) / 2 + 0.001, "three times a 95% interval: missed once in 10^8"
    context.close()
