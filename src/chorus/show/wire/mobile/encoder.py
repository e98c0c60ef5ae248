"""Turns what happened in a conversation into messages for a phone: the same ones, live or replayed."""

from collections.abc import Iterable, Iterator

from msgspec import Raw, Struct

from chorus.core.conversation import items
from chorus.core.conversation.items import MAIN, Author, CallState, Change
from chorus.core.conversation.tool_facts import kind_of
from chorus.core.records.model.tools import decode_input
from chorus.core.views.tools import view
from chorus.show.wire.mobile.outgoing import (
    ClaudeResponse,
    MobileBody,
    PlanProposed,
    QuestionAsked,
    TaskCompletion,
    ToolActivity,
    ToolState,
    UserMessage,
)

_MAX_MESSAGES = 256
_SUBJECT_CHARS = 1_000
"""A command may contain whole files. A phone that has to decide gets all of it with the request."""
_ENDS: dict[CallState, ToolState] = {
    CallState.DONE: "done",
    CallState.FAILED: "failed",
    CallState.REFUSED: "refused",
}


class Encoded(Struct, frozen=True):
    """A message and the id under which a later one replaces it."""

    id: str
    message: MobileBody
    is_partial: bool = False


class MobileEncoder:
    """Encodes the changes of one conversation, record by record or entry by entry, in order."""

    def __init__(self, conversation_id: str) -> None:
        self._id = conversation_id
        self._authors: dict[str, Author] = {}
        """The authors of the last messages in the main thread."""

    def take(self, changes: Iterable[Change]) -> list[Encoded]:
        """Returns what the changes of one record, or the items of one entry, mean for a phone, in order."""
        listed = list(changes)
        for change in listed:
            # A block may come before its message.
            if isinstance(change, items.Message) and change.agent == MAIN:
                self._authors[change.id] = change.author
                if len(self._authors) > _MAX_MESSAGES:
                    del self._authors[next(iter(self._authors))]
        return [each for change in listed for each in self._of_change(change)]

    def _of_change(self, change: Change) -> Iterator[Encoded]:
        match change:
            case items.Block() if change.block.type == "text" and change.block.text:
                author, text = self._authors.get(change.of), change.block.text
                if author is Author.MODEL:
                    message = ClaudeResponse(content=text, conversation_id=self._id)
                    yield Encoded(change.id, message, change.is_partial)
                elif author is Author.HUMAN:
                    yield Encoded(change.id, UserMessage(content=text, conversation_id=self._id), change.is_partial)
            case items.Block() if change.block.type == "tool_use" and not change.is_partial:
                yield Encoded(change.id, self._started(change))
            case items.Call() if change.state in _ENDS:
                yield Encoded(change.id, self._ended(change, _ENDS[change.state]))
            case items.Turn() if change.agent == MAIN:
                yield Encoded(change.id, self._completion(change))
            case _:
                return

    def _started(self, change: items.Block) -> MobileBody:
        block, name = change.block, change.block.name or ""
        call = block.id or change.id
        match kind_of(name):
            case "question":
                asked = getattr(decode_input(name, block.input), "questions", None) or ()
                texts = tuple(text for each in asked if isinstance(text := getattr(each, "question", None), str))
                return QuestionAsked(call_id=call, questions=texts, conversation_id=self._id)
            case "plan":
                plan = getattr(decode_input(name, block.input), "plan", None) or ""
                return PlanProposed(call_id=call, content=plan, conversation_id=self._id)
            case kind:
                return ToolActivity(
                    call_id=call,
                    tool=name,
                    kind=kind,
                    subject=_subject(name, block.input),
                    state="started",
                    files=(),
                    agent_id=change.agent,
                    conversation_id=self._id,
                )

    def _ended(self, call: items.Call, state: ToolState) -> ToolActivity:
        return ToolActivity(
            call_id=call.tool_use_id,
            tool=call.name,
            kind=kind_of(call.name),
            subject="",
            state=state,
            files=call.files,
            agent_id=call.agent,
            conversation_id=self._id,
        )

    def _completion(self, turn: items.Turn) -> TaskCompletion:
        return TaskCompletion(
            subtype=turn.subtype,
            is_error=turn.is_error,
            num_turns=turn.num_turns,
            duration_ms=turn.duration_ms,
            total_cost_usd=turn.total_cost_usd,
            conversation_id=self._id,
        )


def _subject(tool: str, given: Raw) -> str:
    """Returns the command of a call, else what its view is headed by: a file, an address, a pattern."""
    command = getattr(decode_input(tool, given), "command", None)
    if not isinstance(command, str):
        return view(tool, given, None, None).title
    return command if len(command) <= _SUBJECT_CHARS else f"{command[:_SUBJECT_CHARS]}…"
