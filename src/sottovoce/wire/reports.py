"""Reports as JSON: a line is the body of one POST to a collector.

`study` is the fingerprint that the report was made under, `id` 128 random bits that let a retry be recognised, `report` a whole number
(direct, matrix and Hadamard channels) or the record's bytes in base64 (sets and hashed reports), `level` the level that the person chose.
"""

from __future__ import annotations

import os
import re
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from sottovoce.channels import Channel
from sottovoce.errors import ReportError
from sottovoce.mechanisms import Mechanism, Population
from sottovoce.reports import CodeReports, PopulationReports, Reports


class Body(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """One report as it travels."""

    study: str
    id: str
    report: int | str
    level: str = ""


_DECODER = msgspec.json.Decoder(Body)
_IDENTIFIER = re.compile(r"[0-9a-f]{32}").fullmatch


def lines(study: str, reports: Reports) -> bytes:
    """A line of JSON for each report, with a fresh identifier."""
    levels, values = _values(reports)
    identifiers = os.urandom(16 * len(reports)).hex()
    ends = [f',"level":{msgspec.json.encode(level).decode()}}}\n' if level else "}\n" for level in levels]
    return "".join(
        f'{{"study":"{study}","id":"{identifiers[32 * k : 32 * k + 32]}","report":{value}{end}'
        for k, (value, end) in enumerate(zip(values, ends, strict=True))
    ).encode()


def _values(reports: Reports) -> tuple[Sequence[str], list[str]]:
    """The level and the JSON value of each report."""
    if isinstance(reports, PopulationReports):
        queues = {name: iter(_values(part)[1]) for name, part in reports.parts.items()}
        levels = [reports.names[level] for level in reports.levels.tolist()]
        return levels, [next(queues[level]) for level in levels]
    if isinstance(reports, CodeReports):
        return [""] * len(reports), [str(code) for code in reports.tolist()]
    return [""] * len(reports), [f'"{b64encode(record.tobytes()).decode()}"' for record in reports.records()]


def body(line: bytes, study: str) -> Body:
    """Read one line, and see that it is of this study."""
    try:
        found = _DECODER.decode(line)
    except msgspec.ValidationError as error:
        raise ReportError(f"it is not a report: {error}") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise ReportError("it is not JSON") from None
    if found.study != study:
        raise ReportError("it was made under another study")
    if not _IDENTIFIER(found.id):
        raise ReportError("its id is not 32 hexadecimal digits")
    return found


def reports_of(mechanism: Mechanism | Population, bodies: Sequence[Body]) -> Reports:
    """The reports of many bodies, refusing what the mechanism cannot have produced."""
    if not isinstance(mechanism, Population):
        if any(each.level for each in bodies):
            raise ReportError("it names a level, and this study has none")
        return _part(mechanism.channel, bodies)
    ranks: Mapping[str, int] = {name: rank for rank, name in enumerate(mechanism.names)}
    if unknown := next((each.level for each in bodies if each.level not in ranks), None):
        raise ReportError(f"its level is {unknown!r}, and the levels are {', '.join(ranks)}")
    levels = np.array([ranks.get(each.level, len(ranks)) for each in bodies], dtype=np.uint8)
    if levels.size and int(levels.max()) == len(ranks):
        raise ReportError(f"it has no level; the levels are {', '.join(ranks)}")
    parts = {name: _part(each.channel, [b for b in bodies if b.level == name]) for name, each in mechanism.groups.items()}
    return PopulationReports(levels, mechanism.names, parts)


def _part(channel: Channel, bodies: Sequence[Body]) -> Reports:
    empty = channel.reports_from_bytes(b"")
    if isinstance(empty, CodeReports):
        codes = [each.report for each in bodies]
        if wrong := [code for code in codes if type(code) is not int or not 0 <= code < empty.limit]:
            raise ReportError(f"its report is {wrong[0]!r}; reports of this study are whole numbers from 0 to {empty.limit - 1}")
        return channel.reports_from_bytes(CodeReports(np.array(codes, dtype=np.int64), empty.limit).to_bytes())
    width = empty.records().shape[1]
    return channel.reports_from_bytes(b"".join(_record(each.report, width) for each in bodies))


def _record(value: int | str, width: int) -> bytes:
    try:
        record = b64decode(value, validate=True) if isinstance(value, str) else b""
    except ValueError:
        record = b""
    if len(record) != width or b64encode(record).decode() != value:
        raise ReportError(f"its report is {str(value)[:40]!r}; reports of this study are {width} bytes in base64")
    return record
