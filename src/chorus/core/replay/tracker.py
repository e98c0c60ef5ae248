"""The state panel after each record, from the changes of the fold. The cost does not grow with the conversation."""

from collections.abc import Iterable
from typing import Any

from msgspec import structs

from chorus.core.conversation import items, lifecycle
from chorus.core.conversation.context_window import context_of
from chorus.core.conversation.fold import Fold
from chorus.core.conversation.items import MAIN, Author, CallState, Change, Remove
from chorus.core.conversation.model_usage import can_contain, total_by_models
from chorus.core.conversation.tokens import Tokens
from chorus.core.records.model.turns import Assistant
from chorus.core.records.record import Record
from chorus.core.replay.fold_groups import agents_at_work, open_calls, waits
from chorus.core.replay.ordered import Ordered
from chorus.core.replay.panel import Panel, PanelChange, PanelFile, PanelSpent, PanelWork
from chorus.core.replay.panel_of_fold import file_of, names_model, with_context
from chorus.core.replay.spent import SpentSoFar, spent_on
from chorus.core.replay.todo_track import TodoTrack
from chorus.core.spending.counting import per_turn
from chorus.core.spending.rates import Prices

_REGISTERS = ("turn", lifecycle.LEFT, "activity")
"""What else decides which calls are open and who waits."""
_EMPTY = Panel()
_CALL_ITEMS = (items.Call, items.Agent, items.Permission, items.Session)


class Tracker:
    """The panel of a fold. `panel` equals `panel_of` after every record."""

    def __init__(self, fold: Fold, prices: Prices) -> None:
        self._fold = fold
        self._prices = prices
        self._values: dict[str, Any] = {
            name: getattr(_EMPTY, name) for name in Panel.__struct_fields__ if name != "files"
        }
        self._spent = SpentSoFar(fold, prices)
        self._todos = TodoTrack()
        self._answers: Ordered[items.Message] = Ordered()
        """The messages of the main thread that name their model."""
        self._filled: Ordered[items.Message] = Ordered()
        """The messages of the main thread that have token counts."""
        self._turns: Ordered[items.Turn] = Ordered()
        self._total_by_models: Tokens | None = None
        self._message_figures: PanelSpent | None = None
        self._turn_figures: tuple[object, PanelSpent] | None = None
        self._turn_version = 0
        self._turn_key: tuple[int, tuple[str, ...]] = (0, ())
        self._has_untimed_turn = False
        self._calls: dict[str, items.Call] = {}
        """The finished calls that wrote files."""
        self._files: dict[str, Ordered[items.Call]] = {}
        self._shown_files: dict[str, PanelFile] = {}
        self._registers: tuple[object, ...] = ()

    @property
    def panel(self) -> Panel:
        """The panel as of the last record."""
        files = tuple(self._shown_files[path] for path in sorted(self._shown_files))
        return structs.replace(_EMPTY, **self._values, files=files)

    def take(self, moment: int, record: Record, changes: list[Change]) -> PanelChange | None:
        """Takes what the fold returned for a record; returns how the panel changed, or None."""
        found: dict[str, Any] = {}
        touched: dict[str, None] = {}
        value = record.value
        if isinstance(value, Assistant) and value.message and value.message.id:
            touched[value.message.id] = None
        paths: dict[str, None] = {}
        has_calls = has_todos = has_turns = False
        for change in changes:
            has_todos = self._todos.take(change, self._fold.state) or has_todos
            has_calls = has_calls or isinstance(change, _CALL_ITEMS)
            match change:
                case items.Message():
                    touched[change.message_id or change.id] = None
                    self._message(change)
                case items.Turn():
                    has_turns = True
                    if change.agent == MAIN:
                        self._turns.put(change)
                case items.Call():
                    paths |= self._call(change)
                case Remove():
                    # In a sub-agent, the agent's id precedes that of the message.
                    touched |= {change.id: None, change.id.rpartition("/")[2]: None}
                    self._answers.remove(change.id)
                    self._filled.remove(change.id)
                    has_turns = self._turns.remove(change.id) is not None or has_turns
                    paths |= self._forget_call(change.id)
                case _:
                    pass
        if has_todos:
            todos, left_out = self._todos.entries()
            if (todos, left_out) != (self._values["todos"], self._values["todos_left_out"]):
                found |= {"todos": todos, "todos_left_out": left_out}
        self._spend(touched, has_turns=has_turns, found=found)
        self._work(found)
        self._wait(found, has_calls=has_calls)
        files = self._changed_files(paths)
        self._values |= found
        if files:
            found["files"] = files
        return PanelChange(moment=moment, **found) if found else None

    def _message(self, message: items.Message) -> None:
        is_answer = message.agent == MAIN and message.author is Author.MODEL
        for table, is_in in (
            (self._answers, is_answer and names_model(message)),
            (self._filled, is_answer and context_of(message) is not None),
        ):
            if is_in:
                table.put(message)
            else:
                table.remove(message.id)

    def _call(self, call: items.Call) -> dict[str, None]:
        """Takes a call; returns the files whose entries may have changed."""
        paths = self._forget_call(call.id)
        if call.files and call.state is CallState.DONE:
            self._calls[call.id] = call
            for path in call.files:
                self._files.setdefault(path, Ordered()).put(call)
                paths[path] = None
        return paths

    def _forget_call(self, call_id: str) -> dict[str, None]:
        known = self._calls.pop(call_id, None)
        if known is None:
            return {}
        for path in known.files:
            self._files[path].remove(call_id)
        return dict.fromkeys(known.files)

    def _changed_files(self, paths: Iterable[str]) -> tuple[PanelFile, ...]:
        found: list[PanelFile] = []
        for path in paths:
            calls = self._files[path]
            before, last = self._shown_files.get(path), calls.last
            if last is None:
                if before is not None:
                    del self._shown_files[path]
                    found.append(structs.replace(before, versions=0))
                continue
            now = file_of(path, len(calls), last)
            if now != before:
                self._shown_files[path] = now
                found.append(now)
        return tuple(found)

    def _work(self, found: dict[str, Any]) -> None:
        session, last = self._fold.state.session, self._answers.last
        work: PanelWork = self._values["work"]
        model = last.model if last is not None else None
        if (work.status, work.model, work.permission_mode) != (session.status.value, model, session.permission_mode):
            found["work"] = PanelWork(status=session.status.value, model=model, permission_mode=session.permission_mode)

    def _spend(self, touched: Iterable[str], *, has_turns: bool, found: dict[str, Any]) -> None:
        session = self._fold.state.session
        if has_turns:
            self._turn_version += 1
        if self._turn_key != (key := (self._turn_version, session.versions)):
            self._turn_key = key
            turns = self._turns.all()
            self._total_by_models = total_by_models(turns, session.versions)
            self._has_untimed_turn = not all(turn.ended_at for turn in turns)
        if self._spent.update(touched) or self._message_figures is None:
            self._message_figures = self._spent.figures()
        figures = self._message_figures
        if self._counts_by_turns() and (by_turns := self._by_turns()) != PanelSpent(tokens=Tokens()):
            figures = by_turns
        last = self._filled.last
        spent = with_context(figures, (last,) if last is not None else ())
        if spent != self._values["spent"]:
            found["spent"] = spent

    def _counts_by_turns(self) -> bool:
        """As `model_usage.counts_by_turns`, without adding up all turns for every record."""
        session, total = self._fold.state.session, self._total_by_models
        if not session.has_message_usage:
            return True
        is_unended = session.messages_unended >= session.messages_counted
        return is_unended and total is not None and can_contain(total, session.tokens)

    def _by_turns(self) -> PanelSpent:
        session = self._fold.state.session
        sole = session.models if len(session.models) == 1 else None
        key = (self._turn_key, sole, session.ended_at if self._has_untimed_turn else None)
        if self._turn_figures is None or self._turn_figures[0] != key:
            self._turn_figures = key, spent_on(per_turn(self._fold, "", self._turns.all()), self._prices)
        return self._turn_figures[1]

    def _wait(self, found: dict[str, Any], *, has_calls: bool) -> None:
        state = self._fold.state
        known = (state.registers.get(name) for name in _REGISTERS)
        at_work = (len(state.agents_at_work), sum(state.agents_at_work.values()))
        registers = (*((each.at, each.value) if each else None for each in known), at_work)
        if not has_calls and registers == self._registers:
            return
        self._registers = registers
        calls, agents = open_calls(state), agents_at_work(state)
        groups = {"calls": calls, "agents": agents, "waits": waits(state, calls, agents)}
        found |= {name: group for name, group in groups.items() if group != self._values[name]}
