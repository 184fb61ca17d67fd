"""Which connection gives way."""

from __future__ import annotations

from dataclasses import dataclass

from sottovoce.collector.room import Room

PATIENCE = 10.0


@dataclass(eq=False)
class Line:
    """A connection, with an answer that its client takes or not."""

    number: int
    full: bool = False

    def unsent(self) -> bool:
        return self.full

    def leave(self) -> None:
        """Only the room decides here."""


def lines(count: int) -> list[Line]:
    return [Line(number) for number in range(count)]


def test_the_longest_wait_ends_first() -> None:
    room, (first, second, third, new) = Room(), lines(4)
    for line in (first, second, third, new):
        room.awaits_head(line)
    room.awaits_head(first)  # it was answered, and waits again
    assert room.gives_way(new, 3, 0.0, PATIENCE) is second
    room.leave(second)
    assert room.gives_way(new, 3, 0.0, PATIENCE) is third


def test_a_request_that_is_being_answered_stays_and_so_does_the_newcomer() -> None:
    room, (first, second, new) = Room(), lines(3)
    room.awaits_head(first)
    room.awaits_body(second)
    for line in (first, second):
        room.is_answered(line)
    room.awaits_head(new)
    assert room.gives_way(new, 2, 0.0, PATIENCE) is None


def test_heads_and_bodies_have_half_of_the_room_each() -> None:
    room, (head, *bodies, new) = Room(), lines(6)
    room.awaits_head(head)
    for body in bodies:
        room.awaits_head(body)
        room.awaits_body(body)
    room.awaits_head(new)
    assert room.gives_way(new, 5, 0.0, PATIENCE) is bodies[0]  # slow bodies cannot push headers out
    for body in bodies[2:]:
        room.awaits_head(body)
    assert room.gives_way(new, 5, 0.0, PATIENCE) is head  # and slow headers cannot push bodies out


def test_a_client_that_does_not_read_gives_way_last_and_after_a_while() -> None:
    room, (slow, new) = Room(), lines(2)
    slow.full = True
    room.awaits_head(slow)
    room.awaits_head(new)
    assert room.gives_way(new, 1, 100.0, PATIENCE) is None
    assert room.gives_way(new, 1, 100.0 + PATIENCE, PATIENCE) is None
    assert room.gives_way(new, 1, 100.1 + PATIENCE, PATIENCE) is slow
    slow.full = False
    assert room.gives_way(new, 1, 100.1 + PATIENCE, PATIENCE) is None
