"""Definitions of privacy. `notion.check(mechanism)` gives a certificate with the tightest level."""

# Lists show the notions in the order of these imports.
# isort: off
from sottovoce.notions.base import Certificate, Notion, Witness
from sottovoce.notions.ldp import LDP
from sottovoce.notions.uldp import OSLDP, ULDP
from sottovoce.notions.budgets import IDLDP, IPLDP, ItemULDP
from sottovoce.notions.lip import LIP, BoundedPriorLIP, DifferentialIdentifiability
from sottovoce.notions.latent import Pufferfish, Secrets
from sottovoce.notions.averages import MaximalLeakage, MutualInformation
from sottovoce.notions.record import RecordULDP, together
from sottovoce.notions.composition import compose, preserves_data_types, repeated
# isort: on

__all__ = [
    "IDLDP",
    "IPLDP",
    "LDP",
    "LIP",
    "OSLDP",
    "ULDP",
    "BoundedPriorLIP",
    "Certificate",
    "DifferentialIdentifiability",
    "ItemULDP",
    "MaximalLeakage",
    "MutualInformation",
    "Notion",
    "Pufferfish",
    "RecordULDP",
    "Secrets",
    "Witness",
    "compose",
    "preserves_data_types",
    "repeated",
    "together",
]
