"""Browsers of people who open the survey page, and all that they asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from browser import Watch, watched
from collectors import Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page, Request


@dataclass
class Visitor:
    """Somebody with a device of her own, and all that it asked for."""

    page: Page
    context: BrowserContext
    watch: Watch
    sent: list[Request]

    def bodies(self) -> list[str]:
        """What was posted, in the order in which it left (a request is written down when it is made, not when it has been answered)."""
        return [each.post_data or "" for each in self.sent if each.method == "POST"]

    def letters(self) -> list[dict[str, Any]]:
        """All that left, with the headers that the browser put on it."""
        return [{"url": each.url, "headers": each.all_headers(), "body": each.post_data or ""} for each in self.sent]


def visitors(browser: Browser, served: Served) -> Iterator[Any]:
    """Opens the page of a study, on a device of its own; in the end nothing may have gone elsewhere or been complained about."""
    contexts = []
    opened_quietly = []

    def opened(name: str, fragment: str = "", *, quiet: bool = True, **options: Any) -> Visitor:
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        visitor = Visitor(page, context, watched(page), [])
        page.on("request", lambda request: visitor.sent.append(request))
        page.goto(f"{served.address}/s/{name}{fragment}")
        page.wait_for_selector("form, .notice, #app > :is(h2, h3)")
        if quiet:
            opened_quietly.append(visitor)
        return visitor

    yield opened
    for visitor in opened_quietly:
        assert visitor.watch.elsewhere(served.address) == []
        assert visitor.watch.complaints == []
        if visitor.context in browser.contexts:
            assert visitor.context.cookies() == []
    for context in contexts:
        context.close()
