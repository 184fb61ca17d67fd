"""Channels as JSON: what a client in any language needs to sample exactly as Python does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sottovoce.channels import Channel
from sottovoce.channels.protocol import channel_kind
from sottovoce.errors import ReportError, SottovoceError


def describe(channel: Channel) -> dict[str, Any]:
    """Describe a channel as a JSON object.

    >>> from sottovoce import Domain, krr
    >>> describe(krr(Domain("ab"), 1.0).channel)["kind"]
    'direct'
    """
    return channel.described()


def restore(form: Mapping[str, Any]) -> Channel:
    """Rebuild the channel that `describe` wrote. Tables that no channel can have raise an error.

    >>> from sottovoce import Domain, krr
    >>> channel = krr(Domain("ab"), 1.0).channel
    >>> restore(describe(channel)).fingerprint == channel.fingerprint
    True
    """
    kind = form.get("kind") if isinstance(form, Mapping) else None
    reader = channel_kind(kind)
    try:
        return reader.of_form(form)
    except SottovoceError:
        raise
    except (KeyError, TypeError, ValueError, OverflowError, IndexError, AttributeError, RecursionError, MemoryError) as error:
        raise ReportError(f"The tables of this {kind} channel are broken: {error!r}") from None
