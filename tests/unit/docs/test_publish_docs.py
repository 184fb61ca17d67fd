"""The folder of all versions of the site keeps each release, and leads to the newest."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools.publish_docs import publish


@pytest.fixture
def build(tmp_path: Path) -> Path:
    folder = tmp_path / "build"
    folder.mkdir()
    return folder


def test_versions(build: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"

    def published(version: str) -> tuple[str, list[str]]:
        """Which version people come to, and which versions there are."""
        (build / "index.html").write_text(version)
        publish(build, site, version)
        assert "url=stable/" in (site / "index.html").read_text()
        return (site / "stable" / "index.html").read_text(), re.findall(r'href="([^"]+)/"', (site / "versions.html").read_text())

    assert published("latest") == ("latest", ["latest"])
    assert published("0.9.0") == ("0.9.0", ["0.9.0", "latest"])
    assert published("0.10.0") == ("0.10.0", ["0.10.0", "0.9.0", "latest"])
    assert published("latest") == ("0.10.0", ["0.10.0", "0.9.0", "latest"])
    assert published("0.9.1") == ("0.10.0", ["0.10.0", "0.9.1", "0.9.0", "latest"])
    assert (site / "0.9.0" / "index.html").read_text() == "0.9.0"
    (build / "old.html").write_text("")
    publish(build, site, "latest")
    (build / "old.html").unlink()
    publish(build, site, "latest")
    assert not (site / "latest" / "old.html").exists()


@pytest.mark.parametrize("version", ["v1.0.0", "1.0", "../x", "stable", ""])
def test_other_names_are_refused(build: Path, tmp_path: Path, version: str) -> None:
    with pytest.raises(SystemExit, match="is not a version"):
        publish(build, tmp_path / "site", version)
    assert not (tmp_path / "site").exists()
