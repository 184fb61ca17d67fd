"""Stores of reports, in SQLite or PostgreSQL, behind one class."""

from sottovoce.store.arrivals import Arrival, Receipt, Refusal
from sottovoce.store.credentials import Role, Token
from sottovoce.store.entries import Entry
from sottovoce.store.store import Store

__all__ = ["Arrival", "Entry", "Receipt", "Refusal", "Role", "Store", "Token"]
