"""Pages of other origins: they may fetch studies and send reports where the settings name them, and otherwise nothing."""

from __future__ import annotations

import functools
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from collectors import added, named, request, serving
from sottovoce.collector.assets import assets
from sottovoce.collector.settings import Settings
from sottovoce.errors import ParameterError
from sottovoce.store import Role, Store

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
        admin = served.token(Role.ADMIN)
        for method, path in (("POST", "/studies"), ("PATCH", "/studies/ldp"), ("DELETE", "/studies/ldp")):
            assert shared not in client.request(method, path, headers=admin).headers, method
            assert client.options(path, headers={"access-control-request-method": method}).status_code == 405
        assert client.options("/studies//reports", headers={"access-control-request-method": "POST"}).status_code == 404
        for path, origin in (("/studies/ldp", "https://b.example"), ("/studies", "null")):
            assert client.get(path, headers={"origin": origin}).headers["vary"] == "origin"  # a cache must tell them apart


def test_two_origins_are_none(tmp_path: Path) -> None:
    url = str(tmp_path / "collector.sqlite")
    added(url, named("ldp"))

    with serving(url, tmp_path, origins="https://a.example") as served, socket.create_connection(("127.0.0.1", served.port)) as line:
        line.sendall(
            request("GET", "/studies/ldp", origin="https://a.example").replace(b"host: test", b"host: test\r\norigin: https://a.example")
        )
        head = line.recv(65536).split(b"\r\n\r\n")[0]
    assert head.startswith(b"HTTP/1.1 200 ")
    assert b"access-control-allow-origin" not in head


@pytest.mark.parametrize(
    "origins", ["https://a.example/", "HTTPS://A.example", "https://a.example,https://b.example", "a.example", "null", "ftp://a"]
)
def test_what_no_browser_would_send_is_no_origin(origins: str) -> None:
    with pytest.raises(ParameterError, match="an origin is written as browsers write it"):
        Settings.of(None, {"origins": origins}, {})
    assert Settings.of(None, {"origins": "https://a.example http://127.0.0.1:8000 http://[::1]:80 *"}, {})
