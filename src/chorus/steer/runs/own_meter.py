"""What a run has used, counted from what its own client printed: no server and no index is needed for it."""

from collections.abc import Callable
from datetime import UTC, datetime

from chorus.core.alerts.finder import AlertFinder
from chorus.core.alerts.of_conversation import steps_of
from chorus.core.budgets.budget import Measure
from chorus.core.budgets.judging import Used
from chorus.core.conversation.conversation import Conversation
from chorus.core.conversation.fold import Fold
from chorus.core.conversation.items import Turn
from chorus.core.records.place import StreamId
from chorus.core.records.record import Record
from chorus.core.records.split import Splitter
from chorus.core.spending.counting import usages_of
from chorus.core.spending.reported import reported_of
from chorus.core.spending.reported_choice import choose_figures
from chorus.core.spending.rows import Reported, Spent
from chorus.core.spending.sums import Sums
from chorus.core.spending.totals import totals
from chorus.core.views import figures
from chorus.steer.runs.pipe_recorder import PipeRecorder

_STREAM = "out"


class _Session:
    """One session of the run: `/clear` begins another one."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.place = 0
        """Up to where its stream was read."""
        self.fold = Fold(name)
        self.conversation = Conversation(name)
        self._splitter = Splitter(StreamId(_STREAM))

    def take(self, data: bytes) -> None:
        for piece in self._splitter.feed(data):
            if isinstance(piece, Record):
                self.conversation.apply(self.fold.feed(piece))

    def turns(self) -> list[Turn]:
        return [each for each in self.conversation.items.values() if isinstance(each, Turn)]


class OwnMeter:
    """Folds what was recorded of a run, each line once."""

    def __init__(self, recorder: PipeRecorder, cost_of: Callable[[Spent], float | None]) -> None:
        self._recorder = recorder
        self._cost_of = cost_of
        self._sessions: dict[str, _Session] = {}

    def catch_up(self, sessions: list[str]) -> bool:
        """Reads what was recorded since the last call; returns whether there was something."""
        has_news = False
        for name in sessions:
            session = self._sessions.setdefault(name, _Session(name))
            for line in self._recorder.lines(_STREAM, name, session.place):
                session.take(line.bytes)
                session.place = line.next_at
                has_news = True
        return has_news

    def used(self, *, turns: int, started_at: str, now: datetime) -> Used:
        """Returns what the run used. `turns` is how many turns have ended."""
        sums, reported = Sums(), list[Reported]()
        errors, loop = list[str](), list[str]()
        for name, session in self._sessions.items():
            ended = session.turns()
            for usage in usages_of(session.fold, name, ended):
                sums.take(name, usage)
            reported += choose_figures(reported_of(session.fold, ended, name), frozenset())[0]
            finder = AlertFinder()
            for step in steps_of(session.conversation):
                finder.feed(step)
            errors = max(errors, [each.item for each in finder.errors_in_a_row()], key=len)
            loop = max(loop, [each.item for each in finder.longest_loop()], key=len)
        total = totals(sums.rows(), self._cost_of, sum(each.usd for each in reported))
        began = figures.moment(started_at, UTC)
        amounts: dict[Measure, float] = {
            "money": total.usd,
            "tokens": total.tokens,
            "turns": turns,
            "minutes": max(0.0, (now - began).total_seconds() / 60) if began else 0.0,
            "errors": len(errors),
            "loops": len(loop),
        }
        return Used(
            amounts=amounts, evidence={"errors": tuple(errors), "loops": tuple(loop)}, is_at_least=total.is_at_least
        )
