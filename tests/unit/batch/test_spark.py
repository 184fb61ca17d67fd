"""What the Spark engine does without Spark: it adds up what workers left out, explains failures, and checks options."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from invoking import run
from messages import wording
from sottovoce.batch.skipped_rows import REASONS, Numbered, SkippedRows
from sottovoce.batch.spark.errors import translated
from sottovoce.batch.spark.worker_rows import note_of, skipped_of


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["a", "b", "c"]))), st.permutations(range(4)))
def test_what_workers_leave_out_adds_up_in_any_order(rows: list[tuple[int, str]], order: list[int]) -> None:
    whole, parts = SkippedRows[Numbered](), [SkippedRows[Numbered]() for _ in range(4)]
    for row, (partition, reason) in sorted(enumerate(rows), key=lambda each: each[1][0]):
        whole.add((partition, row), reason)
        parts[partition].add((partition, row), reason)
    together = sum((skipped_of(note_of(parts[k])) for k in order), start=SkippedRows[Numbered]())
    assert (together.reasons, together.examples) == (whole.reasons, whole.examples)
    many = SkippedRows[Numbered]()
    for row in range(200):
        many.add((0, row), f"reason {row}")
    assert (many + many).count == 400
    assert len((many + many).at_most(REASONS).reasons) <= 51


def test_what_spark_says_is_told_shortly() -> None:
    stack = "\n\tat org.apache.spark.X(X.scala:1)\n"
    for said, *values in [
        ("[UNABLE_TO_INFER_SCHEMA] Unable to infer schema for Parquet. SQLSTATE: 42KD9", "Parquet"),
        ("Total size of serialized results is bigger than spark.driver.maxResultSize" + stack, "keep=None"),
        ("Traceback (most recent call last):\n  File x\nMemoryError: too much\n", "MemoryError: too much"),
        ("[PYTHON_EXCEPTION] Traceback\nModuleNotFoundError: No module named 'sottovoce'\n", "sottovoce"),
        ("[SOME_THING.ELSE] It broke." + stack, "SOME_THING.ELSE", "It broke."),
        ("java.lang.Odd: dear me" + stack, "java.lang.Odd: dear me"),
    ]:
        error = str(translated(said))
        assert all(value in error for value in values)
        wording(error)
        assert "\n" not in error


def test_options_of_engines(place: Path) -> None:
    for value, *arguments in (
        ("'cluster'", "tally", "r.parquet", "--engine", "cluster"),
        ("--engine spark", "estimate", "r.parquet", "--master", "local[2]"),
        ("merge", "tally", "merge", "a.arrow", "b.arrow", "--engine", "spark"),
        ("--engine spark", "tally", "r.parquet", "--parts", "p", "--engine", "spark"),
        ("Parquet", "estimate", "-", "--engine", "spark"),
        ("Parquet", "estimate", "--engine", "spark"),
    ):
        said = run(place, *arguments, code=1).stderr.decode()
        assert value in said
        wording(said)
