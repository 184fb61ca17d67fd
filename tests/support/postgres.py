"""A PostgreSQL server of the tests' own: in a folder of its own, on a socket of its own, gone when the tests are."""

from __future__ import annotations

import itertools
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from parts import missing, needs

_numbers = itertools.count()


def programs() -> Path | None:
    """Where PostgreSQL's own programs are."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4]))
    if found:
        return found[-1].parent
    initdb = shutil.which("initdb")
    return Path(initdb).resolve().parent if initdb else None


class Server:
    """A running server."""

    def __init__(self, folder: Path, programs: Path, user: str | None) -> None:
        self.folder, self._programs, self._user = folder, programs, user

    def run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [str(self._programs / program), *arguments],
            user=self._user,
            check=True,
            stdout=subprocess.DEVNULL,
            cwd=self.folder,
            timeout=120,
        )

    def database(self) -> str:
        """The address of a new, empty database."""
        name = f"test{next(_numbers)}"
        self.run("createdb", "--host", str(self.folder), "--username", "tester", name)
        return f"postgresql://tester@/{name}?host={quote(str(self.folder))}"


def _memory() -> str | None:
    """A folder in memory, if there is one with room. Hundreds of small databases are made and deleted faster there than on a disk."""
    folder = Path("/dev/shm")
    roomy = folder.is_dir() and os.access(folder, os.W_OK) and shutil.disk_usage(folder).free > 4 << 30
    return str(folder) if roomy else None


@contextmanager
def serving() -> Iterator[Server]:
    """A server for as long as it is needed; without PostgreSQL the tests that need it are skipped, but not in CI."""
    found = programs()
    if found is None:
        missing("PostgreSQL", "apt-get install postgresql")
    needs("psycopg", "Psycopg, the driver of PostgreSQL,")
    user = "postgres" if os.geteuid() == 0 else None
    with tempfile.TemporaryDirectory(prefix="sv-pg-", dir=_memory(), ignore_cleanup_errors=True) as place:
        folder = Path(place)
        if user:
            os.chown(folder, pwd.getpwnam(user).pw_uid, -1)
        server = Server(folder, found, user)
        data = str(folder / "data")
        server.run("initdb", "--no-sync", "--pgdata", data, "--auth", "trust", "--username", "tester", "--encoding", "UTF8")
        options = f"-c listen_addresses='' -c unix_socket_directories='{folder}'"
        server.run("pg_ctl", "--pgdata", data, "--wait", "--log", str(folder / "log"), "--options", options, "start")
        try:
            yield server
        finally:
            server.run("pg_ctl", "--pgdata", data, "--mode", "immediate", "stop")
