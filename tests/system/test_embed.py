"""A survey in a page of another origin: the example of the documentation, under a strict policy."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from browser import axe, overflow, watched
from collectors import added, named, serving
from kitchen import ANSWERS, kitchen
from paths import ROOT
from respondent import answer_all, begin, forward_to, give, kept, send
from suites.survey import counted

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

TRUSTED = "require-trusted-types-for 'script'; trusted-types 'none'"
HOW_TO = ROOT / "docs" / "how-to" / "embed-a-survey.md"


def example(name: str) -> str:
    """A file of the documentation."""
    found = re.search(rf"<!-- file: {re.escape(name)} -->\n```\w+\n(.*?)```", HOW_TO.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    return found[1]


class Host(SimpleHTTPRequestHandler):
    """A page of others, with a policy."""

    policy = ""

    def end_headers(self) -> None:
        self.send_header("content-security-policy", self.policy)
        super().end_headers()

    def log_message(self, *_: Any) -> None:
        """Write nothing."""


@contextmanager
def hosting(folder: Path) -> Iterator[ThreadingHTTPServer]:
    """A web server for the files of a folder."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Host, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _asked_about_a_typo(page: Page) -> None:
    forward_to(page, "age", ANSWERS)
    give(page, "age", 17)
    page.click("#next")
    assert page.inner_text("#problem") == "The survey counts 17 as 18. Is 17 a typo? If not, go on."


@pytest.mark.parametrize(("name", "scheme"), [("skip", "dark"), ("all", "dark"), ("uldp", "light")])
def test_a_page_of_another_origin_asks_and_sends(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, scheme: str
) -> None:
    url = str(tmp_path / "collector.sqlite")
    added(url, named("uldp") if name == "uldp" else kitchen(name))
    site = tmp_path / "site"
    site.mkdir()
    with hosting(site) as host:
        origin = f"http://127.0.0.1:{host.server_port}"
        with serving(url, tmp_path, origins=origin) as served:
            html = example("embed.html").replace("https://collector.example", served.address).replace("wellbeing-2027", name)
            (site / "index.html").write_text(html, encoding="utf-8")
            (site / "embed.css").write_text(example("embed.css"), encoding="utf-8")
            own = f"{served.address}"
            policy = f"default-src 'none'; style-src 'self'; script-src {own}; connect-src {own}; {TRUSTED}"
            monkeypatch.setattr(Host, "policy", policy)
            context = browser.new_context(viewport={"width": 360, "height": 740}, color_scheme=scheme)  # type: ignore[arg-type]  # one of two
            page = context.new_page()
            watch = watched(page)
            page.goto(f"{origin}/")
            if name == "uldp":
                page.check("input[name=item][value='1']")
                page.click("button.main")
                page.wait_for_selector("#send")
            else:
                begin(page)
                assert axe(page) == []
                if name == "all":
                    _asked_about_a_typo(page)
                answer_all(page, ANSWERS)
            assert overflow(page) <= 0
            assert axe(page) == []
            send(page)
            assert (
                page.evaluate("getComputedStyle(document.querySelector('sottovoce-survey').shadowRoot.querySelector('h2')).fontFamily")
                == "Georgia, serif"
            )
            assert page.evaluate("history.length") <= 2, "the history is the page's own"
            assert watch.elsewhere(origin) == [each for each in watch.requests if each.startswith(served.address)]
            assert {each.removeprefix(served.address) for each in watch.elsewhere(origin)} == {
                "/static/embed.js", "/static/survey.en.json", f"/studies?name={name}", f"/studies/{name}", f"/studies/{name}/reports",
            }  # fmt: skip
            assert [each for each in watch.complaints if "favicon" not in each and "404" not in each] == []
            assert '"report"' not in kept(page)
            assert counted(served, name) == 1
            context.close()


def test_without_leave_of_the_collector_nothing_is_asked(browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = str(tmp_path / "collector.sqlite")
    added(url, kitchen("skip"))
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.setattr(Host, "policy", "default-src *")
    with hosting(site) as host, serving(url, tmp_path) as served:
        html = example("embed.html").replace("https://collector.example", served.address)
        (site / "index.html").write_text(html, encoding="utf-8")
        page = browser.new_page()
        watch = watched(page)
        page.goto(f"http://127.0.0.1:{host.server_port}/")
        page.wait_for_timeout(500)
        assert page.locator("#start").count() == 0
        assert page.locator("sottovoce-survey a").is_visible(), "the link inside the element is left"
        documented = re.search(r"```text\n(Access to .*?)```", HOW_TO.read_text(encoding="utf-8"), re.DOTALL)
        assert documented is not None
        expected = (
            documented[1]
            .replace("https://collector.example", served.address)
            .replace("https://example.org", f"http://127.0.0.1:{host.server_port}")
        )
        assert any(" ".join(expected.split()) in each for each in watch.complaints), watch.complaints
        page.close()


#: The scheme of the page around the survey and of the device, and the brightness of text and paper that people see.
SCHEMES = [("light", "dark", "light"), ("dark", "light", "dark"), ("auto", "dark", "dark"), ("", "light", "light")]


@pytest.mark.parametrize(("scheme", "device", "seen"), SCHEMES)
def test_a_page_chooses_the_scheme_of_its_survey(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scheme: str, device: str, seen: str
) -> None:
    url = str(tmp_path / "collector.sqlite")
    added(url, kitchen("skip"))
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.setattr(Host, "policy", "default-src *")
    with hosting(site) as host:
        origin = f"http://127.0.0.1:{host.server_port}"
        with serving(url, tmp_path, origins=origin) as served:
            html = example("embed.html").replace("https://collector.example", served.address).replace("wellbeing-2027", "skip")
            (site / "index.html").write_text(html.replace('scheme="light"', f'scheme="{scheme}"'), encoding="utf-8")
            (site / "embed.css").write_text("", encoding="utf-8")
            page = browser.new_page(color_scheme=device)  # type: ignore[arg-type]  # one of two
            page.goto(f"{origin}/")
            begin(page)
            paper, padding, native = page.evaluate(
                "(({ backgroundColor, padding, colorScheme }) => [backgroundColor, padding, colorScheme])"
                "(getComputedStyle(document.querySelector('sottovoce-survey')))"
            )
            assert paper == {"light": "rgb(255, 255, 255)", "dark": "rgb(13, 17, 23)"}[seen]
            assert padding == "16px"
            assert native == (scheme if scheme in {"light", "dark"} else "light dark")
            assert axe(page) == []
            page.close()
