"""Read answers to questionnaires from files: one column per question, batch by batch, as codes of every field."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.batch.answers import check_level, count_almost, looked_up, needs_levels, shown_value, unknown_level
from sottovoce.batch.batches import MISSING, Batch
from sottovoce.batch.input_files import Opened
from sottovoce.batch.number_columns import binned, located
from sottovoce.batch.readers import read_columns
from sottovoce.batch.reading import USUAL, Reading
from sottovoce.batch.skipped_rows import EXAMPLES, SkippedRows
from sottovoce.batch.spellings import Choices, Names, Spellings
from sottovoce.errors import ParameterError
from sottovoce.labels import labels_of
from sottovoce.later import pc
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.study.questions import Question, shown_to

Fields = dict[str, NDArray[np.int64]]

#: What stands between the labels of several choices.
_BETWEEN = ";"


@dataclass(frozen=True)
class Records:
    """The codes of every field, and the numbers of the levels that people chose, if they choose one."""

    fields: Fields
    levels: NDArray[np.int64] | None

    def __len__(self) -> int:
        return len(next(iter(self.fields.values())))


def read_records(
    study: Questionnaire, source: Opened, skipped: SkippedRows[str], reading: Reading = USUAL, *, level: str | None = None
) -> Iterator[Records]:
    """Read the answers of a file. `level` applies to all respondents and replaces a column `level`.

    A row with an unusable answer or level is skipped as a whole, and counted under the first such value.
    """
    check_level(study, level)
    columns = {question.name: _columns(question) for question in study.questions}
    chosen: list[bool] = []

    def choose(names: Sequence[str]) -> list[str]:
        chosen.append(needs_levels(study, names, source.name, level))
        known = [column for each in columns.values() for column in each]
        if missing := [column for column in known if column not in names]:
            raise ParameterError(f"{source.name} has no column {missing[0]!r}. Add a column for each question: {', '.join(known)}.")
        if others := [name for name in names if name not in known and not (study.levels and name == "level")]:
            raise ParameterError(
                f"{source.name} has a column {others[0]!r}, which isn't a question of this study. Remove or rename it. The questions are "
                f"{', '.join(columns)}."
            )
        return [*known, "level"] if chosen[0] else known

    for batch in read_columns(source, choose, skipped, lambda line: False, reading.sheet):
        rows = len(next(iter(batch.columns.values()))) if batch.columns else 0
        if not rows:
            continue
        everybody = None if level is None else np.full(rows, study.levels.index(level), dtype=np.int64)
        levels = _levels(study, batch, ignore_case=reading.ignore_case) if chosen[0] else everybody
        found = _encoded(study, batch, columns, levels, skipped, ignore_case=reading.ignore_case)
        skipped.use(len(found), source.name)
        yield found


def _columns(question: Question) -> list[str]:
    """The columns of a question: one, or one for each coordinate of a place."""
    axes = question.answers.axes
    if all(axis.bounds for axis in axes):
        return [f"{question.name}.{axis.name}" for axis in axes]
    return [question.name]


def _levels(study: Questionnaire, batch: Batch, *, ignore_case: bool) -> NDArray[np.int64]:
    """The numbers of the levels in a column, −1 for unknown ones."""
    ranks = Names({name: rank for rank, name in enumerate(study.levels)}, ignore_case=ignore_case)
    return looked_up(batch.columns["level"], ranks.code)


def _encoded(
    study: Questionnaire,
    batch: Batch,
    columns: dict[str, list[str]],
    levels: NDArray[np.int64] | None,
    skipped: SkippedRows[str],
    *,
    ignore_case: bool,
) -> Records:
    """Encode the good rows of a batch."""
    found: Fields = {}
    rows = len(next(iter(batch.columns.values())))
    good = np.ones(rows, dtype=np.bool_)

    def refuse(wrong: NDArray[np.bool_], words: str, arrays: Sequence[Any]) -> None:
        """Skip rows for a reason, with some examples."""
        places = np.flatnonzero(wrong)
        for row in places[:EXAMPLES].tolist():
            skipped.add(f"{batch.where(row)}: {shown_value([array[row].as_py() for array in arrays])}", words)
        if len(places) > EXAMPLES:
            skipped.add(batch.where(int(places[EXAMPLES])), words, len(places) - EXAMPLES)

    for question in study.questions:
        arrays = [batch.columns[name] for name in columns[question.name]]
        fields, reasons, names = _fields(question, arrays, skipped, ignore_case=ignore_case)
        shown = shown_to(question, study.questions, found)
        for name, codes in fields.items():
            if shown is not None:
                codes[~shown] = question.fields[name].code(question.skipped)
            found[name] = codes
        wrong = good & (next(iter(fields.values())) < 0)
        good &= ~wrong
        if names is not None:
            count_almost(names, arrays[0], wrong, skipped)
        for reason in dict.fromkeys(reasons[wrong].tolist()):
            refuse(wrong & (reasons == reason), f"{question.name!r}: {reason}", arrays)
    if levels is not None:
        wrong = good & (levels < 0)
        good &= ~wrong
        if wrong.any():
            column = batch.columns["level"]
            without = _is_empty(column) | np.asarray(pc.fill_null(pc.equal(column, MISSING), fill_value=True))
            refuse(wrong & ~without, unknown_level(study), [column])
            refuse(wrong & without, "it has no level", [column])
    return Records({name: codes[good] for name, codes in found.items()}, None if levels is None else levels[good])


def _fields(
    question: Question, arrays: Sequence[Any], skipped: SkippedRows[str], *, ignore_case: bool
) -> tuple[Fields, NDArray[Any], Spellings | None]:
    """The codes of a question's fields (−1 for unusable answers), the reasons, and the spellings of its answers if they have names."""
    reasons = np.full(len(arrays[0]), "it isn't an item", dtype=object)
    reasons[np.asarray([_is_empty(array) for array in arrays]).all(axis=0)] = "it is empty"
    if question.choices:
        boxes = Choices(Names.of(labels_of(question.choosable), ignore_case=ignore_case), _BETWEEN)
        return _ticked(question, arrays[0], reasons, boxes.each), reasons, boxes
    if len(arrays) > 1:
        located_at = {question.name: located(question.answers, arrays)}
        return located_at, np.where(reasons == "it is empty", reasons, "it isn't on the grid"), None
    if question.answers.edges is not None:
        codes, clipped = binned(question.answers, arrays[0])
        skipped.clip(*clipped)
        extras = {str(extra): question.domain.code(extra) for extra in (question.other, question.refusal) if extra is not None}
        beside = Names(extras, ignore_case=ignore_case)
        codes = np.where(codes < 0, looked_up(arrays[0], beside.code), codes)
        return {question.name: codes}, np.where(reasons == "it is empty", reasons, "it isn't a number"), beside
    names = Names.of(labels_of(question.domain), ignore_case=ignore_case)
    codes = looked_up(arrays[0], names.code)
    reasons[looked_up(arrays[0], lambda text: _number_named(text, names.code)) > 1] = "it names several answers, but the question takes one"
    if question.skipped is not None:  # such an answer is made by the skip logic alone
        skip = question.domain.code(question.skipped)
        codes = np.where(codes == skip, -1, codes)
        names = replace(names, codes={text: code for text, code in names.codes.items() if code != skip})
    return {question.name: codes}, reasons, names


def _number_named(text: str, code: Callable[[str], int | None]) -> int | None:
    """How many items a text lists with semicolons between them, if it lists nothing else."""
    parts = [part.strip() for part in text.split(_BETWEEN) if part.strip()]
    return None if any(code(part) is None for part in parts) else len(parts)


def _is_empty(array: Any) -> NDArray[np.bool_]:
    return np.asarray(pc.equal(pc.binary_length(array).fill_null(0), 0))


def _ticked(question: Question, column: Any, reasons: NDArray[Any], names: Names) -> Fields:
    """The boxes of a multiple-choice question, from labels with semicolons between them. An empty text means that nothing was ticked."""
    boxes = list(question.fields)
    encoded = column.dictionary_encode(null_encoding="encode")
    texts = [(value or b"").decode("utf-8", "replace") for value in encoded.dictionary.to_pylist()]
    table, why = np.ones((len(texts), len(boxes)), dtype=np.int64), np.full(len(texts), "", dtype=object)
    for place, text in enumerate(texts):
        parts = [part.strip() for part in text.split(_BETWEEN) if part.strip()]
        codes = [names.code(part) for part in parts]
        chosen = [part if code is None else question.choosable.item(code) for part, code in zip(parts, codes, strict=True)]
        problem = question.problem(chosen)
        why[place], table[place] = problem[0].removesuffix(".") if problem else "", -1 if problem else question.boxes(chosen)
    rows = np.asarray(encoded.indices)
    reasons[:] = why[rows]
    return {name: table[rows, k].copy() for k, name in enumerate(boxes)}
