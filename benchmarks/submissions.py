"""Submissions of ten questions beside reports of one, in turns, by one collector on SQLite; and counting them from Parquet.

    python benchmarks/submissions.py [--rounds 5] [--seconds 3] [--submissions 100000000]

The ten questions have 2, 2, 3, 4, 5, 5, 8, 10, 20 and 40 answers, at ε = 4 for all of them together. They are asked by the planned
strategy, by a sample of four, and all of them ("split"), which makes the longest submissions.
"""

from __future__ import annotations

import argparse
import itertools
import json
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import uvloop

import collector as bench
import sottovoce as sv
from common import machine, process_kib, write
from sottovoce.batch.collecting import collect
from sottovoce.batch.writers import writing_reports
from sottovoce.reports import Reports
from sottovoce.store import Store
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.wire import lines, stream

SIZES = (2, 2, 3, 4, 5, 5, 8, 10, 20, 40)
QUESTIONS = "".join(f'[[questions]]\nname = "q{k}"\ntext = "Question {k}?"\nitems = {size}\n' for k, size in enumerate(SIZES))
HEAD = 'title = "Ten questions"\n[privacy]\nnotion = "ldp"\nepsilon = 4.0\n'
STUDIES = {
    "one question, krr": bench.STUDY,
    "one question, oue": bench.STUDY.replace('"bench"', '"bench-oue"').replace('"krr"', '"oue"'),
    "ten, planned": f'name = "planned"\n{HEAD}{QUESTIONS}',
    "ten, sample of four": f'name = "sample"\n{HEAD}[strategy]\nkind = "sample"\nquestions = 4\n{QUESTIONS}',
    "ten, split": f'name = "split"\n{HEAD}[strategy]\nkind = "split"\n{QUESTIONS}',
}
#: Reports that are made once, and sent under new identifiers.
MADE, LISTED, BATCHES = 20_000, 1_000, 8
ARROW = "application/vnd.apache.arrow.stream"


def reports_of(study: sv.Study, number: int, seed: int = 1) -> Reports:
    """Reports of people whose answers are equally frequent."""
    dice, source = np.random.default_rng(seed), sv.SeededSource(seed)
    if isinstance(study, Questionnaire):
        fields = {name: domain for question in study.questions for name, domain in question.fields.items()}
        return study.mechanism.perturb({name: dice.integers(0, len(domain), number) for name, domain in fields.items()}, source=source)
    return study.blocks[""].channel.sample(dice.integers(0, len(study.domain), number), source)


class Sender:
    """Requests with new reports of a study."""

    def __init__(self, study: sv.Study) -> None:
        self.study, self.reports = study, reports_of(study, MADE)
        self._path = f"/studies/{study.name}/reports"

    def single(self) -> Iterator[bytes]:
        for _ in itertools.count():
            for line in lines(self.study.fingerprint, self.reports).splitlines():
                yield bench.post(self._path, "application/json", line)

    def listed(self) -> Iterator[bytes]:
        for _ in itertools.count():
            whole = lines(self.study.fingerprint, self.reports).splitlines()
            for begin in range(0, MADE, LISTED):
                yield bench.post(self._path, "application/x-ndjson", b"\n".join(whole[begin : begin + LISTED]))

    def batches(self) -> Iterator[bytes]:
        many = reports_of(self.study, bench.BATCH)
        for body in [stream(self.study.fingerprint, self.study.mechanism, many) for _ in range(BATCHES)]:
            yield bench.post(self._path, ARROW, body)


def measured(folder: str, rounds: int, seconds: float) -> dict[tuple[str, str], list[float]]:
    """Submissions a second of each round, by what was sent and of which study."""
    db = f"{folder}/collector.sqlite"
    studies = {name: sv.Study.from_toml(text) for name, text in STUDIES.items()}
    store = Store(db)
    store.ready()
    for study in studies.values():
        store.add(study, json.dumps(study.compile()))
    store.close()
    found = defaultdict[tuple[str, str], list[float]](list)
    senders = {name: Sender(study) for name, study in studies.items()}
    with bench.served(db) as (port, _):

        def run(make: Callable[[], bytes | None], connections: int, longest: float = seconds) -> float:
            figures = uvloop.run(bench.Load(port, make, connections, longest).run())
            assert not figures.refused, "a report was refused"
            return figures.rate

        for sender in senders.values():
            run(sender.single().__next__, 8, 1.0)
        for turn in range(rounds):
            for name, sender in list(senders.items())[:: 1 if turn % 2 else -1]:
                for connections in (1, 32):
                    found[f"single, {connections} connection{'s' * (connections > 1)}", name].append(
                        run(sender.single().__next__, connections)
                    )
                found[f"NDJSON, {LISTED:,} a body, 4 connections", name].append(run(sender.listed().__next__, 4) * LISTED)
                bodies = sender.batches()
                found[f"Arrow, {bench.BATCH:,} a body, 4 connections", name].append(
                    run(partial(next, bodies, None), 4, 600.0) * bench.BATCH
                )
            print(f"round {turn + 1} of {rounds}", file=sys.stderr, flush=True)
    store = Store(db)
    assert all(store.recount(entry).holds for entry in store.studies()), "a report was lost or counted twice"
    store.close()
    return found


def written(path: str, study: sv.Study, number: int) -> None:
    """Submissions in a Parquet file, as `sottovoce perturb` writes them."""
    step = 1 << 20
    with writing_reports(path, None, study) as out:
        for begin in range(0, number, step):
            out.write(reports_of(study, min(step, number - begin), begin + 1))


def count(study_file: str, path: str) -> None:
    """Count a file in this process, estimate, and print the time and the peak of the memory in megabytes."""
    study = sv.Study.load(study_file)
    assert isinstance(study, Questionnaire)
    began = time.perf_counter()
    found = collect(study, [path], keep=False)
    took = time.perf_counter() - began
    study.estimates(found.tally)
    peak = process_kib("VmHWM") / 1024
    print(json.dumps({"n": found.tally.n, "seconds": took, "peak": peak}))


def counted(folder: str, submissions: int) -> Iterator[str]:
    for name in ("ten, planned", "ten, sample of four"):
        study_file, path = Path(folder) / "study.toml", f"{folder}/reports.parquet"
        study_file.write_text(STUDIES[name])
        written(path, sv.Study.load(study_file), submissions)
        done = subprocess.run([sys.executable, __file__, "--count", study_file, path], check=True, capture_output=True)
        told = json.loads(done.stdout)
        assert told["n"] == submissions
        size = Path(path).stat().st_size / 2**20
        yield f"| {name} | {submissions:,} | {size:,.0f} MiB | {told['seconds']:.1f} s | {told['peak']:,.0f} MiB |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--submissions", type=int, default=10**8)
    parser.add_argument("--count", nargs=2, default=None, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.count:
        count(*options.count)
        return
    with tempfile.TemporaryDirectory() as folder:
        found = measured(folder, options.rounds, options.seconds)
        files = list(counted(folder, options.submissions))
    single = "one question, krr"
    rows = ["| submissions a second | " + " | ".join(STUDIES) + " | least share |", "|---" * (len(STUDIES) + 2) + "|"]
    for what in dict.fromkeys(what for what, _ in found):
        rates = {name: float(np.median(found[what, name])) for name in STUDIES}
        least = min(rates[name] for name in STUDIES if name.startswith("ten")) / rates[single]
        rows.append(f"| {what} | " + " | ".join(f"{rate:,.0f}" for rate in rates.values()) + f" | {least:.2f} |")
    conditions = (
        f"{machine('uvicorn', 'uvloop')}; the load generator shares the machine; medians of {options.rounds} rounds of "
        f"{options.seconds:g} s in turns, on SQLite. The least share is that of the slowest questionnaire beside one question with krr."
    )
    table = ["| counted from Parquet | submissions | file | time | peak memory |", "|---|---|---|---|---|", *files]
    print("\n".join([*rows, "", *table]))
    write("submissions", [conditions, "", *rows, "", *table])


if __name__ == "__main__":
    main()
