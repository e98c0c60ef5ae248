"""What a run has used, counted from what its own client printed: no server and no index is needed for it."""

from collections.abc import Callable
from datetime import UTC, date, datetime

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
from chorus.core.spending.periods import day_in
from chorus.core.spending.reported import reported_of
from chorus.core.spending.reported_choice import choose_figures
from chorus.core.spending.rows import Reported, Spent
from chorus.core.spending.sums import Sums
from chorus.core.spending.totals import Totals, totals
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
        self._earlier: dict[date, Totals] = {}
        """What had no time when a day began."""

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
        reported = list[Reported]()
        errors, loop = list[str](), list[str]()
        for name, session in self._sessions.items():
            reported += choose_figures(reported_of(session.fold, session.turns(), name), frozenset())[0]
            finder = AlertFinder()
            for step in steps_of(session.conversation):
                finder.feed(step)
            errors = max(errors, [each.item for each in finder.errors_in_a_row()], key=len)
            loop = max(loop, [each.item for each in finder.longest_loop()], key=len)
        total = totals(self._rows(), self._cost_of, sum(each.usd for each in reported))
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

    def used_in_workspace(self, *, turns: int) -> Used:
        """Returns what the run adds to its workspace, which is the least that was used there."""
        total = totals(self._rows(), self._cost_of)
        return Used(amounts={"money": total.usd, "tokens": total.tokens, "turns": turns}, is_at_least=True)

    def used_today(self, *, started_at: str, now: datetime) -> Used:
        """Returns what the run adds to the day of the person, which is the least that was used. `now` has their zone.

        The client does not write a time into each line. What was there without a time at the first look of a day was
        used earlier, unless the run began on that day.
        """
        today, day_of = now.date(), day_in(now.tzinfo)
        rows = self._rows()
        timed = totals([each for each in rows if day_of(each.quarter) == today], self._cost_of)
        untimed = totals([each for each in rows if not each.quarter], self._cost_of)
        if today not in self._earlier:
            began = figures.moment(started_at, UTC)
            is_new = began is not None and began.astimezone(now.tzinfo).date() == today
            self._earlier = {today: totals([], self._cost_of) if is_new else untimed}
        earlier = self._earlier[today]
        amounts: dict[Measure, float] = {
            "money": timed.usd + untimed.usd - earlier.usd,
            "tokens": timed.tokens + untimed.tokens - earlier.tokens,
        }
        return Used(amounts=amounts, is_at_least=True)

    def _rows(self) -> list[Spent]:
        sums = Sums()
        for name, session in self._sessions.items():
            for usage in usages_of(session.fold, name, session.turns()):
                sums.take(name, usage)
        return list(sums.rows())
