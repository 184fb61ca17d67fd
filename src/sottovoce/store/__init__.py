"""Stores of reports: SQLite and PostgreSQL behind one class."""

from sottovoce.store.arrivals import Arrival, Receipt, Refusal
from sottovoce.store.keys import Role, Token
from sottovoce.store.store import Entry, Store

__all__ = ["Arrival", "Entry", "Receipt", "Refusal", "Role", "Store", "Token"]
