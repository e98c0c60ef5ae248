"""Sharing: what an export would contain, what redaction found, and the content of an exported file."""

from typing import Literal

from chorus.show.wire.base import Wire
from chorus.show.wire.conversations import ConversationDetail
from chorus.show.wire.replay import ReplayMoments, ReplayTimeline
from chorus.show.wire.transcripts import Outline, PageRow

ExportFormat = Literal["html", "markdown", "json", "session-file"]


class ExportedBranch(Wire, frozen=True):
    """One continuation of a message that several messages continue."""

    head: str
    above: str
    """The message that it continues."""
    is_active: bool


class ExportedStretch(Wire, frozen=True):
    """The rows of a sub-agent's thread that one of several calls led to: from the first to before the last."""

    call: str
    first: int
    last: int


class ExportedThread(Wire, frozen=True):
    """A thread in an exported file, with all its rows."""

    id: str
    rows: tuple[PageRow, ...]
    outline: Outline
    stretches: tuple[ExportedStretch, ...]


class ExportedFile(Wire, frozen=True):
    """Everything that an exported file has to show."""

    version: int
    """The version of this format."""
    made_with: str
    """The version of Chorus."""
    detail: ConversationDetail
    thread: str
    """The thread that is shown first."""
    threads: tuple[ExportedThread, ...]
    branches: tuple[ExportedBranch, ...]
    links: dict[str, str]
    """The message that each message of the main thread continues; empty if there are no branches."""
    belongs: dict[str, str]
    """The message that each other item of the main thread belongs to; empty if there are no branches."""
    images: dict[str, str]
    """Images as data URLs, by `stream:at:nth`."""
    side_files: dict[str, str]
    """Long outputs by their names."""
    replaced: int
    """How many values were replaced by redaction. Each counts once, however often it occurs."""
    timeline: ReplayTimeline
    moments: tuple[ReplayMoments, ...]
    """All moments of the timeline, in chunks."""


class ExportAsked(Wire, frozen=True):
    """A conversation, or a part of it, that is to be exported, and what is decided about the redaction."""

    format: ExportFormat = "html"
    since: str | None = None
    until: str | None = None
    thread: str | None = None
    has_tool_output: bool = True
    has_thinking: bool = True
    has_images: bool = True
    is_redacted: bool = True
    allowed: tuple[str, ...] = ()
    replaced: tuple[tuple[str, str], ...] = ()
    added: tuple[str, ...] = ()


class FindingShown(Wire, frozen=True):
    """One value that redaction found."""

    placeholder: str
    rule: str
    title: str
    kind: Literal["secret", "personal", "named", "image"]
    preview: str
    count: int
    is_allowed: bool
    replacement: str
    row: str | None
    """The id of a record in which it occurs."""


class ExportPreview(Wire, frozen=True):
    """What an export would be: its size, its beginning, and what redaction found."""

    file_name: str
    size_bytes: int
    records: int
    left_out: int
    findings: tuple[FindingShown, ...]
    missing: tuple[str, ...]
    beginning: str
    """The beginning of the exported text; for an HTML file that of its Markdown."""
