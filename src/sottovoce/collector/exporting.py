"""The reports of a study as a Parquet file."""

from __future__ import annotations

import tempfile
from typing import IO

from sottovoce.batch.outputs import writing_reports
from sottovoce.store import Entry, Store
from sottovoce.store.reading import whole


def exported(store: Store, entry: Entry) -> IO[bytes]:
    """The reports of a study in a file that has no name any more, and is gone when it is closed."""
    with tempfile.NamedTemporaryFile(prefix="sottovoce-", suffix=".parquet") as named:
        write_reports(store, entry, named.name)
        return open(named.name, "rb")


def write_reports(store: Store, entry: Entry, path: str) -> int:
    """Write the reports of a study to a Parquet file; tells how many they are."""
    total = 0
    with store.reports(entry) as found, writing_reports(path, "parquet", entry.study) as out:
        for level, reports in found:
            out.write(whole(entry, level, reports))
            total += len(reports)
    return total
