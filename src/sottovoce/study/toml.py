"""TOML with line numbers: the contents of a file, and the line of each key.

`tomllib` reads and judges the file. The skim below runs only over what `tomllib` has accepted, and notes the line of every key and of
every element of a list, so that an error can point at it.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sottovoce.errors import StudyError

#: Where a value stands: keys of tables and places in lists, from the outside in.
KeyPath = tuple[str | int, ...]

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_STRING = re.compile(r'"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'', re.DOTALL)
_SCALAR = re.compile(r"[^,\]}#\n]+")


@dataclass(frozen=True)
class Document:
    """The values of a TOML file, and the line of each."""

    where: str
    values: Mapping[str, Any]
    lines: Mapping[KeyPath, int]

    @classmethod
    def of(cls, text: str, where: str) -> Document:
        """Read a text. `where` names it in errors."""
        try:
            values = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise StudyError(_not_toml(where, str(error))) from None
        except (ValueError, RecursionError) as error:
            raise StudyError(f"{where}: this isn't valid TOML: {error}") from None
        return cls(where, values, _Skim(text).lines)

    def line(self, path: KeyPath) -> int | None:
        """The line of a key, or of the nearest table around it."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path)


def _not_toml(where: str, error: str) -> str:
    """The complaint of `tomllib`, with its place in front."""
    found = re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", error, re.DOTALL)
    if found is None:
        return f"{where}: this isn't TOML: {error}"
    what, line, column = found.groups()
    return f"{where}, line {line}, column {column}: this isn't TOML: {what}. Look for a missing quote, bracket or equals sign."


class _Skim:
    """One pass over valid TOML: where is each key?"""

    def __init__(self, text: str) -> None:
        self.text, self.place, self.lines = text, 0, dict[KeyPath, int]()
        self.breaks = [found.start() for found in re.finditer("\n", text)]
        self.counts = dict[KeyPath, int]()
        table: KeyPath = ()
        self._skip(_BLANK)
        while self.place < len(text):
            if text[self.place] == "[":
                table = self._header()
            else:
                self._pair(table)
            self._skip(_BLANK)

    def _skip(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.place)
        if found is None:  # pragma: no cover - tomllib has accepted the text
            self.place = len(self.text)
            return ""
        self.place = found.end()
        return found.group()

    def _note(self, path: KeyPath) -> None:
        self.lines.setdefault(path, bisect_left(self.breaks, self.place) + 1)

    def _key(self) -> KeyPath:
        parts: list[str] = []
        while True:
            self._skip(_BLANK)
            quoted = self.text[self.place] in "\"'"
            raw = self._skip(_STRING if quoted else _BARE)
            parts.append(tomllib.loads(f"k = {raw}")["k"] if quoted else raw)
            self._skip(_BLANK)
            if self.text[self.place : self.place + 1] != ".":
                return tuple(parts)
            self.place += 1

    def _header(self) -> KeyPath:
        several = self.text.startswith("[[", self.place)
        line_at = self.place
        self.place += 2 if several else 1
        path = self._key()
        self.place, end = line_at, self.place
        if several:
            number = self.counts[path] = self.counts.get(path, -1) + 1
            self._note(path)
            path = (*path, number)
        for length in range(1, len(path) + 1):
            self._note(path[:length])
        self.place = end + (2 if several else 1)
        return path

    def _pair(self, table: KeyPath) -> None:
        start = self.place
        path = (*table, *self._key())
        end, self.place = self.place, start
        for length in range(len(table) + 1, len(path) + 1):
            self._note(path[:length])
        self.place = end + 1  # the equals sign
        self._skip(_BLANK)
        self._value(path)

    def _value(self, path: KeyPath) -> None:
        sign = self.text[self.place]
        if sign in "\"'":
            self._skip(_STRING)
        elif sign == "[":
            self._each("]", lambda number: self._element((*path, number)))
        elif sign == "{":
            self._each("}", lambda _: self._pair(path))
        else:
            self._skip(_SCALAR)

    def _element(self, path: KeyPath) -> None:
        self._note(path)
        self._value(path)

    def _each(self, close: str, part: Any) -> None:
        """What stands between brackets, separated by commas."""
        self.place += 1
        number = 0
        while True:
            self._skip(_BLANK)
            if self.place >= len(self.text) or self.text[self.place] == close:
                self.place += 1
                return
            if self.text[self.place] == ",":
                self.place += 1
                continue
            part(number)
            number += 1
