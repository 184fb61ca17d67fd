"""What the commands share: options, errors with their exit codes, output for people and for programs."""

from __future__ import annotations

import contextlib
import functools
import json
import math
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TypeVar

import typer

from sottovoce.names import escaped

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from sottovoce.batch.reading import Reading
    from sottovoce.batch.skipped_rows import SkippedRows
    from sottovoce.study import Study

Run = TypeVar("Run", bound=Callable[..., Any])

#: Exit codes, which stay as they are.
REFUSED, FILES, ROWS, INTERRUPTED, PIPE = 1, 3, 4, 130, 141
#: The packages of the extra `server` that commands of the collector import.
COLLECTOR = {"httptools", "sqlalchemy", "uvicorn"}
#: What the running command has opened: it is closed when the command ends, however it ends.
OPENED = contextlib.ExitStack()
#: The study that is meant where none is named.
DEFAULT = "study.toml"

JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON, and nothing else.")]
StrictOption = Annotated[bool, typer.Option("--strict", help="Refuse the file if any row is invalid. Nothing is written then.")]
StudyArgument = Annotated[
    str,
    typer.Argument(metavar="[STUDY]", help="A study file (TOML), a compiled study (JSON), the URL of a study, or '-' for standard input."),
]
PathsArgument = Annotated[
    list[str] | None, typer.Argument(metavar="[STUDY] FILES...", help="A study file, then the files to read ('-': standard input).")
]
PeopleOption = Annotated[int | None, typer.Option("--people", "-n", min=1, help="The number of people who answer.")]
TruthOption = Annotated[
    str | None,
    typer.Option(
        "--truth", metavar="FILE", help="The true distribution: a file with columns item and share (or count), or with a list of answers."
    ),
]
ColumnOption = Annotated[
    str | None, typer.Option("--column", help="The column of the --truth file to read. [dim]By default item or answer.[/dim]")
]
EncodingOption = Annotated[
    str | None, typer.Option("--encoding", help="The encoding of the file to read, for example latin-1. [dim]By default UTF-8.[/dim]")
]
IgnoreCaseOption = Annotated[bool, typer.Option("--ignore-case", help="Ignore case in the --truth file: read 'Flu' as 'flu'.")]
SheetOption = Annotated[
    str | None, typer.Option("--sheet", help="The sheet of an Excel file with answers. [dim]By default the first one.[/dim]")
]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="The seed of the simulation.")]


def command(run: Run) -> Run:
    """Wrap a command so that its errors are explained and end in their exit codes."""

    @functools.wraps(run)
    def guarded(*arguments: Any, **options: Any) -> None:
        from sottovoce.errors import SottovoceError

        as_json = bool(options.get("as_json"))
        try:
            with warnings.catch_warnings():
                warnings.showwarning = lambda message, *_: note(f"! {message}")  # without the line of code that it comes from
                run(*arguments, **options)
            sys.stdout.flush()
        except SottovoceError as error:
            from sottovoce.batch.skipped_rows import BadRowsError

            code = ROWS if isinstance(error, BadRowsError) else FILES if isinstance(error, OSError) else REFUSED
            leave(str(error), code, as_json=as_json, kind=error.kind)
        except ModuleNotFoundError as error:
            if error.name not in COLLECTOR:
                raise
            from sottovoce.errors import UnsupportedError
            from sottovoce.extras import install

            message = f"The collector needs {error.name}. Install it with: {install('server')}"
            leave(message, REFUSED, as_json=as_json, kind=UnsupportedError.kind)
        except KeyboardInterrupt:
            leave("Interrupted. No file was left half-written.", INTERRUPTED, as_json=as_json)
        except BrokenPipeError:  # the reader of our output has left, which is its right
            _mute()
            sys.exit(PIPE)
        except OSError as error:
            leave(_of_system(error), FILES, as_json=as_json)
        finally:
            OPENED.close()

    return guarded  # type: ignore[return-value]  # wraps keeps the signature


def _mute() -> None:
    """Discard buffered standard output."""
    with contextlib.suppress(OSError, ValueError), open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


def _of_system(error: OSError) -> str:
    if error.filename:
        return f"{error.filename}: {error.strerror or error}"
    return str(error.strerror or error)


def leave(message: str, code: int, *, as_json: bool = False, kind: str = "") -> NoReturn:
    """Print the error and exit. `kind` is its row in the table of problems."""
    if as_json:
        with contextlib.suppress(OSError):
            print_json({"error": message, "code": code} | ({"kind": kind} if kind else {}))
            sys.stdout.flush()
    _mute()
    with contextlib.suppress(OSError):
        typer.echo(escaped(f"sottovoce: {message}", lines=True), err=True)
    sys.exit(code)


#: For commands whose output can't be made again, or is edited by people. All other outputs are replaced, and commands print that.
ForceOption = Annotated[bool, typer.Option("--force", help="Overwrite a file that exists.")]


def fresh(path: str, *, force: bool) -> None:
    """Refuse to overwrite a file without --force."""
    from sottovoce.errors import FileError, ParameterError

    if os.path.isdir(path):
        raise FileError(f"{path}: This is a folder. Name a file.")
    if os.path.isfile(path) and not force:
        raise ParameterError(f"{path} already exists. Choose another file with --output or overwrite it with --force.")


def replaced(path: str | None) -> str:
    """What to add to the name of a file that is about to be written: that it replaces one."""
    return " (replaced)" if path is not None and os.path.isfile(path) else ""


def note(message: str) -> None:
    """Print a remark on standard error. A failure to print it changes nothing."""
    with contextlib.suppress(OSError, ValueError):
        typer.echo(escaped(message, lines=True), err=True)


def console() -> Console:
    """Where tables go: as wide as the terminal, or wide enough for a file, without colours off a terminal."""
    from rich.console import Console

    class Quiet(Console):
        def on_broken_pipe(self) -> None:
            """Raise, so that the command decides how to end."""
            raise BrokenPipeError

        def render_str(self, text: str, *arguments: Any, **options: Any) -> Text:
            """Escape control characters, so that names and labels can't send commands to the terminal."""
            return super().render_str(escaped(text, lines=True), *arguments, **options)

    return Quiet(highlight=False) if sys.stdout.isatty() else Quiet(highlight=False, width=120)


def print_json(data: Any) -> None:
    """Print plain data as JSON. Infinite numbers and NaN become null, and invisible characters are escaped."""
    plain = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    typer.echo(escaped(json.dumps(_plain(data), ensure_ascii=plain, indent=2, allow_nan=False), lines=True))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value.item() if hasattr(value, "item") else value


def load(path: str = DEFAULT) -> Study:
    """The study of a file, of standard input ("-"), or the one that a collector serves at a URL."""
    from sottovoce.errors import FileError, MissingFileError
    from sottovoce.study import Study

    if "://" in path:
        return _served(path)
    if path == "-":
        from sottovoce.study.study import read_study

        return read_study(sys.stdin.buffer.read(), "standard input")
    if not Path(path).exists():
        raise MissingFileError(f"{path}: File not found. Make a study with: sottovoce new survey")
    if Path(path).is_dir():
        raise FileError(f"{path}: This is a folder. Name a study file.")
    with open(path, "rb"):
        return Study.load(path)


def _served(url: str) -> Study:
    """The compiled study at a URL. Its size and the time that it takes have limits."""
    from sottovoce.devices.transport import fetch
    from sottovoce.devices.urls import checked_url
    from sottovoce.errors import StudyError
    from sottovoce.study.study import read_study

    place = checked_url(url)
    response = fetch(place)
    if response.status != 200:
        raise StudyError(f"{place}: {response.reason}")
    if not response.body.lstrip().startswith(b"{"):
        raise StudyError(f"{place} isn't a compiled study. Use the URL that ends in /studies/ and the study's name.")
    return read_study(response.body, place)


def single(study: Study, what: str) -> Study:
    """The study, which must have one question."""
    from sottovoce.errors import ParameterError
    from sottovoce.study.questionnaire import Questionnaire

    if isinstance(study, Questionnaire):
        raise ParameterError(
            f"{study.name!r} has several questions, but {what} one question. For this study, use plan, perturb, tally and estimate."
        )
    return study


def reading_of(
    file: Any, column: str | None, encoding: str | None, sheet: str | None, option: str = "--truth", *, ignore_case: bool
) -> Reading:
    """How the file of an option is read."""
    from sottovoce.batch.reading import Reading
    from sottovoce.errors import ParameterError

    given = {"--column": column, "--encoding": encoding, "--sheet": sheet, "--ignore-case": ignore_case}
    if not file and (wrong := [name for name, value in given.items() if value]):
        raise ParameterError(f"{wrong[0]} needs {option}. Add {option} or leave out {wrong[0]}.")
    return Reading(column=column, encoding=encoding, ignore_case=ignore_case, sheet=sheet)


def apart(inputs: Sequence[str], outputs: Sequence[str | None]) -> None:
    """Refuse to overwrite an input file."""
    from sottovoce.errors import MissingFileError, ParameterError

    for output in outputs:
        if output and not os.path.isdir(folder := os.path.dirname(output) or "."):
            raise MissingFileError(f"{output}: Folder {folder} not found. Create it or choose another.")
    named = [os.path.realpath(output) for output in outputs if output and output != "-"]
    if repeated := next((path for path in named if named.count(path) > 1), None):
        raise ParameterError(f"Two outputs have the same name, {repeated}. Choose different files.")
    for output in outputs:
        for path in inputs:
            if output and path != "-" and os.path.exists(output) and os.path.exists(path) and os.path.samefile(output, path):
                raise ParameterError(f"{output} is both input and output. Choose another file to write to.")


def study_and_files(
    paths: Sequence[str] | None, what: str, outputs: Sequence[str | None], *, cluster: bool = False
) -> tuple[Study, list[str]]:
    """The study (first argument, or study.toml in this folder) and the input files. Outputs must not overwrite any of them.

    The files of a `cluster` aren't local.
    """
    from sottovoce.batch.input_files import expanded, left_aside
    from sottovoce.errors import ParameterError

    given = list(paths or ())
    named = bool(given) and (given[0].endswith(".toml") or (given[0].endswith(".json") and not _is_array(given[0])))
    if not named and not Path(DEFAULT).is_file():
        raise ParameterError(f"No study was given, and this folder has no {DEFAULT}. Name the study before {what}.")
    place = given.pop(0) if named else DEFAULT
    if late := next((each for each in given if each.endswith(".toml")), None):
        raise ParameterError(f"{late} is a study. Name it before {what}.")
    study = load(place)
    if cluster:
        if not given or "-" in given:
            raise ParameterError(f"A cluster can't read standard input. Name {what}: Parquet files, folders or patterns.")
        apart([place, *given], outputs)
        return study, given
    if not given:
        if sys.stdin is None or sys.stdin.isatty():
            raise ParameterError(f"No input was given. Name {what}, or use '-' for standard input.")
        given = ["-"]
    files = expanded(given)
    apart([place, *files], outputs)
    if others := left_aside(given):
        note(f"Files with unknown endings were skipped: {', '.join(others[:5])}{' …' * (len(others) > 5)}")
    return study, files


def _is_array(path: str) -> bool:
    """Whether a JSON file is an array, as files of answers are and studies aren't."""
    try:
        with open(path, "rb") as file:
            return file.read(1 << 12).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"[")
    except OSError:
        return False


def tell_clipped(study: Study, skipped: SkippedRows[str]) -> None:
    """Print how many numbers were clipped."""
    edges = study.domain.edges
    if not any(skipped.clipped):
        return
    below, above = skipped.clipped
    if edges is None:  # of several questions
        note(f"Clipped to the range of the study: {below:,} below, {above:,} above.")
        return
    ends = [f"{below:,} below {edges[0]:g}"] * (below > 0) + [f"{above:,} above {edges[-1]:g}"] * (above > 0)
    note(f"Clipped to the range of the study: {' and '.join(ends)}.")


def tell_skipped(skipped: SkippedRows[str]) -> None:
    """Print which rows were skipped, and why."""
    for remark in skipped.remarks.values():
        note(remark)
    if not skipped.count:
        return
    rows = "1 row was" if skipped.count == 1 else f"{skipped.count:,} rows were"
    note(f"{rows} left out ({skipped.used:,} used):")
    for reason, count in sorted(skipped.reasons.items(), key=lambda pair: -pair[1]):
        note(f"  {count:,} × {reason}")
        for example in skipped.examples[reason]:
            note(f"      {example}")
    for hint in skipped.hints:
        note(hint)
