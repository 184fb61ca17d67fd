"""Studies from a collector, checked, and kept for use without a network."""

from __future__ import annotations

import time

from sottovoce.devices.ledger import Book, CachedStudy
from sottovoce.devices.transport import fetch, is_closed
from sottovoce.errors import LedgerError, StudyError, UnreachableError, ended
from sottovoce.study import Study

#: How old a cached study may be, in seconds, before the collector is asked whether it has changed.
FRESH = 3600.0


def loaded(book: Book, url: str, max_age: float) -> Study:
    """The study at a URL: cached, fetched, or cached after all if the collector can't be reached. A closed one may open again."""
    ledger = book.read()
    if ledger.out:
        raise LedgerError(f"The study at {url} isn't fetched, because the person has opted out. Call opt_in() first.")
    cached, now = ledger.studies.get(url), int(time.time())
    if cached is not None and not cached.closed and 0 <= now - cached.fetched < max_age:
        return Study.from_json(cached.text, url)
    try:
        response = fetch(url, cached.etag if cached else "")
        if response.final:
            raise StudyError(f"{url}: {response.reason}")
        if response.status not in {200, 304} or (cached is None and response.status == 304):
            raise UnreachableError(response.reason)
    except UnreachableError as error:
        if cached is None:
            raise UnreachableError(f"The study at {url} can't be fetched. {ended(str(error))}") from None
        return Study.from_json(cached.text, url)
    if cached is not None and response.status == 304:
        study, text, etag = Study.from_json(cached.text, url), cached.text, cached.etag
    else:
        text, etag = _text(response.body, url), response.headers.get("etag", "")
        study = Study.from_json(text, url)
    with book.change() as ledger:
        if not ledger.out:
            ledger.cache(url, CachedStudy(study.fingerprint, text, etag, now, is_closed(response)))
    return study


def _text(body: bytes, url: str) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError:
        raise StudyError(f"{url}: This isn't a compiled study. Check the URL.") from None
