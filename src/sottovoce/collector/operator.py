"""Who runs a collector, and how to reach them: for people who wonder whose page they are on."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sottovoce.collector.settings import Settings

_MAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+").fullmatch
_PAGE = re.compile(r"https?://\S+").fullmatch


@dataclass(frozen=True)
class Operator:
    """The operator of a collector, as its settings name it. Both are "" if they don't."""

    name: str = ""
    contact: str = ""

    @classmethod
    def of(cls, settings: Settings) -> Operator:
        """The operator that the settings name."""
        return cls(settings.operator.strip(), settings.contact.strip())

    @property
    def link(self) -> str:
        """Where the contact leads, if it is an e-mail address or the URL of a page.

        >>> Operator(contact="privacy@example.org").link, Operator(contact="Room 7, Town Hall").link
        ('mailto:privacy@example.org', '')
        """
        if _MAIL(self.contact):
            return f"mailto:{self.contact}"
        return self.contact if _PAGE(self.contact) else ""
