"""Files that aren't text, recognised by their first bytes."""

from __future__ import annotations

#: The first bytes of files that people confuse with files of answers.
_KINDS = {
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF8": "a GIF picture",
    b"%PDF": "a PDF document",
    b"PK\x03\x04": "a ZIP archive or an office document",
    b"\xd0\xcf\x11\xe0": "an old office document",
    b"\x1f\x8b": "a gzip file without the ending .gz",
    b"SQLite format 3": "an SQLite database",
    b"$FL": "an SPSS file without the ending .sav",
    b"\x7fELF": "a program",
}


def kind_of_binary(head: bytes) -> str | None:
    """What kind of binary file this is, judged by its first bytes. None for text (UTF-16 counts as text)."""
    if known := next((kind for start, kind in _KINDS.items() if head.startswith(start)), None):
        return known
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return None
    return "a binary file" if b"\x00" in head else None
