"""Compares what the client says about an answer with the answer that Chorus sent. Pure.

The client repeats every answer that it receives, in the order in which it receives them, and takes the first. So an
answer that is repeated and is not ours proves that somebody else has our side of its pipe.
"""

import json
import math
from typing import Any, Literal

import msgspec
from msgspec import Raw, Struct

from chorus.core.protocol.evidence import Evidence

Behaviour = Literal["allow", "deny"]
Finding = Literal["ours", "elsewhere", "tampering"]
_CHANGES = ("updatedInput", "updatedPermissions")
_UNREADABLE = (ValueError, RecursionError)


class SentAnswer(Struct, frozen=True):
    """An answer that was sent to the client."""

    call: str
    """The call that it is about."""
    behaviour: Behaviour
    body: str
    """The JSON text of the answer; `null` for an error, which the client treats as a denial."""
    asked: str
    """The JSON text of the input that the client asked about."""


class _Response(Struct):
    response: Raw = Raw(b"null")


class _Line(Struct):
    response: _Response


_line = msgspec.json.Decoder(_Line)


def body_of(line: bytes) -> str:
    """Returns the JSON text of the answer in a line that is sent to the client; `null` for an error."""
    return bytes(_line.decode(line).response.response).decode()


def is_repeated(sent: SentAnswer, body: str) -> bool:
    """Returns whether an answer that the client repeats may be the one that was sent.

    What the client adds counts as ours: an input that it asked about, and changes that are empty.
    """
    try:
        ours, theirs = _read(sent.body), _read(body)
        if not isinstance(theirs, dict) or not isinstance(ours, dict):
            return not isinstance(theirs, dict) or theirs.get("behavior") != "allow"
        if theirs.get("behavior") != ours.get("behavior"):
            return False
        expected = {"updatedInput": [ours.get("updatedInput"), _read(sent.asked)]}
        return all(
            not theirs.get(name) or theirs[name] in expected.get(name, [ours.get(name)])
            for name in _CHANGES
            if ours.get("behavior") == "allow"
        )
    except _UNREADABLE:
        return True


def judge(sent: SentAnswer, evidence: Evidence | None) -> Finding:
    """Returns whether a call ended as the answer says, by the client's own record of who decided.

    A client that does not record who decided may show a denied call like one that ran: then the answer counts.
    """
    if evidence is None:
        return "ours"
    if evidence.by == "hook":
        return "elsewhere"
    was_allowed = sent.behaviour == "allow"
    if was_allowed == (evidence.behaviour == "allow"):
        return "ours"
    if was_allowed:
        # An allowed call that a person interrupts looks like one that was denied.
        return "ours" if evidence.may_be_interrupt else "elsewhere"
    # The client records the decision of its host as that of its user.
    match evidence.by:
        case "person":
            return "tampering"
        case "unknown":
            return "ours"
        case _:
            return "elsewhere"


def _read(text: str) -> Any:
    return _plain(json.loads(text))


def _plain(value: Any) -> Any:
    """Returns a JSON value as JavaScript reads it: every number is a double."""
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, int) and not isinstance(value, bool):
        try:
            value = float(value)
        except OverflowError:
            return None
    return None if isinstance(value, float) and not math.isfinite(value) else value
