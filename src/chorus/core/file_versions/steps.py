"""What a conversation did to files, step by step in the order in which it happened."""

import re
from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Struct, structs

from chorus.core.conversation import items
from chorus.core.conversation.conversation import Conversation
from chorus.core.conversation.items import Author, CallState, Order
from chorus.core.conversation.tool_call import ToolOutput
from chorus.core.conversation.tool_facts import kind_of
from chorus.core.file_versions.backup_steps import Backup, backups_in
from chorus.core.file_versions.commands import changes_nothing
from chorus.core.file_versions.paths import full_path
from chorus.core.records.model import tools
from chorus.core.records.model.base import is_present
from chorus.core.records.model.file_results import BashResult, NotebookResult
from chorus.core.records.model.tools import decode_input, decode_output

_HARMLESS = frozenset({"KillShell", "SendMessage", "Skill", "TaskStop", "ToolSearch", "Workflow"})
"""Tools that change no file themselves; what they start is recorded as calls."""
_NOTIFIED = re.compile(r"<tool-use-id>([^<]{1,200})</tool-use-id>")
_TOOL_OF_FILES = frozenset({"Read", "Edit", "MultiEdit", "Write", "NotebookEdit"})


class Step(Struct, frozen=True, kw_only=True):
    """Base of all steps."""

    order: Order
    time: str | None
    conversation: str
    agent: str = items.MAIN
    call: str = ""
    tool: str = ""


class FileCall(Step, frozen=True, kw_only=True):
    """A call that reads or changes one file."""

    path: str
    started: Order
    state: CallState
    input: Struct | None
    output: Struct | None
    has_output: bool
    """Whether the client recorded its own form of the result, even if it cannot be read."""
    text: str
    """The result as the model sees it."""
    writes_literally: bool
    """Whether the client is known to write a whole file exactly as it was told."""


class Doubt(Step, frozen=True, kw_only=True):
    """Something that may have changed any file."""

    reason: str
    is_pause: bool = False
    """Whether it is only that a person had the time to change something."""
    lasts: bool | None = None
    """True if it goes on in the background from here; False if that ends here."""
    result: BashResult | None = None


class HookRan(Step, frozen=True, kw_only=True):
    """A hook said something after a call: it may have changed the file of the call."""


def steps_of(conversation: Conversation) -> list[Step | Backup]:
    """Returns the steps of a conversation in order."""
    found: list[Step | Backup] = [*_calls(conversation), *_hooks(conversation)]
    saved = list(backups_in(conversation))
    found += saved
    found += _prompts(conversation, {each.message for each in saved if each.message})
    return sorted(found, key=lambda step: step.order)


def _calls(conversation: Conversation) -> Iterator[Step]:
    folder = conversation.session.cwd
    is_literal = writes_literally(conversation.session.versions)
    agents = {item.agent for item in conversation.items.values() if isinstance(item, items.Call)}
    for call in conversation.all(items.Call):
        result = conversation.result(call)
        block = conversation.items.get(call.block or "")
        asked = decode_input(call.name, block.block.input) if isinstance(block, items.Block) else None
        if call.name in _TOOL_OF_FILES:
            if found := file_call(call, asked, result, conversation.id, folder, is_literal=is_literal):
                yield found
        elif call.state is not CallState.REFUSED:
            yield from _doubts(_step(call, result, conversation.id), call, asked, result, agents)


def file_call(
    call: items.Call,
    asked: Struct | None,
    result: items.ToolResult | None,
    conversation: str,
    folder: str | None,
    *,
    is_literal: bool,
) -> FileCall | None:
    """Returns the step of a call that reads or changes one file; None if nothing says which file."""
    path = _path(asked) if call.name in _TOOL_OF_FILES else None
    if not path:
        return None
    return FileCall(
        **structs.asdict(_step(call, result, conversation)),
        path=full_path(path, folder),
        started=call.order,
        state=call.state,
        input=asked,
        output=decode_output(call.name, result.structured) if result else None,
        has_output=result is not None and is_present(result.structured),
        text=ToolOutput(result, None).text if result else "",
        writes_literally=is_literal,
    )


def _step(call: items.Call, result: items.ToolResult | None, conversation: str) -> Step:
    return Step(
        order=result.order if result else call.order,
        time=call.ended_at or call.started_at,
        conversation=conversation,
        agent=call.agent,
        call=call.tool_use_id,
        tool=call.name,
    )


def _doubts(
    step: Step, call: items.Call, asked: Struct | None, result: items.ToolResult | None, agents: set[str]
) -> Iterator[Doubt]:
    """Yields a doubt for the start and for the end of a call that may change any file."""
    kind = kind_of(call.name)
    facts = structs.asdict(step)
    if kind == "agent":
        if call.subagent is None or call.subagent not in agents:
            yield Doubt(**facts, reason="a sub-agent worked in between, and its calls are not recorded")
        return
    if kind in ("reader", "todo", "question", "plan", "editor") or call.name in _HARMLESS:
        return
    reason = f"{call.name or 'a tool'} was called in between and may have changed it"
    if kind == "command":
        if isinstance(asked, tools.Bash) and asked.command and changes_nothing(asked.command):
            return
        reason = "a shell command ran in between and may have changed it"
    output = decode_output(call.name, result.structured) if result else None
    bash = output if isinstance(output, BashResult) else None
    is_background = (isinstance(asked, tools.Bash) and bool(asked.run_in_background)) or (
        bash is not None and bash.backgroundTaskId is not None
    )
    if is_background or result is None:
        reason = "a command ran in the background and may have changed it"
    start = structs.replace(step, order=call.order, time=call.started_at)
    yield Doubt(**structs.asdict(start), reason=reason, lasts=True)
    if result is not None and not is_background:
        yield Doubt(**facts, reason=reason, lasts=False, result=bash)


def _prompts(conversation: Conversation, seen: set[str]) -> Iterator[Doubt]:
    """Yields a pause for each prompt of a person, and a doubt for each rewind and each command of a person.

    `seen` are the messages for which the client recorded the state of the files: the backups say what a pause changed.
    """
    parents: set[str] = set()
    is_first = True
    for message in conversation.all(items.Message, items.MAIN):
        facts = {"order": message.order, "time": message.started_at, "conversation": conversation.id}
        if message.author is Author.NOTIFICATION:
            for found in _NOTIFIED.findall(conversation.text(message)[:4000]):
                yield Doubt(**facts, reason="a command ran in the background and may have changed it", call=found,
                            lasts=False)  # fmt: skip
        elif message.author is Author.COMMAND and conversation.text(message).lstrip().startswith("<bash-input>"):
            yield Doubt(**facts, reason="a person ran a shell command in between, which may have changed it")
        elif message.author is Author.HUMAN:
            if message.parent and message.parent in parents:
                yield Doubt(**facts, reason="the conversation was rewound, and files may have been put back")
            elif not is_first and message.uuid not in seen:
                yield Doubt(**facts, reason="a person had the time to change it", is_pause=True)
            is_first = False
        if message.parent:
            parents.add(message.parent)


def _hooks(conversation: Conversation) -> Iterator[HookRan]:
    for notice in conversation.notices:
        if notice.type != "attachment" or not notice.kind.startswith("hook_") or not is_present(notice.file_facts):
            continue
        try:
            line = _hook.decode(notice.file_facts).attachment
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, ValueError):
            continue
        if line.hookEvent in ("PostToolUse", "PostToolUseFailure") and line.toolUseID:
            yield HookRan(order=notice.order, time=notice.time, conversation=conversation.id, call=line.toolUseID)


class _HookText(Struct):
    hookEvent: str | None = None  # noqa: N815 - the name in the record
    toolUseID: str | None = None  # noqa: N815 - the name in the record


class _HookLine(Struct):
    attachment: _HookText


_hook = msgspec.json.Decoder(_HookLine)


def _path(asked: Struct | None) -> str | None:
    if isinstance(asked, (tools.Read, tools.Edit, tools.MultiEdit, tools.Write)):
        return asked.file_path
    return asked.notebook_path if isinstance(asked, tools.NotebookEdit) else None


def writes_literally(versions: Sequence[str]) -> bool:
    """Returns whether clients of these versions write a whole file exactly as told."""
    return bool(versions) and all(map(_is_literal, versions))


def _is_literal(version: str) -> bool:
    """Returns whether a client of this version writes a whole file exactly as told; older ones changed line endings."""
    numbers = [int(part) if part.isdecimal() else 0 for part in version.split(".")[:3]]
    return numbers >= [2, 1, 89]


def notebook_texts(output: Struct | None) -> tuple[str | None, str | None]:
    """Returns the text of a notebook before and after a call, as far as its result has them."""
    if not isinstance(output, NotebookResult) or output.error:
        return None, None
    return output.original_file, output.updated_file
