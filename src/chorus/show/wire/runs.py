"""Runs that Chorus started: where they can be started, their state, and messages to them."""

from typing import Annotated, Literal

from msgspec import Meta

from chorus.show.wire.base import Wire
from chorus.show.wire.budgets import BudgetUse

RunState = Literal["starting", "running", "waiting", "idle", "ending", "ended", "lost"]
"""`waiting` means for a person. `lost` means that the holder process ended, and the run with it."""
RunMode = Literal["default", "plan", "acceptEdits", "auto", "dontAsk"]
"""A permission mode in which an agent can be started from a page."""
Words = Annotated[str, Meta(max_length=1_000_000)]


class Picture(Wire, frozen=True):
    """A PNG, JPEG, GIF or WebP image as base64. Its type is detected from its first bytes."""

    data: str


class Message(Wire, frozen=True):
    """A message of a person to an agent."""

    text: Words = ""
    pictures: Annotated[tuple[Picture, ...], Meta(max_length=20)] = ()
    is_later: bool = False
    """Whether the message waits for the end of the turn, even if the agent could read it earlier."""


class RunShown(Wire, frozen=True):
    """A run that Chorus started."""

    id: str
    session: str
    conversation: str
    """The name of the conversation: `workspace/agent/session`."""
    is_kept: bool
    """Whether the conversation exists. It does not until the client writes its first record."""
    title: str
    folder: str
    agent: str | None
    """The name of the agent, if it was set up in the workspace."""
    state: RunState
    queued: tuple[str, ...]
    """Messages that were sent and that the agent has not started on."""
    model: str
    mode: str
    trouble: str
    """What cannot be recorded or requested at present; empty if there is no problem."""
    advice: str
    """What to do about the last turn; empty if nothing needs to be done."""
    started_at: str
    ended_at: str | None
    ending: str
    """How the run ended, and what to do about it."""
    is_failure: bool
    budgets: tuple[BudgetUse, ...]
    """The limits that apply to it, the one that is nearest to its end first; empty if there are none."""


class Runs(Wire, frozen=True):
    """All active runs and those that ended recently."""

    runs: tuple[RunShown, ...]


class AgentShown(Wire, frozen=True):
    """An agent that was set up for a workspace."""

    name: str
    model: str | None
    mode: str | None


class Place(Wire, frozen=True):
    """A folder in which an agent can be started: a configured workspace, or a folder in which sessions worked."""

    id: str
    folder: str
    agents: tuple[AgentShown, ...]
    is_named: bool
    """Whether a person configured it as a workspace."""


class Places(Wire, frozen=True):
    """The places where an agent can be started."""

    places: tuple[Place, ...]
    """Configured workspaces first, then the most recently used folders."""
    models: tuple[str, ...]
    """Names of the models that occur in the data."""
    modes: tuple[RunMode, ...]
    """The modes in which this login may start an agent."""
    trouble: str
    """Why no agent can be started at all; empty if agents can be started."""


class RunAsked(Wire, frozen=True):
    """Starts a new session in a folder, given by its id and never by a path. `bypassPermissions` is not accepted."""

    place: str
    message: Message
    agent: str | None = None
    model: str | None = None
    mode: RunMode | None = None


class ResumptionAsked(Wire, frozen=True):
    """Continues a recorded conversation or a copy of it, from its last message or from the message with this uuid."""

    conversation: str
    message: Message
    is_fork: bool = False
    at: str | None = None


class RunChange(Wire, frozen=True):
    """Changes the model, or changes to a mode that allows no more without asking than `default` does."""

    model: str | None = None
    mode: Literal["default", "plan"] | None = None
