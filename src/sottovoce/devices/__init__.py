"""A person's device: it perturbs answers, keeps a ledger of what it gave away, and sends the reports."""

from sottovoce.devices.device import Device
from sottovoce.devices.ledger import Status
from sottovoce.devices.recording import Asked
from sottovoce.devices.spending import Spent, price

__all__ = ["Asked", "Device", "Spent", "Status", "price"]
