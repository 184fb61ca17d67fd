"""Reports as JSON: a line is the body of one POST to a collector.

`study` is the fingerprint that the report was made under, `id` 128 random bits that let a retry be recognised, `report` a whole number
(direct, matrix and Hadamard channels) or the record's bytes in base64 (sets and hashed reports), `level` the level that the person chose.
"""

from __future__ import annotations

import json
import os
import re
from base64 import b64decode, b64encode
from collections.abc import Sequence
from typing import TypeVar

import msgspec
import numpy as np

from sottovoce.channels import Channel
from sottovoce.errors import ReportError
from sottovoce.mechanisms import Mechanism, Population
from sottovoce.reports import CodeReports, PopulationReports, Reports


class AnotherStudyError(ReportError):
    """A report that was made under another study, or another version of it."""

    kind = "another-study"


class Body(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """One report as it travels."""

    study: str
    id: str
    report: int | str
    level: str = ""


Decoded = TypeVar("Decoded", Body, list[Body])
_DECODER = msgspec.json.Decoder(Body)
_LIST = msgspec.json.Decoder(list[Body])
_ENCODER = msgspec.json.Encoder()
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
    return of_study(_decoded(_DECODER, line), study)


def bodies(data: bytes) -> list[Body]:
    """Read one report, or a list of them; whether they are of a study is for `of_study` to say."""
    return _decoded(_LIST, data) if data.lstrip().startswith(b"[") else [_decoded(_DECODER, data)]


def _decoded(decoder: msgspec.json.Decoder[Decoded], data: bytes) -> Decoded:
    try:
        found = decoder.decode(data)
        if _ENCODER.encode(found) != data.strip():  # most are written just so, which leaves no room for a second key
            json.loads(data, object_pairs_hook=_once)
    except msgspec.ValidationError as error:
        raise ReportError(f"it is not a report: {error}") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise ReportError("it is not JSON") from None
    return found


def of_study(found: Body, study: str) -> Body:
    """The body, if it was made under this study."""
    if found.study != study:
        raise AnotherStudyError("it was made under another study")
    if not _IDENTIFIER(found.id):
        raise ReportError("its id is not 32 hexadecimal digits")
    return found


def _once(pairs: list[tuple[str, object]]) -> None:
    keys = [key for key, _ in pairs]
    if repeated := next((key for key in keys if keys.count(key) > 1), None):
        raise ReportError(f"it is not a report: it has the key {repeated!r} twice")


def reports_of(mechanism: Mechanism | Population, bodies: Sequence[Body]) -> Reports:
    """The reports of many bodies, refusing what the mechanism cannot have produced."""
    records = Records(mechanism)
    parts = {level: records.channels[level].reports_from_bytes(data) for level, (_, data) in records.of(bodies).items()}
    if not isinstance(mechanism, Population):
        return parts.get("", mechanism.channel.reports_from_bytes(b""))
    ranks = {name: rank for rank, name in enumerate(mechanism.names)}
    levels = np.array([ranks[each.level] for each in bodies], dtype=np.uint8)
    nothing = {name: channel.reports_from_bytes(b"") for name, channel in records.channels.items()}
    return PopulationReports(levels, mechanism.names, nothing | parts)


class Records:
    r"""Reads the records of a mechanism's reports out of bodies, and refuses what the mechanism cannot have produced.

    >>> from sottovoce import Domain, krr
    >>> Records(krr(Domain("abc"), 1.0)).of([Body("…", "00" * 16, 2), Body("…", "01" * 16, 0)])
    {'': ([0, 1], b'\x02\x00')}
    """

    def __init__(self, mechanism: Mechanism | Population) -> None:
        groups = mechanism.groups if isinstance(mechanism, Population) else {"": mechanism}
        self.channels = {name: each.channel for name, each in groups.items()}
        self._shapes = {name: _shape(channel) for name, channel in self.channels.items()}

    def of(self, bodies: Sequence[Body]) -> dict[str, tuple[list[int], bytes]]:
        """For each level that occurs, the places of its bodies and their records one after the other."""
        places: dict[str, list[int]] = {}
        for place, each in enumerate(bodies):
            places.setdefault(each.level, []).append(place)
        if unknown := next((level for level in places if level not in self.channels), None):
            known = ", ".join(self.channels)
            raise ReportError(f"its level is {_cut(unknown)}, and {f'the levels are {known}' if known else 'this study has none'}")
        if "" in places and "" not in self.channels:
            raise ReportError(f"it has no level; the levels are {', '.join(self.channels)}")
        return {level: (rows, self._records(level, [bodies[row].report for row in rows])) for level, rows in places.items()}

    def one(self, found: Body) -> bytes:
        """The record of one body, as `of` reads it."""
        shape = self._shapes.get(found.level)
        if shape is None or not shape[0] or type(found.report) is not int or not 0 <= found.report < shape[0]:
            return self.of([found])[found.level][1]
        return found.report.to_bytes(shape[1], "little")

    def _records(self, level: str, values: list[int | str]) -> bytes:
        limit, width = self._shapes[level]
        if limit:
            if wrong := [code for code in values if type(code) is not int or not 0 <= code < limit]:
                raise ReportError(f"its report is {_cut(wrong[0])}; reports of this study are whole numbers from 0 to {limit - 1}")
            return np.array(values, dtype=np.dtype(f"<u{width}")).tobytes()
        data = b"".join([_record(value, width) for value in values])
        self.channels[level].reports_from_bytes(data)
        return data


def _shape(channel: Channel) -> tuple[int, int]:
    """Where reports are codes, their limit (otherwise 0); and how many bytes a record takes."""
    empty = channel.empty
    return empty.limit if isinstance(empty, CodeReports) else 0, empty.records().shape[1]


def _record(value: int | str, width: int) -> bytes:
    try:
        record = b64decode(value, validate=True) if isinstance(value, str) else b""
    except ValueError:
        record = b""
    if len(record) != width or b64encode(record).decode() != value:
        raise ReportError(f"its report is {_cut(value)}; reports of this study are {width} bytes in base64")
    return record


def _cut(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}…"
