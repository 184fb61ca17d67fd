"""sottovoce serve: the collector."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from sottovoce.cli.common import OPENED, load, note

ConfigOption = Annotated[
    str | None,
    typer.Option("--config", metavar="FILE", help="A settings file (TOML). Environment variables (SOTTOVOCE_…) take precedence."),
]
DbOption = Annotated[
    str | None,
    typer.Option("--db", metavar="STORE", help="The store: a SQLite file or postgresql://… [dim]By default collector.sqlite.[/dim]"),
]


def serve(
    studies: Annotated[list[str] | None, typer.Argument(metavar="[STUDIES]...", help="Study files to add to the store and serve.")] = None,
    db: DbOption = None,
    host: Annotated[str | None, typer.Option("--host", help="The address to listen on. [dim]By default 127.0.0.1.[/dim]")] = None,
    port: Annotated[int | None, typer.Option("--port", "-p", help="The port, or 0 for any free one. [dim]By default 8000.[/dim]")] = None,
    workers: Annotated[
        int | None,
        typer.Option("--workers", "-w", help="The number of processes. More than one needs PostgreSQL. [dim]By default 1.[/dim]"),
    ] = None,
    tickets: Annotated[bool, typer.Option("--tickets", help="Require tickets from respondents of these studies.")] = False,
    no_token: Annotated[bool, typer.Option("--no-token", help="Print links to the dashboards without a token.")] = False,
    json_logs: Annotated[bool, typer.Option("--json-logs", help="Log JSON, even on a terminal.")] = False,
    config: ConfigOption = None,
) -> None:
    """Serve studies: a page for respondents, an endpoint for reports and a page for analysts.

    $ sottovoce serve study.toml

    $ sottovoce serve study.toml --db postgresql://collector@db/sottovoce --workers 4
    """
    from sottovoce.collector.greeting import EMPTY, TOKEN_LASTS, TOKEN_NOTE, greets, is_local
    from sottovoce.collector.serve import run
    from sottovoce.store import Role

    settings = settings_of(config, db=db, host=host, port=port, workers=workers, json_logs=json_logs or None)
    read = [load(path) for path in studies or ()]  # before a store is made for them
    store = store_of(settings.db)
    store.ready()
    for study in read:
        entry = add_study(store, study, "tickets" if tickets else "open")
        if tickets and entry.respondents != "tickets":
            store.change(entry.name, "command line", respondents="tickets")
    names, token = [entry.name for entry in store.studies()], ""
    if not names and not greets(settings):
        note(EMPTY)
    if names and not no_token and greets(settings) and is_local(settings.host):
        token, made = store.access.new_token(Role.ANALYST, ["*"], TOKEN_NOTE, expires=TOKEN_LASTS)
        OPENED.callback(_revoke, settings.db, made.name)
    store.close()
    run(settings, names, token=token)


def _revoke(db: str, token: str) -> None:
    """Revoke the token of the greeting: whoever reads the terminal later can't use it."""
    from sottovoce.errors import SottovoceError
    from sottovoce.store import Store

    store = Store(db)
    try:
        store.access.revoke(token)
    except SottovoceError as error:
        note(f"The token of the dashboard links wasn't revoked ({error}). Revoke it with: sottovoce token revoke {token}")
    finally:
        store.close()


def settings_of(config: str | None, **given: Any) -> Any:
    """The settings of a collector, with those of the command line."""
    from sottovoce.collector.settings import Settings

    return Settings.of(config, {name: value for name, value in given.items() if value is not None})


def store_of(db: str) -> Any:
    """The store of a collector, which is closed at the end of the command."""
    from sottovoce.store import Store

    store = Store(db)
    OPENED.callback(store.close)
    return store


def open_store(db: str | None, config: str | None) -> Any:
    """Open the store, which must exist, with tables of this version."""
    from sottovoce.errors import StoreError
    from sottovoce.store.dialects import lacks_file

    url = settings_of(config, db=db).db
    store = None if lacks_file(url) else store_of(url)
    if store is None or not store.version:
        named = f" {url}" * ("://" not in url)
        option = "" if db is None else f" --db {db}"
        raise StoreError(f"Store{named} not found. Name yours with --db or create one with: sottovoce store add study.toml{option}")
    store.ready()
    return store


def make_store(db: str | None, config: str | None) -> Any:
    """Open the store, and make it if it doesn't exist."""
    store = store_of(settings_of(config, db=db).db)
    store.ready()
    return store


def add_study(store: Any, study: Any, respondents: str = "open") -> Any:
    """Put a study into a store."""
    import json

    return store.add(study, json.dumps(study.compile(), ensure_ascii=False), respondents)
