"""A table of a study file, read strictly. Errors name the file, the line and the key."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NoReturn

from sottovoce.errors import SottovoceError, StudyError
from sottovoce.names import escaped
from sottovoce.study.toml import Document, KeyPath

#: The keys of a study file.
TOP = ("name", "question", "items", "axes", "grid", "numbers", "scale", "reports", "people", "listed", "privacy", "mechanism")
#: Keys of [privacy] that the file itself has no use for.
OF_PRIVACY = ("notion", "epsilon", "sensitive", "budgets", "prior", "tags", "levels", "minimum")
#: What the key `listed` of a study file does.
LISTED = "true to have collectors name the study on their home page, or false to share its link yourself"
_KINDS: dict[type, str] = {str: "text in quotes", bool: "true or false", list: "a list in [brackets]", dict: "a table"}


@dataclass(frozen=True)
class Section:
    """The table of a document at a path."""

    document: Document
    path: KeyPath
    values: dict[str, Any]

    @classmethod
    def whole(cls, document: Document) -> Section:
        return cls(document, (), dict(document.values))

    def only(self, *keys: str) -> None:
        """Refuse unknown keys. A setting that is silently ignored is worse than an error."""
        for key in self.values:
            if key not in keys:
                self.misplaced(key)
                near = difflib.get_close_matches(key, keys, n=1, cutoff=0.5)
                self.fail(f"Unknown key. Did you mean {near[0]!r}?" if near else f"Unknown key. {self._known(keys)}.", key)

    def misplaced(self, key: str) -> None:
        """Refuse a key of the file that stands in a table, or a key of [privacy] that stands above it."""
        if not self.path and key in OF_PRIVACY:
            self.fail("It belongs to [privacy]. Move it below the line [privacy].", key)
        if self.path[:1] == ("questions",) and key == "mechanism":
            self.fail(
                "The questions of a questionnaire have no mechanism of their own. Leave it out, or ask this one in its own study.", key
            )
        if self.path and key in TOP and key not in {"name"}:
            self.fail(f"It belongs to the study and not to {self._header}. Move it above the first [table].", key)

    def _known(self, keys: Sequence[str]) -> str:
        return f"{self._header} only takes {', '.join(keys)}" if self.path else f"The keys are {', '.join(keys)}"

    @property
    def _header(self) -> str:
        """The line above the table."""
        name = ".".join(str(part) for part in self.path if isinstance(part, str))
        return f"[[{name}]]" if isinstance(self.path[-1], int) else f"[{name}]"

    def has(self, key: str) -> bool:
        return key in self.values

    def text(self, key: str, example: str) -> str:
        """A required text."""
        value = self._required(key, f'{key} = "{example}"')
        if not isinstance(value, str):
            self.fail(f'It is {_shown(value)}. Write text in quotes: {key} = "{example}"', key)
        if not value.strip():
            self.fail(f'It is empty. Write for example {key} = "{example}"', key)
        return value

    def whole_number(self, key: str, default: int, least: int, most: int) -> int:
        value = self.values.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            text = _shown(value) if not isinstance(value, int) or abs(value) < 1 << 64 else "too large"
            self.fail(
                f"It is {text}. Write a whole number from {least:,} to {most:,}, for example {key} = {default or least or 1000}.", key
            )
        return value

    def flag(self, key: str, meaning: str) -> bool | None:
        """True or false, None if the key is missing. `meaning` describes both values."""
        value = self.values.get(key)
        if key in self.values and not isinstance(value, bool):
            self.fail(f"It is {_shown(value)}. Write {meaning}.", key)
        return value

    def listed(self, key: str, example: str) -> list[Any]:
        """A list, empty if the key is missing."""
        value = self.values.get(key, [])
        if not isinstance(value, list):
            self.fail(f"It is {_shown(value)}. Write a list: {key} = {example}.", key)
        return value

    def table(self, key: str, example: str) -> Section:
        """A table, empty if the key is missing."""
        value = self.values.get(key, {})
        if not isinstance(value, dict):
            self.fail(f"It is {_shown(value)}. Write a table: {example}.", key)
        return Section(self.document, (*self.path, key), value)

    def _required(self, key: str, example: str) -> Any:
        if key not in self.values:
            where = f" to {self._header}" if self.path else ""
            self.fail(f"{key!r} is missing. Add it{where}: {example}.")
        return self.values[key]

    def fail(self, message: str, *keys: str | int) -> NoReturn:
        """Raise an error that points at a key of this table, or at the table."""
        path = (*self.path, *keys)
        line = self.document.line(path)
        name = escaped(_named(path))
        raise StudyError(f"{self.document.where}{f', line {line}' if line else ''}{f', {name}' if name else ''}: {message}")

    @contextmanager
    def at(self, *keys: str | int) -> Iterator[None]:
        """Add the place of a key to errors of the library inside the block."""
        try:
            yield
        except StudyError:
            raise
        except SottovoceError as error:
            self.fail(str(error), *keys)

    @contextmanager
    def blaming(self, keys: Iterable[str], otherwise: str) -> Iterator[None]:
        """Add the place of the key that an error is about, or of another key, to errors of the library inside the block."""
        try:
            yield
        except StudyError:
            raise
        except SottovoceError as error:
            at = next((key for key in keys if key in str(error)), otherwise)
            self.fail(str(error), *([at] if at in self.values else []))


def _named(path: KeyPath) -> str:
    """A path as it is written: [privacy] epsilon."""
    keys = [str(part) for part in path if isinstance(part, str)]
    if len(keys) < 2:
        return "".join(keys)
    return f"[{'.'.join(keys[:-1])}] {keys[-1]}"


def _shown(value: Any) -> str:
    """A value as the file has it."""
    if isinstance(value, bool):
        return str(value).lower()
    kind = _KINDS.get(type(value))
    return kind if kind and isinstance(value, (list, dict)) else repr(value)
