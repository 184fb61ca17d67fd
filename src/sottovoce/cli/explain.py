"""sottovoce explain: a page about a study for respondents, ethics boards or analysts."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer

from sottovoce.cli.common import DEFAULT, ForceOption, JsonOption, StudyArgument, apart, fresh, load, print_json


class Reader(Enum):
    """The readers of the page."""

    RESPONDENT = "respondent"
    BOARD = "board"
    ANALYST = "analyst"


def explain(
    study: StudyArgument = DEFAULT,
    reader: Annotated[Reader, typer.Option("--for", help="The reader of the page.")] = Reader.RESPONDENT,
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="The file to write (Markdown).")] = "-",
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Explain a study on a page: to respondents, to an ethics board or data protection officer, or to analysts.

    The page states what is guaranteed, what isn't and what is kept, with the certificate of your study filled in. Edit it before you
    pass it on: you know who runs the study, and why.

    $ sottovoce explain study.toml --for board -o privacy.md
    """
    from sottovoce.batch.writers import write_whole
    from sottovoce.findings.explanations import PAGES

    apart([study], [None if output == "-" else output])
    loaded = load(study)
    file = DEFAULT if study == "-" or "://" in study else study
    page = PAGES[reader.value](loaded, file)
    if output != "-":
        fresh(output, force=force)
        write_whole(output, page)
    if as_json:
        print_json({"study": loaded.name, "for": reader.value, "output": output, "page": page})
    elif output == "-":
        typer.echo(page, nl=False)
