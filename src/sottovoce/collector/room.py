"""Which connection to close when there are too many.

Either a connection waits for its client (for a TLS handshake, a header, a body, or the next request), or the client waits for a response.
Only the first kind is closed, the longest wait first, so a client that sends its request at once isn't affected.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Protocol


class Member(Protocol):
    """A connection, with what matters here."""

    def unsent(self) -> bool:
        """Whether the client still has to receive part of a response."""

    def leave(self) -> None:
        """Close the connection."""


class Room:
    """The connections that wait for their clients, the longest wait first.

    `heads` wait for a handshake, a header, a next request or the end. `bodies` wait for the rest of a body. Half of the room is for each:
    the kind that has more than half is closed first, so that neither can push the other out. `stalled` are clients that don't receive their
    responses, with the time since when. They are closed last, and only after a while.
    """

    def __init__(self) -> None:
        self.heads = OrderedDict[Member, None]()
        self.bodies = OrderedDict[Member, None]()
        self.stalled = OrderedDict[Member, float]()

    def awaits_head(self, member: Member) -> None:
        self.bodies.pop(member, None)
        self.heads[member] = None
        self.heads.move_to_end(member)

    def awaits_body(self, member: Member) -> None:
        self.heads.pop(member, None)
        self.bodies[member] = None

    def is_answered(self, member: Member) -> None:
        """Note that the request is complete: from now on the client waits."""
        self.heads.pop(member, None)
        self.bodies.pop(member, None)

    def leave(self, member: Member) -> None:
        self.is_answered(member)
        self.stalled.pop(member, None)

    def gives_way(self, newcomer: Member, most: int, now: float, patience: float) -> Member | None:
        """The connection to close for a new one, with at most `most` connections. None if all others wait for responses."""
        kinds = (self.heads, self.bodies) if 2 * len(self.heads) > most else (self.bodies, self.heads)
        for kind in kinds:
            while kind and (first := next(iter(kind))) is not newcomer:
                if not first.unsent():
                    return first
                del kind[first]
                self.stalled.setdefault(first, now)
        for slow, since in self.stalled.items():
            if now - since <= patience:
                break
            if slow.unsent():
                return slow
        return None
