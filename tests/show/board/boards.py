"""A vault with sessions, its index, and the board of both."""

from datetime import UTC, datetime

from chorus.core.board.facts import RunFact
from chorus.find.costs.conversation_costs import Costs
from chorus.find.index.memory import MemoryIndex
from chorus.find.indexing.open_conversation import OpenConversation
from chorus.keep.vault.files import FileVault
from chorus.show.board.board_reader import BoardReader
from chorus.show.board.live_state import LiveState, SeenRun, live_state
from chorus.steer.approvals import lifecycle
from chorus.steer.approvals.model import Asker, Request
from chorus.steer.clients.registry_entry import Running
from chorus.testing.builders import Session
from chorus.testing.builders.lines import Clock
from chorus.testing.indexes import NEVER, keep, kept_in, name_of

NOW = datetime(2026, 1, 5, 9, 5, tzinfo=UTC)
"""A few minutes after the lines of a session that `made` returns."""


def made(number: int, **more) -> Session:
    """Returns an empty session of its own, whose lines are a few minutes old."""
    return Session(f"b0a2d000-0000-4000-8000-{number:012d}", clock=Clock("2026-01-05T09:00:00.000Z"), **more)


class Board:
    """The board of a vault to which sessions are added."""

    def __init__(self, tmp_path) -> None:
        self.vault = FileVault(tmp_path)
        self.index = MemoryIndex()
        self.reader = BoardReader(self.vault, Costs(tmp_path))
        self._opened: dict[str, OpenConversation] = {}

    def keep(self, *sessions: Session) -> None:
        """Stores and indexes the new lines of these sessions."""
        for session in sessions:
            keep(self.vault, session)
        names = {name_of(session) for session in sessions}
        for kept in kept_in(self.vault):
            if kept.name in names:
                opened = self._opened.setdefault(kept.name, OpenConversation(self.vault, kept))
                self.index.write(opened.writings(kept, saved_since=NEVER))

    def look(self, live: LiveState | None = None, now: datetime = NOW):
        return self.reader.look(self.index, live or live_state((), (), ()), now)

    def tile(self, session: Session, live: LiveState | None = None, now: datetime = NOW):
        return self.look(live, now).tiles[name_of(session)]


def client(session: Session, status, waiting_for=None) -> Running:
    return Running(pid=4711, session=session.id, status=status, waiting_for=waiting_for)


def run(session: Session, state: str, **more) -> SeenRun:
    fact = RunFact(id=f"run-{session.id[-4:]}", state=state, **more)
    return SeenRun(
        fact=fact,
        conversation=name_of(session),
        title="A run",
        folder=session.cwd,
        started_at="2026-01-05T09:00:00.000Z",
    )


def request(session: Session, tool: str = "Bash", number: int = 1, at: str = "2026-01-05T09:01:00.000Z"):
    """Returns a pending row of the ledger."""
    asked = Request(
        id=f"{number:032x}",
        source="hook",
        key=f"{session.id} {number}",
        session=session.id,
        tool=tool,
        input="{}",
        cwd=session.cwd,
        created_at=at,
        asker=Asker(pid=1, started_at=""),
    )
    return lifecycle.asked(asked)
