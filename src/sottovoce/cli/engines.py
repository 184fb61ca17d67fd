"""Where reports are counted: on this machine, or on a Spark cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from sottovoce.batch.collected import Collected
    from sottovoce.study import Study

LOCAL, SPARK = "local", "spark"
EngineOption = Annotated[
    str, typer.Option("--engine", metavar="local|spark", help="Count on this machine, or on a Spark cluster (Parquet only).")
]
MasterOption = Annotated[
    str | None,
    typer.Option(
        "--master",
        metavar="URL",
        help="The Spark cluster: spark://host:7077, yarn or k8s://… [dim]By default this machine.[/dim]",
    ),
]


def on_cluster(engine: str, master: str | None) -> bool:
    """Whether the user asked for a cluster."""
    from sottovoce.errors import ParameterError

    if engine not in {LOCAL, SPARK}:
        raise ParameterError(f"--engine is {engine!r}. Choose local or spark.")
    if master is not None and engine != SPARK:
        raise ParameterError("--master needs --engine spark. Add it or leave out --master.")
    return engine == SPARK


@contextmanager
def gathered(
    study: Study,
    files: Sequence[str],
    *,
    cluster: bool,
    master: str | None = None,
    method: str | None = None,
    keep: bool | None = None,
    strict: bool = False,
    parts: str | None = None,
) -> Iterator[Collected]:
    """The tally of files. A cluster can be queried about their reports inside this context."""
    if not cluster:
        from sottovoce.batch.collecting import collect

        yield _any(collect(study, files, method=method, keep=keep, strict=strict, parts=parts), files)
        return
    from sottovoce.batch import spark

    with spark.running(master) as session:
        yield _any(spark.collect(study, spark.read(session, files), method=method, keep=keep, strict=strict), files)


def _any(found: Collected, files: Sequence[str]) -> Collected:
    """What was found. Raises if it contains no report."""
    from sottovoce.batch.file_checks import named

    if not found.tally.n:
        found.skipped.check_used(named(files))
    return found
