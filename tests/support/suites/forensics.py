"""The order of arrival, looked for in the files of SQLite as a thief of the disk would: page by page, cell by cell."""

from __future__ import annotations

import asyncio
import json
import math
import random
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import sottovoce as sv
from collectors import ARROW, JSON, Served, added, connected, exchange, request, serving
from sottovoce.reports import CodeReports
from sottovoce.wire import stream

#: Lone reports of a run, chunks of a run, and reports of a chunk.
LONE, CHUNKS, MANY = 100, 40, 2048
STUDY = """
name = "forensics"
question = "Which of these?"
items = 100
[privacy]
notion = "ldp"
epsilon = 1.0
[mechanism]
name = "krr"
"""
#: Ways of looking for the order of chunks.
RANDOM = ("the first page of a chunk", "the place of its beginning")
_LEAF, _INTERIOR = 0x0A, 0x02


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for k in range(9):
        byte = data[at + k]
        if k == 8:
            return value << 8 | byte, at + 9
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + k + 1
    raise AssertionError


@dataclass(frozen=True)
class Cell:
    """A row of a table that is kept by its key: where it lies, what it begins with, and where it goes on."""

    page: int
    offset: int
    payload: bytes
    overflow: int


class Pages:
    """A database file."""

    def __init__(self, path: Path) -> None:
        self._data = path.read_bytes()
        self.size = int.from_bytes(self._data[16:18], "big") or 65536
        with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as connection:
            self._roots = dict(connection.execute("SELECT name, rootpage FROM sqlite_master WHERE type = 'table'"))

    def page(self, number: int) -> bytes:
        return self._data[(number - 1) * self.size : number * self.size]

    def cells(self, table: str) -> Iterator[Cell]:
        """The cells of a table's tree, page by page."""
        yield from self._tree(self._roots[table])

    def _tree(self, number: int) -> Iterator[Cell]:
        page = self.page(number)
        kind, count = page[0], int.from_bytes(page[3:5], "big")
        assert kind in {_LEAF, _INTERIOR}, kind
        head = 12 if kind == _INTERIOR else 8
        for k in range(count):
            offset = int.from_bytes(page[head + 2 * k : head + 2 * k + 2], "big")
            at = offset
            if kind == _INTERIOR:
                yield from self._tree(int.from_bytes(page[at : at + 4], "big"))
                at += 4
            length, at = _varint(page, at)
            most = (self.size - 12) * 64 // 255 - 23
            least = (self.size - 12) * 32 // 255 - 23
            kept = length if length <= most else least + (length - least) % (self.size - 4)
            kept = kept if kept <= most else least
            further = int.from_bytes(page[at + kept : at + kept + 4], "big") if length > most else 0
            yield Cell(number, offset, page[at : at + kept], further)
        if kind == _INTERIOR:
            yield from self._tree(int.from_bytes(page[8:12], "big"))

    def free(self) -> list[bytes]:
        """The pages that are in no tree."""
        found, trunk = list[bytes](), int.from_bytes(self._data[32:36], "big")
        while trunk:
            page = self.page(trunk)
            found.append(page[8 + 4 * int.from_bytes(page[4:8], "big") :])
            found += [self.page(int.from_bytes(page[8 + 4 * k : 12 + 4 * k], "big")) for k in range(int.from_bytes(page[4:8], "big"))]
            trunk = int.from_bytes(page[:4], "big")
        return found


def ascents(order: Sequence[float]) -> int:
    """How many neighbours in the true order a guess puts the right way round, if it says when each came."""
    return sum(one < two for one, two in pairwise(order))


def guesses_of_ids(path: Path, ids: Sequence[bytes]) -> dict[str, list[float]]:
    """For each way of looking, a time for each identifier."""
    pages = Pages(path)
    cells = {cell.payload[-16:]: cell for cell in pages.cells("ids")}
    found = [cells[each] for each in ids]
    guesses: dict[str, list[float]] = {
        "the place in its page, from the end": [-cell.offset for cell in found],
        "the page and the place": [cell.page * pages.size - cell.offset for cell in found],
        "the place in the file": [float(path.read_bytes().find(each)) for each in ids],
    }
    assert all(set(page) <= {0} for page in pages.free()), "nothing is left in free pages"
    log = Path(f"{path}-wal")
    if log.exists() and (data := log.read_bytes()):
        guesses["the place in the log"] = [float(data.find(each)) for each in ids]
    return guesses


def guesses_of_chunks(path: Path) -> dict[str, list[float]]:
    """For each way of looking, a time for each chunk; the reports of a chunk name its number in the true order."""
    pages = Pages(path)
    by_number = {int(np.bincount(list(pages.page(cell.overflow)[4:900])).argmax()) - 1: cell for cell in pages.cells("chunks")}
    assert sorted(by_number) == list(range(CHUNKS))
    found = [by_number[number] for number in range(CHUNKS)]
    first, begins = RANDOM
    return {first: [float(cell.overflow) for cell in found], begins: [float(cell.page * pages.size - cell.offset) for cell in found]}


Ending = Callable[[Served], None]


def stopped(served: Served) -> None:
    """End a collector as an operator would."""
    assert served.stop() == 0


def killed(served: Served) -> None:
    """End a collector without warning."""
    served.kill()


def found_in(folder: Path, seed: int, end: Ending) -> dict[str, tuple[int, int]]:
    """Send lone reports, then chunks, to a new store; tells for each guess how many neighbours it puts right, and of how many."""
    study = sv.Study.from_toml(STUDY)
    path = folder / "collector.sqlite"
    dice = random.Random(seed)
    ids = [dice.randbytes(16) for _ in range(LONE)]
    size = len(study.inputs)
    added(str(path), study)
    where = f"/studies/{study.name}/reports"
    lone = [json.dumps({"study": study.fingerprint, "id": each.hex(), "report": dice.randrange(size)}).encode() for each in ids]

    async def send(port: int, kind: str, given: Sequence[bytes]) -> None:
        async with connected(port) as (reader, writer):
            for body in given:
                status, answer = await exchange(reader, writer, request("POST", where, body, content_type=kind))
                assert status == 200, answer

    found = dict[str, list[float]]()
    codes = [CodeReports(np.full(MANY, number + 1), size) for number in range(CHUNKS)]
    many = [stream(study.fingerprint, study.mechanism, each) for each in codes]
    for kind, given in ((JSON, lone), (ARROW, many)):
        with serving(str(path), folder, check=False) as served:
            asyncio.run(send(served.port, kind, given))
            end(served)
        if end is killed:
            with serving(str(path), folder, check=False) as served, served.client() as client:
                assert client.get("/health").status_code == 200  # it has read its studies
                found |= guesses_of_ids(path, ids) if kind == JSON else guesses_of_chunks(path)
        else:
            assert not Path(f"{path}-wal").exists()
            found |= guesses_of_ids(path, ids) if kind == JSON else guesses_of_chunks(path)
    return {name: (ascents(times), len(times) - 1) for name, times in found.items()}


def order_is_not_found(end: Ending, runs: int) -> dict[str, float]:
    """Look for the order in so many stores: no way of looking finds it more often than chance does.

    Of n things in random order, the number of neighbours that are the right way round has variance (n + 1)/12. That of identifiers
    must be within three standard deviations, which a fixed seed decides; that of chunks, whose keys differ from run to run, within six.
    """
    right, pairs, variance = dict[str, int](), dict[str, int](), dict[str, float]()
    memory = Path("/dev/shm")
    for seed in range(runs):
        with TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
            found = found_in(Path(folder), seed, end)
        for name, (good, of) in found.items():
            right[name] = right.get(name, 0) + good
            pairs[name] = pairs.get(name, 0) + of
            variance[name] = variance.get(name, 0.0) + (of + 2) / 12
    shares = {name: right[name] / pairs[name] for name in right}
    for name, share in shares.items():
        sigmas = 6 if name in RANDOM else 3
        assert abs(share - 0.5) <= sigmas * math.sqrt(variance[name]) / pairs[name], (name, shares)
    return shares
