"""Spark and one machine count and estimate the same, and what is wrong with files and rows is told in the same words."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import invoking
import sottovoce as sv
from collectors import named, some_reports
from messages import refused, wording
from processes import PROGRAM, as_json, listening, run
from sottovoce.batch import collecting
from sottovoce.batch.input_files import expanded
from sottovoce.batch.skipped_rows import BadRowsError
from sottovoce.batch.spark import collect, merging, read, session
from sottovoce.batch.spark import collecting as spark_collecting
from sottovoce.batch.spark.counting import count
from sottovoce.batch.spark.frame_files import FrameFiles
from sottovoce.batch.writers import writing_reports
from sottovoce.channels.likelihood import total
from sottovoce.estimators.report_likelihood import of_blocks
from studies import QUESTIONNAIRES, STUDIES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.usefixtures("java")


@cache
def krr() -> sv.Study:
    return sv.Study.from_toml(STUDIES["ldp"] + '[mechanism]\nname = "krr"\n')


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    found = session("local[2]", {"spark.sql.shuffle.partitions": "2", "spark.sql.files.maxPartitionBytes": "64k"})
    yield found
    found.stop()


def written(folder: Path, study: sv.Study, count: int, *, files: int = 1, seed: int = 1) -> list[str]:
    """FrameFiles of reports."""
    reports, paths = some_reports(study, count, seed), [str(folder / f"part {k}%.parquet") for k in range(files)]
    for k, path in enumerate(paths):
        with writing_reports(path, None, study) as out:
            out.write(reports[count * k // files : count * (k + 1) // files])
    return paths


@pytest.mark.parametrize(
    "kinds",
    [list(STUDIES)[0::3], list(STUDIES)[1::3], list(STUDIES)[2::3], list(QUESTIONNAIRES)],
    ids=["first", "second", "third", "questionnaires"],
)
def test_the_tally_is_the_same_to_the_last_bit(kinds: list[str], spark: SparkSession, tmp_path: Path) -> None:
    for place, kind in enumerate(kinds):
        study = named(kind)
        reports = some_reports(study, 400)
        with writing_reports(str(tmp_path / f"{kind}.parquet"), None, study) as out:
            out.write(reports)
        kept = sv.Tally(study.mechanism, keep_reports=True).add(reports)
        alone = collecting.collect(study, [str(tmp_path / f"{kind}.parquet")], keep=True)
        frame = read(spark, [str(tmp_path / f"{kind}.parquet")])
        parts = (1, 2, 7)[place % 3]
        found = collect(study, frame if parts == 1 else frame.repartition(parts), keep=True, strict=True)
        assert not found.cautions
        assert found.tally.to_bytes() == alone.tally.to_bytes()
        assert found.tally.totals().to_bytes() == kept.totals().to_bytes()
        assert found.tally.blocks == kept.blocks
        assert found.skipped.used == 400


def log_likelihood(tally: sv.Tally, p: Any) -> float:
    """Per report, from reports that are at hand."""
    return total(of_blocks([block for block in tally.blocks if block.n]), p).value / tally.n


@pytest.mark.parametrize("kind", ["integers", "uldp", "olh", "tags-and-levels"])
def test_the_likelihood_is_climbed_on_the_cluster(kind: str, spark: SparkSession, tmp_path: Path) -> None:
    study = named(kind)
    paths = written(tmp_path, study, 3000, files=20 if kind == "olh" else 3)
    alone = collecting.collect(study, paths).tally
    found = collect(study, read(spark, paths))
    assert found.tally.to_bytes() == alone.totals().to_bytes()
    assert not any(block.piles for block in found.tally.blocks)
    here, there = sv.estimate(alone), sv.estimate(found.tally)
    assert there.method == "mle"
    assert there.gap is not None
    assert there.gap < 2e-3
    assert abs(there.iterations - here.iterations) <= 1  # type: ignore[operator]  # both climb
    assert abs(log_likelihood(alone, there.p) - log_likelihood(alone, here.p)) < 1e-9
    assert np.allclose(there.stderr, here.stderr, rtol=1e-6)
    with refused(sv.UnsupportedError):
        sv.estimate(found.tally, "corrected")
    remote = found.tally.blocks[-1].remote
    assert (found.tally + found.tally).blocks[0].remote is None
    assert found.tally == alone.totals()
    remote.close()  # type: ignore[union-attr]  # it is there
    with refused(sv.ReportError):
        sv.estimate(found.tally)


def test_other_methods_on_the_cluster(spark: SparkSession, tmp_path: Path) -> None:
    study = named("lifted")
    paths = written(tmp_path, study, 2000)
    alone, remote = collecting.collect(study, paths).tally, collect(study, read(spark, paths)).tally
    prior = [0.1, 0.2, 0.3, 0.2, 0.2]
    for method, options in (("map", {"strength": 3.0}), ("em", {"iterations": 5}), ("mmse", {"prior": prior})):
        here, there = (sv.estimate(each, method, **options) for each in (alone, remote))
        assert np.allclose(here.p, there.p, atol=1e-9), method
    assert np.allclose(sv.estimate(alone, "projected").p, sv.estimate(remote, "projected").p)
    totals = collect(study, read(spark, paths), method="projected").tally
    assert totals.blocks[0].remote is None
    assert totals.to_bytes() == alone.totals().to_bytes()


def test_many_results_are_put_together_as_a_tree(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = named("tags-and-levels")
    paths = written(tmp_path, study, 2000)
    table = pq.read_table(paths[0])
    levels = table.column("level").to_pylist()
    levels[1500] = "nobody's"
    pq.write_table(table.set_column(0, "level", pa.array(levels)).replace_schema_metadata(table.schema.metadata), paths[0])
    alone = collecting.collect(study, paths)
    monkeypatch.setattr(merging, "FANOUT", 3)
    found = collect(study, read(spark, paths).repartition(11))
    assert found.tally.to_bytes() == alone.tally.totals().to_bytes()
    assert found.skipped.to_dict() == alone.skipped.to_dict()
    assert abs(log_likelihood(alone.tally, sv.estimate(found.tally).p) - log_likelihood(alone.tally, sv.estimate(alone.tally).p)) < 1e-9


def test_bad_rows_are_told_as_by_one_machine(spark: SparkSession, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    paths = []
    for k, name in enumerate(["b.parquet", "a b.parquet", "c%20d.parquet"]):
        codes = [int(code) for code in rng.integers(0, 5, 40_000)]
        mixed: list[int | None] = [*codes]
        for row in rng.integers(0, 40_000, 6).tolist():
            mixed[row] = None if row % 2 else 9
        mixed[77] = 200 if k else 3
        pq.write_table(pa.table({"report": pa.array(mixed, type=pa.uint8())}), tmp_path / name, row_group_size=5000)
        paths.append(str(tmp_path / name))
    alone, found = collecting.collect(krr(), paths), collect(krr(), read(spark, paths))
    assert read(spark, paths).rdd.getNumPartitions() > 2
    assert found.tally.to_bytes() == alone.tally.to_bytes()
    assert found.skipped.to_dict() == alone.skipped.to_dict()
    assert found.skipped.used == alone.skipped.used
    assert sorted(found.cautions) == sorted(alone.cautions)
    with pytest.raises(BadRowsError) as here:
        collecting.collect(krr(), paths, strict=True)
    with pytest.raises(BadRowsError, match=re.escape(str(here.value))):
        collect(krr(), read(spark, paths), strict=True)
    frame = spark.createDataFrame([(k if k < 4 else None,) for k in range(6)], "report int").coalesce(1)
    loose = collect(krr(), frame)
    assert (loose.tally.n, loose.skipped.count) == (4, 2)
    assert list(loose.skipped.examples.values()) == [["partition 0, row 5", "partition 0, row 6"]]
    assert len(loose.cautions) == 1
    wording(loose.cautions[0])


def test_hopeless_input(spark: SparkSession, tmp_path: Path) -> None:
    pq.write_table(pa.table({"report": pa.array([7] * 3000, type=pa.int64())}), tmp_path / "bad.parquet")
    with refused(sv.ReportError, tmp_path / "bad.parquet", "row 1:"):
        collect(krr(), read(spark, [str(tmp_path / "bad.parquet")]))
    pq.write_table(pa.table({"report": pa.array([1] * 10, type=pa.int64())}), tmp_path / "good.parquet")
    both = [str(tmp_path / "good.parquet"), str(tmp_path / "bad.parquet")]
    found = collect(krr(), read(spark, both).repartition(2, "report"))
    assert (found.tally.n, found.skipped.count) == (10, 3000)


def test_files_of_something_else(spark: SparkSession, tmp_path: Path) -> None:
    study, other = named("integers"), named("integers", "another-one")
    paths = written(tmp_path, study, 500)
    with pytest.raises(sv.ReportError) as here:
        collecting.collect(other, paths)
    with pytest.raises(sv.ReportError, match=re.escape(str(here.value))):
        collect(other, read(spark, paths))
    assert collect(study, read(spark, [*paths * 2, str(tmp_path)])).tally.n == 500, "a file that is named again is read once"
    with refused(sv.ParameterError, "part 0%.parquet"):
        collect(study, spark.read.parquet(*paths * 2))
    with refused(sv.ParameterError, "no-such.parquet"):
        read(spark, [str(tmp_path / "no-such.parquet")])
    with refused(sv.ParameterError):
        read(spark, str(tmp_path))
    whole = Path(paths[0]).read_bytes()
    (tmp_path / "cut.parquet").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(sv.SottovoceError, match="cut.parquet"):
        collect(study, read(spark, [*paths, str(tmp_path / "cut.parquet")]))
    with pytest.raises(sv.SottovoceError, match="cut.parquet"):
        read(spark, [str(tmp_path / "cut.parquet")])
    # the index is whole, a page is not
    (tmp_path / "torn.parquet").write_bytes(whole[:40] + bytes(200) + whole[240:])
    with refused(sv.ReportError, "torn.parquet") as torn:
        collect(study, read(spark, [str(tmp_path / "torn.parquet")]))
    assert "\n" not in str(torn.value)
    spark.conf.set("spark.sql.files.ignoreCorruptFiles", "true")
    try:
        with refused(sv.ReportError, 500, 0):
            collect(study, spark.read.parquet(str(tmp_path / "torn.parquet")))
    finally:
        spark.conf.unset("spark.sql.files.ignoreCorruptFiles")
    pq.write_table(pa.table({"answer": ["flu"]}), tmp_path / "answers.parquet")
    with refused(sv.ReportError, "'report'", "answer"):
        collect(study, read(spark, [str(tmp_path / "answers.parquet")]))
    with refused(sv.ReportError, "answers.parquet", "'report'", "answer"):
        collect(study, read(spark, [*paths, str(tmp_path / "answers.parquet")]))
    pq.write_table(pa.table({"report": pa.array(["x"] * 2000)}), tmp_path / "text.parquet")
    with refused(sv.ReportError, "text.parquet"):
        collect(study, read(spark, [str(tmp_path / "text.parquet")]))
    pq.write_table(pa.table({"report": pa.array([0.5] * 20)}), tmp_path / "numbers.parquet")
    with refused(sv.ReportError, "numbers.parquet", "'report'", "DOUBLE", "part 0%.parquet"):
        collect(study, read(spark, [*paths, str(tmp_path / "numbers.parquet")]))
    with refused(sv.ParameterError, "DataFrame"):
        collect(study, pa.table({"report": [1]}))


@pytest.mark.parametrize("how", ["grown", "gone"])
def test_a_file_that_is_not_any_more_what_it_was(how: str, spark: SparkSession, tmp_path: Path) -> None:
    study = named("integers")
    paths = written(tmp_path, study, 500, files=2)
    files = FrameFiles.of(read(spark, paths), study)
    files.unchanged()
    if how == "grown":
        with open(paths[1], "ab") as file:
            file.write(b"more")
    else:
        Path(paths[1]).unlink()
    with refused(sv.ReportError, "part 1%.parquet"):
        files.unchanged()


def test_a_file_that_changes_while_it_is_read(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = named("integers")
    paths = written(tmp_path, study, 500, files=2)

    def meddled(*arguments: Any, **options: Any) -> Any:
        found = count(*arguments, **options)
        os.utime(paths[0], (1, 1))
        return found

    monkeypatch.setattr(spark_collecting, "count", meddled)
    with refused(sv.ReportError, "part 0%.parquet"):
        collect(study, read(spark, paths))


def test_a_file_that_changes_later(spark: SparkSession, tmp_path: Path) -> None:
    """Neither the tally of before nor the reports of now are taken for the other."""
    study = named("integers")
    (path,) = written(tmp_path, study, 500)
    first = collect(study, read(spark, [str(tmp_path)]))
    written(tmp_path, study, 500, seed=2)
    with refused(sv.ReportError, "part 0%.parquet"):
        sv.estimate(first.tally)
    second = collect(study, read(spark, [str(tmp_path)]))
    assert second.tally.to_bytes() == collecting.collect(study, [path]).tally.totals().to_bytes()
    assert second.tally != first.tally
    written(tmp_path, study, 800, files=2)
    third = collect(study, read(spark, [str(tmp_path)]))
    assert third.tally.n == 800
    here = collecting.collect(study, [str(tmp_path / f"part {k}%.parquet") for k in range(2)]).tally
    assert abs(log_likelihood(here, sv.estimate(third.tally).p) - log_likelihood(here, sv.estimate(here).p)) < 1e-9


def test_the_same_files_are_meant_as_on_one_machine(spark: SparkSession, tmp_path: Path) -> None:
    study = named("integers")
    for place, seed in (("a b%20.parquet", 1), ("sub/c.parquet", 2), ("sub/day=1/d.parquet", 3), ("_temporary/e.parquet", 4)):
        (tmp_path / "all" / place).parent.mkdir(parents=True, exist_ok=True)
        (found,) = written(tmp_path, study, 100 * seed, seed=seed)
        Path(found).rename(tmp_path / "all" / place)
    files = expanded([str(tmp_path / "all")])
    assert len(files) == 3
    assert collect(study, read(spark, [str(tmp_path / "all")])).tally == collecting.collect(study, files, keep=False).tally
    for name, seed in (("x[1].parquet", 5), ("x1.parquet", 6)):
        Path(written(tmp_path, study, 100 * seed, seed=seed)[0]).rename(tmp_path / name)
    assert collect(study, read(spark, [str(tmp_path / "x[1].parquet")])).tally.n == 500
    assert collect(study, read(spark, [str(tmp_path / "x*.parquet")])).tally.n == 1100
    with refused(sv.ParameterError, "no such one.parquet"):
        read(spark, [str(tmp_path / "no such one.parquet")])


def test_numbers_are_not_changed_on_the_way(spark: SparkSession, tmp_path: Path) -> None:
    """Spark reads files of different integers as the first of them."""
    pq.write_table(pa.table({"report": pa.array([1, 2] * 50, type=pa.uint8())}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"report": pa.array([65_539] * 10, type=pa.int32())}), tmp_path / "b.parquet")
    with refused(sv.ReportError, "b.parquet", "'report'", "INT32", "a.parquet", "INTEGER(8,false)"):
        collect(krr(), read(spark, [str(tmp_path / "a.parquet"), str(tmp_path / "b.parquet")]))
    frame = read(spark, [str(tmp_path / "a.parquet")])
    twice = collect(krr(), frame.union(frame))
    assert twice.tally.n == 200
    assert any("a.parquet more than once" in each for each in twice.cautions)


def test_levels_are_told_apart_as_they_are_written(spark: SparkSession) -> None:
    study = sv.Study.from_toml(STUDIES["levels"].replace("open = inf", "none = 1.0") + '[mechanism]\nname = "krr"\n')
    record = next(iter(study.blocks.values())).perturb([next(iter(study.domain))]).to_bytes()
    rows = [("careful", record)] * 5 + [("CAREFUL", record)] * 7
    frame = spark.createDataFrame(rows, "level string, report binary")
    for each in (frame, frame.selectExpr("collate(level, 'UTF8_LCASE') AS level", "report")):
        found = collect(study, each)
        assert (found.tally.n, found.skipped.count) == (5, 7)


def test_nothing_at_all(spark: SparkSession, tmp_path: Path) -> None:
    for study in (krr(), named("integers")):
        paths = written(tmp_path, study, 0)
        for frame in (read(spark, paths), spark.createDataFrame([], "report binary")):
            found = collect(study, frame)
            assert (found.tally.n, found.skipped.count) == (0, 0)
            assert found.tally.to_bytes() == sv.Tally(study.mechanism).to_bytes()


def test_what_is_missing_for_spark_is_named(tmp_path: Path) -> None:
    program = "from sottovoce.batch.spark import session; session()"
    without = "import sys; sys.modules['pyspark'] = None; " + program
    for code, settings, told in [
        (without, {}, "pip install 'pyspark"),
        (program, {"JAVA_HOME": str(tmp_path)}, "Install a Java runtime 17 or newer"),
    ]:
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=os.environ | settings, timeout=60
        )
        assert done.returncode == 1
        assert told in done.stderr.splitlines()[-1]


def test_levels_in_the_names_of_folders(spark: SparkSession, tmp_path: Path) -> None:
    study = named("levels")
    paths = written(tmp_path, study, 300)
    table = pq.read_table(paths[0])
    for level in study.blocks:
        part = table.filter(pa.compute.equal(table.column("level").cast(pa.string()), level)).drop_columns(["level"])
        (tmp_path / "all" / f"level={level}").mkdir(parents=True)
        pq.write_table(part.replace_schema_metadata(table.schema.metadata), tmp_path / "all" / f"level={level}" / "a.parquet")
    found = collect(study, read(spark, [str(tmp_path / "all")]))
    assert not found.cautions
    assert found.tally.to_bytes() == collecting.collect(study, paths).tally.totals().to_bytes()


def test_the_commands_run_on_spark(place: Path) -> None:
    """In processes of their own, each with a session of its own."""
    invoking.run(place, "new", "survey", "-o", "other.toml")
    (place / "reports").mkdir()
    for day in ("mon", "tue"):
        invoking.run(place, "perturb", "answers.csv", "-o", f"reports/{day}.parquet")
    invoking.run(place, "tally", "reports", "-o", "here.arrow", "--totals", "--no-parts")
    spark = ("--engine", "spark", "--master", "local[2]")
    done = run(place, "tally", "reports", "-o", "there.arrow", *spark)
    assert (done.stdout, done.stderr) == (b"8,000 reports of clinic-2026 written to there.arrow\n", b"")
    assert (place / "there.arrow").read_bytes() == (place / "here.arrow").read_bytes()
    here, there = invoking.as_json(place, "estimate", "reports"), as_json(place, "estimate", "reports", *spark)
    assert here["method"] == there["method"] == "mle"
    for one, other in zip(here["items"], there["items"], strict=True):
        assert one["p"] == pytest.approx(other["p"], abs=1e-4)
    said = run(place, "tally", "other.toml", "reports", *spark, code=1).stderr.decode()
    assert re.search(r"reports/(mon|tue)\.parquet", said)
    assert here["fingerprint"] in said
    assert "'my-survey'" in said


def alive(folder: Path) -> list[str]:
    """The processes that run in a folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if os.readlink(process / "cwd") == str(folder.resolve()):
                found.append((process / "cmdline").read_text(errors="replace"))
    return found


@pytest.mark.parametrize("after", [0.0, 5.0])
def test_an_interruption_leaves_nothing_behind(after: float, place: Path) -> None:
    """Shortly after Java was started, and when it is at work."""
    invoking.run(place, "perturb", "answers.csv", "-o", "r.parquet")
    command = [*PROGRAM, "estimate", "r.parquet", "--engine", "spark", "--master", "local[2]"]
    process = subprocess.Popen(command, cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=listening)  # noqa: PLW1509 - nothing of this process is used before the program begins
    deadline = time.monotonic() + 90
    while not any("SparkSubmit" in each for each in alive(place)):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)
    time.sleep(after)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=90)
    assert b"Traceback" not in said
    if process.returncode:  # it may have been done already
        assert (process.returncode, said) == (130, b"sottovoce: Interrupted. No file was left half-written.\n")
    while left := alive(place):
        assert time.monotonic() < deadline + 60, left
        time.sleep(0.2)


def test_answers_that_were_left_out_are_mentioned_as_on_one_machine(spark: SparkSession, place: Path) -> None:
    (place / "more.csv").write_text((place / "answers.csv").read_text() + "nothing\n" * 12)
    for number in range(2):
        invoking.run(place, "perturb", "more.csv", "-o", f"r{number}.parquet")
    paths = [str(place / f"r{number}.parquet") for number in range(2)]
    study = sv.Study.load(place / "study.toml")
    found, here = collect(study, read(spark, paths)), collecting.collect(study, paths)
    assert found.left_out == here.left_out
    assert found.left_out.answers == 24
    assert found.cautions == here.cautions
