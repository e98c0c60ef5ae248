"""Agents at work for Chorus: where they may be started, how they stand, and what is asked of them."""

from typing import Annotated, Literal

from msgspec import Meta

from chorus.show.wire.base import Wire

RunState = Literal["starting", "running", "waiting", "idle", "ending", "ended", "lost"]
"""`waiting` is for a person; `lost`: whoever held it is gone, and so is it."""
Words = Annotated[str, Meta(max_length=1_000_000)]


class Picture(Wire, frozen=True):
    """PNG, JPEG, GIF or WebP, as base 64; what it is shows in its first bytes."""

    data: str


class Message(Wire, frozen=True):
    """What a person says to an agent."""

    text: Words = ""
    pictures: Annotated[tuple[Picture, ...], Meta(max_length=20)] = ()
    is_later: bool = False
    """Whether it waits for the end of the turn, even if the agent could look at it before."""


class RunShown(Wire, frozen=True):
    """An agent that Chorus started."""

    id: str
    session: str
    conversation: str
    """Its name: `workspace/agent/session`."""
    is_kept: bool
    """Whether the conversation was seen to be there: until the client says something there is none to ask for."""
    title: str
    folder: str
    agent: str | None
    """Its name, if it is one of those that were set up."""
    state: RunState
    queued: tuple[str, ...]
    """What was sent and is not begun with."""
    model: str
    mode: str
    trouble: str
    """What cannot be kept or asked at present; empty when all is well."""
    advice: str
    """What to do about its last turn; empty when nothing needs to be done."""
    started_at: str
    ended_at: str | None
    ending: str
    """How it ended, and what to do about it."""
    is_failure: bool


class Runs(Wire, frozen=True):
    """Those at work, and those that ended lately."""

    runs: tuple[RunShown, ...]


class AgentShown(Wire, frozen=True):
    """A worker that was set up for a folder."""

    name: str
    model: str | None
    mode: str | None


class Place(Wire, frozen=True):
    """A folder in which an agent may be started: one that was named, or one in which sessions worked."""

    id: str
    folder: str
    agents: tuple[AgentShown, ...]
    is_named: bool
    """Whether it is a workspace by a person's word."""


class Places(Wire, frozen=True):
    places: tuple[Place, ...]
    """Named ones first, then those worked in last."""
    models: tuple[str, ...]
    """Names of models that are in the data."""
    trouble: str
    """Why no agent can be started at all; empty when one can."""


class RunAsked(Wire, frozen=True):
    """A new session in a folder, named by its id: never by a path. Any mode but the one without questions."""

    place: str
    message: Message
    agent: str | None = None
    model: str | None = None
    mode: Literal["default", "plan", "acceptEdits", "auto", "dontAsk"] | None = None


class ResumptionAsked(Wire, frozen=True):
    """A kept conversation gone on with, or a copy of it; from its last message, or from the one named by its uuid."""

    conversation: str
    message: Message
    is_fork: bool = False
    at: str | None = None


class RunChange(Wire, frozen=True):
    """Another model from now on, or a mode in which no more runs unasked than usual."""

    model: str | None = None
    mode: Literal["default", "plan"] | None = None
