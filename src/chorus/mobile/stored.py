"""What a client has: its position in the change feed, and the last message of every id. Pure."""

from typing import Any

from msgspec import Struct, field

from chorus.mobile.frames import Frame, Received

MAX_KNOWN = 300
"""How many revisions a client names when it comes back."""
_MAX_KNOWN_BYTES = 24 << 10
"""With the rest of `subscribe` this is below the limit for one message."""
_REVISION_BYTES = 24
"""A revision with the marks around it and its key."""


class OutOfStep(Exception):  # noqa: N818 - no error of anybody: the client comes back from its position
    """A step of the feed does not begin where the last one ended."""


class Stored(Struct, kw_only=True):
    """Everything that a client has to remember. It is complete after every frame."""

    epoch: str | None = None
    seq: int | None = None
    """The last step that was taken. None before the first `hello`."""
    messages: dict[str, Received] = field(default_factory=dict)
    """By `Received.key`; the one that changed last comes last."""
    sessions: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The conversations of the list, by their names."""
    incomplete: set[str] = field(default_factory=set)
    """Conversations that have to be sent from their start, and were not completely."""

    def take(self, frame: Frame) -> list[Received]:
        """Applies a frame and returns what is new in it. Raises `OutOfStep`, and then nothing has changed.

        A message that is stored already is not new: a server may not know that.
        """
        if frame.seq is not None and (frame.since != self.seq or self.seq is None):
            raise OutOfStep
        found = [each for each in frame.messages if self._take(each)]
        if frame.seq is not None:
            self.seq = frame.seq
        return found

    def known(self) -> dict[str, str]:
        """Returns the revisions of the last messages, by their keys: as many as a message has room for."""
        found: dict[str, str] = {}
        room = _MAX_KNOWN_BYTES
        for key, each in reversed(self.messages.items()):
            room -= len(key.encode()) + _REVISION_BYTES
            if room < 0 or len(found) == MAX_KNOWN:
                break
            found[key] = each.revision or ""
        return dict(reversed(found.items()))

    def of(self, conversation: str | None) -> list[Received]:
        """Returns the messages of a conversation, or those that belong to none."""
        return [each for each in self.messages.values() if each.conversation == conversation]

    def _take(self, received: Received) -> bool:
        match received.message.get("type"):
            case "hello":
                self._greet(received.message)
            case "session_list":
                self._list(received.message)
            case "gap" if isinstance(name := received.message.get("conversation"), str):
                self.incomplete.add(name)
        if received.id is None or received.is_partial:
            return True
        known = self.messages.get(received.key)
        if known is not None and known.revision == received.revision:
            return False
        self.messages.pop(received.key, None)
        self.messages[received.key] = received
        return True

    def _greet(self, hello: dict[str, Any]) -> None:
        if hello.get("isReset"):
            self.incomplete |= {each.conversation for each in self.messages.values() if each.conversation is not None}
            self.messages.clear()
            self.sessions.clear()
        self.epoch, self.seq = hello.get("epoch"), hello.get("seq")
        if isinstance(waits := hello.get("pending"), list):
            # The server may not know which requests this client has.
            for key in [key for key, each in self.messages.items() if _request_of(each) not in (None, *waits)]:
                del self.messages[key]

    def _list(self, message: dict[str, Any]) -> None:
        if message.get("isWhole"):
            self.sessions.clear()
        for each in message.get("sessions", ()):
            self.sessions[each["conversation"]] = each
        for name in message.get("gone", ()):
            self.sessions.pop(name, None)


def _request_of(received: Received) -> str | None:
    """Returns the id of a permission request that waits; None if this is none."""
    message = received.message
    return str(message.get("requestId")) if message.get("type") == "permission_request" else None
