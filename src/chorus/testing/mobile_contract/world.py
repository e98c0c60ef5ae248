"""What the contract of `chorus.mobile.v1` needs from a server under test."""

from typing import Protocol


class OpenSocket(Protocol):
    """An open WebSocket with the subprotocol `chorus.mobile.v1`."""

    def say(self, text: str) -> None:
        """Sends one text frame."""
        ...

    def hear(self) -> str:
        """Waits for the next text frame and returns it; raises if none comes in reasonable time."""
        ...

    def cut(self) -> None:
        """Ends the connection without a close frame."""
        ...


class World(Protocol):
    """A server with one conversation, whose only prompt so far is "first"."""

    conversation: str
    """The name of the conversation."""

    def open(self, version: str = "chorus.mobile.v1") -> OpenSocket:
        """Opens a socket of a login that may do everything; `version` is the subprotocol that it offers."""
        ...

    def ticket(self) -> str:
        """Returns a new ticket of that login."""
        ...

    def ask(self, command: str) -> str:
        """Lets an agent ask whether it may run a command; returns the id of the permission request."""
        ...

    def withdraw(self, request: str) -> None:
        """Ends a permission request, as if it was answered elsewhere."""
        ...

    def grow(self, prompt: str) -> None:
        """Lets a person say something in the conversation. Does not wait until the server has read it."""
        ...
