"""Requests to a collector: TLS is verified, redirects aren't followed, and nothing is sent that isn't needed."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from typing import Any
from urllib.request import Request

import msgspec

from sottovoce.devices.connections import Deadline, opener
from sottovoce.errors import UnreachableError, ended
from sottovoce.names import escaped
from sottovoce.wire import Body

#: The most bytes of a compiled study and of any other response, and the most seconds that a response may take.
MOST_STUDY, MOST_RESPONSE, TIMEOUT = 1 << 24, 1 << 16, 30.0
#: The same for a study, which a program waits for.
FETCH_TIMEOUT = 10.0
#: The longest wait that a collector can ask for, in seconds, and the most characters of its reasons.
_LONGEST, _REASON = 3600.0, 300
#: The same for all devices: requests show nothing of the program or the machine.
_AGENT = "sottovoce"
#: Statuses below 500 after which a request is sent again.
_AGAIN = {408, 429}
#: What a refusal means for a device, by its kind. Its report is made and its budget spent, so it can't follow the collector's advice.
_REMEDIES = {
    "another-study": "This device doesn't report again. Give a changed study a new name.",
    "not-found": "Add the study to the collector before devices report to it.",
}


@dataclass(frozen=True)
class Response:
    """What a collector answered."""

    status: int
    body: bytes
    headers: Mapping[str, str]

    @property
    def final(self) -> bool:
        """Whether sending it again would give the same answer."""
        return 400 <= self.status < 500 and self.status not in _AGAIN

    @property
    def reason(self) -> str:
        """Why it failed, from the problem document if there is one."""
        try:
            found = json.loads(self.body)
            detail, kind = found["detail"], str(found.get("type", "")).rpartition("/")[2]
            remedy = _REMEDIES.get(kind, found.get("remedy", ""))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return f"The collector answered {self.status}."
        return escaped(f"{str(detail).removesuffix('.')}. {remedy}".strip())[:_REASON]

    @property
    def pause(self) -> float:
        """The seconds that Retry-After asks for."""
        text = self.headers.get("retry-after", "").strip()
        try:
            found = float(text) if text.isdigit() else parsedate_to_datetime(text).timestamp() - time.time()
        except (ValueError, TypeError, ArithmeticError, OSError):  # also dates beyond those of this machine
            return 0.0
        return min(max(found, 0.0), _LONGEST)


def _send(request: Request, most: int, timeout: float) -> Response:
    deadline = Deadline(timeout)
    try:
        with opener(deadline).open(request, timeout=timeout) as found:
            body = bytearray()
            while part := found.read1(1 << 16):
                body += part
                if len(body) > most:
                    raise UnreachableError(f"The response has more than {most:,} bytes.")
                deadline.left()
            return Response(found.status, bytes(body), {name.lower(): value for name, value in found.headers.items()})
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise UnreachableError(ended(f"The collector can't be reached: {escaped(str(reason) or type(error).__name__)[:_REASON]}")) from None


def fetch(url: str, etag: str = "", timeout: float = FETCH_TIMEOUT) -> Response:
    """The compiled study at a URL, unless it is still the one with this tag (status 304)."""
    headers = {"User-Agent": _AGENT, "Accept": "application/json"} | ({"If-None-Match": etag} if etag else {})
    return _send(Request(url, headers=headers), MOST_STUDY, timeout)  # noqa: S310 - the scheme was checked


def is_closed(response: Response) -> bool:
    """Whether an administrator has closed the study that was fetched."""
    return response.headers.get("sottovoce-state") == "closed"


def post(url: str, reports: Sequence[Body], ticket: str = "", timeout: float = TIMEOUT) -> Response:
    """Send all reports of a person in one request. The bytes are the same each time."""
    data = msgspec.json.encode(reports[0] if len(reports) == 1 else reports)
    headers = {"User-Agent": _AGENT, "Content-Type": "application/json"} | ({"Authorization": f"Ticket {ticket}"} if ticket else {})
    return _send(Request(f"{url}/reports", data=data, headers=headers, method="POST"), MOST_RESPONSE, timeout)  # noqa: S310 - likewise


def is_receipt(response: Response, count: int) -> bool:
    """Whether a collector acknowledges so many reports. Anything else with status 200 is from someone else, such as a login page."""
    try:
        found: Any = json.loads(response.body)
        numbers = [found["accepted"], found["repeated"]]
    except (ValueError, KeyError, TypeError, RecursionError):
        return False
    return response.status == 200 and all(type(each) is int and each >= 0 for each in numbers) and sum(numbers) == count
