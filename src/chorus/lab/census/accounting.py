"""Folds streams for their tokens and costs only: all changes are dropped except the ends of turns."""

from collections.abc import Iterable

from msgspec import Struct, field, structs

from chorus.core.conversation.authority import StreamAuthorities
from chorus.core.conversation.fold import Fold
from chorus.core.conversation.items import MAIN, Remove, Turn
from chorus.core.conversation.state import ApiMessage
from chorus.core.records.record import Record
from chorus.core.spending.counting import per_turn, usage_of
from chorus.core.spending.reported import reported_of
from chorus.core.spending.reported_choice import FIRST_TURN, TURNS
from chorus.keep.sources.file_authority import authorities_of_files, files_to_compare, settled
from chorus.keep.sources.ownership import router_of
from chorus.keep.sources.reading import Reading
from chorus.lab.census.session_figures import (
    AT,
    COST,
    HAS_ENDED,
    MODEL,
    THREAD,
    TIER,
    TOKENS,
    MessageFigures,
    SessionFigures,
    empty_figures,
    place_of,
)


def fold_together(streams: Iterable[str]) -> dict[str, SessionFigures]:
    """Returns the figures of the sessions in these streams, with all their records in one fold per session.

    A session is named as in the vault. If several streams have records of a session, the best of them decides.
    """
    names = list(streams)
    folding = Accounting()
    for name in names:
        folding.read(name)
    if len(names) > 1:
        folding.settle({name: n for n, name in enumerate(names)})
    return folding.finish()


class _Session(Struct):
    fold: Fold
    turns: dict[str, Turn] = field(default_factory=dict)
    folders: dict[str, str | None] = field(default_factory=dict)
    """Its streams, and the first folder that each names."""


class Accounting:
    """The folds of the sessions of some streams."""

    def __init__(self, authorities: StreamAuthorities | None = None) -> None:
        self._authorities = authorities
        self._sessions: dict[str, _Session] = {}

    def read(self, stream: str) -> None:
        """Folds one stream; raises `SourceUnreadable` when it cannot be read to its end."""
        router = router_of(stream)
        for batch in Reading(stream).batches():
            for piece in batch:
                if isinstance(piece, Record):
                    self._feed(router.route(piece), stream)
        self._feed(router.close(), stream)

    def settle(self, numbers: dict[str, int]) -> None:
        """Folds sessions again, the best stream first, if several of their streams may contain the same records."""
        for name, session in list(self._sessions.items()):
            compared = files_to_compare(session.fold, numbers)
            if compared is None:
                continue

            def read(authorities: StreamAuthorities, streams: list[str], own: str = name) -> Fold:
                again = Accounting(authorities)
                for stream in streams:
                    again.read(stream)
                self._sessions[own] = again._sessions[own]
                return self._sessions[own].fold

            settled(authorities_of_files(session.fold.session_id, compared), compared, read)

    def finish(self) -> dict[str, SessionFigures]:
        return {name: _session_figures(name, session) for name, session in self._sessions.items()}

    def _feed(self, routed: list[tuple[str, Record]], stream: str) -> None:
        for session, record in routed:
            known = self._sessions.get(session)
            if known is None:
                known = self._sessions[session] = _Session(Fold(session, authorities=self._authorities))
            if known.folders.get(stream) is None:
                known.folders[stream] = record.value.cwd
            for change in known.fold.feed(record):
                if isinstance(change, Turn):
                    known.turns[change.id] = change
                elif isinstance(change, Remove):
                    known.turns.pop(change.id, None)


def _session_figures(name: str, session: _Session) -> SessionFigures:
    fold, turns, streams = session.fold, list(session.turns.values()), set(session.folders)
    facts = fold.state.session
    costs = [row for row in reported_of(fold, turns, name) if row.source in (TURNS, FIRST_TURN)]
    has_turns = bool(costs) or any(turn.tokens is not None for turn in turns)
    return SessionFigures(
        messages={
            message: _message_figures(fold, message, known) for message, known in fold.state.api_messages.items()
        },
        turns=per_turn(fold, name, turns),
        has_models=any(turn.models and turn.agent == MAIN for turn in turns),
        turn_costs=costs,
        state_usd=facts.state_cost_usd,
        state_streams=streams if facts.state_cost_usd is not None else set(),
        turn_streams=streams if has_turns else set(),
        streams=streams,
        place=min(place_of(stream, fold.session_id, cwd) for stream, cwd in session.folders.items()),
        started_at=facts.started_at,
    )


def _message_figures(fold: Fold, message: str, known: ApiMessage) -> MessageFigures:
    usage = usage_of(fold, "", message)
    figures = empty_figures(is_nameless=usage is not None and usage.message != message)
    if usage is not None:
        figures[:TOKENS] = structs.astuple(usage.tokens)
    figures[AT], figures[MODEL] = known.started_at, known.model
    figures[TIER] = usage.tier if usage else known.service_tier
    figures[THREAD] = usage.thread if usage else None
    figures[HAS_ENDED] = not usage.is_lower_bound if usage else known.stop_reason is not None
    figures[COST] = known.cost_usd
    return figures
