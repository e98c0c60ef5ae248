"""The frames of the live socket: `PageFrame` are those from the application, `ServerFrame` those from the server."""

from msgspec import Struct

from chorus.core.board.board import ColumnCount, WorkspaceCount
from chorus.core.board.tiles import Tile
from chorus.core.notifications.notices import Notification
from chorus.show.wire.conversations import ConversationSummary, Running
from chorus.show.wire.runs import RunShown
from chorus.show.wire.serving import ServerStatus
from chorus.show.wire.transcripts import PageRow


class Hello(Struct, frozen=True, kw_only=True, tag="hello", tag_field="type", forbid_unknown_fields=True):
    """The first frame. With `epoch` and `seq`, the server first sends everything since then."""

    ticket: str
    epoch: str | None = None
    seq: int | None = None
    follow: tuple[str, ...] = ()


class Follow(Struct, frozen=True, kw_only=True, tag="follow", tag_field="type", forbid_unknown_fields=True):
    """From now on the server sends row changes of exactly these conversations; at most 8."""

    conversations: tuple[str, ...]


PageFrame = Hello | Follow


class Frame(Struct, frozen=True, kw_only=True, tag_field="type"):
    """Base class of the frames from the server."""


class Welcome(Frame, frozen=True, tag="welcome"):
    """The start of this socket in the change feed. If the epoch is not the requested one, load everything again."""

    epoch: str
    seq: int
    is_reset: bool
    """Whether the changes since the requested position are not sent, so that everything must be loaded again."""


class Changed(Frame, frozen=True, tag="changed"):
    """The change feed advanced from `since` to `seq`. Each frame starts where the previous one ended."""

    since: int
    seq: int
    conversations: tuple[ConversationSummary, ...]
    gone: tuple[str, ...]


class RowsChanged(Frame, frozen=True, tag="rows"):
    """Rows of a followed conversation to put or remove; sent directly before the `Changed` with the same `seq`.

    Putting a row is idempotent. `is_whole` means that too much changed: the conversation must be loaded again.
    """

    seq: int
    conversation: str
    rows: tuple[PageRow, ...]
    removed: tuple[str, ...]
    is_whole: bool


class Partial(Frame, frozen=True, tag="partial"):
    """A row that is still being written. It replaces the previous such frame of the same row and is not recorded."""

    conversation: str
    row: PageRow


class Gap(Frame, frozen=True, tag="gap"):
    """The reader was too slow: frames from `since` to `seq` were skipped. Load again what is displayed."""

    since: int
    seq: int


class StatusChanged(Frame, frozen=True, tag="status"):
    status: ServerStatus


class RunningChanged(Frame, frozen=True, tag="running"):
    """All running sessions. It replaces the previous such frame. Sent after a welcome and after every change."""

    sessions: tuple[Running, ...]


class ApprovalsChanged(Frame, frozen=True, tag="approvals"):
    """Requests were added, answered or ended. It replaces the previous such frame."""

    pending: int


class AnnotationsChanged(Frame, frozen=True, tag="annotations"):
    """A person renamed, starred, archived, tagged or described conversations, or a run ended.

    Lists must be loaded again.
    """


class RunsChanged(Frame, frozen=True, tag="runs"):
    """All active runs and those that ended recently. It replaces the previous such frame."""

    runs: tuple[RunShown, ...]


class BoardChanged(Frame, frozen=True, tag="board"):
    """What changed on the board from one state to the next. A reader that has another state than `since` loads the
    board again. Sent after a welcome, then without tiles, and after every change."""

    since: int
    revision: int
    put: tuple[Tile, ...]
    gone: tuple[str, ...]
    counts: tuple[ColumnCount, ...]
    workspaces: tuple[WorkspaceCount, ...]


class Notified(Frame, frozen=True, tag="notified"):
    """Something happened that the rules of this device ask for. Sent only to a device that is not notified by push."""

    notification: Notification


ServerFrame = (
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
    | BoardChanged
    | Notified
)
