"""sottovoce store: manage what a collector keeps. sottovoce export: its reports as a file."""

from __future__ import annotations

from typing import Annotated

import typer

from sottovoce.cli.common import JsonOption, StudyArgument, command, leave, load, note, print_json, replaced
from sottovoce.cli.serve import ConfigOption, DbOption, add_study, make_store, open_store, settings_of, store_of
from sottovoce.cli.token import show_table
from sottovoce.findings.formatting import counted
from sottovoce.names import escaped

store = typer.Typer(help="Manage the store of a collector: studies, backups, the audit log.", no_args_is_help=True)

NameArgument = Annotated[str, typer.Argument(metavar="STUDY", help="The name of the study.")]


def export(
    name: NameArgument,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="The file to write (.parquet), or a folder to write a file of new reports into."
        ),
    ] = None,
    compiled: Annotated[str | None, typer.Option("--compiled", metavar="FILE", help="Also write the compiled study (.json).")] = None,
    db: DbOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write the reports of a study in the store to a Parquet file, in random order.

    $ sottovoce export clinic-2026 -o reports.parquet --compiled study.json

    $ sottovoce estimate study.json reports.parquet

    If you name a folder, each export adds a file with the reports that aren't in it yet:

    $ sottovoce export clinic-2026 -o reports/ --compiled study.json

    $ sottovoce tally study.json reports/ -o tally.arrow
    """
    from pathlib import Path

    from sottovoce.batch.writers import write_whole
    from sottovoce.collector.exporting import Added, add_reports, write_reports
    from sottovoce.errors import ParameterError

    place = output or f"{name}.parquet"
    whole = not place.endswith(("/", "\\")) and not Path(place).is_dir()
    if whole and Path(place).suffix.lower() not in {".parquet", ""}:
        raise ParameterError(f"--output is {place!r}. Use a name that ends in .parquet, or in / for a folder.")
    found = open_store(db, config)
    entry = found.entry(name)
    there = replaced(place)
    made = add_reports(found, entry, place) if not whole else Added(place, write_reports(found, entry, place), 0)
    if compiled is not None:
        write_whole(compiled, entry.compiled)
    found.access.note("command line", "export", name)
    if as_json:
        print_json(
            {
                "study": name,
                "fingerprint": entry.fingerprint,
                "reports": made.reports,
                "waiting": made.waiting,
                "output": made.path,
                "compiled": compiled,
            }
        )
        return
    if made.path is None:
        typer.echo(f"No new reports of {name}. {place} is unchanged.")
    else:
        typer.echo(f"{counted(made.reports, 'report', 'reports')} of {name} written to {made.path}{there}")
    if made.waiting:
        waiting = counted(made.waiting, "newest report is", "newest reports are")
        note(f"{waiting} held back until there are more of them or you close the study.")


def studies(db: DbOption = None, config: ConfigOption = None, as_json: JsonOption = False) -> None:
    """List the studies and their numbers of reports."""
    found = open_store(db, config)
    rows = [(entry, found.count(entry)) for entry in found.studies()]
    if as_json:
        print_json(
            [
                {name: getattr(each, name) for name in ("name", "fingerprint", "state", "respondents", "listed")} | {"reports": n}
                for each, n in rows
            ]
        )
        return
    show_table(
        ["study", "reports", "state", "respondents", "listed", "fingerprint"],
        [
            [each.name, f"{n:,}", each.state, each.respondents, "yes" if each.listed else "no", each.fingerprint[:16] + "…"]
            for each, n in rows
        ],
        "The store has no studies yet. Add one with: sottovoce store add study.toml",
    )


def add(study: StudyArgument = "study.toml", db: DbOption = None, config: ConfigOption = None, as_json: JsonOption = False) -> None:
    """Add a study to the store. A running collector serves it from then on."""
    read = load(study)
    entry = add_study(make_store(db, config), read)
    if as_json:
        print_json({"name": entry.name, "fingerprint": entry.fingerprint})
        return
    typer.echo(f"{entry.name} is in the store (fingerprint {entry.fingerprint[:16]}…)")


def change(
    name: NameArgument,
    state: Annotated[str | None, typer.Option("--state", help="open to accept reports, closed to refuse them.")] = None,
    respondents: Annotated[
        str | None, typer.Option("--respondents", help="open to let everyone answer, tickets to require a ticket.")
    ] = None,
    listed: Annotated[bool | None, typer.Option("--listed/--unlisted", help="Show the study on the home page or not.")] = None,
    db: DbOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Change a study: close or reopen it, require tickets or not, list it on the home page or not."""
    entry = open_store(db, config).change(name, "command line", state=state, respondents=respondents, listed=listed)
    if as_json:
        print_json({"name": entry.name, "state": entry.state, "respondents": entry.respondents, "listed": entry.listed})
        return
    typer.echo(f"{name}: {entry.state}, respondents {entry.respondents}, {'listed' if entry.listed else 'not listed'}")


def delete(
    name: NameArgument,
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask for confirmation.")] = False,
    db: DbOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Delete a study permanently, with its reports, identifiers and tickets.

    The audit log keeps what was done, and tokens keep their notes, until you run sottovoce store prune. Backups and exported files are
    yours to delete.
    """
    found = open_store(db, config)
    count = found.count(found.entry(name))
    its = counted(count, "report", "reports")
    if not yes and not typer.confirm(f"Delete {name} and its {its}? You can't undo this.", err=True):
        leave("Nothing was deleted.", 1)
    found.delete(name, "command line")
    if as_json:
        print_json({"deleted": name, "reports": count})
        return
    typer.echo(f"Deleted {name} and its {its}")
    note("Still there: backups, exported files, the audit log and notes of tokens. To shorten the last two, run: sottovoce store prune")


def recount(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[STUDIES]...", help="The names of the studies. [dim]By default all.[/dim]")
    ] = None,
    repair: Annotated[bool, typer.Option("--repair", help="Replace tallies that differ from the reports.")] = False,
    db: DbOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Count all reports again and compare them with the tallies."""
    from sottovoce.errors import StoreError

    found = open_store(db, config)
    entries = [found.entry(name) for name in names] if names else found.studies()
    results = [(entry, found.recount(entry, repair=repair)) for entry in entries]
    if as_json:
        print_json(
            [
                {
                    "study": e.name,
                    "holds": r.holds,
                    "reports": r.reports,
                    "identifiers": r.identifiers,
                    "wrong": list(r.wrong),
                    "repaired": repair and bool(r.wrong),
                }
                for e, r in results
            ]
        )
    else:
        for entry, result in results:
            typer.echo(
                f"{entry.name}: {result.reports:,} reports, {result.identifiers:,} identifiers: {'OK' if result.holds else 'DIFFERS'}"
            )
            for each in result.wrong:
                typer.echo(escaped(f"  {each}{' (repaired)' if repair else ''}"))
    if any(result.reports != result.identifiers for _, result in results):
        raise StoreError("The store has different numbers of reports and identifiers, which can't be repaired. Restore a backup.")
    if any(result.wrong for _, result in results) and not repair:
        raise StoreError("At least one tally differs from its reports. Replace it with: sottovoce store recount --repair")


def backup(
    output: Annotated[str, typer.Argument(metavar="FILE", help="A new SQLite file.")],
    db: DbOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Copy the store into a new SQLite file while the collector runs."""
    from sottovoce.store.backups import backup as copied

    copied(open_store(db, config), output)
    if as_json:
        print_json({"output": output})
        return
    typer.echo(f"Written to {output}")


def restore(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A backup, or any other SQLite store.")],
    db: DbOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Restore a backup into an empty store, also to move from SQLite to PostgreSQL."""
    from sottovoce.store.backups import check_backup
    from sottovoce.store.backups import restore as taken

    check_backup(file)  # before a store is made for it
    target = store_of(settings_of(config, db=db).db)
    taken(file, target)
    if as_json:
        print_json({"restored": [entry.name for entry in target.studies()]})
        return
    typer.echo(f"Restored: {', '.join(entry.name for entry in target.studies()) or 'no studies'}")


def migrate(
    step: Annotated[
        int | None, typer.Option("--to", help="The schema step to migrate to, forwards or back. [dim]By default the latest.[/dim]")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask for confirmation before going back.")] = False,
    db: DbOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Migrate the tables of a store to this version (a collector does so when it starts) or back to an older one."""
    from sottovoce.store.migrations import LATEST

    found = store_of(settings_of(config, db=db).db)
    before, target = found.version, LATEST if step is None else step
    if target < before and not yes and not typer.confirm("Going back deletes what the later steps added. Continue?", err=True):
        leave("Nothing was changed.", 1)
    found.migrate(target, note)
    if as_json:
        print_json({"before": before, "now": found.version})
        return
    typer.echo(f"The store is at step {found.version} of {LATEST}" + (f" (before: {before})" if before != found.version else ""))


def audit(
    limit: Annotated[int, typer.Option("--limit", min=1, help="The number of entries to show, latest first.")] = 50,
    db: DbOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the actions of administrators."""
    found = open_store(db, config).access.audit(limit)
    if as_json:
        print_json(found)
        return
    heads = ["at", "actor", "action", "study", "detail"]
    show_table(heads, [[each[head] for head in heads] for each in found], "No actions recorded yet.")


def prune(
    before: Annotated[str, typer.Option("--before", metavar="WHEN", help="A day in UTC (2027-06-30) or a number of days ago (365d).")],
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask for confirmation.")] = False,
    db: DbOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Delete entries of the audit log from before a day, and tokens that were revoked or expired before it.

    Run it on a schedule to keep names in notes, and times, no longer than you need. Reports aren't touched.

    $ sottovoce store prune --before 365d --yes
    """
    from sottovoce.store.credentials import past_day

    found, day = open_store(db, config), past_day(before)
    question = f"Delete audit entries from before {day} and tokens that were revoked or expired before it? You can't undo this."
    if not yes and not typer.confirm(question, err=True):
        leave("Nothing was deleted.", 1)
    pruned = found.access.prune(before)
    if as_json:
        print_json({"before": str(pruned.before), "entries": pruned.entries, "tokens": pruned.tokens})
        return
    what = f"{counted(pruned.entries, 'audit entry', 'audit entries')} and {counted(pruned.tokens, 'token', 'tokens')}"
    typer.echo(f"Deleted {what} from before {pruned.before}")


for _name, _run in (
    ("studies", studies),
    ("add", add),
    ("change", change),
    ("delete", delete),
    ("recount", recount),
    ("backup", backup),
    ("restore", restore),
    ("migrate", migrate),
    ("audit", audit),
    ("prune", prune),
):
    store.command(_name)(command(_run))
