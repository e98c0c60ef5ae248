"""The versions of a file, and what is known about each of them."""

from collections.abc import Callable
from enum import StrEnum

from msgspec import Struct, field

from chorus.core.conversation.items import MAIN, Order
from chorus.core.file_versions.contents import Contents

Backups = Callable[[str, str], bytes | None]
"""Returns the content of a backup of the client: by the id of the conversation and the name of the backup."""


class Certainty(StrEnum):
    """How well the content of a version is known."""

    EXACT = "exact"
    """Byte for byte what was on disk."""
    REBUILT = "rebuilt"
    """The text is known, but not every byte of it: its line endings or its encoding are not recorded."""
    UNKNOWN = "unknown"
    """From this moment on, the content is not known."""


class Cause(StrEnum):
    """What a version comes from."""

    CALL = "call"
    """A tool call wrote it."""
    COMMAND = "command"
    """A command, or another tool that may change any file."""
    BACKUP = "backup"
    """The client found the file in this state and made a backup of it."""
    FOUND = "found"
    """The client found the file in this state, and nothing says who changed it: a person, or another program."""


class Source(StrEnum):
    """Where the content of a version comes from."""

    RECORD = "record"
    """The records of the calls."""
    BACKUP = "backup"
    """A backup of the client."""
    SNAPSHOT = "snapshot"
    """A snapshot of Chorus."""


class Version(Struct, frozen=True, kw_only=True):
    """A file from one moment to the next version."""

    number: int
    """From 1."""
    certainty: Certainty
    reason: str = ""
    """Why the version is not exact; "" if it is."""
    is_absent: bool = False
    """Whether there was no file."""
    size_bytes: int | None = None
    """None if the content is not known, and if there was no file."""
    cause: Cause
    source: Source = Source.RECORD
    call: str = ""
    """The id of the tool call; "" if no call made it."""
    tool: str = ""
    conversation: str
    agent: str = MAIN
    """The sub-agent whose call it was; "" for the main thread."""
    time: str | None
    order: Order
    added: int | None = None
    """Number of lines that are new since the version before; None if that is not known."""
    removed: int | None = None
    is_start: bool = False
    """Whether this is the state in which the conversation found the file."""


class FileVersions(Struct):
    """One file with its versions, oldest first. There is at least one."""

    path: str
    """Absolute, as the records name it; relative only if the folder of the conversation is not known."""
    versions: list[Version] = field(default_factory=list)
    contents: Contents = field(default_factory=Contents)
    reads: int = 0
    """How often a tool read the file."""

    def content(self, version: Version) -> bytes | None:
        """Returns the bytes of a version; None if they are not known, and if there was no file."""
        return self.contents.of(version.number)

    @property
    def changes(self) -> list[Version]:
        """The versions that changed the file while the conversation ran."""
        return [each for each in self.versions if not each.is_start]

    @property
    def added(self) -> int:
        return sum(each.added or 0 for each in self.changes)

    @property
    def removed(self) -> int:
        return sum(each.removed or 0 for each in self.changes)

    @property
    def last(self) -> Version:
        return self.versions[-1]
