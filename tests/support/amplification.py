"""Bodies that try to cost a collector more than they should, and what reading one costs."""

from __future__ import annotations

import json
import time
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import pyarrow as pa

import sottovoce as sv
from collectors import ARROW, JSON, NDJSON, added, named, some_reports
from sottovoce.collector.intake import StudyIntake
from sottovoce.errors import RequestError
from sottovoce.store import Store
from sottovoce.wire import lines, schema_of, stream

#: Studies whose reports are read in different ways: codes, sets, hashed reports, subsets, levels, questionnaires.
KINDS = {"krr": "ldp", "oue": "integers", "olh": "olh", "hadamard": "hadamard", "lifted": "lifted", "levels": "levels", "subset": "subset"}
KINDS |= {"forms of a questionnaire": "block", "all questions": "split", "caps": "capped"}
SUBSET = (
    'name = "subset"\nquestion = "Which?"\nitems = 30\n[privacy]\nnotion = "ldp"\nepsilon = 1.0\n[mechanism]\nname = "subset_selection"\n'
)
#: The most reports of one request.
MOST = 200_000

Row = dict[str, object]
Change = Callable[[Row], bytes]


@dataclass(frozen=True)
class Shape:
    """A body and its content type."""

    name: str
    kind: str
    data: bytes


def study_of(mechanism: str) -> sv.Study:
    """A study whose reports are of a kind."""
    return sv.Study.from_toml(SUBSET) if mechanism == "subset" else named(KINDS[mechanism])


def intake_of(mechanism: str, folder: Path) -> StudyIntake:
    """Reads the reports of such a study, which is in a store in this folder."""
    (entry,) = added(str(folder / f"{mechanism}.sqlite"), study_of(mechanism))
    return StudyIntake(entry, MOST)


def cpu_of(intake: StudyIntake, shape: Shape, times: int = 3) -> float:
    """The CPU seconds of reading a body: the best of some tries, since others use the machine too."""
    return min(_once(intake, shape) for _ in range(times))


def _once(intake: StudyIntake, shape: Shape) -> float:
    began = time.thread_time()
    with suppress(RequestError):
        intake.arrival(shape.kind, shape.data, None)
    return time.thread_time() - began


def costs(mechanism: str, folder: Path, size: int, *, stored: bool) -> Iterator[tuple[float, Shape]]:
    """How many times as much CPU each shape takes as a valid body of its size and type takes.

    `stored`: what a valid body takes includes writing its reports to the store. It counts as a millisecond at least, so that very short
    times don't make large ratios.
    """
    intake, usual, storing = intake_of(mechanism, folder), {}, {}
    store = Store(str(folder / f"{mechanism}.sqlite"))
    for kind in (NDJSON, JSON, ARROW):
        usual[kind] = valid(mechanism, kind, size)
        arrival = intake.arrival(kind, usual[kind].data, None)  # what is made once is made before anything is measured
        began = time.thread_time()
        store.write([arrival])
        storing[kind] = time.thread_time() - began if stored else 0.0
    store.close()
    short = {kind: max(0.001, cpu_of(intake, shape, 5) + storing[kind]) for kind, shape in usual.items()}
    for shape in shapes(mechanism, size):
        found, taken = cpu_of(intake, shape, 1), short[shape.kind]
        if found > 2 * taken:  # both again, in turns: processors change their speed
            turns = [(cpu_of(intake, shape, 1), cpu_of(intake, usual[shape.kind], 1)) for _ in range(9)]
            found, reading = (min(each) for each in zip(*turns, strict=True))
            taken = max(0.001, reading + storing[shape.kind])
        yield found / taken, shape


def valid(mechanism: str, kind: str, size: int) -> Shape:
    """A valid body of about this size, written as our own clients write it."""
    study = study_of(mechanism)
    if kind == ARROW:
        one = len(stream(study.fingerprint, study.mechanism, some_reports(study, 1001))) / 1000
        count = max(1, min(MOST, int(size / one)))
        return Shape("valid", ARROW, stream(study.fingerprint, study.mechanism, some_reports(study, count)))
    return Shape("valid", kind, _joined(_lines(mechanism, size), kind))


@lru_cache(maxsize=4)
def _lines(mechanism: str, size: int) -> tuple[bytes, ...]:
    study = study_of(mechanism)
    one = len(lines(study.fingerprint, some_reports(study, 100))) / 100
    return tuple(lines(study.fingerprint, some_reports(study, max(1, min(MOST, int(size / one))))).splitlines())


def _joined(rows: tuple[bytes, ...] | list[bytes], kind: str) -> bytes:
    return b"[" + b",".join(rows) + b"]" if kind == JSON else b"\n".join(rows) + b"\n"


def _with(**changes: object) -> Change:
    return lambda row: json.dumps(row | changes, separators=(",", ":")).encode()


def _impossible(row: Row) -> bytes:
    """A report of the right length that no device of the study can have made, if there is one."""
    report = row["report"]
    if isinstance(report, int):
        return _with(report=255)(row)
    return _with(report=b64encode(b"\xff" * len(b64decode(str(report)))).decode())(row)


#: What is done to a row to make it a bad one.
BAD: dict[str, Change] = {
    "impossible report": _impossible,
    "not base64": lambda row: _with(report="*" * len(str(row["report"])))(row),
    "another type": lambda row: _with(report=1 if isinstance(row["report"], str) else "1")(row),
    "bad id": lambda row: _with(id="g" * 32)(row),
    "another study": lambda row: _with(study="0" * 64)(row),
    "unknown level": lambda row: _with(level="nowhere")(row),
    "unknown key": lambda row: _with(more=1)(row),
    "doubled key": lambda row: json.dumps(row).encode()[:-1] + b',"id":"' + b"0" * 32 + b'"}',
    "not JSON": lambda row: b"{" * 100,
    "deep": lambda row: b'{"study":' + b"[" * 100 + b"]" * 100 + b"}",
    "huge number": lambda row: b'{"study":"","id":"","report":' + b"9" * 4000 + b"}",
    "number beyond 64 bits": lambda row: _with(report=2**70)(row),
    "long report": lambda row: _with(report="A" * 60_000)(row),
    "long level": lambda row: _with(level="é" * 20_000)(row),
    "empty object": lambda row: b"{}",
    "null": lambda row: b"null",
}
#: Which rows are bad.
WHERE: dict[str, Callable[[int], Iterator[int]]] = {
    "every second": lambda n: iter(range(1, n, 2)),
    "all": lambda n: iter(range(n)),
    "the last": lambda n: iter((n - 1,)),
    "twenty over all": lambda n: iter(range(n // 20 - 1, n, max(1, n // 20))),
    "every 1,024th": lambda n: iter(range(1023, n, 1024)),
}
#: Rows that are good, and not written as our clients write them.
GOOD: dict[str, Change] = {
    "blanks": lambda row: json.dumps(row).encode(),
    "another order": lambda row: json.dumps(dict(reversed(row.items())), separators=(",", ":")).encode(),
    "escaped keys": lambda row: (
        b"{" + b",".join(b'"\\u00%02x%s":%s' % (ord(k[0]), k[1:].encode(), json.dumps(v).encode()) for k, v in row.items()) + b"}"
    ),
    "escaped values": lambda row: (
        json.dumps(row | {"id": "@"}).encode().replace(b"@", b"".join(b"\\u00%02x" % ord(c) for c in str(row["id"])))
    ),
    "a level of no letters": lambda row: json.dumps({"level": ""} | row, separators=(",", ":")).encode(),
    "long blanks": lambda row: json.dumps(row).encode() + b" " * 300,
    "carriage returns": lambda row: json.dumps(row, separators=(",", ":")).encode() + b"\r",
}


def shapes(mechanism: str, size: int) -> Iterator[Shape]:
    """Bodies of about this size for a study."""
    rows = _lines(mechanism, size)
    sample = [json.loads(each) for each in rows[:400]]
    for kind in (NDJSON, JSON):
        for bad, change in BAD.items():
            made = [change(each) for each in sample]
            for where, places in WHERE.items():
                chosen = set(places(len(rows)))
                yield Shape(
                    f"{bad}, {where}",
                    kind,
                    _cut([made[n % 400 % len(made)] if n in chosen else row for n, row in enumerate(rows)], size, kind),
                )
        for good, change in GOOD.items():
            made = [change(json.loads(row)) for row in rows]
            yield Shape(good, kind, _cut(made, size, kind))
            yield Shape(f"{good}, the last is bad", kind, _cut(made, size - 200, kind, last=b'{"id":0}'))
        yield from (Shape(name, kind, data[:size]) for name, data in _whole(rows, size).items())
    yield from _arrow(mechanism, size)


def _cut(rows: list[bytes], size: int, kind: str, last: bytes | None = None) -> bytes:
    """As many of the rows as there is room for."""
    ends = np.cumsum([len(row) + 1 for row in rows])
    kept = rows[: max(1, int(np.searchsorted(ends, size)))]
    return _joined([*kept, *([] if last is None else [last])], kind)


def _whole(rows: tuple[bytes, ...], size: int) -> dict[str, bytes]:
    inner = rows[0][:-1] + b',"level":"},{"}'
    return {
        "blank lines": b"\n" * min(size, MOST - 1),
        "blank lines and blanks": b"   \t\n" * min(size // 5, MOST - 1),
        "too many blank lines": b"\n" * size,
        "one long line": b"a" * size,
        "one long text": b'"' + b"a" * (size - 2) + b'"',
        "one long escaped text": b'{"study":"' + b"\\u00e9" * (size // 6),
        "one long number": b"9" * size,
        "one long report": rows[0][:100] + b'","report":"' + b"A" * size,
        "one number of many digits": b'{"study":"a","id":"b","report":' + b"9" * (size - 40) + b"}",
        "one fraction": b'{"study":"a","id":"b","report":0.' + b"9" * (size - 40) + b"}",
        "deep lists": b"[" * size,
        "deep objects": b'{"study":' * (size // 9),
        "many keys": b'{"study":"' + b'","study":"' * (size // 12) + b'"}',
        "many unknown keys": b"{" + b",".join(b'"%d":0' % n for n in range(size // 12)) + b"}",
        "a list of numbers": b"[" + b"0," * (size // 2 - 2) + b"0]",
        "a list of empty objects": b"[" + b"{}," * (size // 3 - 2) + b"{}]",
        "a list without its end": b"[" + b",".join(rows)[: size - 1],
        "a list with a comma at its end": b"[" + b",".join(rows)[: size - 300].rpartition(b",")[0] + b",]",
        "braces in texts": b"[" + b",".join([inner] * (size // (len(inner) + 1))) + b"]",
        "braces in the last text": b"[" + b",".join([*rows[: len(rows) * 9 // 10], inner]) + b"]",
        "blanks in front": b" " * (size - 2 * len(rows[0])) + rows[0],
        "blanks in a list": b"[" + b" " * (size - 2 * len(rows[0])) + rows[0] + b"]",
        "no text": b"\xff" * size,
        "zeros": b"\0" * size,
    }


def _arrow(mechanism: str, size: int) -> Iterator[Shape]:
    study = study_of(mechanism)
    good = valid(mechanism, ARROW, size).data
    yield Shape("cut", ARROW, good[:-10])
    yield Shape("another study", ARROW, good.replace(study.fingerprint.encode(), b"0" * 64))
    yield Shape("zeros", ARROW, b"\0" * len(good))
    ones = bytearray(good)
    ones[-32:-16] = b"\xff" * 16
    yield Shape("the last is impossible", ARROW, bytes(ones))
    for rows in (0, 1, 10, 100):
        yield Shape(f"batches of {rows}", ARROW, _batches(study, rows, len(good)))
    for fields in (100, size // 60):
        wide = pa.schema([(f"c{n}", pa.int8()) for n in range(fields)], metadata={b"sottovoce.study": study.fingerprint.encode()})
        yield Shape(f"{fields} columns", ARROW, wide.serialize().to_pybytes()[:size])
    noted = schema_of(study.mechanism).with_metadata({b"sottovoce.study": study.fingerprint.encode(), b"x": b"y" * (size - 2000)})
    yield Shape("a long note", ARROW, noted.serialize().to_pybytes())
    many = {b"sottovoce.study": study.fingerprint.encode()} | {b"%d" % n: b"" for n in range(size // 40)}
    yield Shape("many notes", ARROW, schema_of(study.mechanism).with_metadata(many).serialize().to_pybytes()[:size])


def _batches(study: sv.Study, rows: int, size: int) -> bytes:
    """A stream of small batches."""
    one = stream(study.fingerprint, study.mechanism, some_reports(study, max(rows, 1)))
    table = pa.ipc.open_stream(one).read_all()
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        (batch,) = table.slice(0, rows).to_batches() or [pa.RecordBatch.from_pylist([], table.schema)]
        while sink.tell() < size:
            writer.write_batch(batch)
    return sink.getvalue().to_pybytes()
