"""Which part of a conversation is exported."""

from msgspec import Struct

from chorus.core.records.record import Record


class Selection(Struct, frozen=True, kw_only=True):
    """The part of a conversation that a person wants to share; by default all of it."""

    since: str | None = None
    until: str | None = None
    """Times (ISO 8601, UTC). A record belongs to the range if its time does."""
    thread: str | None = None
    """Only this thread: "" is the main thread, any other text the id of a sub-agent. None means all threads."""
    has_tool_output: bool = True
    has_thinking: bool = True
    has_images: bool = True

    @property
    def is_everything(self) -> bool:
        return self == Selection()

    def holds(self, time: str | None) -> bool:
        """Returns whether a moment is within the range; a moment without a time is within an open range only."""
        if time is None:
            return self.since is None
        # Times of records differ in their precision: the shorter text counts as the beginning of its span.
        return (self.since is None or time >= self.since) and (
            self.until is None or time <= self.until or time.startswith(self.until)
        )


def time_of(record: Record) -> str | None:
    """Returns the time that a record states."""
    time = getattr(record.value, "timestamp", None)
    return time if isinstance(time, str) and time else None


def agent_of(record: Record) -> str | None:
    """Returns the sub-agent that a record names; None if it names none."""
    agent = getattr(record.value, "agentId", None)
    return agent if isinstance(agent, str) and agent else None
