"""Read answers from files, batch by batch, as codes. Invalid rows are skipped and counted.

Columns are mapped through their dictionaries, so the cost of a row doesn't depend on the length of its label.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.arrow import numbers_of_column
from sottovoce.batch.batches import MISSING, Batch
from sottovoce.batch.input_files import Opened, opened
from sottovoce.batch.number_columns import binned, is_answer, located, numbers
from sottovoce.batch.readers import read_columns
from sottovoce.batch.reading import USUAL, Reading
from sottovoce.batch.skipped_rows import EXAMPLES, SkippedRows, WholeFile
from sottovoce.batch.spellings import Almost, Names, Spellings, spelled_out
from sottovoce.domain.columns import WEIGHTS
from sottovoce.errors import ParameterError
from sottovoce.labels import labels_of
from sottovoce.later import pa, pc
from sottovoce.study import Study

Codes = NDArray[np.int64]


_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)")
#: Letters of a text that can't be used that are shown.
_LONGEST = 40
#: Different answers up to which a column is taken for a question.
MOST_DISTINCT = 10_000


@dataclass(frozen=True)
class Answers:
    """The codes of answers, and of their levels and tags (−1 for an answer without a tag)."""

    codes: Codes
    levels: Codes | None
    tags: Codes | None
    weights: NDArray[np.float64] | None = None

    def inputs(self, study: Study) -> Codes:
        """The codes that the channel takes: an answer with a tag counts as that tag's bot."""
        return self.codes if self.tags is None else np.where(self.tags >= 0, len(study.domain) + self.tags, self.codes)


@dataclass(frozen=True)
class _Columns:
    """The columns of a file by their meaning."""

    answer: tuple[str, ...]
    coordinates: bool
    level: str | None
    tag: str | None
    weight: str | None = None

    @property
    def names(self) -> list[str]:
        return [*self.answer, *(name for name in (self.level, self.tag, self.weight) if name is not None)]


def read_answers(
    study: Study,
    source: Opened,
    skipped: SkippedRows[str],
    reading: Reading = USUAL,
    *,
    level: str | None = None,
    unmarked: bool = False,
) -> Iterator[Answers]:
    """Read the answers of a file. `level` applies to all respondents. `unmarked` states that no answer is tagged."""
    check_level(study, level)
    chosen: list[_Columns] = []

    def choose(names: Sequence[str]) -> list[str]:
        chosen.append(_chosen(study, names, source.name, reading.column, level, unmarked=unmarked))
        return chosen[0].names

    def bare(line: str) -> bool:
        return reading.column is None and line != "answer" and is_answer(study.domain, line)

    for batch in read_columns(source, choose, skipped, bare, reading.sheet):
        if not batch.columns:
            answers = Answers(np.zeros(0, np.int64), None, None)
        else:
            answers = _encoded(study, chosen[0], batch, level, skipped, ignore_case=reading.ignore_case)
        skipped.use(len(answers.codes), source.name)
        yield answers


def read_shares(study: Study, path: str, reading: Reading = USUAL, *, marked: bool = False) -> NDArray[np.float64]:
    """Read a distribution over the study's items: a table with a share or a number of people per item, or a list of answers.

    The items are in a column `item` (or one for each axis), their weights in `share`, `count` or `people`. With `marked`, the distribution
    is over items and bots: answers with a tag count as those of its bot.
    """
    skipped, found = WholeFile(), np.zeros(len(study.inputs if marked else study.domain))
    with opened(path, reading.form, reading.encoding) as source:

        def choose(names: Sequence[str]) -> list[str]:
            column = reading.column or next((name for name in ("item", "answer") if name in names), None)
            columns = replace(
                _chosen(study, names, source.name, column, next(iter(study.blocks)), unmarked="tag" not in names),
                weight=next((name for name in WEIGHTS if name in names), None),
            )
            chosen.append(columns)
            return columns.names

        chosen: list[_Columns] = []
        for batch in read_columns(source, choose, skipped, lambda line: is_answer(study.domain, line), reading.sheet):
            answers = _encoded(study, chosen[0], batch, next(iter(study.blocks)), skipped, ignore_case=reading.ignore_case)
            found += np.bincount(answers.inputs(study) if marked else answers.codes, answers.weights, minlength=len(found))
    if not found.sum() > 0:
        raise ParameterError(f"All shares in {path} are zero. Write a number for each item in the column 'share' or 'count'.")
    return found / found.sum()


def distinct_answers(path: str, reading: Reading = USUAL) -> list[str]:
    """The distinct answers of a file, in natural order, because an order by frequency would reveal the ranking.

    If case is ignored, the spelling that comes last in that order, with the fewest leading capitals, stands for the others.
    """
    texts: set[str] = set()
    column = reading.column or "answer"
    with opened(path, reading.form, reading.encoding) as source:

        def choose(names: Sequence[str]) -> list[str]:
            if column not in names:
                listed = ", ".join(map(repr, names))
                raise ParameterError(f"{source.name} has no column {column!r}. Its columns are {listed}. Choose one with --column.")
            return [column]

        for batch in read_columns(source, choose, WholeFile(), lambda line: False, reading.sheet):
            for pair in batch.columns[column].value_counts().to_pylist():
                texts.add((pair["values"] or b"").decode("utf-8", "replace").strip())
    if other := next((text for text in sorted(texts) if spelled_out(text) is not None), None):
        raise ParameterError(
            f"{path} contains '{other}', which isn't UTF-8. Name the encoding of the file with --encoding, for example latin-1."
        )
    found = sorted(texts - {""}, key=natural)
    if reading.ignore_case:
        found = list({text.casefold(): text for text in found}.values())
    if not 2 <= len(found) <= MOST_DISTINCT:
        raise ParameterError(
            f"{path} has {len(found):,} different answer{'s' * (len(found) != 1)}. "
            f"Use a file with 2 to {MOST_DISTINCT:,}, or group the answers."
        )
    return found


def natural(text: str) -> tuple[Any, ...]:
    """A sort key: numbers by value, then texts by their letters and by the values of the numbers in them.

    >>> sorted(["b", "10", "Page 10", "-1", "page 2", "9", "2.5", "A"], key=natural)
    ['-1', '2.5', '9', '10', 'A', 'b', 'page 2', 'Page 10']
    """
    if _NUMBER.fullmatch(text):
        return (0, Decimal(text), text)
    letters = unicodedata.normalize("NFKD", text).casefold()
    parts = [part.lstrip("0") if part.isdecimal() else part for part in re.split(r"([0-9]+)", letters)]
    return (1, [(k % 2, len(part) * (k % 2), part) for k, part in enumerate(parts)], text)


def check_level(study: Study, level: str | None) -> None:
    """Raise an error if the study doesn't have this level."""
    if level is not None and level not in study.levels:
        raise ParameterError(f"The level {level!r} isn't in this study. {_remedy(study)}")


def needs_levels(study: Study, names: Sequence[str], where: str, level: str | None) -> bool:
    """Whether a column of the file gives each person's level. The column must then exist."""
    chooses = bool(study.levels) and level is None
    if chooses and "level" not in names:
        levels = ", ".join(study.levels)
        raise ParameterError(f"{where} has no column 'level'. Add it with one of {levels}, or set one level for all with --level.")
    return chooses


def unknown_level(study: Study) -> str:
    """The reason for skipping a row with an unknown level."""
    return f"its level is none of {', '.join(study.levels)}"


def _remedy(study: Study) -> str:
    return f"Choose one of {', '.join(study.levels)}." if study.levels else "Leave out --level, because the study has no levels."


def _chosen(study: Study, names: Sequence[str], where: str, column: str | None, level: str | None, *, unmarked: bool) -> _Columns:
    """Choose which of the file's columns to read."""
    axes = tuple(str(axis.name) for axis in study.domain.axes if axis.name is not None)
    wanted = column or "answer"
    answer: tuple[str, ...] = (wanted,)
    if wanted not in names and column is None and axes and all(axis in names for axis in axes):
        answer = axes
    elif wanted not in names:
        instead = f" (nor the columns {', '.join(axes)})" if axes and column is None else ""
        remedy = "Name the column with the answers with --column." if column is None else "Choose one of them with --column."
        raise ParameterError(f"{where} has no column {wanted!r}{instead}. Its columns are {', '.join(map(repr, names))}. {remedy}")
    chooses = needs_levels(study, names, where, level)
    if study.tags and not unmarked and "tag" not in names:
        tags = ", ".join(study.tags)
        raise ParameterError(
            f"{where} has no column 'tag', but people can mark answers in this study ({tags}). Add the column, empty for unmarked "
            "answers, or use --unmarked if no answer is marked."
        )
    coordinates = answer == axes and study.domain.axes[0].bounds is not None
    return _Columns(answer, coordinates, "level" if chooses else None, "tag" if study.tags and not unmarked else None)


def _encoded(study: Study, columns: _Columns, batch: Batch, level: str | None, skipped: SkippedRows[str], *, ignore_case: bool) -> Answers:
    """Encode the good rows of a batch."""
    arrays = batch.columns
    if columns.coordinates:
        codes, reason = located(study.domain, [arrays[name] for name in columns.answer]), "it isn't on the grid"
    elif study.domain.edges is not None:
        (codes, clipped), reason = binned(study.domain, arrays[columns.answer[0]]), "it isn't a number"
        skipped.clip(*clipped)
    elif len(columns.answer) > 1:
        codes, reason = _crossed(study, columns.answer, arrays, skipped, ignore_case=ignore_case), "it isn't an item"
    else:
        items, texts = Names.of(labels_of(study.domain), ignore_case=ignore_case), arrays[columns.answer[0]]
        codes, reason = looked_up(texts, items.code), "it isn't an item"
        count_almost(items, texts, codes < 0, skipped)
    good = codes >= 0

    def refuse(wrong: NDArray[np.bool_], why: str, names: Sequence[str]) -> None:
        rows = np.flatnonzero(wrong)
        if not len(rows):
            return
        lengths = [pc.binary_length(arrays[name].take(pa.array(rows))).fill_null(0).to_numpy(zero_copy_only=False) for name in names]
        empty = np.sum(lengths, axis=0) == 0
        kinds = [(rows[~empty], why), (rows[empty], "it is empty")]
        for kind, reason in sorted((kind for kind in kinds if len(kind[0])), key=lambda kind: int(kind[0][0])):
            for row in kind[:EXAMPLES].tolist():
                values = [arrays[name][row].as_py() for name in names]
                skipped.add(f"{batch.where(row)}: {shown_value(values)}", _reason(names, values, reason))
            if len(kind) > EXAMPLES:
                skipped.add(batch.where(int(kind[EXAMPLES])), reason, len(kind) - EXAMPLES)

    refuse(~good, reason, columns.answer)
    levels = tags = None
    if study.levels:
        ranks = Names({name: rank for rank, name in enumerate(study.levels)}, ignore_case=ignore_case)
        everybody = ranks.codes[level or ""] if columns.level is None else 0
        levels = looked_up(arrays[columns.level], ranks.code) if columns.level else np.full(len(codes), everybody, dtype=np.int64)
        refuse(good & (levels < 0), unknown_level(study), ("level",))
        good &= levels >= 0
    if columns.tag is not None:
        marks = Names({tag.strip(): rank for rank, tag in enumerate(study.tags)}, ignore_case=ignore_case)
        tags = looked_up(arrays[columns.tag], lambda text: marks.code(text) if text else -1, unknown=-2)
        refuse(good & (tags < -1), f"its tag is none of {', '.join(study.tags)}", ("tag",))
        good &= tags >= -1
    weights = None
    if columns.weight is not None:
        weights = numbers(arrays[columns.weight])
        usable = (weights >= 0) & (weights < np.inf)
        refuse(good & ~usable, f"its {columns.weight} isn't a number of at least 0", (columns.weight,))
        good &= usable
    if good.all():
        return Answers(codes, levels, tags, weights)
    return Answers(codes[good], *(None if part is None else part[good] for part in (levels, tags, weights)))  # type: ignore[arg-type]  # in order


def count_almost(names: Spellings, column: pa.Array, wrong: NDArray[np.bool_], skipped: SkippedRows[str]) -> None:
    """Count the rows whose text some option would read as a name."""
    if not wrong.any():
        return
    for pair in column.filter(pa.array(wrong)).value_counts().to_pylist():
        text = (pair["values"] or b"").decode("utf-8", "replace").strip()
        if (found := names.almost(text)) is not None:
            skipped.almost(Almost(found[0], text[:_LONGEST], found[1]), pair["counts"])


def shown_value(values: Sequence[bytes | None]) -> str:
    """The value of a row that can't be used, for a message."""
    texts = (value.decode("utf-8", "backslashreplace")[:_LONGEST] if value and value != MISSING else None for value in values)
    return ", ".join("nothing" if text is None else repr(text) for text in texts)


def _reason(names: Sequence[str], values: Sequence[bytes | None], why: str) -> str:
    """A more specific reason why a row can't be used."""
    if all(value == MISSING for value in values):
        return f"it has no {' and '.join(names)}"
    return (
        f"{why} and runs over several lines, maybe because of an unclosed quote"
        if any(b"\n" in value for value in values if value)
        else why
    )


def looked_up(column: pa.Array, code: Callable[[str], int | None], unknown: int = -1) -> Codes:
    """The codes of a column of texts, through its dictionary. Missing ones are −1."""
    encoded = column.dictionary_encode(null_encoding="encode")
    found = []
    for value in encoded.dictionary.to_pylist():
        try:
            each = -1 if value is None else code(value.decode().strip())
        except UnicodeDecodeError:
            each = None
        found.append(unknown if each is None else each)
    return np.array(found, dtype=np.int64)[numbers_of_column(encoded.indices)]


def _crossed(study: Study, names: Sequence[str], arrays: Mapping[str, pa.Array], skipped: SkippedRows[str], *, ignore_case: bool) -> Codes:
    """The codes of items whose labels are in one column per axis."""
    whole = np.zeros(len(arrays[names[0]]), dtype=np.int64)
    for name, axis in zip(names, study.domain.axes, strict=True):
        texts = Names({str(label).strip(): code for code, label in enumerate(axis.labels)}, ignore_case=ignore_case)
        part = looked_up(arrays[name], texts.code)
        count_almost(texts, arrays[name], (whole >= 0) & (part < 0), skipped)
        whole = np.where((whole < 0) | (part < 0), -1, whole * len(axis.labels) + part)
    return whole
