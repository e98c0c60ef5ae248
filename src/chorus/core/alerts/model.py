"""What an alert is: a sign that an agent makes no progress, with the records that show it."""

from typing import Literal

from msgspec import Struct

AlertKind = Literal["loop", "silence", "context", "retries", "budget"]
"""The same call fails again and again; a call is open and nothing comes; the context is nearly full; the API fails; a
budget is nearly or completely used."""


class Evidence(Struct, frozen=True):
    """A record that shows what an alert says."""

    item: str
    """The id of its item: a tool call, a message or a notice. The transcript can be opened there."""
    time: str | None = None


class Alert(Struct, frozen=True, kw_only=True):
    """A sign that an agent may be stuck. It only says what its evidence shows."""

    kind: AlertKind
    text: str
    """A sentence for people. Of a transcript it contains at most the name of a tool."""
    thread: str
    """The sub-agent that it is about; "" for the main agent."""
    since: str | None
    """The time of the first record of the evidence."""
    evidence: tuple[Evidence, ...]
    """The records, oldest first; of many, the last `MAX_EVIDENCE`."""
    count: int
    """How many records there are in total."""


MAX_EVIDENCE = 10


def alert(kind: AlertKind, text: str, thread: str, evidence: list[Evidence]) -> Alert:
    """Returns an alert with as much of its evidence as is shown."""
    return Alert(
        kind=kind,
        text=text,
        thread=thread,
        since=evidence[0].time if evidence else None,
        evidence=tuple(evidence[-MAX_EVIDENCE:]),
        count=len(evidence),
    )
