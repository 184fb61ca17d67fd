"""Where a device keeps its ledger: a file, or a storage that a program provides."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, Protocol

from sottovoce.devices.locks import FileLock
from sottovoce.errors import LedgerError, ParameterError


class Storage(Protocol):
    """A place for one document. With an attribute or a method `lock` (a context manager) several devices can share it."""

    def load(self) -> bytes | None:
        """What was saved last, None if nothing was."""

    def save(self, data: bytes) -> None:
        """Keep the document. It must be safe when this returns, and whole at any time."""


class FileStorage:
    """A file for its owner only. It is replaced in one step and is on disk before `save` returns."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(os.path.realpath(Path(path).expanduser()))
        self._lock = FileLock(self.path.with_name(f"{self.path.name}.lock"))

    def load(self) -> bytes | None:
        try:
            return self.path.read_bytes()
        except FileNotFoundError:
            return None

    def save(self, data: bytes) -> None:
        """Write a file beside it and rename that. The name can be a fixed one, since the lock is held."""
        new = self.path.with_name(f"{self.path.name}.new")
        handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0), 0o600)
        with open(handle, "wb") as file:
            os.chmod(new, 0o600)  # one that a killed process left behind may have other permissions
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, self.path)
        _sync_folder(self.path.parent)

    @contextmanager
    def lock(self) -> Iterator[None]:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._lock.held():
            yield

    def leave(self) -> None:
        """In a child process: forget the lock that the parent held when it forked."""
        self._lock.leave()


def _sync_folder(folder: Path) -> None:
    """See that a new name in a folder is on disk. Windows can't open folders, and writes names at once."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class GuardedStorage:
    """A storage whose failures are all errors of the ledger."""

    def __init__(self, given: str | Path | Storage) -> None:
        if not isinstance(given, (str, Path)) and not (callable(getattr(given, "load", None)) and callable(getattr(given, "save", None))):
            raise ParameterError(f"The storage is {given!r}. Give the path of a file, or an object with load() and save(data).")
        self._kept: Any = FileStorage(given) if isinstance(given, (str, Path)) else given
        self._where = f"{self._kept.path}: the ledger" if isinstance(self._kept, FileStorage) else "The device's ledger"

    def load(self) -> bytes | None:
        with self._guarded("can't be read"):
            found = self._kept.load()
        if found is not None and not isinstance(found, (bytes, bytearray, memoryview)):
            raise LedgerError(f"{self._where} can't be read: load() returned {type(found).__name__}. Return bytes or None.")
        return None if found is None else bytes(found)

    def save(self, data: bytes) -> None:
        with self._guarded("can't be written"):
            self._kept.save(data)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other devices away from the storage, if it has a lock."""
        found = getattr(self._kept, "lock", None)
        lock: AbstractContextManager[Any] = nullcontext() if found is None else found() if callable(found) else found
        with self._guarded("can't be locked"):
            lock.__enter__()
        try:
            yield
        finally:
            lock.__exit__(None, None, None)

    def leave(self) -> None:
        """In a child process: forget the lock that the parent held when it forked."""
        if isinstance(self._kept, FileStorage):
            self._kept.leave()

    def broken(self, why: object) -> LedgerError:
        """The error for a ledger that isn't one."""
        return LedgerError(
            f"{self._where} can't be read ({why}), so the budget that this device has used isn't known. Restore it from a backup. "
            "If you remove it, the device starts again from zero."
        )

    @contextmanager
    def _guarded(self, what: str) -> Iterator[None]:
        try:
            yield
        except LedgerError:
            raise
        except Exception as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else f"{type(error).__name__}: {error}"
            raise LedgerError(f"{self._where} {what}: {reason}") from error
