"""The texts about refused requests for people. Programs get the table of problems (`sottovoce.errors.PROBLEMS`)."""

from __future__ import annotations

from dataclasses import dataclass

from sottovoce.errors import SottovoceError


@dataclass(frozen=True)
class Words:
    """What happened and what to do, for a person."""

    title: str
    what: str
    remedy: str


_AGAIN = "Wait a moment and reload this page. If it keeps happening, tell the people who run this site."
_OPEN = "Open the dashboard from the link that contains your token, or ask an administrator for a new token."
#: Texts about the kinds of problems that people can see in a browser.
_WORDS = {
    "not-found": Words(
        "This page doesn’t exist",
        "The link may be incomplete, or the study was deleted.",
        "Check the link that you were given, or ask the person who sent it.",
    ),
    "method": Words("This page can’t be used like that", "The page exists, but not for this kind of request.", "Go back and try again."),
    "closed": Words(
        "This study is closed", "It doesn’t accept answers any more.", "Your answer was not sent. You don’t need to do anything."
    ),
    "no-token": Words("You need a token", "Only analysts and administrators with a token can open this.", _OPEN),
    "expired-token": Words("Your token has expired", "Each token works for a limited time.", _OPEN),
    "forbidden": Words("Your token doesn’t open this", "It is for a different page or for other studies.", _OPEN),
    "no-ticket": Words("You need a ticket", "This study is by invitation only.", "Open the link in your invitation, or enter your ticket."),
    "used-ticket": Words(
        "This ticket doesn’t work", "It is wrong, or was already used.", "Check it. If you haven’t answered yet, ask for another ticket."
    ),
    "few-reports": Words("There are no results yet", "Results are shown once there are enough reports.", "Come back later."),
    "busy": Words("Too many people at once", "The collector is busy.", _AGAIN),
    "store": Words("The collector can’t reach its data", "If your answer was not confirmed, it was not counted.", _AGAIN),
    "too-long": Words("This takes too long", "The result was not ready in time.", _AGAIN),
    "slow": Words("The connection is too slow", "Your browser’s request did not arrive in time.", _AGAIN),
    "headers": Words("The request is too long", "The link or your browser’s cookies for this site are very long.", "Open the link again."),
    "broken": Words("Something went wrong here", "There was an internal error in the collector. It isn’t your fault.", _AGAIN),
}
#: The same for all other kinds, which only programs meet: by whether the collector is to blame.
_OTHERS = {
    False: Words(
        "This request can’t be answered",
        "It contains something that the collector doesn’t understand.",
        "Go back and check the link or what you entered.",
    ),
    True: Words("Something went wrong here", "The collector could not answer.", _AGAIN),
}


def words_of(error: SottovoceError, status: int) -> Words:
    """The text about a kind of problem."""
    return _WORDS.get(error.kind) or _OTHERS[status >= 500]
