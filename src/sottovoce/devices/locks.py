"""A lock on a file that works across threads and processes, and ends with the process that has it."""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sottovoce.errors import LedgerError

if sys.platform == "win32":
    import msvcrt

    def _take(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

    def _release(handle: int) -> None:
        os.lseek(handle, 0, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)
else:
    import fcntl

    def _take(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _release(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_UN)


#: How long the lock is waited for, and the first and the longest pause between two attempts, in seconds.
PATIENCE, _FIRST_PAUSE, _LONGEST_PAUSE = 30.0, 0.001, 0.05
_TAKEN = {errno.EACCES, errno.EAGAIN, errno.EDEADLK}


class FileLock:
    """A lock beside a file. Every holder opens the lock file again, so threads of one process exclude each other too."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle: int | None = None

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the lock, for which others may have to be waited."""
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
        try:
            self._wait(handle)
            self._handle = handle
            try:
                yield
            finally:
                self._handle = None
                _release(handle)
        finally:
            os.close(handle)

    def _wait(self, handle: int) -> None:
        end, pause = time.monotonic() + PATIENCE, _FIRST_PAUSE
        while True:
            try:
                return _take(handle)
            except OSError as error:
                if error.errno not in _TAKEN:
                    raise
            if time.monotonic() > end:
                raise LedgerError(f"{self._path}: Another process has held this lock for {PATIENCE:g} seconds. Stop that process.")
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def leave(self) -> None:
        """In a child process: let go of a handle that the parent held when it forked. The parent's lock isn't released by it."""
        handle, self._handle = self._handle, None
        if handle is not None:
            os.close(handle)
