"""The wording of messages, checked in one place.

A test names the error that it expects and the values that the message must carry. The sentence itself is compared with
`tests/messages.json`. To change a sentence, change it in the code and run `make messages`: no test needs an edit.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TypeVar

import pytest

from paths import ROOT

FILE = ROOT / "tests" / "messages.json"
#: Folders that differ from run to run.
_FOLDERS = re.compile(rf"{re.escape(os.path.realpath(tempfile.gettempdir()))}/pytest-of-[^/\s]+/pytest-\d+/(?:popen-\w+/)?[^/\s'\",:;]+")
#: Other things that differ: fingerprints, digests and random names; the day.
_NAMES, _DAYS = re.compile(r"\b[0-9a-f]{12,}\b"), re.compile(r"\b\d{4}-\d\d-\d\d\b")

Error = TypeVar("Error", bound=BaseException)

#: What the tests of this process said, by test, in order.
_said: defaultdict[str, list[str]] = defaultdict(list)
_recording = False


@contextmanager
def refused(kind: type[Error], *values: object) -> Iterator[pytest.ExceptionInfo[Error]]:
    """Expect an error of a type whose message carries these values, in the recorded words."""
    with pytest.raises(kind) as found:
        yield found
    said = str(found.value)
    assert [value for value in values if str(value) not in said] == [], f"the message lacks these values: {said}"
    wording(said)


def wording(text: str) -> None:
    """Compare a sentence with the one that is recorded for this place in the test."""
    test = os.environ["PYTEST_CURRENT_TEST"].rpartition(" ")[0]
    text = _lasting(_FOLDERS.sub("<folder>", text.replace(str(ROOT), "<root>")).strip())
    place = len(_said[test])
    _said[test].append(text)
    if _recording:
        return
    recorded = _recorded().get(test, [])
    assert place < len(recorded), f"this message is not in {FILE.name} yet, add it with make messages: {text}"
    assert text == _lasting(recorded[place]), f"the wording differs from {FILE.name}; if it should, run make messages"


def _lasting(text: str) -> str:
    """A message without what differs from run to run."""
    return _DAYS.sub("<day>", _NAMES.sub("<hex>", text))


@cache
def _recorded() -> dict[str, list[str]]:
    return dict(json.loads(FILE.read_text(encoding="utf-8"))) if FILE.exists() else {}


class Recorder:
    """A pytest plugin that writes down the messages of a run instead of comparing them.

    Only tests that passed are recorded. All others keep what they have, so a part of a file can be recorded alone.
    """

    def __init__(self, parts: Path) -> None:
        self._parts = parts
        self._collected: list[str] = []
        self._passed: set[str] = set()

    def pytest_sessionstart(self) -> None:
        global _recording  # noqa: PLW0603 - one switch for the whole process
        _recording = True

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        self._collected.append(item.nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            self._passed.add(report.nodeid)

    @pytest.hookimpl(trylast=True)  # workers have written their parts before
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        worker = os.environ.get("PYTEST_XDIST_WORKER")
        part = json.dumps({"said": _said, "collected": self._collected})
        (self._parts / f"{worker or 'all'}.json").write_text(part, encoding="utf-8")
        if not worker:
            self._merge(whole=not any("::" in each for each in session.config.args))

    def _merge(self, whole: bool) -> None:
        """Replace what was recorded for the tests that passed, and drop tests that are gone from `whole` files, and files that are gone."""
        said, collected = dict[str, list[str]](), set[str]()
        for part in self._parts.glob("*.json"):
            found = json.loads(part.read_text(encoding="utf-8"))
            said |= found["said"]
            collected.update(found["collected"])
        files = {test.partition("::")[0] for test in collected} if whole else set()
        kept = {
            test: old
            for test, old in _recorded().items()
            if test in collected or ((file := test.partition("::")[0]) not in files and (ROOT / file).exists())
        }
        kept |= {test: said.get(test, []) for test in self._passed}
        text = json.dumps({test: kept[test] for test in sorted(kept) if kept[test]}, indent=1, ensure_ascii=False)
        FILE.write_text(text + "\n", encoding="utf-8")
