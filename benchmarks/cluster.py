"""Reports in Parquet files: the engine of one machine, Spark on one machine, and a Spark cluster of two workers, in one run.

Writes the table to docs/benchmarks.md and prints it.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import sottovoce as sv
from common import best, machine, rounded, seconds, write
from sottovoce.batch import collecting
from sottovoce.batch.spark import collect, read, session
from sottovoce.batch.writers import writing_reports
from sottovoce.channels.likelihood import total
from sottovoce.estimators.report_likelihood import of_blocks

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "support"))

from clusters import running

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ITEMS, FILES, ROUNDS = 400, 8, 3
STUDY = """
name = "reports"
question = "Which?"
items = 400
privacy = {{notion = "ldp", epsilon = 1.0}}
mechanism = {{name = "{}"}}
"""
CASES = {"krr": 20_000_000, "oue": 2_000_000}


def written(folder: Path, name: str, n: int) -> tuple[sv.Study, list[str]]:
    study = sv.Study.from_toml(STUDY.format(name))
    shares = 1 / np.arange(1, ITEMS + 1)
    paths = []
    for k in range(FILES):
        answers = np.random.default_rng(k).choice(ITEMS, n // FILES, p=shares / shares.sum())
        paths.append(str(folder / f"{name}-{k}.parquet"))
        with writing_reports(paths[-1], None, study) as out:
            out.write(study.blocks[""].channel.sample(answers, sv.SeededSource(k)))
    return study, paths


def passes(tally: sv.Tally) -> float:
    """Seconds of one pass over the reports of a tally."""
    parts, p = of_blocks(tally.blocks), np.full(ITEMS, 1 / ITEMS)
    return best(lambda: total(parts, p), ROUNDS)


def measured(count: Callable[[], sv.Tally], hold: Callable[[], sv.Tally], n: int, *, climbs: bool) -> list[str]:
    """Reports that are counted in a second, and, where the likelihood needs the reports, seconds of a pass and of the whole climb."""
    cells = [rounded(n / best(count, ROUNDS))]
    if not climbs:
        return [*cells, "", ""]
    tally = hold()
    start = time.perf_counter()
    found = sv.estimate(tally, tolerance=1e-6 * n)
    climbed = time.perf_counter() - start
    return [*cells, seconds(passes(tally)), f"{seconds(climbed)} ({found.iterations} passes)"]


def on_spark(spark: SparkSession, study: sv.Study, paths: list[str], n: int) -> list[str]:
    frame = read(spark, paths)
    return measured(
        lambda: collect(study, frame, keep=False).tally, lambda: collect(study, frame).tally, n, climbs=study.blocks[""].name == "oue"
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = {case: (*written(folder, case, n), n) for case, n in CASES.items()}
        rows: dict[str, list[str]] = {}
        for case, (study, paths, n) in made.items():
            sizes = sum(Path(path).stat().st_size for path in paths)
            what = f"{case}, K = {ITEMS}, {n:,} reports ({sizes / 1e6:.0f} MB)"
            alone = measured(
                lambda study=study, paths=paths: collecting.collect(study, paths, keep=False).tally,  # type: ignore[misc]  # bound now
                lambda study=study, paths=paths: collecting.collect(study, paths, keep=True).tally,  # type: ignore[misc]  # likewise
                n,
                climbs=case == "oue",
            )
            rows[case] = [f"| {what} | one machine, without Spark | {' | '.join(alone)} |"]
        for engine in ("Spark, local[2]", "Spark, 2 workers of 1 core"):
            with ExitStack() as stack:
                cluster = None if "local" in engine else stack.enter_context(running(folder))
                spark = session("local[2]") if cluster is None else session(cluster.address, cluster.settings)
                for case, (study, paths, n) in made.items():
                    rows[case].append(f"| | {engine} | {' | '.join(on_spark(spark, study, paths, n))} |")
                    print(rows[case][-1], flush=True)
                spark.stop()
    table = [row for each in rows.values() for row in each]
    print("\n".join(table))
    conditions = (
        f"{machine('pyspark', 'pyarrow', 'numba')}. {FILES} Parquet files on this machine's disk; each rate and each pass is the best of "
        f"{ROUNDS} after one that warms up; a session is at hand before. A climb ends at a gap of 10^-6 nats per report."
    )
    head = ["| reports | engine | counted | a pass of the likelihood | maximum likelihood |", "|---|---|---|---|---|"]
    write("cluster", [conditions, "", *head, *table])


if __name__ == "__main__":
    main()
