"""A real browser for the tests of the pages: Chromium, driven by Playwright, and what it is asked to write down."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from parts import missing
from paths import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_AXE = ROOT / "clients/js/node_modules/axe-core/axe.min.js"


@contextmanager
def chromium() -> Iterator[Browser]:
    """Chromium, for as long as it is needed."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        missing("Chromium", "apt-get install chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("Playwright", "make .venv/.test")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Watch:
    """What a page did: the addresses it asked for, and what it complained about (errors, warnings, violations of its policy)."""

    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def elsewhere(self, origin: str) -> list[str]:
        """The requests that left the origin."""
        return [url for url in self.requests if not url.startswith((f"{origin}/", f"blob:{origin}/", "data:"))]


def watched(page: Page) -> Watch:
    """Write down what a page does from now on. A violation of the page's policy is a complaint: browsers report it as an error."""
    watch = Watch()
    page.on("request", lambda request: watch.requests.append(request.url))
    page.on("pageerror", lambda error: watch.complaints.append(f"uncaught: {error}"))
    page.on(
        "console",
        lambda message: watch.complaints.append(f"{message.type}: {message.text}") if message.type in {"error", "warning"} else None,
    )
    return watch


def axe(page: Page) -> list[dict[str, Any]]:
    """The violations of accessibility rules that axe-core finds. It is brought in by the debugger, so the page's policy stays as it is."""
    if not _AXE.exists():
        missing("axe-core", "cd clients/js && npm ci")
    page.evaluate(_AXE.read_text(encoding="utf-8"))
    found = page.evaluate("async () => (await axe.run()).violations")
    return [{"rule": each["id"], "help": each["help"], "at": [node["target"] for node in each["nodes"]]} for each in found]


def overflow(page: Page) -> int:
    """By how many pixels a page is wider than its window."""
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))
