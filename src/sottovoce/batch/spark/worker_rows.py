"""The rows that workers return: small results that are merged, and packed reports that stay on the cluster."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa

from sottovoce.batch.skipped_rows import Numbered, SkippedRows

#: What a row is: the result of a partition, the counts of a piece of the likelihood, packed reports, or the sums of a pass over them.
RESULT, COUNTS, REPORTS, SUMS = range(4)
#: The columns of such rows, in the words of Spark and of Arrow.
COLUMNS = "kind int, partition int, block int, piece string, n bigint, data binary, note string"
_SCHEMA = pa.schema(
    [
        ("kind", pa.int32()),
        ("partition", pa.int32()),
        ("block", pa.int32()),
        ("piece", pa.string()),
        ("n", pa.int64()),
        ("data", pa.binary()),
        ("note", pa.string()),
    ]
)


@dataclass(frozen=True)
class Row:
    """From partition `partition`: `n` reports of a block (by its place in the study), a piece of its likelihood as bytes, and a note."""

    kind: int
    partition: int
    block: int
    piece: str
    n: int
    data: bytes
    note: str = ""

    @property
    def key(self) -> tuple[int, int, str]:
        """The key by which rows are merged."""
        return self.kind, self.block, self.piece


def batch_of(rows: Iterable[Row]) -> pa.RecordBatch:
    """Some rows as Arrow columns."""
    listed = list(rows)
    return pa.record_batch([pa.array([getattr(row, field.name) for row in listed], type=field.type) for field in _SCHEMA], schema=_SCHEMA)


def rows_of(batches: Iterable[pa.RecordBatch]) -> Iterator[Row]:
    """The rows of Arrow columns."""
    for batch in batches:
        for values in zip(*(batch.column(name).to_pylist() for name in _SCHEMA.names), strict=True):
            yield Row(*values)


def note_of(skipped: SkippedRows[Numbered]) -> str:
    """Write the rows that a worker skipped as the note of its row."""
    return json.dumps(skipped.to_dict() | {"stopped": skipped.stopped})


def skipped_of(note: str) -> SkippedRows[Numbered]:
    """Read what `note_of` wrote."""
    data = json.loads(note)
    found = SkippedRows[list[int]].from_dict(data).placed(_numbered)
    found.stopped = data["stopped"]
    return found


def _numbered(place: list[int]) -> Numbered:
    at, row = place
    return at, row
