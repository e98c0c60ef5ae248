"""What a run, a conversation, a workspace and a day have used, from the cost ledger and the end of the conversation."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import cached_property

from msgspec import Struct

from chorus.core.budgets.budget import Measure, Scope
from chorus.core.budgets.judging import Subject, Used
from chorus.core.spending.periods import quarter
from chorus.core.spending.rows import Spent
from chorus.core.spending.totals import totals
from chorus.core.views import figures
from chorus.find.costs.conversation_costs import Costs
from chorus.find.index.activities import Done
from chorus.find.index.groups import Span
from chorus.find.index.port import Index
from chorus.find.usage.spans import span_of
from chorus.keep.vault.port import Vault
from chorus.show.board.tails import read_tail

_MS_PER_MINUTE = 60_000


class Work(Struct, frozen=True, kw_only=True):
    """A conversation on which a client works now."""

    conversation: str
    """Its name: `workspace/agent/session`."""
    workspace_name: str
    run: str | None = None
    """The run of Chorus; None for a client that somebody else started."""
    is_at_work: bool = False
    """Whether a turn is going on."""
    started_at: str = ""
    """When the run started."""
    earlier: tuple[str, ...] = ()
    """The other conversations of the run, from before `/clear`."""
    resumed: str | None = None
    """The conversation that existed before the run; what it used before belongs to other runs."""

    @property
    def workspace(self) -> str:
        return self.conversation.partition("/")[0]

    @property
    def session(self) -> str:
        return self.conversation.rpartition("/")[2]


class BudgetMeter:
    """Measures at one moment. Figures that several works share are read once."""

    def __init__(self, index: Index, vault: Vault, costs: Costs, works: Sequence[Work], now: datetime) -> None:
        """`now` is in the time zone of the person, whose days count."""
        self._index = index
        self._vault = vault
        self._costs = costs
        self._works = works
        self._now = now

    def subject(self, work: Work) -> Subject:
        return Subject(
            run=work.run,
            session=work.session,
            workspaces=(work.workspace, work.workspace_name),
            day=self._now.date().isoformat(),
        )

    def used(self, work: Work, scope: Scope, workspace: str | None) -> Used:
        """Returns what was used in this scope; with `workspace`, what was used today in the workspace of the work."""
        match scope:
            case "run":
                return self._of_run(work)
            case "conversation":
                spent, reported, _ = self._index.spent([work.conversation])
                done = self._index.done(names=[work.conversation])
                return self._with_tail(work, self._used(spent, done, [work], sum(each.usd for each in reported)))
            case "workspace":
                spent = self._spent_ever.get(work.workspace, [])
                return self._used(spent, _in_workspace(self._all_done, work.workspace), self._of_workspace(work))
            case "day":
                if workspace is None:
                    spent = [each for rows in self._spent_today.values() for each in rows]
                    return self._used(spent, self._done_today, self._works)
                spent = self._spent_today.get(work.workspace, [])
                done = _in_workspace(self._done_today, work.workspace)
                return self._used(spent, done, self._of_workspace(work))

    def _of_run(self, work: Work) -> Used:
        names = [work.conversation, *work.earlier]
        spent, reported, _ = self._index.spent(names)
        reported_usd = sum(each.usd for each in reported) if work.resumed is None else 0.0
        used = self._used(spent, self._index.done(names=names), [work], reported_usd)
        before = self._before(work, spent)
        started = figures.moment(work.started_at, UTC)
        amounts: dict[Measure, float] = {
            name: max(0.0, amount - before.get(name, 0.0)) for name, amount in used.amounts.items()
        }
        amounts["minutes"] = max(0.0, (self._now - started).total_seconds() / 60) if started else 0.0
        return self._with_tail(work, Used(amounts=amounts, is_at_least=used.is_at_least))

    def _before(self, work: Work, spent: Iterable[Spent]) -> dict[Measure, float]:
        """Returns what the resumed conversation used before the run started.

        Turns are exact, but a recording without prompts has none; quarters of an hour are there always.
        """
        if work.resumed is None:
            return {}
        turns = {
            prompt: rows for prompt, rows in self._index.turn_sums(work.resumed).items() if prompt < work.started_at
        }
        by_turn = self._used([each for rows in turns.values() for each in rows], [], []).amounts
        started = quarter(work.started_at)
        older = [each for each in spent if each.conversation == work.resumed and each.quarter < started]
        by_quarter = self._used(older, [], []).amounts
        return {
            "money": max(by_turn["money"], by_quarter["money"]),
            "tokens": max(by_turn["tokens"], by_quarter["tokens"]),
            "turns": len(turns),
        }

    def _used(
        self, spent: Iterable[Spent], done: Iterable[Done], works: Sequence[Work], reported_usd: float = 0.0
    ) -> Used:
        done = list(done)
        total = totals(list(spent), self._costs.cost_of, reported_usd)
        at_work = [work for work in works if work.is_at_work]
        prompts = sum(each.count for each in done if each.kind == "prompt")
        ends = sum(each.count for each in done if each.kind == "turn")
        turns_ms = sum(each.total_ms for each in done if each.kind == "turn")
        return Used(
            amounts={
                "money": total.usd,
                "tokens": total.tokens,
                # A prompt that is answered now is no ended turn; a recording may lack the prompts, or the ends.
                "turns": max(0, prompts - len(at_work), ends),
                "minutes": turns_ms / _MS_PER_MINUTE + sum(map(self._open_minutes, at_work)),
            },
            is_at_least=total.is_at_least,
        )

    def _with_tail(self, work: Work, used: Used) -> Used:
        """Adds errors in a row and loops, which the end of the conversation shows."""
        row = self._index.conversation(work.conversation)
        if row is None:
            return used
        finder = read_tail(self._index, self._vault, row).finder
        errors, loop = finder.errors_in_a_row(), finder.longest_loop()
        return Used(
            amounts={**used.amounts, "errors": len(errors), "loops": len(loop)},
            evidence={
                "errors": tuple(each.item for each in errors),
                "loops": tuple(each.item for each in loop),
            },
            is_at_least=used.is_at_least,
        )

    def _open_minutes(self, work: Work) -> float:
        """Returns how long the turn lasts that is going on: since its prompt, or since the run started."""
        last = max(self._index.turn_sums(work.conversation), default="").partition(" ")[0]
        began = figures.moment(max(last, work.started_at) or None, UTC)
        return max(0.0, (self._now - began).total_seconds() / 60) if began else 0.0

    def _of_workspace(self, work: Work) -> list[Work]:
        return [each for each in self._works if each.workspace == work.workspace]

    @cached_property
    def _today(self) -> Span | None:
        return span_of(self._now.date(), self._now.date(), self._now.tzinfo)

    @cached_property
    def _spent_ever(self) -> dict[str, list[Spent]]:
        return self._index.used("workspace")

    @cached_property
    def _spent_today(self) -> dict[str, list[Spent]]:
        return self._index.used("workspace", span=self._today)

    @cached_property
    def _done_today(self) -> list[Done]:
        return self._index.done(span=self._today, is_by_conversation=True)

    @cached_property
    def _all_done(self) -> list[Done]:
        return self._index.done(is_by_conversation=True)


def _in_workspace(done: Iterable[Done], workspace: str) -> list[Done]:
    return [each for each in done if each.conversation.partition("/")[0] == workspace]
