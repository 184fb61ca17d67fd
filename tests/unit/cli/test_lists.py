"""sottovoce mechanisms and notions: what there is."""

from __future__ import annotations

from pathlib import Path

from invoking import as_json, complaint, run


def test_lists(tmp_path: Path) -> None:
    names = [each["name"] for each in as_json(tmp_path, "mechanisms")["mechanisms"]]
    assert {"krr", "ubd", "iprr", "optimal_lip"} <= set(names)
    assert "utility-optimized" in run(tmp_path, "mechanisms", "urr").stdout.decode().lower()
    assert [each["name"] for each in as_json(tmp_path, "notions")["notions"]] == ["ldp", "uldp", "ipldp", "minid", "item_uldp", "lip"]
    assert "e^ε" in run(tmp_path, "notions", "uldp").stdout.decode()
    assert "'dp'" in complaint(tmp_path, "notions", "dp", kind="parameter")
