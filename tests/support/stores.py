"""Stores for the tests: opened with studies, and arrivals made of reports."""

from __future__ import annotations

import json
import os

import sottovoce as sv
from sottovoce.reports import PopulationReports, Reports
from sottovoce.store import Arrival, Entry, Store
from sottovoce.store.arrivals import ID, Lane, rows_of
from sottovoce.store.credentials import ticket_hash


def opened(url: str, *studies: sv.Study, respondents: str = "open") -> tuple[Store, list[Entry]]:
    store = Store(url)
    store.ready()
    return store, [store.add(study, json.dumps(study.compile()), respondents) for study in studies]


def arrival(entry: Entry, reports: Reports, ids: bytes | None = None, ticket: str | None = None) -> Arrival:
    ids = os.urandom(ID * len(reports)) if ids is None else ids
    shown = None if ticket is None else ticket_hash(ticket)
    if not isinstance(reports, PopulationReports):
        return Arrival(entry.key, entry.fingerprint, {"": Lane(ids, reports.to_bytes())}, shown)
    rows = rows_of(ids, ID)
    own = {name: reports.levels == rank for rank, name in enumerate(reports.names)}
    lanes = {name: Lane(rows[own[name]].tobytes(), reports.parts[name].to_bytes()) for name in reports.names if own[name].any()}
    return Arrival(entry.key, entry.fingerprint, lanes, shown)
