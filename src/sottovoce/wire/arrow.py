"""Reports as an Arrow stream: the columns of their file (`report`, for some channels `seed` or `level`), and an `id` of 16 bytes each.

The stream is the body of a POST that brings many reports to a collector. The schema's metadata contains the study's fingerprint. Anyone can
send a stream, so its schema must be the study's own, and compressed buffers are refused because they could expand while being read.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from sottovoce.errors import ReportError
from sottovoce.later import pa
from sottovoce.mechanisms import Mechanism, Population
from sottovoce.reports import Reports
from sottovoce.reports.base import fixed_binary, record_bytes, table_columns
from sottovoce.wire.reports import AnotherStudyError

#: The entry of a file's or a stream's metadata that names the study whose reports it holds.
STUDY_KEY = b"sottovoce.study"
#: A batch costs much more than a row: so many are read in any stream, and one more for so many bytes.
_BATCHES, _BYTES_EACH = 8, 1 << 17
#: Rows from which on a batch is handed on by itself.
_ROWS = 1 << 14
#: Bytes of the first message, which names the columns.
_SCHEMA = 1 << 16


def _identifier() -> pa.Field:
    return pa.field("id", pa.binary(16), nullable=False)


def schema_of(mechanism: Mechanism | Population) -> pa.Schema:
    """The columns of a mechanism's reports."""
    if isinstance(mechanism, Population):
        return pa.schema([("level", pa.string()), ("report", pa.binary())])
    return mechanism.channel.reports_from_bytes(b"").to_arrow().schema


def stream(study: str, mechanism: Mechanism | Population, reports: Reports) -> bytes:
    """Write an Arrow stream of reports, with a fresh identifier for each. `study` is the fingerprint.

    >>> from sottovoce import Domain, krr
    >>> m = krr(Domain("abc"), 1.0)
    >>> [len(reports) for _, reports in read_stream(stream("f00d", m, m.perturb("abc")), "f00d", m)]
    [3]
    """
    schema = schema_of(mechanism)
    ids = fixed_binary(np.frombuffer(os.urandom(16 * len(reports)), dtype=np.uint8).reshape(-1, 16))
    batch = reports.to_arrow()
    columns = [batch.column(name).cast(schema.field(name).type) for name in schema.names]
    whole = pa.schema([_identifier(), *schema], metadata={STUDY_KEY: study.encode()})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, whole) as writer:
        writer.write_batch(pa.record_batch([ids, *columns], schema=whole))
    return sink.getvalue().to_pybytes()


def read_stream(data: bytes | bytearray, study: str, mechanism: Mechanism | Population) -> Iterator[tuple[bytes, Reports]]:
    """Read the identifiers and reports of a stream in batches. Reports that the mechanism can't have produced raise a `ReportError`."""
    expected = schema_of(mechanism)
    reader = mechanism.reports_from_arrow if isinstance(mechanism, Population) else mechanism.channel.reports_from_arrow
    try:
        if (size := _first(data)) > _SCHEMA:  # pyarrow would check all of it
            raise ReportError(f"Its schema has {size:,} bytes. Use at most {_SCHEMA:,}.")
        messages = pa.ipc.MessageReader.open_stream(pa.py_buffer(data))
        first = messages.read_next_message()
        if first.type != "schema":  # anything else read as a schema may bring the whole process down
            raise ReportError("It isn't an Arrow stream of reports, because it doesn't begin with a schema")
        found = pa.ipc.read_schema(first)
        _check(found, expected, study)
        most, small = _BATCHES + len(data) // _BYTES_EACH, list[pa.RecordBatch]()
        for number, message in enumerate(_rest(messages), 1):
            if number > most:
                raise ReportError(f"It has more than {most:,} record batches for {len(data):,} bytes. Write fewer and larger batches.")
            if message.type != "record batch":
                raise ReportError(f"The stream contains a {message.type}. Write only record batches after the schema.")
            if _compressed(message.metadata.to_pybytes()):
                raise ReportError("The stream is compressed. Write it without compression.")
            batch = pa.ipc.read_record_batch(message, found)
            batch.validate(full=True)
            small.append(batch)
            if sum(each.num_rows for each in small) >= _ROWS:
                yield _read(small, reader)
                small = []
        if any(each.num_rows for each in small):
            yield _read(small, reader)
    except (pa.ArrowException, OSError, EOFError, StopIteration, struct.error, ValueError, IndexError) as error:
        if isinstance(error, ReportError):
            raise
        raise ReportError("It isn't an Arrow stream of reports, or is damaged") from None


def _first(data: bytes | bytearray) -> int:
    """The bytes of a stream's first message. Older streams have no marker before this number."""
    first, second = struct.unpack_from("<II", data)
    return int(second if first == 0xFFFFFFFF else first)


def _read(batches: Sequence[pa.RecordBatch], reader: Callable[[pa.Table], Reports]) -> tuple[bytes, Reports]:
    """Read the identifiers and reports of some batches at once."""
    table = batches[0] if len(batches) == 1 else pa.Table.from_batches(batches).combine_chunks()
    (ids,) = table_columns(table, "id")
    return record_bytes(ids, 16, "an id"), reader(table.drop_columns("id"))


def _rest(messages: pa.ipc.MessageReader) -> Iterator[pa.ipc.Message]:
    while True:
        try:
            yield messages.read_next_message()
        except StopIteration:
            return


def _check(found: pa.Schema, expected: pa.Schema, study: str) -> None:
    made_under = (found.metadata or {}).get(STUDY_KEY, b"").decode("ascii", "replace")
    if made_under != study:
        raise AnotherStudyError("It was made for a different study" if made_under else "It doesn't name the study that it was made for")
    wanted = {"id": _identifier().type} | {field.name: field.type for field in expected}
    if len(found.names) != len(wanted) or {field.name: field.type for field in found} != wanted:
        listed = ", ".join(f"{name}: {kind}" for name, kind in wanted.items())
        raise ReportError(f"Its columns aren't those of this study's reports, which are {listed}")


def _compressed(metadata: bytes) -> bool:
    """Whether a record batch is compressed: a field of its flatbuffer (Message.header.compression) that pyarrow doesn't expose."""
    message = _offset(metadata, 0)
    header = _field(metadata, message, 2)
    return header is None or _field(metadata, _offset(metadata, header), 3) is not None


def _offset(data: bytes, at: int) -> int:
    (ahead,) = struct.unpack_from("<I", data, at)
    return at + ahead


def _field(data: bytes, table: int, number: int) -> int | None:
    """The offset of a field in a flatbuffer's table, or None if it's missing."""
    (back,) = struct.unpack_from("<i", data, table)
    size, _ = struct.unpack_from("<HH", data, table - back)
    slot = 4 + 2 * number
    if slot + 2 > size:
        return None
    (ahead,) = struct.unpack_from("<H", data, table - back + slot)
    return table + ahead if ahead else None
