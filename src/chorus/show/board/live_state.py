"""What is live at one moment: clients, runs and pending requests, found by conversation."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from msgspec import Struct, field

from chorus.core.alerts.model import Alert
from chorus.core.board.facts import ClientFact, LiveFacts, RequestFact, RunFact
from chorus.core.records.times import wire_time
from chorus.steer.approvals.model import Row
from chorus.steer.clients.registry_entry import Running


class SeenRun(Struct, frozen=True, kw_only=True):
    """A run of Chorus, and the conversation that it works on."""

    fact: RunFact
    conversation: str
    """The name of the conversation: `workspace/agent/session`."""
    title: str
    folder: str
    started_at: str

    @property
    def session(self) -> str:
        return self.conversation.rpartition("/")[2]


class LiveState(Struct, frozen=True, kw_only=True):
    """Everything that is live, by session id."""

    clients: Mapping[str, ClientFact] = field(default_factory=dict)
    runs: Mapping[str, SeenRun] = field(default_factory=dict)
    requests: Mapping[str, tuple[RequestFact, ...]] = field(default_factory=dict)
    panes: Mapping[str, str] = field(default_factory=dict)
    alerts: Mapping[str, tuple[Alert, ...]] = field(default_factory=dict)
    """Alerts that the records alone do not show: budgets."""

    def of(self, session: str) -> LiveFacts:
        """Returns what is live about the conversation of a session."""
        run = self.runs.get(session)
        return LiveFacts(
            client=self.clients.get(session),
            run=run.fact if run else None,
            requests=self.requests.get(session, ()),
            pane=self.panes.get(session),
            alerts=self.alerts.get(session, ()),
        )

    @property
    def sessions(self) -> set[str]:
        """The sessions about which something is live."""
        return {*self.clients, *self.runs, *self.requests}


def live_state(
    clients: Iterable[Running],
    runs: Iterable[SeenRun],
    pending: Iterable[Row],
    panes: Mapping[str, str] | None = None,
    alerts: Mapping[str, tuple[Alert, ...]] | None = None,
) -> LiveState:
    """Returns the state. Of several runs of a session a living one counts, else the newest."""
    asked: dict[str, list[RequestFact]] = {}
    for row in pending:
        request = row.request
        session = request.conversation.rpartition("/")[2] if request.conversation else request.session
        asked.setdefault(session, []).append(RequestFact(id=row.id, tool=request.tool, since=request.created_at))
    chosen: dict[str, SeenRun] = {}
    for run in sorted(runs, key=lambda run: (run.fact.is_living, run.started_at)):
        chosen[run.session] = run
    return LiveState(
        clients={
            each.session: ClientFact(
                status=each.status, waiting_for=each.waiting_for, since=_time(each.status_since_ms)
            )
            for each in clients
        },
        runs=chosen,
        requests={session: tuple(found) for session, found in asked.items()},
        panes=panes or {},
        alerts=alerts or {},
    )


def _time(moment_ms: int | None) -> str | None:
    try:
        return None if moment_ms is None else wire_time(datetime.fromtimestamp(moment_ms / 1000, UTC))
    except (ValueError, OverflowError, OSError):
        return None
