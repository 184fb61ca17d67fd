"""Match texts in files with names, and find the option that would read a text that almost matches."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from sottovoce.labels import Labels

#: A byte that isn't UTF-8, as readers spell it out.
_BYTE = re.compile(r"\\x([89a-f][0-9a-f])")
#: Options that read more texts as names, and encodings that are tried.
IGNORE_CASE, ENCODING = "--ignore-case", "--encoding"
_ENCODINGS = ("latin-1", "cp1252")


class Spellings(Protocol):
    """Finds the option that would read a text."""

    def almost(self, text: str) -> tuple[str, str] | None: ...


@dataclass(frozen=True)
class Names:
    """The codes of names. With `ignore_case`, a text that isn't a name matches if exactly one name differs from it only in case."""

    codes: Mapping[str, int]
    tidy: Callable[[str], str] = str.strip
    ignore_case: bool = False

    @classmethod
    def of(cls, labels: Labels, *, ignore_case: bool = False) -> Names:
        """The names of a domain's items."""
        return cls(labels.index, labels.tidy, ignore_case)

    def code(self, text: str) -> int | None:
        """The code of the name that a text spells, if any."""
        code = self.codes.get(self.tidy(text))
        return self._any_case(text) if code is None and self.ignore_case else code

    def almost(self, text: str) -> tuple[str, str] | None:
        """The option that would read a text as a name, with that name ("" if it's unknown). None if no option would."""
        if (code := self._any_case(text)) is not None:
            return IGNORE_CASE, self._texts[code]
        if (tried := spelled_out(text)) is None:
            return None
        for encoding in _ENCODINGS:
            latin = tried(encoding)
            code = self._any_case(latin) if (exact := self.code(latin)) is None else exact
            if code is not None:
                return f"{ENCODING} {encoding}", self._texts[code]
        return ENCODING, ""

    def _any_case(self, text: str) -> int | None:
        code = self._folded.get(self.tidy(text).casefold(), -1)
        return None if code < 0 else code

    @cached_property
    def _texts(self) -> Mapping[int, str]:
        return {code: text for text, code in self.codes.items()}

    @cached_property
    def _folded(self) -> Mapping[str, int]:
        """The codes by case-folded names, −1 if several names fold to the same."""
        found: dict[str, int] = {}
        for text, code in self.codes.items():
            folded = text.casefold()
            found[folded] = code if folded not in found else -1
        return found


@dataclass(frozen=True)
class Choices:
    """Several names in one text, with a separator between them."""

    each: Names
    between: str

    def almost(self, text: str) -> tuple[str, str] | None:
        """The option that would read everything that isn't a name as a name, with those names."""
        parts = [part.strip() for part in text.split(self.between) if part.strip()]
        found = [("", part) if self.each.code(part) is not None else self.each.almost(part) for part in parts]
        options = {each[0] for each in found if each is not None} - {""}
        if None in found or len(options) != 1:
            return None
        return options.pop(), f"{self.between} ".join(name for each in found if each is not None for name in each[1:])


def spelled_out(text: str) -> Callable[[str], str] | None:
    """Decode bytes that aren't UTF-8 in an encoding with one byte per letter."""
    if _BYTE.search(text) is None:
        return None
    return lambda encoding: _BYTE.sub(lambda byte: bytes.fromhex(byte[1]).decode(encoding, "replace"), text)


@dataclass(frozen=True)
class Almost:
    """A text in a file, the name that it almost spells, and the option that reads it."""

    option: str
    text: str
    name: str


def hint(found: Mapping[Almost, int]) -> str:
    """Advice about texts that almost spell names, with the number of rows of each. All have the same option."""
    ordered = sorted(found, key=lambda each: -found[each])
    rows = sum(found.values())
    option, first = ordered[0].option, ordered[0]
    counted = "1 row" if rows == 1 else f"{rows:,} rows"
    if option == ENCODING:
        return f"{counted} {_be(rows)} UTF-8. Name the encoding of the file with {option}, for example {option} {_ENCODINGS[0]}."
    if option.startswith(ENCODING):
        such = "" if len(ordered) == 1 else "answers such as "
        return f"{counted} {_be(rows)} UTF-8, but {such}{first.name!r} in another encoding. Use {option} to count {_them(rows)}."
    if len(ordered) == 1:
        contain = "contains" if rows == 1 else "contain"
        return f"{counted} {contain} {first.text!r}, but the study has {first.name!r}. Use {option} to count {_them(rows)}."
    examples = ", ".join(f"{each.text!r} for {each.name!r}" for each in ordered[:3]) + ", …" * (len(ordered) > 3)
    return f"{counted} differ from an answer of the study only in upper and lower case ({examples}). Use {option} to count them."


def _be(rows: int) -> str:
    return "isn't" if rows == 1 else "aren't"


def _them(rows: int) -> str:
    return "it" if rows == 1 else "them"
