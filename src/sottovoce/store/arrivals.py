"""What a store receives, and how it replies."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
#: Bytes of an identifier.
ID = 16
#: New rows that change places one by one; for more, shuffling all of them takes less time.
_FEW = 16
#: The states of a study, and who may answer: everyone (open), or people with a ticket.
OPEN, CLOSED, TICKETS = "open", "closed", "tickets"


class Lane(NamedTuple):
    """Reports of one level: their identifiers, and their records one after the other."""

    ids: bytes
    records: bytes


class Arrival:
    """The `count` reports of one request, accepted or refused as a whole.

    `study` is the key of the study in the store, and `fingerprint` must match that study. `ticket` is the hash of the sender's ticket.
    """

    __slots__ = ("count", "fingerprint", "lanes", "study", "ticket")

    def __init__(self, study: int, fingerprint: str, lanes: Mapping[str, Lane], ticket: bytes | None = None) -> None:
        self.study, self.fingerprint, self.lanes, self.ticket = study, fingerprint, lanes, ticket
        self.count = sum([len(lane.ids) for lane in lanes.values()]) // ID


@dataclass(frozen=True, slots=True)
class Receipt:
    """An acknowledgement: how many reports were counted now and how many before. Both are on disk."""

    accepted: int
    repeated: int


class Refusal(Enum):
    """Why a store refused an arrival."""

    GONE = "The study has been deleted."
    CLOSED = "The study doesn't accept reports any more."
    NO_TICKET = "This study is by invitation, and the request has no ticket."
    BAD_TICKET = "The ticket is wrong, or it was used for another report."
    TOO_MANY = "A ticket is for one person, and the body has more reports than the study asks of a person."


def rows_of(data: bytes, width: int) -> Bytes:
    """View records as rows of `width` bytes."""
    return np.frombuffer(data, dtype=np.uint8).reshape(-1, width)


def firsts(ids: Bytes) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """The order of identifiers by their bytes, and a mask (in the original order) of those that occur for the first time.

    >>> ids = rows_of(bytes.fromhex("02" * 16 + "01" * 16 + "02" * 16), 16)
    >>> order, first = firsts(ids)
    >>> order.tolist(), first.tolist()
    ([1, 0, 2], [True, True, False])
    """
    if len(ids) == 1:
        return np.zeros(1, dtype=np.intp), np.ones(1, dtype=np.bool_)
    halves = np.ascontiguousarray(ids).view(">u8")
    one, two = halves[:, 0], halves[:, 1]
    order = np.argsort(one.astype(np.uint64), kind="stable")
    first = np.ones(len(ids), dtype=np.bool_)
    if (one[order][1:] == one[order][:-1]).any():
        order = np.lexsort((two, one))
        same = (halves[order][1:] == halves[order][:-1]).all(axis=1)
        first[order[1:][same]] = False
    return order, first


def mixed(kept: bytes, new: bytes, width: int) -> bytes:
    """Shuffle new records into records that are shuffled already, so that every order of all of them is equally likely.

    A few new records each trade places with a random record up to their own place (Fisher–Yates). Many are shuffled together with the rest.
    """
    if len(new) > _FEW * width:
        return shuffled(rows_of(kept + new, width)).tobytes()
    for begin in range(0, len(new), width):
        own, place = new[begin : begin + width], width * secrets.randbelow(len(kept) // width + 1)
        kept = kept[:place] + own + kept[place + width :] + kept[place : place + width]
    return kept


def shuffled(rows: Bytes) -> Bytes:
    """Put rows into a random order, drawn from the operating system, so that nothing remains of the order in which they came."""
    return rows[np.argsort(np.frombuffer(os.urandom(8 * len(rows)), dtype=np.uint64), kind="stable")]
