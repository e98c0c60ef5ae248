"""Blame: the lines of a file, and the edits that wrote them."""

from typing import Literal

from chorus.show.wire.base import Wire


class LineOrigin(Wire, frozen=True):
    """An edit that wrote lines of the file."""

    conversation: str
    """The id of the conversation."""
    conversation_name: str
    """Its unique name; "" if the vault does not have it."""
    title: str
    agent: str
    """The sub-agent whose call it was; "" for the main thread."""
    turn: int
    """From 1; 0 if it is not known."""
    call: str
    """The id of the tool call; "" if only the turn is known."""
    tool: str
    model: str
    certainty: Literal["exact", "likely"]
    evidence: Literal["snapshots", "records"]
    """What it is known from: snapshots of the files, or only the records of the conversation."""
    prompt: str
    """The first words of the prompt; "" if it is not known."""
    prompt_at: str
    """The row of the prompt in the transcript; "" if it is not known."""
    lines: int
    """How many lines of the file it wrote."""


class BlamedStretch(Wire, frozen=True):
    """Neighbouring lines with the same origin."""

    first: int
    """The number of the first line, from 1."""
    lines: tuple[str, ...]
    origin: int | None
    """The number of the origin in `Blame.origins`, from 0; None if it is not known, or not an agent's."""


class ForeignClaim(Wire, frozen=True):
    """What another program says about neighbouring lines. It is no answer of Chorus."""

    first: int
    last: int
    source: str
    """`git-ai` or `Agent Trace`."""
    author: str
    """`ai`, `human`, `mixed` or `unknown`."""
    tool: str
    model: str
    session: str
    person: str


class Blame(Wire, frozen=True):
    """A file of a workspace with the origin of each line."""

    workspace: str
    folder: str
    key: str
    """Names the file in requests."""
    path: str
    revision: str
    """The full id of the commit; "" for the folder as it is now."""
    origins: tuple[LineOrigin, ...]
    stretches: tuple[BlamedStretch, ...]
    claims: tuple[ForeignClaim, ...]
    lines: int
    lines_by_agents: int
    cut_lines: int
    """How many lines were left out at the end."""
