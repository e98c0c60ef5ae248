"""What routes stand on: the parts of a running server."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from litestar.di import NamedDependency
from litestar.params import SkipValidation
from msgspec import Struct

from chorus.server.readers import Readers
from chorus.store.files import FileVault

if TYPE_CHECKING:
    from chorus.pages.opened import OpenTranscripts
    from chorus.pages.summary import Summaries
    from chorus.server.approving import Desk
    from chorus.server.held import Held
    from chorus.server.helm import Helm
    from chorus.server.hub import Hub
    from chorus.server.limits import Limits
    from chorus.server.logins import Logins
    from chorus.server.present import Present
    from chorus.server.progress import Progress
    from chorus.server.tickets import Tickets


class Served(Struct, kw_only=True, eq=False):
    """One of each, for as long as the server runs."""

    vault: FileVault
    summaries: "Summaries"
    readers: Readers
    transcripts: "OpenTranscripts"
    logins: "Logins"
    tickets: "Tickets"
    hub: "Hub"
    progress: "Progress"
    present: "Present"
    desk: "Desk"
    held: "Held"
    helm: "Helm"
    limits: "Limits"
    port: int


Here = NamedDependency[SkipValidation[Served]]
"""How a route asks for it."""
Provider = Callable[[], Served]
