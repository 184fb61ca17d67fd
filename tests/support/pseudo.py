"""A language that is written from right to left, made of the English texts."""

from __future__ import annotations

import json
import re
from typing import Any

from paths import ROOT

_STATIC = ROOT / "src" / "sottovoce" / "collector" / "static"
_LETTERS = dict(zip("abcdefghijklmnopqrstuvwxyz", "ابتثجحخدذرزسشصضطظعغفقكلمنه", strict=True))


def _turned(text: str) -> str:
    """Letters from the right-to-left alphabet in place of those outside placeholders."""
    return "".join(
        part if part.startswith("{") else "".join(_LETTERS.get(letter, letter) for letter in part.lower())
        for part in re.split(r"(\{\w+\})", text)
    )


def arabic() -> str:
    """The file of a language that looks like Arabic, with all of its plural forms."""
    english: dict[str, Any] = json.loads((_STATIC / "survey.en.json").read_text(encoding="utf-8"))
    forms = ("zero", "one", "two", "few", "many", "other")
    texts = {
        key: _turned(text) if isinstance(text, str) else {form: _turned(text["other"]) for form in forms}
        for key, text in english["texts"].items()
    }
    return json.dumps({"language": "ar", "name": "العربية", "direction": "rtl", "texts": texts})
