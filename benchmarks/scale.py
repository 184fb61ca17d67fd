"""Counting at scale, beside this machine's memory, the peers and a database engine, in one run.

Writes the tables to docs/benchmarks.md (between their markers) and prints them. Called with a study and a file of reports, it counts the
reports in this process and prints the time and the peak memory: that is how memory is measured, in processes of their own.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import altair as alt
import numba
import numpy as np
import pandas as pd

import sottovoce as sv
from common import ROOT, best, machine, peers_environment, process_kib, rounded, seconds, write
from sottovoce.batch.collecting import collect
from sottovoce.batch.writers import writing_reports
from sottovoce.channels.likelihood import total
from sottovoce.estimators.report_likelihood import likelihoods
from sottovoce.findings import save_chart
from sottovoce.parallel import in_threads
from sottovoce.wire import lines, stream

#: Reports that are made and written at a time.
CHUNK = 1 << 20
ROUNDS = 7
#: How often sottovoce and the engine take turns.
TURNS = 3
#: Reports on the wire: a batch of the collector.
WIRE = 10_000
#: The kinds of reports whose size is told.
KINDS = [("krr", 400), ("oue", 400), ("olh", 12_800)]


@numba.njit(nogil=True)
def _read(words):  # type: ignore[no-untyped-def]  # numba infers them
    total = np.uint64(0)
    for i in range(len(words)):
        total ^= words[i]
    return total


class Memory:
    """A gigabyte, to see how fast all cores together read and copy."""

    def __init__(self) -> None:
        self.words = np.arange(1 << 27, dtype=np.uint64)
        self.reading = 0.0

    def read(self) -> float:
        """Bytes that are read in a second, once."""
        start = time.perf_counter()
        in_threads(len(self.words), 1, lambda part: _read(self.words[part]))
        found = self.words.nbytes / (time.perf_counter() - start)
        self.reading = max(self.reading, found)
        return found

    def copying(self) -> float:
        """Bytes that are copied in a second, each of them read once and written once."""
        other = np.zeros_like(self.words)
        elapsed = best(lambda: in_threads(len(other), 1, lambda part: np.copyto(other[part], self.words[part])), ROUNDS)
        return self.words.nbytes / elapsed

    def beside(self, what: str, work: Callable[[], object], number: int, taken: int) -> str:
        """The speed of a loop, by turns with reading: reports and bytes a second."""
        elapsed, reading = math.inf, 0.0
        for _ in range(ROUNDS):
            reading, elapsed = max(reading, self.read()), min(elapsed, best(work, 1))
        if what.startswith("olh"):  # a report of nine bytes is hashed 12,800 times: memory does not matter
            return f"| {what} | {rounded(number / elapsed)} | {number * 12_800 / elapsed / 1e9:.3g} G hashes/s | |"
        return (
            f"| {what} | {rounded(number / elapsed)} | {taken / elapsed / 1e9:.3g} GB/s "
            f"| {taken / elapsed / reading:.0%} of {reading / 1e9:.1f} GB/s |"
        )


def study_of(folder: Path, name: str, size: int) -> Path:
    """A study file: ε = 1."""
    path = folder / f"{name}-{size}.toml"
    path.write_text(
        f'name = "{name}"\nquestion = "Which?"\nitems = {size}\n'
        f'privacy = {{notion = "ldp", epsilon = 1.0}}\nmechanism = {{name = "{name}"}}\n'
    )
    return path


def some_reports(mechanism: sv.Mechanism, number: int, seed: int = 1) -> Any:
    """Reports of people who follow Zipf's law."""
    shares = 1 / np.arange(1, mechanism.channel.size + 1)
    people = np.searchsorted(np.cumsum(shares / shares.sum()), np.random.default_rng(seed).random(min(number, CHUNK)))
    codes = np.resize(np.minimum(people, mechanism.channel.size - 1), number)
    return mechanism.channel.perturb(codes, sv.SeededSource(seed))


def file_of(folder: Path, study_file: Path, number: int) -> Path:
    """Reports as `sottovoce perturb` writes them."""
    path = folder / f"{study_file.stem}-{number}.parquet"
    study = sv.Study.load(study_file)
    assert isinstance(study.mechanism, sv.Mechanism)
    with writing_reports(str(path), None, study) as out:
        for begin in range(0, number, CHUNK):
            out.write(some_reports(study.mechanism, min(CHUNK, number - begin), seed=begin // CHUNK + 1))
    return path


def peak_memory() -> float:
    """Megabytes that this process took at most. What `getrusage` tells begins with the memory of the process that started this one."""
    return process_kib("VmHWM") / 1024


def once(study_file: str, path: str, rounds: int) -> None:
    """Count the reports of a file in this process: the best of some rounds, and the peak of its memory."""
    study, found = sv.Study.load(study_file), []
    collect(study, [path.replace(".parquet", "-few.parquet")], keep=False)
    before = peak_memory()
    for _ in range(rounds):
        start = time.perf_counter()
        counted = collect(study, [path], keep=False)
        found.append(time.perf_counter() - start)
    peak = peak_memory()
    total = int(sum(block.counts.sum() for block in counted.tally.blocks))
    print(json.dumps({"time": min(found), "n": counted.tally.n, "sum": total, "before": before, "peak": peak}))


def counted(folder: Path, name: str, size: int, number: int, rounds: int = 3) -> dict[str, Any]:
    """Counting a file of reports in a fresh process."""
    study_file = study_of(folder, name, size)
    path = file_of(folder, study_file, number)
    file_of(folder, study_file, 999).rename(path.with_name(f"{path.stem}-few.parquet"))
    found = {**process(study_file, path, rounds), "study": study_file, "path": path, "bytes": path.stat().st_size, "name": name, "K": size}
    assert found["n"] == number
    return found


def process(study_file: Path, path: Path, rounds: int) -> dict[str, Any]:
    asked = [sys.executable, __file__, str(study_file), str(path), str(rounds)]
    found: dict[str, Any] = json.loads(subprocess.run(asked, check=True, capture_output=True, text=True).stdout)
    return found


def in_memory(memory: Memory) -> Iterator[str]:
    """Each loop on reports that lie in memory, beside the speed at which memory is read."""
    for what, mechanism, number in (
        ("krr, K = 200", sv.krr(sv.Domain(200), 1.0), 1 << 28),
        ("krr, K = 400", sv.krr(sv.Domain(400), 1.0), 1 << 27),
        ("krr, K = 65,536", sv.krr(sv.Domain(65_536), 1.0), 1 << 27),
        ("oue, K = 400", sv.oue(sv.Domain(400), 1.0), 1 << 23),
        ("oue, K = 12,800", sv.oue(sv.Domain(12_800), 1.0), 1 << 18),
        ("olh, K = 12,800", sv.olh(sv.Domain(12_800), 1.0), 1 << 19),
    ):
        reports = some_reports(mechanism, number)
        work: Callable[[], object]
        yield memory.beside(f"{what}: reports counted", partial(mechanism.channel.statistic.count, reports), number, taken(reports))
        if isinstance(reports, sv.SetReports):
            batch = reports.to_arrow()
            work = partial(mechanism.channel.reports_from_arrow, batch)
            yield memory.beside(f"{what}: read from an Arrow column (one core)", work, number, batch.nbytes)
    for what, mechanism, number in (
        ("oue, K = 400", sv.oue(sv.Domain(400), 1.0), 1 << 21),
        ("oue, K = 12,800", sv.oue(sv.Domain(12_800), 1.0), 1 << 16),
        ("olh, K = 12,800", sv.olh(sv.Domain(12_800), 1.0), 1 << 16),
    ):
        reports = some_reports(mechanism, number)
        parts = likelihoods(sv.Tally(mechanism, keep_reports=True).add(reports).blocks[0])
        for curved, name in ((False, "gradient"), (True, "gradient and curvature")):
            work = partial(total, parts, np.full(mechanism.channel.size, 1 / mechanism.channel.size), curved=curved)
            yield memory.beside(f"{what}: a pass of the likelihood, {name}", work, number, taken(reports))


def taken(reports: Any) -> int:
    """Bytes of reports as they lie in memory."""
    return sum(value.nbytes for value in vars(reports).values() if isinstance(value, np.ndarray))


def file_row(what: str, found: dict[str, Any]) -> str:
    n, elapsed = found["n"], found["time"]
    return (
        f"| {what} | {n:,} | {seconds(elapsed)} | {rounded(n / elapsed)} | {elapsed / n * 1e9:,.3g} ns "
        f"| {found['bytes'] / n:.3g} | {found['peak']:,.0f} MB (before: {found['before']:,.0f}) |"
    )


def from_files(folder: Path, python: Path) -> tuple[list[dict[str, Any]], list[str]]:
    """Files of reports to counts, in fresh processes: more and more reports, then more and more items; some also by a database engine."""
    found = {
        (name, size, number): counted(folder, name, size, number)
        for name, size, numbers in (
            ("krr", 400, (10**4, 10**5, 10**6, 10**7, 10**8)),
            ("oue", 400, (10**4, 10**5, 10**6, 10**7)),
            ("olh", 12_800, (10**3, 10**4, 10**5, 10**6)),
            *(("krr", size, (10**7,)) for size in (16, 256, 4096, 65_536)),
            *(("oue", size, (16 * 10**8 // size,)) for size in (100, 1600, 6400)),
            *(("olh", size, (10**6,)) for size in (100, 400, 1600)),
        )
        for number in numbers
    }
    engine, direct, unary = [], found["krr", 400, 10**8], found["oue", 400, 10**6]
    for kind, each, rounds in (("direct", direct, 3), ("unary", unary, 1)):
        asked = json.dumps({"kind": kind, "path": str(each["path"]), "size": each["K"], "rounds": rounds}) + "\n"
        script, mine, other = [python, ROOT / "benchmarks" / "engines.py"], 0.0, 0.0
        for _ in range(TURNS):
            theirs = json.loads(subprocess.run(script, check=True, capture_output=True, text=True, input=asked).stdout)
            ours = process(each["study"], each["path"], 3)
            assert theirs["sum"] == ours["sum"], "both count the same"
            mine, other = max(mine, ours["n"] / ours["time"]), max(other, ours["n"] / theirs["time"])
        engine.append(
            f"| {'krr' if kind == 'direct' else 'oue'}, K = 400, {each['n']:,} reports from Parquet | {rounded(mine)} "
            f"| DuckDB {theirs['version']} {rounded(other)} | {mine / other:.3g}× |"
        )
    return list(found.values()), engine


def drawn(files: list[dict[str, Any]]) -> alt.TopLevelMixin:
    """Time against the number of reports, and time for a report against the number of items."""
    names = {"krr": "direct (krr)", "oue": "sets (oue)", "olh": "hashed (olh)"}
    rows = [{"reports": names[each["name"]], "K": each["K"], "n": each["n"], "time": each["time"]} for each in files]
    colour = alt.Color("reports:N", title=None, scale=alt.Scale(domain=list(names.values()), range=["#1b7a6e", "#b3541e", "#5b5ea6"]))
    counts = [row for row in rows if row["K"] == (12_800 if row["reports"] == names["olh"] else 400)]
    widths = list({(row["reports"], row["K"]): row for row in sorted(rows, key=lambda row: row["n"])}.values())  # the most of each

    def panel(data: list[dict[str, Any]], x: str, y: str, titles: tuple[str, str, str]) -> alt.LayerChart:
        base = alt.Chart(pd.DataFrame(data), title=titles[0], width=330, height=260).encode(
            x=alt.X(f"{x}:Q", title=titles[1], scale=alt.Scale(type="log"), axis=alt.Axis(format="~s", tickCount=5)),
            y=alt.Y(f"{y}:Q", title=titles[2], scale=alt.Scale(type="log"), axis=alt.Axis(format="~s", tickCount=5)),
            color=colour,
        )
        return base.mark_line() + base.mark_circle(size=50, opacity=1)

    return alt.hconcat(
        panel(counts, "n", "time", ("K = 400 (hashed: 12,800)", "reports", "seconds")),
        panel([row | {"each": row["time"] / row["n"]} for row in widths], "K", "each", ("Many reports", "items (K)", "seconds per report")),
    )


def peers(python: Path, file: dict[str, Any]) -> list[str]:
    """What the peers do with reports that they have in memory, by turns with ours; `file` holds sets, which we also read from it."""
    rows = []
    for case, mechanism, number in (
        ("summing", sv.oue(sv.Domain(400), 1.0), 1 << 23),
        ("decoding", sv.olh(sv.Domain(12_800), 1.0), 1 << 20),
    ):
        reports, size = some_reports(mechanism, number), mechanism.channel.size
        request = json.dumps({"case": case, "k": size, "epsilon": 1.0, "seconds": 2.0}) + "\n"
        script, mine, read, theirs = [python, ROOT / "benchmarks" / "peers.py"], 0.0, 0.0, dict[str, float]()
        for _ in range(TURNS):
            mine = max(mine, number / best(partial(mechanism.channel.statistic.count, reports), ROUNDS))
            found = json.loads(subprocess.run(script, check=True, capture_output=True, text=True, input=request).stdout)
            theirs = {name: max(value, theirs.get(name, 0.0)) for name, value in found.items()}
            if case == "summing":
                read = max(read, file["n"] / process(file["study"], file["path"], 5)["time"])
        fastest, name = max(theirs.values()), "oue" if case == "summing" else "olh"
        others = "; ".join(f"{name} {rounded(value)}" for name, value in sorted(theirs.items(), key=lambda pair: -pair[1]))
        rows.append(f"| {name}, K = {size:,}, in memory | {rounded(mine)} | {others} | {mine / fastest:,.0f}× |")
        if case == "summing":
            what = f"oue, K = 400, {file['n']:,} reports from Parquet; the peers in memory"
            rows.append(f"| {what} | {rounded(read)} | {others} | {read / fastest:.3g}× |")
    return rows


def sizes(folder: Path, files: list[dict[str, Any]]) -> list[str]:
    """Bytes that a report takes, on disk and on the wire."""
    rows = []
    for name, found in zip(("krr", "oue", "olh"), files, strict=True):
        study = sv.Study.load(study_of(folder, name, found["K"]))
        assert isinstance(study.mechanism, sv.Mechanism)
        reports = some_reports(study.mechanism, WIRE)
        line, arrow = (
            len(data) / WIRE for data in (lines(study.fingerprint, reports), stream(study.fingerprint, study.mechanism, reports))
        )
        record = reports.records().shape[1]
        rows.append(f"| {name}, K = {found['K']:,} | {record} | {found['bytes'] / found['n']:.3g} | {line:.1f} | {arrow:.1f} |")
    return rows


def main() -> None:
    python = peers_environment()
    memory = Memory()
    copying, loops = memory.copying(), list(in_memory(memory))
    reading = memory.reading
    print(f"reading {reading / 1e9:.1f} GB/s, copying {copying / 1e9:.1f} GB/s", *loops, sep="\n", flush=True)
    del memory
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found, engine = from_files(folder, python)
        files = [file_row(f"{each['name']}, K = {each['K']:,}", each) for each in found]
        print("\n".join(files), flush=True)
        kinds = [next(each for each in found if (each["name"], each["K"]) == kind and each["n"] >= 10**6) for kind in KINDS]
        compared = [*engine, *peers(python, next(each for each in found if (each["name"], each["n"]) == ("oue", 10**7)))]
        room = sizes(folder, kinds)
        save_chart(drawn(found), str(ROOT / "docs" / "images" / "scale.svg"))
    print("\n".join([*compared, *room]), flush=True)
    conditions = (
        f"{machine('numpy', 'numba', 'pyarrow')}; peers: pure-ldp 1.2.0, multi-freq-ldpy 0.2.5. ε = 1; people follow Zipf's law. "
        f"In this run all cores together read {reading / 1e9:.1f} GB/s from memory and copy {copying / 1e9:.1f} GB/s "
        "(1 GB, the best of the run). "
        "Loops over memory, by turns with reading it: the best of 7, the bytes being those of the reports as they lie there. "
        "Files are counted by `collect`, each by a fresh process after a file of 1,000 reports: the best of 3, the files in the cache "
        "of the operating system; peak memory is that of the whole process, beside its peak before the file. "
        "They are written as `perturb` writes them (Parquet, zstd). "
        "The engine counts the same files to the same sums, by turns (the best of all)."
    )
    write(
        "scale",
        [
            conditions,
            "",
            "| loop | reports a second | bytes, or hashes | of what is read by turns with it |",
            "|---|---|---|---|",
            *loops,
            "",
            "| from Parquet | reports | time | reports a second | per report | bytes of the file per report | peak memory |",
            "|---|---|---|---|---|---|---|",
            *files,
            "",
            "| counting | sottovoce | beside it | |",
            "|---|---|---|---|",
            *compared,
            "",
            f"| bytes per report | the record | Parquet | NDJSON, with study and id | Arrow stream of {WIRE:,}, with ids |",
            "|---|---|---|---|---|",
            *room,
        ],
    )


if __name__ == "__main__":
    once(sys.argv[1], sys.argv[2], int(sys.argv[3])) if len(sys.argv) > 1 else main()
