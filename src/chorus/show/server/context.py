"""The parts of a running server that its routes use."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from litestar.di import NamedDependency
from litestar.params import SkipValidation
from msgspec import Struct

from chorus.keep.vault.files import FileVault
from chorus.show.server.services.readers import Readers

if TYPE_CHECKING:
    from chorus.show.server.edge.limits import Limits
    from chorus.show.server.edge.logins import Logins
    from chorus.show.server.edge.tickets import Tickets
    from chorus.show.server.live.board_watcher import BoardWatcher
    from chorus.show.server.live.client_watcher import ClientWatcher
    from chorus.show.server.live.hub import Hub
    from chorus.show.server.live.pane_watcher import PaneWatcher
    from chorus.show.server.live.progress import Progress
    from chorus.show.server.live.run_watcher import RunWatcher
    from chorus.show.server.services.approvals import ApprovalService
    from chorus.show.server.services.budgets import BudgetService
    from chorus.show.server.services.comparisons import Comparisons
    from chorus.show.server.services.devices import DeviceService
    from chorus.show.server.services.files import KnownFiles
    from chorus.show.server.services.notifications import Notifications
    from chorus.show.server.services.run_control import RunControl
    from chorus.show.transcripts.open_transcripts import OpenTranscripts
    from chorus.show.transcripts.replays import Replays
    from chorus.show.transcripts.summary import Summaries


class ServerContext(Struct, kw_only=True, eq=False):
    """The components of a server. Each exists once and lives as long as the server runs."""

    vault: FileVault
    summaries: "Summaries"
    readers: Readers
    transcripts: "OpenTranscripts"
    files: "KnownFiles"
    replays: "Replays"
    logins: "Logins"
    tickets: "Tickets"
    hub: "Hub"
    progress: "Progress"
    client_watcher: "ClientWatcher"
    pane_watcher: "PaneWatcher"
    approvals: "ApprovalService"
    budgets: "BudgetService"
    board_watcher: "BoardWatcher"
    notifications: "Notifications"
    devices: "DeviceService"
    run_watcher: "RunWatcher"
    run_control: "RunControl"
    comparisons: "Comparisons"
    limits: "Limits"
    port: int


Context = NamedDependency[SkipValidation[ServerContext]]
"""The type of the parameter `server`, with which a route gets the context."""
Provider = Callable[[], ServerContext]
