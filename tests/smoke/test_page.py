"""The survey page in Chromium: someone answers, and the report arrives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from browser import watched
from collectors import added, named, recounted, serving
from sottovoce.store import Store

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def test_someone_answers_on_the_page(browser: Browser, url: str, tmp_path: Path) -> None:
    (entry,) = added(url, named("uldp"))
    with serving(url, tmp_path) as served:
        page = browser.new_context().new_page()
        watch = watched(page)
        page.goto(f"{served.address}/s/uldp")
        page.check("input[name=item][value='1']")
        page.click("button.main")
        shown = json.loads(page.text_content("#body") or "")
        assert set(shown) == {"study", "id", "report"}
        assert shown["study"] == entry.fingerprint
        page.click("#send")
        page.wait_for_selector("text=Thank you")
        page.context.close()
        assert watch.complaints == []
        assert watch.elsewhere(served.address) == []
    store = Store(url)
    assert store.tally(entry).n == 1
    store.close()
    recounted(url, "uldp")
