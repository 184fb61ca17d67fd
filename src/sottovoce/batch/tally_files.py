"""Tallies in files: Arrow streams that name their study."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sottovoce.batch.file_checks import check_study, made_under
from sottovoce.batch.left_out import NONE, LeftOut
from sottovoce.batch.writers import write_whole
from sottovoce.errors import ReportError
from sottovoce.later import pa
from sottovoce.study import Study
from sottovoce.tallies import Tally
from sottovoce.wire import STUDY_KEY


def save_tally(path: str | Path, study: Study, tally: Tally, left_out: LeftOut = NONE) -> None:
    """Write a tally to a file, with the fingerprint of its study and how many rows were `left_out`."""
    write_whole(path, tally_bytes(study, tally, left_out.metadata), private=True)


def tally_bytes(study: Study, tally: Tally, more: Mapping[bytes, bytes] | None = None) -> bytes:
    """A tally as an Arrow stream, with the fingerprint of its study, and `more` in its metadata."""
    table = tally.to_arrow()
    table = table.replace_schema_metadata({**(table.schema.metadata or {}), STUDY_KEY: study.fingerprint.encode(), **(more or {})})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def left_out_of(data: bytes) -> LeftOut:
    """How many rows were skipped when a readable tally was made."""
    with pa.ipc.open_stream(data) as reader:
        return LeftOut.of(reader.schema.metadata)


#: The entry of a tally's metadata that says that it is the part of a single file.
PART_KEY = b"sottovoce.part"


def read_tally(study: Study, data: bytes, name: str, *, part: bool = False) -> Tally:
    """Read what `save_tally` wrote for the same study. A `part` of a tally is accepted only if you ask for one."""
    try:
        with pa.ipc.open_stream(data) as reader:
            table = reader.read_all()
    except (pa.ArrowException, OSError, UnicodeDecodeError, ValueError) as error:
        raise ReportError(f"{name} isn't a tally or is damaged: {error}") from None
    if not part and PART_KEY in (table.schema.metadata or {}):
        raise ReportError(f"{name} is a part, the tally of a single file. Name the whole tally, which includes it.")
    check_study(name, made_under(table.schema) or None, study)
    try:
        return Tally.from_arrow(study.mechanism, table)
    except ReportError as error:
        raise ReportError(f"{name}: {error}") from None
