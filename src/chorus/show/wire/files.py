"""Files over time: the files that a conversation touched, their versions, what changed, and who wrote each line."""

from typing import Literal

from chorus.core.views.blocks import Diff
from chorus.show.wire.base import Wire


class FileVersionShown(Wire, frozen=True):
    """A file from one moment to the next version."""

    number: int
    """From 1."""
    certainty: Literal["exact", "rebuilt", "unknown"]
    reason: str
    """Why it is not exact; "" if it is."""
    is_absent: bool
    """Whether there was no file."""
    is_start: bool
    """Whether this is the state in which the conversation found the file."""
    size_bytes: int | None
    cause: Literal["call", "command", "backup", "found"]
    """A tool call, a command, the client's own backup, or the text that the client found."""
    source: Literal["record", "backup", "snapshot"]
    """Where the content comes from: the records of calls, a backup of the client, or a snapshot of Chorus."""
    call: str
    """The id of the tool call; "" if no call made it."""
    tool: str
    conversation: str
    """The id of the conversation."""
    conversation_name: str
    """Its unique name; "" if it is not known."""
    agent: str
    """The sub-agent whose call it was; "" for the main thread."""
    time: str | None
    added: int | None
    """Number of lines that are new since the version before; None if that is not known."""
    removed: int | None


class FileShown(Wire, frozen=True):
    """A file with all its versions, oldest first."""

    path: str
    name: str
    """The path relative to the folder of the conversation, if the file is below it."""
    added: int
    removed: int
    reads: int
    versions: tuple[FileVersionShown, ...]


class Files(Wire, frozen=True):
    """The files that a conversation or a workspace touched, in the order of first use."""

    folder: str | None
    files: tuple[FileShown, ...]
    more: int
    """How many files were left out, because there are too many."""


class FileDiff(Wire, frozen=True):
    """What changed between two versions of a file."""

    before: int
    """The number of the version; 0 for the time before the first one."""
    after: int
    diff: Diff
    notes: tuple[str, ...]
    """What is not certain about the two versions."""
    cut_lines: int
    """How many lines were left out at the end."""


class BlamedLines(Wire, frozen=True):
    """Neighbouring lines that came with the same version."""

    first: int
    """The number of the first line, from 1."""
    lines: tuple[str, ...]
    version: int


class FileBlame(Wire, frozen=True):
    """The lines of a version, and the versions they came with."""

    version: int
    groups: tuple[BlamedLines, ...]
    cut_lines: int
    """How many lines were left out at the end."""
