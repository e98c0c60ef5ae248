"""What asks in panes: the port between the prompts that Chorus recognises and the requests that it makes of them."""

from enum import Enum
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from chorus.steer.tmux.agreement import Agreement
from chorus.steer.tmux.connection import Connection
from chorus.steer.tmux.sight import Sight

Connections = dict[Path, Connection]
"""A connection for each tmux server."""


class Obstacle(Struct, frozen=True):
    """A prompt that can be answered only in its pane."""

    session: str
    """The session that the program named."""
    place: str
    """The pane, such as `work:1.0`."""
    why: str


class AfterKey(Enum):
    """What a program did after the key was sent."""

    WAITS = "the key was sent, but the program still waits"
    ASKS_AGAIN = "the key was sent, but the program asks the same again"
    GONE = "the program ended before it said what it did"
    GOES_ON = "it does something else; its session file will say what happened"
    ACTED = "its stream shows that it went on"


class PromptSource(Protocol):
    """A kind of prompts. One thread uses it. A prompt has a key, which is unique in all sources."""

    def look(self, connections: Connections) -> dict[str, Agreement | str]:
        """Returns the prompts that are open now: what is asked, or why that cannot be answered by a key."""
        ...

    def again(self, known: Agreement, connections: Connections) -> tuple[Agreement | str, Sight | None]:
        """Looks at the prompt of an agreement once more, right before the key, and at the pane that shows it."""
        ...

    def sent(self, known: Agreement) -> None:
        """Called when the key is being sent."""
        ...

    def after_key(self, sent: Agreement) -> AfterKey:
        """Returns what became of a prompt whose key was sent, as of the last look."""
        ...
