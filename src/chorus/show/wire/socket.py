"""The frames of the live socket: what the application says (`Said`), and what it is told (`Told`)."""

from msgspec import Struct

from chorus.show.wire.conversations import ConversationSummary, Running
from chorus.show.wire.runs import RunShown
from chorus.show.wire.serving import ServerStatus
from chorus.show.wire.transcripts import PageRow


class Hello(Struct, frozen=True, kw_only=True, tag="hello", tag_field="type", forbid_unknown_fields=True):
    """The first frame. With `epoch` and `seq`, everything since then is told first."""

    ticket: str
    epoch: str | None = None
    seq: int | None = None
    follow: tuple[str, ...] = ()


class Follow(Struct, frozen=True, kw_only=True, tag="follow", tag_field="type", forbid_unknown_fields=True):
    """From now on exactly these conversations are told row by row; at most 8."""

    conversations: tuple[str, ...]


Said = Hello | Follow


class Frame(Struct, frozen=True, kw_only=True, tag_field="type"):
    """Base of the frames."""


class Welcome(Frame, frozen=True, tag="welcome"):
    """The place of the feed where this socket begins. Another epoch than the one asked for: read everything again."""

    epoch: str
    seq: int
    is_reset: bool
    """Whether what happened since the place asked for is not told: everything is to be read again."""


class Changed(Frame, frozen=True, tag="changed"):
    """The feed went on from `since` to `seq`: each frame begins where the one before it ended."""

    since: int
    seq: int
    conversations: tuple[ConversationSummary, ...]
    gone: tuple[str, ...]


class RowsChanged(Frame, frozen=True, tag="rows"):
    """Rows of a followed conversation, put or taken away; comes right before the `Changed` of the same `seq`.

    To put a row twice is to put it once. `is_whole`: so much changed that the conversation is to be read again.
    """

    seq: int
    conversation: str
    rows: tuple[PageRow, ...]
    removed: tuple[str, ...]
    is_whole: bool


class Partial(Frame, frozen=True, tag="partial"):
    """What a row looks like while it is being written: replaces the last such frame of the same row; not kept."""

    conversation: str
    row: PageRow


class Gap(Frame, frozen=True, tag="gap"):
    """The reader was too slow: frames from `since` to `seq` were left out. Read again what is on display."""

    since: int
    seq: int


class StatusChanged(Frame, frozen=True, tag="status"):
    status: ServerStatus


class RunningChanged(Frame, frozen=True, tag="running"):
    """Every session that runs now: replaces the last such frame. Comes after a welcome, and when something changed."""

    sessions: tuple[Running, ...]


class ApprovalsChanged(Frame, frozen=True, tag="approvals"):
    """Requests were asked, answered or ended; replaces the last such frame."""

    pending: int


class AnnotationsChanged(Frame, frozen=True, tag="annotations"):
    """Somebody renamed, starred, archived, tagged or described conversations: what lists say is to be read again."""


class RunsChanged(Frame, frozen=True, tag="runs"):
    """Every run at work, and those that ended lately: replaces the last such frame."""

    runs: tuple[RunShown, ...]


Told = (
    Welcome
    | Changed
    | RowsChanged
    | Partial
    | Gap
    | StatusChanged
    | RunningChanged
    | ApprovalsChanged
    | AnnotationsChanged
    | RunsChanged
)
