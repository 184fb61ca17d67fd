"""What happens to devices when their process forks or ends."""

from __future__ import annotations

import atexit
import os
import time
import weakref

from sottovoce.devices.ledger import Book
from sottovoce.devices.sender import Sender

#: How many seconds the end of a program waits for what is being sent.
AT_EXIT = 3.0
_books: weakref.WeakSet[Book] = weakref.WeakSet()
_senders: weakref.WeakSet[Sender] = weakref.WeakSet()


def follow(book: Book, sender: Sender) -> None:
    """Look after a device's ledger and thread."""
    _books.add(book)
    _senders.add(sender)


def _leave_all() -> None:
    """In a child process: locks and threads are the parent's. The child has its own."""
    for book in list(_books):
        book.leave()
    for sender in list(_senders):
        sender.leave()


def _end_all() -> None:
    """Send what waits for a few seconds. The rest is on disk."""
    end = time.monotonic() + AT_EXIT
    for sender in list(_senders):
        if sender.running:
            sender.flush(max(0.0, end - time.monotonic()))
            sender.close()


atexit.register(_end_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_all)
