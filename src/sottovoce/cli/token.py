"""sottovoce token: tokens of analysts and administrators. sottovoce ticket: tickets of respondents."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from sottovoce.cli.common import ForceOption, JsonOption, command, console, fresh, note, print_json
from sottovoce.cli.serve import ConfigOption, DbOption, open_store
from sottovoce.names import escaped

token = typer.Typer(help="Manage the tokens of analysts, administrators and monitors.", no_args_is_help=True)
ticket = typer.Typer(help="Manage the tickets of respondents.", no_args_is_help=True)


class RoleName(StrEnum):
    """What a token is for."""

    ANALYST = "analyst"
    ADMIN = "admin"
    MONITOR = "monitor"


def create(
    studies: Annotated[
        list[str] | None, typer.Argument(metavar="[STUDIES]...", help="The studies that the token gives access to ('*' for all).")
    ] = None,
    role: Annotated[RoleName, typer.Option("--role", help="The role of the token.")] = RoleName.ANALYST,
    remark: Annotated[str, typer.Option("--note", help="A note for the list, such as the owner's name.")] = "",
    expires: Annotated[
        str, typer.Option("--expires", metavar="WHEN", help="When it expires: a number of days (90d), a date (2027-06-30) or never.")
    ] = "365d",
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="Write the token to a new file that only you can read.")
    ] = None,
    db: DbOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Create a token. It's printed once, and the store keeps only its hash.

    $ sottovoce token create clinic-2026 --note "Ada" --expires 90d

    $ sottovoce token create --role admin -o token.txt
    """
    from contextlib import nullcontext

    from sottovoce.batch.writers import creating
    from sottovoce.store import Role

    store = open_store(db, config)
    with creating(output) if output is not None else nullcontext() as file:

        def show(secret: str) -> None:
            if file is not None:
                file.write(f"{secret}\n".encode())
                file.flush()

        secret, made = store.access.new_token(Role(role.value), studies or [], remark, expires=expires, show=show)
    until = str(made.expires) if made.expires else None
    what = f"{made.role.value}, {', '.join(made.studies)}, expires {until or 'never'}"
    if as_json:
        about = {"name": made.name, "role": made.role.value, "studies": list(made.studies), "expires": until, "output": output}
        print_json(about | ({} if output else {"token": secret}))
    elif output is not None:
        note(f"Token {made.name} ({what}) written to {output}.")
    else:
        note(f"Token {made.name} ({what}). Copy it now, because you can't see it again:")
        typer.echo(secret)
    if output is None:
        warn_of_readers()


def warn_of_readers() -> None:
    """Warn if standard output is a file that other users can read."""
    import os
    import stat
    import sys

    try:
        mode = os.fstat(sys.stdout.fileno()).st_mode
    except (OSError, ValueError):
        return
    if stat.S_ISREG(mode) and mode & 0o077:
        note(f"Other users can read the output file (mode {stat.S_IMODE(mode):03o}). Run chmod 600 on it or use --output.")


def tokens(db: DbOption = None, config: ConfigOption = None, as_json: JsonOption = False) -> None:
    """List the tokens, without their secrets."""
    found = open_store(db, config).access.tokens()
    if as_json:
        print_json(
            [
                {
                    "name": each.name,
                    "role": each.role.value,
                    "studies": list(each.studies),
                    "note": each.note,
                    "created": str(each.created),
                    "expires": each.expires and str(each.expires),
                    "revoked": each.revoked and str(each.revoked),
                }
                for each in found
            ]
        )
        return
    show_table(
        ["token", "role", "studies", "created", "expires", "revoked", "note"],
        [
            [
                each.name,
                each.role.value,
                ", ".join(each.studies),
                str(each.created),
                f"{each.expires or 'never'}{' (expired)' * each.is_expired()}",
                str(each.revoked or ""),
                each.note,
            ]
            for each in found
        ],
        "There are no tokens yet. Create one with: sottovoce token create STUDY",
    )


def revoke(
    name: Annotated[str, typer.Argument(help="The name of the token, as the list shows it.")],
    db: DbOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Revoke a token. It stops working at once."""
    open_store(db, config).access.revoke(name)
    if as_json:
        print_json({"revoked": name})
        return
    typer.echo(f"Token {name} is revoked")


def issue(
    study: Annotated[str, typer.Argument(help="The name of the study.")],
    count: Annotated[int, typer.Option("--count", "-n", min=1, max=1_000_000, help="The number of tickets.")],
    output: Annotated[str | None, typer.Option("--output", "-o", metavar="FILE", help="Write the tickets to a file, one per line.")] = None,
    force: ForceOption = False,
    db: DbOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Issue tickets, one for each respondent. They are printed once, and the store keeps only their hashes.

    $ sottovoce ticket create clinic-2026 --count 500 -o tickets.txt
    """
    from contextlib import nullcontext

    from sottovoce.batch.writers import replacing

    if output is not None:
        fresh(output, force=force)
    store = open_store(db, config)
    entry = store.entry(study)
    with replacing(output, secret=True) if output is not None else nullcontext() as file:

        def show(tickets: list[str]) -> None:
            if file is not None:
                file.write("".join(f"{each}\n" for each in tickets).encode())
                file.flush()

        made = store.access.new_tickets(study, count, show=show)  # all are written before any is issued
    if entry.respondents != "tickets":
        note(f"{study} is open to everyone. To require tickets, run: sottovoce store change {study} --respondents tickets")
    if as_json:
        print_json({"study": study, "count": count, "output": output} | ({} if output else {"tickets": made}))
    elif output is None:
        typer.echo("\n".join(made))
        warn_of_readers()
    else:
        note(f"{count:,} tickets written to {output}")


def tickets(
    study: Annotated[str, typer.Argument(help="The name of the study.")],
    db: DbOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show how many tickets of a study were issued and how many are unused."""
    store = open_store(db, config)
    entry = store.entry(study)
    unused = store.access.unused_tickets(entry.key)
    if as_json:
        print_json({"study": study, "respondents": entry.respondents, "issued": entry.issued, "unused": unused})
        return
    typer.echo(f"{study}: {entry.issued:,} tickets issued, {unused:,} not used yet")


def show_table(heads: list[str], rows: list[list[str]], nothing: str) -> None:
    """Print rows below their heads, or a remark that there are none."""
    from rich.table import Table
    from rich.text import Text

    if not rows:
        note(nothing)
        return
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for head in heads:
        table.add_column(head, overflow="fold")
    for row in rows:
        table.add_row(*(Text(escaped(cell)) for cell in row))
    console().print(table)


token.command("create")(command(create))
token.command("list")(command(tokens))
token.command("revoke")(command(revoke))
ticket.command("create")(command(issue))
ticket.command("count")(command(tickets))
