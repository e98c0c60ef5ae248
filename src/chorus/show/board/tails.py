"""The end of a conversation: its open calls, how full its context is, and what alerts are found in.

Only the last entries are read, and payloads only of open calls and of calls that failed.
"""

from collections import Counter
from collections.abc import Iterable

from msgspec import Raw, Struct

from chorus.core.alerts.finder import AlertFinder
from chorus.core.alerts.steps import ApiError, signature, step_of
from chorus.core.board.tiles import OpenCall
from chorus.core.conversation import items
from chorus.core.conversation.context_window import ContextFill, context_of
from chorus.core.conversation.failures import is_failure
from chorus.core.conversation.items import MAIN, Author, CallState
from chorus.core.conversation.tool_call import ToolOutput
from chorus.core.records.model.base import ABSENT
from chorus.core.views import tools
from chorus.core.views.blocks import Shell
from chorus.find.index.port import Index
from chorus.find.index.rows import RESULT, ConversationRow, Entry, Key, Note, Part
from chorus.find.payloads.loader import Loader
from chorus.keep.vault.port import Vault

_LAST = 120
"""How many entries are read: more than a loop needs before it is reported."""
_MAX_CALLS = 5
_MAX_CHARS = 200
_END: Key = (("\U0010ffff", 0, "", 0, 0), "")
_FAILED = (CallState.FAILED, CallState.REFUSED)


class Tail(Struct):
    """What the last entries of a conversation say."""

    calls: tuple[OpenCall, ...]
    fill: ContextFill | None
    finder: AlertFinder


def read_tail(index: Index, vault: Vault, row: ConversationRow) -> Tail:
    """Reads the end of a conversation."""
    return _Reading(
        index.page(row.name, before=_END, limit=_LAST), Loader(vault, row.workspace, row.agent, row.id)
    ).tail()


class _Reading:
    def __init__(self, entries: list[Entry], loader: Loader) -> None:
        self._entries = entries
        self._loader = loader
        self._blocks = {part.id: part for entry in entries for part in entry.parts if part.kind != RESULT}
        self._results = {
            entry.item.tool_use_id: part
            for entry in entries
            if isinstance(entry.item, items.Call)
            for part in entry.parts
            if part.kind == RESULT
        }
        failed = [each.item for each in entries if isinstance(each.item, items.Call) and each.item.state in _FAILED]
        self._repeated = {name for name, count in Counter(call.name for call in failed).items() if count > 1}
        """Tools that failed more than once. Only these can be in a loop, so that most payloads are never read."""

    def tail(self) -> Tail:
        finder = AlertFinder()
        fill: ContextFill | None = None
        pending: dict[str, items.Call] = {}
        for entry in self._entries:
            item = entry.item
            if isinstance(item, Note):
                if is_failure(item.type, item.kind):
                    finder.feed(ApiError(item.id, item.agent, item.time))
                continue
            step = step_of(item, self._signature)
            if step is not None:
                finder.feed(step)
            if isinstance(item, items.Call) and item.state is CallState.PENDING:
                pending[item.tool_use_id] = item
            elif isinstance(item, items.Message) and item.agent == MAIN and item.author is Author.MODEL:
                fill = context_of(item) or fill
            elif _ends_calls(item):
                pending = {name: call for name, call in pending.items() if call.agent != MAIN}
            elif isinstance(item, items.Compaction):
                fill = None
        return Tail(self._open(list(pending.values())[-_MAX_CALLS:]), fill, finder)

    def _open(self, calls: Iterable[items.Call]) -> tuple[OpenCall, ...]:
        return tuple(
            OpenCall(
                call=call.tool_use_id,
                tool=call.name,
                text=_text_of(call.name, self._input(call)),
                thread=call.agent,
                since=call.started_at,
            )
            for call in calls
        )

    def _signature(self, call: items.Call) -> bytes | None:
        part = self._results.get(call.tool_use_id)
        if call.name not in self._repeated or part is None:
            return None
        result, given = self._loader.part(part), self._input(call)
        if not isinstance(result, items.ToolResult) or given is None:
            return None
        return signature(call.name, given, ToolOutput(result, None).text)

    def _input(self, call: items.Call) -> Raw | None:
        part: Part | None = self._blocks.get(call.block or "")
        block = self._loader.part(part) if part is not None else None
        return block.block.input if isinstance(block, items.Block) else None


def _ends_calls(item: items.Item) -> bool:
    """Returns whether nothing waits for earlier calls of the main agent any more: a turn ended or began."""
    is_prompt = isinstance(item, items.Message) and item.author is Author.HUMAN and item.agent == MAIN
    return is_prompt or (isinstance(item, items.Turn) and item.agent == MAIN)


def _text_of(tool: str, given: Raw | None) -> str:
    """Returns what a call does, on one line: its title, or the first line of its command."""
    view = tools.view(tool, ABSENT if given is None else given, None, None)
    command = next((block.command for block in view.asked if isinstance(block, Shell)), "")
    text = view.title or command.strip().partition("\n")[0]
    return " ".join(text[: 2 * _MAX_CHARS].split())[:_MAX_CHARS]
