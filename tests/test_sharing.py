"""Pages of other origins: they may fetch studies and send reports where the settings name them, and otherwise nothing."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from collectors import added, named, serving
from sottovoce.store import Role, Store

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PAGE = """<!doctype html><html lang="en"><title>elsewhere</title><body><script type="module">
import { loadStudy, perturb, submit } from "COLLECTOR/static/sottovoce.js";
try {
  const study = await loadStudy("COLLECTOR/studies/ldp");
  document.body.textContent = JSON.stringify(await submit(perturb(study, "flu"), { ticket: "x", attempts: 1 }));
} catch (error) { document.body.textContent = `failed: ${error.kind}`; }
</script>"""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def elsewhere(folder: Path) -> Iterator[str]:
    """A web server of somebody else, on another port and so of another origin."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize("named_origin", ["theirs", "*", "others", ""])
def test_a_page_of_another_origin(browser: Browser, tmp_path: Path, named_origin: str) -> None:
    url = str(tmp_path / "collector.sqlite")
    entry = added(url, named("ldp"))[0]
    (tmp_path / "web").mkdir()
    with elsewhere(tmp_path / "web") as origin:
        origins = {"theirs": f"https://a.example {origin}", "others": "https://a.example"}.get(named_origin, named_origin)
        with serving(url, tmp_path, origins=origins) as served:
            (tmp_path / "web" / "index.html").write_text(PAGE.replace("COLLECTOR", served.address))
            context = browser.new_context()
            page = context.new_page()
            page.goto(origin)
            page.wait_for_timeout(1000)
            allowed = named_origin in {"theirs", "*"}
            assert (page.inner_text("body") == '{"accepted":1,"repeated":0}') == allowed
            context.close()
            store = Store(url)
            assert store.tally(entry).n == int(allowed)
            store.close()


def test_only_what_everybody_may_use_is_shared(tmp_path: Path) -> None:
    url = str(tmp_path / "collector.sqlite")
    added(url, named("ldp"))
    with serving(url, tmp_path, origins="https://a.example") as served, served.client(headers={"origin": "https://a.example"}) as client:
        shared = "access-control-allow-origin"
        for path in ("/studies", "/studies/ldp", "/static/sottovoce.js"):
            assert client.get(path).headers[shared] == "https://a.example"
        assert client.post("/studies/ldp/reports", content=b"{}").headers[shared] == "https://a.example"  # also refusals can be read
        token = served.token(Role.ANALYST, "ldp")
        for path in ("/", "/s/ldp", "/d/ldp", "/studies/ldp/estimate", "/studies/ldp/tally", "/studies/ldp/export", "/metrics", "/nothing"):
            assert shared not in client.get(path, headers=token).headers, path
        early = client.options("/studies/ldp/reports", headers={"access-control-request-method": "POST"})
        assert early.status_code == 204
        assert "access-control-allow-methods" not in early.headers  # GET and POST need no naming; PATCH and DELETE are not for pages
        assert client.options("/studies/ldp/export").status_code == 405
        assert client.options("/studies/ldp/reports", headers={"origin": "https://b.example"}).status_code == 405
        assert shared not in client.get("/studies/ldp", headers={"origin": "https://b.example"}).headers
