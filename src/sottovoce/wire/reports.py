"""Reports as JSON: each line is the body of one POST to a collector.

`study` is the fingerprint of the report's study. `id` has 128 random bits by which the collector recognises a retry. `report` is an integer
(direct, matrix and Hadamard channels) or the record's bytes in base64 (sets and hashed reports). `level` is the level that the person
chose.
"""

from __future__ import annotations

import json
import os
import re
from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence
from typing import TypeVar

import msgspec
import numpy as np

from sottovoce.channels import Channel
from sottovoce.errors import ReportError
from sottovoce.mechanisms import Mechanism, Population
from sottovoce.reports import CodeReports, PopulationReports, Reports


class AnotherStudyError(ReportError):
    """The report was made for another study, or for another version of it."""

    kind = "another-study"


class Body(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """One report as it is sent."""

    study: str
    id: str
    report: int | str
    level: str = ""


Decoded = TypeVar("Decoded", Body, list[Body])
_DECODER = msgspec.json.Decoder(Body)
_LIST = msgspec.json.Decoder(list[Body])
_ENCODER = msgspec.json.Encoder()
#: Bytes of a body that are read at a time.
PART = 1 << 16
#: Characters of what was sent that a message repeats, and those of a whole reason.
_SHOWN, _REASON = 40, 200
#: Bits of the largest number that a message repeats.
_LARGEST = 128
#: Looks at the records of a part before the search for impossible ones ends: so many, and one more for so many records.
_LOOKS, _PER_LOOK = 32, 16
#: Places of a list that are tried before it is refused: a list of this study's reports has few that aren't between two objects.
_CUTS = 64
#: Replaces the place in a list that a message names.
_PLACE = re.compile(r"\$\[(\d+)\]").sub
_OPEN = re.compile(rb"\s*\[").match
_EMPTY_LEVEL = re.compile(rb'"level"\s*:\s*""').findall
_IDENTIFIER = re.compile(r"[0-9a-f]{32}").fullmatch


def lines(study: str, reports: Reports) -> bytes:
    """Write a line of JSON for each report, with a fresh identifier."""
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
    """Read one line, and check that it belongs to this study."""
    return of_study(_decoded(_DECODER, line), study)


def bodies(data: bytes) -> list[Body]:
    """Read one report or a list of them. `of_study` checks their study."""
    return _decoded(_LIST, data) if data.lstrip().startswith(b"[") else [_decoded(_DECODER, data)]


def listed(data: bytes | bytearray) -> Iterator[list[Body]]:
    """Read a list of reports in batches, so that a reader can stop early and other threads get their turn.

    The list is split between two of its objects. No string in a report contains that separator, unless the name of a level does.
    """
    start, done = data.index(b"[") + 1, 0
    while start:
        cut = _between(data, start)
        part = data[start:] if cut < 0 else data[start : cut + 1] + b"]"
        try:
            found = _decoded(_LIST, b"[" + part)
        except ReportError as error:
            raise ReportError(_PLACE(lambda place: f"$[{int(place[1]) + done}]", str(error), count=1)) from None  # noqa: B023 - called now
        yield found
        done, start = done + len(found), 0 if cut < 0 else cut + 2


def is_list(data: bytes | bytearray) -> bool:
    """Whether a text can be a list."""
    return _OPEN(data) is not None


def _between(text: bytes | bytearray, start: int) -> int:
    """Where a batch that begins at `start` ends: at a brace between two objects, outside strings. -1 means at the end."""
    cut = text.find(b"},{", start + PART)
    quotes, counted = 0, start
    for _ in range(_CUTS):
        if cut < 0:
            return cut
        piece = text[counted : cut + 1]
        quotes += (piece.replace(rb"\\", b"").replace(rb"\"", b"") if b"\\" in piece else piece).count(b'"')
        if quotes % 2 == 0:
            return cut
        cut, counted = text.find(b"},{", cut + 1), cut + 1
    raise ReportError("The list has texts with braces and can't be read in parts. Send one report per line (application/x-ndjson).")


def line_parts(data: bytes | bytearray) -> Iterator[list[bytes]]:
    """The lines of a body that aren't blank, in batches."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start + PART)
        end = len(data) if end < 0 else end
        yield [line for line in bytes(data[start:end]).split(b"\n") if line.strip()]
        start = end + 1


def _decoded(decoder: msgspec.json.Decoder[Decoded], data: bytes) -> Decoded:
    try:
        found = decoder.decode(data)
        if _beyond(found):  # no study takes such a number, and writing it takes long
            return found
        if _ENCODER.encode(found) != data.strip():  # most are written just so, which leaves no room for a second key
            _check_keys(data, found)
    except msgspec.ValidationError as error:
        raise ReportError(f"It isn't a report: {_shortened(str(error))}") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise ReportError("It isn't JSON") from None
    return found


def _check_keys(data: bytes, found: Body | list[Body]) -> None:
    """Check that no key of an object occurs twice, since the parser would drop the first value unseen."""
    plain = data.replace(rb"\\", b"").replace(rb"\"", b"") if b"\\" in data else data
    texts = _texts(found) if isinstance(found, Body) else sum([_texts(each) for each in found])
    if isinstance(found, Body) and not found.level and len(_EMPTY_LEVEL(plain)) == 1:
        texts += 2
    if plain.count(b'"') != 2 * texts:  # or empty levels in a list
        _each_once(data.decode())


def _texts(found: Body) -> int:
    """The strings in a report's object: its keys, and the values that are strings."""
    return (5 if type(found.report) is int else 6) + (2 if found.level else 0)


def _beyond(found: Body | list[Body]) -> bool:
    """Whether a report is an integer of more than 64 bits."""
    if isinstance(found, Body):
        return type(found.report) is int and found.report.bit_length() > 64
    return any(_beyond(each) for each in found)


def of_study(found: Body, study: str) -> Body:
    """Return the body if it belongs to this study, or raise `AnotherStudyError`."""
    if found.study != study:
        raise AnotherStudyError("It was made for a different study")
    if not _IDENTIFIER(found.id):
        raise ReportError("Its id isn't 32 hexadecimal digits")
    return found


def _once(pairs: list[tuple[str, object]]) -> None:
    if len(dict(pairs)) < len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for key in keys if keys.count(key) > 1)
        raise ReportError(f"It isn't a report: it has the key {repeated!r} twice")


_each_once = json.JSONDecoder(object_pairs_hook=_once).decode


def reports_of(mechanism: Mechanism | Population, bodies: Sequence[Body]) -> Reports:
    """The reports of many bodies. Reports that the mechanism can't have produced raise a `ReportError`."""
    records = Records(mechanism)
    parts = {level: records.channels[level].reports_from_bytes(data) for level, (_, data) in records.of(bodies).items()}
    if not isinstance(mechanism, Population):
        return parts.get("", mechanism.channel.reports_from_bytes(b""))
    ranks = {name: rank for rank, name in enumerate(mechanism.names)}
    levels = np.array([ranks[each.level] for each in bodies], dtype=np.uint8)
    nothing = {name: channel.reports_from_bytes(b"") for name, channel in records.channels.items()}
    return PopulationReports(levels, mechanism.names, nothing | parts)


class Records:
    r"""Reads the records of a mechanism's reports from bodies, and refuses those that the mechanism can't have produced.

    >>> from sottovoce import Domain, krr
    >>> Records(krr(Domain("abc"), 1.0)).of([Body("…", "00" * 16, 2), Body("…", "01" * 16, 0)])
    {'': ([0, 1], b'\x02\x00')}
    """

    def __init__(self, mechanism: Mechanism | Population) -> None:
        groups = mechanism.groups if isinstance(mechanism, Population) else {"": mechanism}
        self.channels = {name: each.channel for name, each in groups.items()}
        self._shapes = {name: _shape(channel) for name, channel in self.channels.items()}

    def of(self, bodies: Sequence[Body]) -> dict[str, tuple[list[int], bytes]]:
        """For each level that occurs, the places of its bodies, and their records one after the other."""
        places: dict[str, list[int]] = {}
        for place, each in enumerate(bodies):
            places.setdefault(each.level, []).append(place)
        for level in places:
            self._check_level(level)
        return {level: (rows, self._records(level, [bodies[row].report for row in rows])) for level, rows in places.items()}

    def bad(self, bodies: Sequence[Body], most: int) -> tuple[list[tuple[int, str]], bool]:
        """The first bodies that `of` refuses, at most `most`: their places, the reasons, and whether these are all of the first ones.

        The search takes time in proportion to the bodies. If there are bad ones it finds the first, and may end before it has found all.
        """
        found, records = list[tuple[int, str]](), dict[str, list[tuple[int, bytes]]]()
        for place, each in enumerate(bodies):
            try:
                self._check_level(each.level)
                limit, width = self._shapes[each.level]
                if limit:
                    _check_code(each.report, limit)
                else:
                    records.setdefault(each.level, []).append((place, _record(each.report, width)))
            except ReportError as error:
                found.append((place, str(error)))
                if len(found) >= most:
                    break
        sure = len(bodies)
        for level, those in records.items():
            impossible, whole = self._impossible(level, those, most)
            found += impossible
            if not whole:
                sure = min(sure, impossible[-1][0])
        found = sorted(each for each in found if each[0] <= sure)[:most]
        return found, sure == len(bodies) or len(found) == most

    def _impossible(self, level: str, records: Sequence[tuple[int, bytes]], most: int) -> tuple[list[tuple[int, str]], bool]:
        """The first records of the right length that the channel can't have produced, found by halving, the earlier half first.

        Also returns whether these are all, or `most`. After a limit on the number of checks, the search ends at the next one it finds.
        """
        read, found = self.channels[level].reports_from_bytes, list[tuple[int, str]]()
        data, width = b"".join([record for _, record in records]), self._shapes[level][1]
        waiting, looks = [(0, len(records), False)], _LOOKS + len(records) // _PER_LOOK
        while waiting and len(found) < most and (looks > 0 or not found):
            looks -= 1
            start, end, first = waiting.pop()
            middle = (start + end) // 2
            try:
                read(data[start * width : end * width])
                if first and (rest := waiting.pop())[1] - rest[0] > 1:  # the first half is good, so the second is not: halve that at once
                    middle = (rest[0] + rest[1]) // 2
                    waiting += [(middle, rest[1], False), (rest[0], middle, True)]
                elif first:
                    waiting.append(rest)
            except ReportError as error:
                if end - start == 1:
                    found.append((records[start][0], str(error)))
                else:
                    waiting += [(middle, end, False), (start, middle, True)]
        return found, not waiting or len(found) >= most

    def _check_level(self, level: str) -> None:
        if level in self.channels:
            return
        if not level:
            raise ReportError(f"It has no level. Choose one of {', '.join(self.channels)}.")
        known = ", ".join(self.channels)
        raise ReportError(
            f"Its level is {_cut(level)}. {f'Choose one of {known}.' if known else 'Leave it out, since this study has no levels.'}"
        )

    def one(self, found: Body) -> bytes:
        """The record of one body, as `of` reads it."""
        limit, width = self._shapes.get(found.level, (0, 0))
        if limit and type(found.report) is int and 0 <= found.report < limit:
            return found.report.to_bytes(width, "little")
        if width and not limit:
            record = _record(found.report, width)
            if self.channels[found.level].surely_possible(record):
                return record
        return self.of([found])[found.level][1]

    def _records(self, level: str, values: list[int | str]) -> bytes:
        limit, width = self._shapes[level]
        if limit:
            for wrong in [code for code in values if type(code) is not int or not 0 <= code < limit]:
                _check_code(wrong, limit)
            return np.array(values, dtype=np.dtype(f"<u{width}")).tobytes()
        data = b"".join([_record(value, width) for value in values])
        self.channels[level].reports_from_bytes(data)
        return data


def _shape(channel: Channel) -> tuple[int, int]:
    """The limit of reports that are codes (0 for others), and how many bytes a record takes."""
    empty = channel.empty
    return empty.limit if isinstance(empty, CodeReports) else 0, empty.records().shape[1]


def _check_code(value: int | str, limit: int) -> None:
    if type(value) is not int or not 0 <= value < limit:
        raise ReportError(f"Its report is {_cut(value)}. Send a whole number from 0 to {limit - 1}.")


def _record(value: int | str, width: int) -> bytes:
    try:
        record = b64decode(value, validate=True) if isinstance(value, str) and len(value) == 4 * -(-width // 3) else b""
    except ValueError:
        record = b""
    if len(record) != width or b64encode(record).decode() != value:
        raise ReportError(f"Its report is {_cut(value)}. Send {width} byte{'s' * (width != 1)} in base64.")
    return record


def _cut(value: object) -> str:
    if isinstance(value, int) and value.bit_length() > _LARGEST:
        return f"a number of {value.bit_length():,} bits"
    text = repr(value[: _SHOWN + 1] if isinstance(value, str) else value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _shortened(reason: str) -> str:
    return reason if len(reason) <= _REASON else f"{reason[:_REASON]}…"
