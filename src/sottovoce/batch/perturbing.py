"""From files of answers to files of reports, batch by batch."""

from __future__ import annotations

import numpy as np

from sottovoce.batch.answers import Answers, read_answers
from sottovoce.batch.input_files import opened
from sottovoce.batch.left_out import LeftOut
from sottovoce.batch.reading import USUAL, Reading
from sottovoce.batch.record_answers import read_records
from sottovoce.batch.skipped_rows import SkippedRows
from sottovoce.batch.writers import ReportTable, writing_reports
from sottovoce.errors import ParameterError
from sottovoce.mechanisms import Mechanism, Population
from sottovoce.progress import Progress
from sottovoce.reports import PopulationReports, Reports
from sottovoce.sources import Source
from sottovoce.study import Study
from sottovoce.study.questionnaire import Questionnaire


def perturb_file(
    study: Study,
    path: str,
    output: str,
    *,
    reading: Reading = USUAL,
    output_form: str | None = None,
    level: str | None = None,
    unmarked: bool = False,
    strict: bool = False,
    source: Source,
) -> SkippedRows[str]:
    """Perturb every answer of a file, as often as the study asks for, and write the reports."""
    skipped = SkippedRows[str](strict)
    if isinstance(study, Questionnaire) and (reading.column is not None or unmarked):
        raise ParameterError("--column and --unmarked don't work with questionnaires. Leave them out.")
    with (
        opened(path, reading.form, reading.encoding) as answers,
        writing_reports(output, output_form, study, spool=strict) as out,
        Progress("perturbing") as bar,
    ):
        if isinstance(study, Questionnaire):
            for records in read_records(study, answers, skipped, reading, level=level):
                out.write(study.mechanism.perturb(records.fields, source=source, levels=records.levels))
                bar.at(answers.done, f"{skipped.used:,} answers")
        else:
            for batch in read_answers(study, answers, skipped, reading, level=level, unmarked=unmarked):
                for _ in range(study.reports):
                    out.write(perturbed(study, batch, source))
                bar.at(answers.done, f"{skipped.used:,} answers")
        skipped.check_used(answers.name)  # here, so that no empty file is left behind
        if isinstance(out, ReportTable):
            for key, value in LeftOut(skipped.count, skipped.used).metadata.items():
                out.note(key, value)
        elif skipped.count:  # the lines of NDJSON go to collectors as they are
            skipped.remark(
                "Reports in NDJSON can't carry the number of rows that were left out, so estimates won't mention them. "
                "To have them mentioned, write Parquet"
            )
    return skipped


def perturbed(study: Study, answers: Answers, source: Source) -> Reports:
    """Perturb each answer once."""
    codes = answers.inputs(study)
    if isinstance(study.mechanism, Mechanism):
        return study.mechanism.channel.sample(codes, source)
    assert isinstance(study.mechanism, Population)
    assert answers.levels is not None
    parts = {
        name: mechanism.channel.sample(codes[answers.levels == rank], source)
        for rank, (name, mechanism) in enumerate(study.mechanism.groups.items())
    }
    return PopulationReports(answers.levels.astype(np.uint8), study.mechanism.names, parts)
