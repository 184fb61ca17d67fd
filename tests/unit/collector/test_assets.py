"""The JavaScript client and the pages as they are shipped: small, complete, and of the same version."""

from __future__ import annotations

import gzip
import json
import re

import sottovoce as sv
from paths import ROOT
from sottovoce.collector.assets import assets

CLIENT = ROOT / "clients" / "js" / "dist" / "sottovoce.js"
STATIC = ROOT / "src" / "sottovoce" / "collector" / "static"


def test_the_client_is_small_and_needs_nothing() -> None:
    text = CLIENT.read_text(encoding="utf-8")
    assert len(gzip.compress(text.encode(), 9)) < 18_000
    assert not re.search(r"\bimport\b|\brequire\b", text)
    package = json.loads((ROOT / "clients" / "js" / "package.json").read_text())
    assert "dependencies" not in package
    assert (STATIC / "sottovoce.js").read_bytes() == CLIENT.read_bytes()
    assert (ROOT / "clients" / "js" / package["types"]).exists()
    types = assets()["sottovoce.d.ts"]
    assert types.kind.startswith("text/plain")
    assert b"class Device" in types.data  # `npm run check` compiles it
    assert package["version"] == sv.__version__.replace(".dev", "-dev."), "as npm writes versions before a release"


def test_the_package_ships_what_the_pages_name() -> None:
    for page in ("survey", "dashboard"):
        html = (STATIC.parent / f"{page}.html").read_text(encoding="utf-8")
        assert set(re.findall(r'/static/([^"]+)"', html)) <= set(assets())
    licences = assets()["charts.licences.txt"].data.decode()
    assert all(f"{name} " in licences for name in ("vega-dataflow", "vega-lite", "vega-interpreter", "d3-scale"))
