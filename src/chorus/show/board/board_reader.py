"""Reads the board again and again. A conversation that did not change is not read again, so a look costs little."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta

from msgspec import Struct, field

from chorus.base import config
from chorus.core.board.board import ColumnCount, WorkspaceCount, chosen, counts_of, workspaces_of
from chorus.core.board.columns import Column, column_of
from chorus.core.board.ended_runs import status_after
from chorus.core.board.facts import LiveFacts, RecordFacts
from chorus.core.board.tiles import Tile, TileRun, reasons_of
from chorus.core.conversation.items import Status
from chorus.core.conversation.tool_facts import facts_of
from chorus.core.progress.model import ConversationProgress
from chorus.core.views import figures
from chorus.core.views.progress import current_progress, progress_line
from chorus.find.costs.conversation_costs import Costs, Figures
from chorus.find.index.port import Index
from chorus.find.index.rows import ConversationRow
from chorus.keep.archive.annotations import annotations_of
from chorus.keep.vault.files import FileVault
from chorus.show.board.live_state import LiveState, SeenRun
from chorus.show.board.tails import Tail, read_tail

_RECENT = timedelta(minutes=10)
_FEED_LIMIT = 10_000
_ACTIVE = (Column.NEEDS_YOU, Column.WORKING)


class BoardState(Struct, frozen=True, kw_only=True):
    """The board at one moment."""

    tiles: dict[str, Tile] = field(default_factory=dict)
    """By the names of the conversations."""
    counts: tuple[ColumnCount, ...] = counts_of(())
    workspaces: tuple[WorkspaceCount, ...] = ()
    progress: dict[str, ConversationProgress] = field(default_factory=dict)
    """How far the conversations at work are, with their sub-agents, by their names."""


class _Known(Struct):
    """What was read about a conversation. It holds until the conversation changes."""

    row: ConversationRow
    spent: Figures
    tail: Tail


class BoardReader:
    """Builds boards from an index and what is live. Not thread-safe."""

    def __init__(self, vault: FileVault, costs: Costs) -> None:
        self._vault = vault
        self._costs = costs
        self._epoch = ""
        self._seq = 0
        self._statuses: dict[str, tuple[str, str | None]] = {}
        self._known: dict[str, _Known] = {}
        self._at_work: dict[str, int] = {}
        """How many sub-agents work in conversations that changed recently."""
        self.read_conversations = 0
        """How many conversations were read so far; a conversation that did not change is not read again."""

    def look(self, index: Index, live: LiveState, now: datetime) -> BoardState:
        """Returns the board. `now` has the time zone of the person."""
        self._catch_up(index, now)
        annotations = annotations_of(self._vault.root).all()
        columns: dict[str, tuple[Column, str | None]] = {}
        facts: dict[str, LiveFacts] = {}
        for name, (status, last_at) in self._statuses.items():
            facts[name] = mine = live.of(name.rpartition("/")[2])
            column = column_of(self._records(name, status, last_at), mine, now)
            noted = annotations.get(name)
            if noted is None or not noted.is_archived or mine.is_open or column is Column.NEEDS_YOU:
                columns[name] = column, last_at
        shown = chosen(columns)
        self._read(index, [name for name in shown if name not in self._known])
        self._known = {name: self._known[name] for name in shown if name in self._known}
        titles = {name: noted.title for name, noted in annotations.items() if noted.title}
        tiles = {
            name: self._tile(name, columns[name][0], facts[name], titles.get(name), now)
            for name in shown
            if name in self._known
        }
        progress = {name: found for name, tile in tiles.items() if (found := self._progress(name, tile.column, now))}
        tiles |= self._unrecorded(live, now)
        counted = [column for column, _ in columns.values()]
        counted += [tile.column for name, tile in tiles.items() if name not in columns]
        return BoardState(
            tiles=tiles, counts=counts_of(counted), workspaces=workspaces_of(tiles.values()), progress=progress
        )

    def _catch_up(self, index: Index, now: datetime) -> None:
        """Forgets what was read about conversations that changed since the last look."""
        feed = index.feed(self._epoch, self._seq, limit=_FEED_LIMIT)
        is_new = feed.is_broken or index.epoch != self._epoch
        if is_new:
            self._known.clear()
            self._at_work.clear()
        changed = {event.conversation for event in feed.events}
        for name in changed:
            self._known.pop(name, None)
            self._at_work.pop(name, None)
        if is_new or changed:
            self._statuses = {name: (status, last_at) for name, status, last_at in index.statuses()}
        self._epoch = index.epoch
        self._seq = feed.events[-1].seq if feed.events else feed.seq
        for name, (status, last_at) in self._statuses.items():
            if status == Status.DONE and name not in self._at_work and _is_recent(last_at, now):
                row = index.conversation(name)
                self._at_work[name] = row.sub_agents_at_work if row else 0

    def _records(self, name: str, status: str, last_at: str | None) -> RecordFacts:
        return RecordFacts(status=status, last_at=last_at, sub_agents_at_work=self._at_work.get(name, 0))

    def _read(self, index: Index, names: Iterable[str]) -> None:
        rows = [row for name in names if (row := index.conversation(name)) is not None]
        spent = self._costs.figures(index, rows)
        for row in rows:
            self.read_conversations += 1
            self._known[row.name] = _Known(row, spent[row.name], read_tail(index, self._vault, row))

    def _tile(self, name: str, column: Column, live: LiveFacts, title: str | None, now: datetime) -> Tile:
        known = self._known[name]
        row, spent, tail = known.row, known.spent, known.tail
        session = row.session
        is_active = column in _ACTIVE
        calls = tail.calls if is_active else ()
        names = config.workspace_names(self._vault.root)
        progress = self._progress(name, column, now)
        return Tile(
            name=name,
            id=row.id,
            title=title or row.title,
            workspace=row.workspace,
            workspace_name=names.of(row.workspace, session.cwd),
            agent=row.agent,
            branch=session.git_branch,
            folder=session.cwd,
            column=column,
            status=row.status if live.client else status_after(live.run, row.status, session.ended_at),
            run=TileRun(id=live.run.id, state=live.run.state) if live.run else None,
            pane=live.pane,
            reasons=reasons_of(live, calls, session.ended_at) if column is Column.NEEDS_YOU else (),
            calls=tuple(call for call in calls if not facts_of(call.tool).waits_for_person),
            progress=progress_line(progress.main) if progress and progress.main else None,
            alerts=(*live.alerts, *tail.finder.alerts(now, session.ended_at, is_alive=live.is_at_work))
            if is_active or live.is_open
            else (),
            sub_agents=row.sub_agents,
            sub_agents_at_work=row.sub_agents_at_work if is_active else 0,
            context=tail.fill,
            cost_usd=spent.cost_usd if spent.cost_usd is not None else spent.reported_usd,
            is_lower_bound=spent.is_at_least,
            started_at=session.started_at,
            last_at=session.ended_at,
        )

    def _progress(self, name: str, column: Column, now: datetime) -> ConversationProgress | None:
        row = self._known[name].row
        found = current_progress(row.progress, row.status, row.session.ended_at, now)
        return found if column in _ACTIVE else None

    def _unrecorded(self, live: LiveState, now: datetime) -> dict[str, Tile]:
        """Returns the tiles of living runs that have no conversation yet: the client has written nothing."""
        recorded = {name.rpartition("/")[2] for name in self._statuses}
        names = config.workspace_names(self._vault.root)
        found = [run for run in live.runs.values() if run.fact.is_living and run.session not in recorded]
        return {run.conversation: _started(run, live.of(run.session), names.of, now) for run in found}


def _started(run: SeenRun, live: LiveFacts, name_of: Callable[[str, str | None], str], now: datetime) -> Tile:
    workspace, agent, session = run.conversation.split("/", 2)
    column = column_of(RecordFacts(status=Status.IDLE.value, last_at=run.started_at), live, now)
    return Tile(
        name=run.conversation,
        id=session,
        title=run.title or session,
        workspace=workspace,
        workspace_name=name_of(workspace, run.folder),
        agent=agent,
        branch=None,
        folder=run.folder,
        column=column,
        status=Status.IDLE.value,
        run=TileRun(id=run.fact.id, state=run.fact.state),
        pane=live.pane,
        reasons=reasons_of(live, (), run.started_at) if column is Column.NEEDS_YOU else (),
        calls=(),
        progress=None,
        alerts=live.alerts,
        sub_agents=0,
        sub_agents_at_work=0,
        context=None,
        cost_usd=None,
        is_lower_bound=False,
        started_at=run.started_at,
        last_at=run.started_at,
    )


def _is_recent(time: str | None, now: datetime) -> bool:
    moment = figures.moment(time, UTC)
    return moment is not None and now - moment <= _RECENT
