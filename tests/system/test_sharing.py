"""Pages of other origins: they may fetch studies and send reports where the settings name them, and otherwise nothing."""

from __future__ import annotations

import functools
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from collectors import added, named, serving
from sottovoce.collector.assets import assets
from sottovoce.store import Store

if TYPE_CHECKING:
    from playwright.sync_api import Browser


PAGE = """<!doctype html><html lang="en"><title>elsewhere</title><body><script type="module">
import { loadStudy, perturb, submit } from "./sottovoce.js";
const found = [];
const tried = async (act) => found.push(await act().then((value) => value, (error) => `failed: ${error.kind ?? error.name}`));
await tried(async () => (await import("COLLECTOR/static/sottovoce.js")).loadStudy.name);
await tried(async () => (await loadStudy("COLLECTOR/studies/ldp")).name);
const study = await loadStudy("./study.json");
await tried(() => submit(perturb(study, "flu"), { url: "COLLECTOR/studies/ldp", ticket: "x", attempts: 1 }));
document.body.textContent = JSON.stringify(found);
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
            (tmp_path / "web" / "sottovoce.js").write_bytes(assets()["sottovoce.js"].data)  # the client itself may come from anywhere
            (tmp_path / "web" / "study.json").write_text(json.dumps(named("ldp").compile()))
            context = browser.new_context()
            page = context.new_page()
            page.goto(origin)
            page.wait_for_selector("text=[")
            allowed = named_origin in {"theirs", "*"}
            done = ["loadStudy", "ldp", {"accepted": 1, "repeated": 0}]
            kinds = ["failed: TypeError", "failed: line", "failed: line"]
            found = json.loads(page.inner_text("body"))
            assert found[1:] == (done if allowed else kinds)[1:]
            assert str(found[0]).startswith("failed") != allowed
            context.close()
            store = Store(url)
            assert store.tally(entry).n == int(allowed)
            store.close()
