"""The settings of a collector: where they come from, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import sottovoce as sv
from messages import refused
from sottovoce.collector.settings import Settings


def test_settings_are_read_in_order(tmp_path: Path) -> None:
    (tmp_path / "collector.toml").write_text('port = 1\nhost = "::1"\nbody_seconds = 5\n')
    found = Settings.of(
        str(tmp_path / "collector.toml"), {"workers": 2}, {"SOTTOVOCE_PORT": "2", "SOTTOVOCE_ACCESS_LOG": "true", "HOME": "x"}
    )
    assert (found.port, found.host, found.body_seconds, found.workers, found.access_log) == (2, "::1", 5.0, 2, True)
    for text, *values in (
        ("prot = 1", "'prot'", "port"),
        ("port = 70000", "port", 70000),
        ("port = 'x'", "port", "'x'"),
        ("db = 5", "db", 5),
    ):
        (tmp_path / "collector.toml").write_text(str(text))
        with refused(sv.ParameterError, *values):
            Settings.of(str(tmp_path / "collector.toml"), {}, {})
    (tmp_path / "collector.toml").write_text("port =")
    with pytest.raises(sv.ParameterError, match=re.escape(str(tmp_path / "collector.toml"))):  # Python says what is wrong with the TOML
        Settings.of(str(tmp_path / "collector.toml"), {}, {})
    with refused(sv.ParameterError, "SOTTOVOCE_PORT", "'x'"):
        Settings.of(None, {}, {"SOTTOVOCE_PORT": "x"})


@pytest.mark.parametrize(
    "origins", ["https://a.example/", "HTTPS://A.example", "https://a.example,https://b.example", "a.example", "null", "ftp://a"]
)
def test_what_no_browser_would_send_is_no_origin(origins: str) -> None:
    with refused(sv.ParameterError, "origins", repr(origins)):
        Settings.of(None, {"origins": origins}, {})
    assert Settings.of(None, {"origins": "https://a.example http://127.0.0.1:8000 http://[::1]:80 *"}, {})
