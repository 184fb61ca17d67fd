"""The files behind a frame: which study they belong to, and whether they change.

Only Parquet files name the study of their reports. The driver reads their indexes before any report.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from sottovoce.batch.file_checks import ChangedError, check_column, check_study
from sottovoce.batch.left_out import LEFT_OUT_KEY, NONE, LeftOut
from sottovoce.batch.spark.errors import java_reason, path_name
from sottovoce.errors import ParameterError, ReportError
from sottovoce.study import Study
from sottovoce.wire import STUDY_KEY

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Result = TypeVar("Result")
#: The columns that reports may have.
REPORT_COLUMNS = ("level", "seed", "report")
#: Files that are looked at at the same time, where there are many.
_TOGETHER = 16


@dataclass(frozen=True)
class _Relation:
    """Files that Spark reads as one table: their URLs, whether they are Parquet, and the columns that each must have."""

    files: Sequence[str]
    parquet: bool
    columns: frozenset[str]


@dataclass(frozen=True)
class FrameFiles:
    """The files of a frame in the order in which they were named, each with its state (length and time).

    `locates_rows` means that a row of the frame knows its file and its place there. `stable_order` means that a row is in the same
    partition whenever it's read. `rows` is how many rows there must be if the frame has all rows of the files.
    """

    frame: DataFrame = field(repr=False)
    names: Sequence[str]
    states: Sequence[tuple[int, int]]
    cautions: Sequence[str]
    locates_rows: bool = False
    stable_order: bool = False
    rows: int | None = None
    left_out: LeftOut = NONE

    @classmethod
    def of(cls, frame: DataFrame, study: Study) -> FrameFiles:
        """Inspect all files. Files of another study, or without reports, raise an error."""
        relations = _relations(frame)
        if not relations:
            return cls(frame, (), (), (str(check_study("The frame", None, study)),))
        names, found = list[str](), list[_Found]()
        for relation in relations:
            names += relation.files
            found += _each(partial(_looked_at, frame, study, relation), relation.files)
        plan = frame._jdf.queryExecution().analyzed()
        hidden = {plan.metadataOutput().apply(k).name() for k in range(plan.metadataOutput().size())}
        parquet = all(each.parquet for each in relations)
        rows = sum(each.rows for each in found) if parquet and _only(plan, "Project", "SubqueryAlias") else None
        cautions = [each.caution for each in found if each.caution]
        if twice := [name for name, times in Counter(names).items() if times > 1]:
            cautions.append(f"The frame reads {path_name(twice[0])} more than once, so its reports may be counted twice.")
        for uri, each in zip(names, found, strict=True):
            for column, kind in each.types.items():
                if kind != found[0].types.get(column, kind):
                    first = f"{path_name(names[0])} has {found[0].types[column]}"
                    raise ReportError(
                        f"Column {column!r} of {path_name(uri)} has type {kind}, but {first}. "
                        "Count these files separately and merge the tallies, because Spark would convert the numbers."
                    )
        in_place = _only(plan, "Project", "SubqueryAlias", "Filter")
        tells, left_out = parquet and "_metadata" in hidden, sum((each.left_out for each in found), NONE)
        return cls(frame, names, [each.state for each in found], cautions, tells, in_place, rows, left_out)

    def unchanged(self) -> None:
        """Raise an error if files changed since reading began."""
        for uri, before, now in zip(self.names, self.states, _each(partial(_state, self.frame), self.names), strict=True):
            if now != before:
                raise ChangedError(path_name(uri))

    def all_read(self, rows: int) -> None:
        """Raise an error if more or fewer rows were counted than the files have."""
        if self.rows is not None and rows != self.rows:
            raise ReportError(
                f"The files have {self.rows:,} rows, but {rows:,} were read, so nothing was counted. "
                "Check that Spark doesn't skip damaged files (spark.sql.files.ignoreCorruptFiles)."
            )


def _each(work: Callable[[str], Result], uris: Sequence[str]) -> list[Result]:
    if len(uris) <= _TOGETHER:
        return [work(uri) for uri in uris]
    with ThreadPoolExecutor(_TOGETHER) as pool:
        return list(pool.map(work, uris))


def _relations(frame: DataFrame) -> list[_Relation]:
    """The tables of files at the bottom of a frame's plan. A file that one of them reads twice raises an error."""
    leaves = frame._jdf.queryExecution().analyzed().collectLeaves()
    found = []
    for leaf in map(leaves.apply, range(leaves.size())):
        relation = leaf.relation() if leaf.getClass().getSimpleName() == "LogicalRelation" else None
        if relation is None or relation.getClass().getSimpleName() != "HadoopFsRelation":
            continue
        files = list(relation.location().inputFiles())
        if len(set(files)) < len(files):
            twice = next(uri for place, uri in enumerate(files) if uri in files[:place])
            raise ParameterError(f"{path_name(twice)} is named more than once and would be counted twice. Name it once.")
        parquet = str(relation.fileFormat().toString()) == "Parquet"
        inside = set(relation.dataSchema().fieldNames()) - set(relation.partitionSchema().fieldNames())
        found.append(_Relation(files, parquet, frozenset(REPORT_COLUMNS) & inside if "report" in frame.columns else frozenset({"report"})))
    return found


def _only(plan: Any, *steps: str) -> bool:
    """Whether a plan reads files and does nothing else with them than these steps."""
    while plan.children().size() == 1 and plan.getClass().getSimpleName() in steps:
        plan = plan.children().apply(0)
    return str(plan.getClass().getSimpleName()) == "LogicalRelation"


def _status(frame: DataFrame, uri: str) -> tuple[Any, Any]:
    """The file system's state of a file, and the settings of file systems."""
    session: Any = frame.sparkSession
    settings = session._jsparkSession.sessionState().newHadoopConf()
    path = session._jvm.org.apache.hadoop.fs.Path(session._jvm.java.net.URI(uri))
    return path.getFileSystem(settings).getFileStatus(path), settings


def _state(frame: DataFrame, uri: str) -> tuple[int, int] | None:
    """The length and time of a file, None if it no longer exists."""
    from py4j.protocol import Py4JJavaError

    try:
        status, _ = _status(frame, uri)
    except Py4JJavaError:
        return None
    return int(status.getLen()), int(status.getModificationTime())


@dataclass(frozen=True)
class _Found:
    """The state of a file, its rows, a caution if it doesn't name the study, what its columns of numbers contain, and what was left out
    when it was written.
    """

    state: tuple[int, int]
    rows: int
    caution: str | None
    types: Mapping[str, str] = field(default_factory=dict)
    left_out: LeftOut = NONE


def _looked_at(frame: DataFrame, study: Study, relation: _Relation, uri: str) -> _Found:
    """Inspect a file. Another kind of file raises an error."""
    from py4j.protocol import Py4JJavaError

    jvm: Any = frame.sparkSession._jvm
    name = path_name(uri)
    try:
        status, settings = _status(frame, uri)
        state = int(status.getLen()), int(status.getModificationTime())
        if not relation.parquet:
            return _Found(state, 0, check_study(name, None, study))
        hadoop = jvm.org.apache.parquet.hadoop
        reader = hadoop.ParquetFileReader.open(hadoop.util.HadoopInputFile.fromStatus(status, settings))
        try:
            rows = int(reader.getRecordCount())
            about = reader.getFooter().getFileMetaData()
            made_under, left_out = (about.getKeyValueMetaData().get(key.decode()) for key in (STUDY_KEY, LEFT_OUT_KEY))
            schema = about.getSchema()
            columns = [str(schema.getFieldName(place)) for place in range(schema.getFieldCount())]
            kinds = {name: _kind(schema.getType(place)) for place, name in enumerate(columns) if name in REPORT_COLUMNS}
        finally:
            reader.close()
    except Py4JJavaError as error:
        raise ParameterError(f"{name} isn't a Parquet file or is damaged: {java_reason(error)}") from None
    caution = check_study(name, None if made_under is None else str(made_under), study)
    for column in sorted(relation.columns):
        check_column(name, column, columns)
    before = NONE if left_out is None else LeftOut.of({LEFT_OUT_KEY: str(left_out).encode()})
    return _Found(state, rows, caution, kinds, before)


def _kind(column: Any) -> str:
    """The kind of a column. Bytes of any length are one kind."""
    if not column.isPrimitive():
        return str(column.toString())
    name = str(column.getPrimitiveTypeName().toString())
    logical = column.getLogicalTypeAnnotation()
    return "bytes" if name in {"BINARY", "FIXED_LEN_BYTE_ARRAY"} and logical is None else f"{name} {logical or ''}".strip()
