"""The names of studies, which are part of their URLs, and the characters that names, labels and questions may have."""

from __future__ import annotations

import re
import unicodedata

from sottovoce.errors import ParameterError, capital

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
#: Characters that change a terminal or the order of the text around them: controls (C0, DEL, C1), marks, overrides and isolates of
#: direction, separators of lines and paragraphs, and halves of surrogate pairs.
_HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_HIDDEN_IN_LINES = re.compile(_HIDDEN.pattern.replace("\x00-\x1f", "\x00-\x09\x0b-\x1f"))


def is_name(name: str) -> bool:
    """Whether a study may have this name."""
    return _NAME.fullmatch(name) is not None


def checked_name(name: str) -> str:
    """The name of a study, or a `ParameterError`."""
    if not is_name(name):
        raise ParameterError(
            f"{name!r} can't be a name, because names are part of URLs. Use at most 64 small letters, digits, '-', '_' and '.'."
        )
    return name


def checked_text(text: str, what: str) -> str:
    r"""A name, label or question of a new study, or a `ParameterError` if it has a character that people can't see.

    >>> checked_text("flu", "the item")
    'flu'
    >>> checked_text("flu\u202e", "the item")
    Traceback (most recent call last):
        ...
    sottovoce.errors.ParameterError: The item 'flu\u202e' contains an invisible character, U+202E (right-to-left override). Remove it.
    """
    if found := _HIDDEN.search(text):
        raise ParameterError(f"{capital(what)} {text!r} contains an invisible character, {_called(found[0])}. Remove it.")
    return text


def escaped(text: str, *, lines: bool = False) -> str:
    r"""A text as people may see it: invisible characters are written as in JSON. `lines` keeps line breaks.

    >>> print(escaped("flu\x1b[31m\u202e"), escaped("a\nb"))
    flu\u001b[31m\u202e a\u000ab
    """
    return (_HIDDEN_IN_LINES if lines else _HIDDEN).sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _called(character: str) -> str:
    """The code of a character, with its name if it has one."""
    names = {"\n": "line break", "\r": "carriage return", "\t": "tab", "\x1b": "escape", "\x00": "null", "\x7f": "delete"}
    kind = "half of a surrogate pair" if "\ud800" <= character <= "\udfff" else "control character"
    name = names.get(character) or unicodedata.name(character, kind).lower()
    return f"U+{ord(character):04X} ({name})"
