from __future__ import annotations

import pytest

from devices import ScriptedCollector


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> ScriptedCollector:
    """Stands for the network in all devices."""
    found = ScriptedCollector()
    monkeypatch.setattr("sottovoce.devices.sender.post", found.post)
    monkeypatch.setattr("sottovoce.devices.sender.FIRST_PAUSE", 0.01)
    return found
