"""Tool calls and their results, joined by id, in any order and from any streams."""

import re

import msgspec
from msgspec import Raw

from chorus.core.conversation import agents, call_permissions, lifecycle, permissions
from chorus.core.conversation.agent_ids import precedence
from chorus.core.conversation.fold_context import EMBEDDED, FoldContext
from chorus.core.conversation.items import Call, CallState, ToolResult
from chorus.core.conversation.state import CallState as KnownCall
from chorus.core.conversation.tool_facts import kind_of
from chorus.core.records.model.base import ABSENT
from chorus.core.records.model.blocks import Block

# The path in a transcript is untrusted text: only the name of the file is taken from it.
_SIDE_FILE = re.compile(rb"tool-results/([A-Za-z0-9_-][A-Za-z0-9._-]{0,200}\.(?:txt|json))")
_EMPTY_INPUTS = (ABSENT, Raw(b"{}"))
_MARK = re.compile(
    rb".{0,100}(?:<persisted-output>|\[stored in )"
    rb"|.{0,250}Error: result \(.{1,60}\) exceeds maximum allowed tokens\. Output has been saved to ",
    re.DOTALL,
)
"""What the client writes in place of a long output of its own tools, and of one of an MCP server.

A sentence of its own may come before the second.
"""
_REFERENCE_BYTES = 8192
"""Number of bytes at the start of a result that are searched for the reference."""


class Target(msgspec.Struct):
    """The part of an editing tool's input that names the file."""

    file_path: str | None = None
    notebook_path: str | None = None


_target = msgspec.json.Decoder(Target)


def started(context: FoldContext, block: Block, block_id: str, message: str, part: int) -> None:
    """Registers a tool_use block, which is part number `part` of its record."""
    call_id = block.id or block_id
    # A line that only announces a call, without its input, weighs less than one with the input.
    weight = 2 * precedence(context.agent) + (block.input in _EMPTY_INPUTS)
    rank = (weight, context.authority, context.order)
    known = context.state.calls.get(call_id)
    if known and known.rank and known.rank[1] != EMBEDDED:
        context.overlaps(known.rank[2][2])
    if known and known.rank and known.rank <= rank:
        return
    context.status_may_change = True
    name = block.name or ""
    item = Call(
        id="call:" + call_id,
        order=context.part(part),
        agent=context.agent,
        tool_use_id=call_id,
        name=name,
        state=CallState.PENDING,
        message=message,
        block=block_id,
        started_at=context.time,
        files=_files(name, block.input),
    )
    if known is None:
        known = KnownCall(item, rank)
        context.state.calls[call_id] = known
        context.state.pending.add(call_id, context.order)
    else:
        item.state = known.item.state
        item.ended_at, item.subagent = known.item.ended_at, known.item.subagent
        known.item, known.rank = item, rank
        if known.result_rank is None:
            context.state.pending.add(call_id, context.order)
    update_state(context, call_id)
    context.put(item)
    if kind_of(name) == "agent":
        agents.called(context, call_id, block.input)
        agents.concluded(context, call_id, known.outcome)


def update_state(context: FoldContext, call_id: str) -> bool:
    """Computes the state of a call and returns whether it changed.

    The record of the result decides. Without a decision there, the control channel and the client's lists of denials
    decide: the call is refused if they deny it and its result does not contradict that.
    """
    state = context.state
    known = state.calls.get(call_id)
    if known is None:
        return False
    item, has_result = known.item, known.result_rank is not None
    decision, by = known.verdict or (None, None)
    if decision is None:
        asked = {state.permissions[request].state for request in state.requests_of_call.get(call_id, ())}
        may_be_denied = not has_result or known.failed
        if "allowed" in asked:
            decision = call_permissions.APPROVED
        elif may_be_denied and ("denied" in asked or "denied:" + call_id in state.registers):
            decision = call_permissions.DENIED
    how = CallState.ORPHAN
    if known.has_call:
        how = CallState.PENDING
        if decision == call_permissions.DENIED:
            how = CallState.REFUSED
            state.pending.discard(call_id)
        elif has_result:
            how = CallState.FAILED if known.failed else CallState.DONE
    changed = (item.state, item.decision, item.decided_by) != (how, decision, by)
    item.state, item.decision, item.decided_by = how, decision, by
    return changed


def denied(context: FoldContext, call_id: str | None) -> None:
    """Registers that a record lists the call as denied."""
    if call_id and context.is_first("denied:" + call_id):
        reconsider(context, call_id)


def reconsider(context: FoldContext, call_id: str) -> None:
    """Updates a call after a record other than its result said something about it: it may be refused now."""
    if update_state(context, call_id):
        context.status_may_change = True
        context.put(context.state.calls[call_id].item)
        lifecycle.update_call(context, call_id)


def returned(
    context: FoldContext,
    call_id: str,
    part: int,
    *,
    content: Raw,
    structured: Raw,
    is_error: bool,
    verdict: call_permissions.Verdict | None = None,
) -> None:
    """Registers the result of a tool, which is part number `part` of its record."""
    state = context.state
    rank = (precedence(context.agent), context.authority, context.order)
    known = state.calls.get(call_id)
    if known and known.result_rank and known.result_rank[1] != EMBEDDED:
        context.overlaps(known.result_rank[2][2])
    if known and known.result_rank and known.result_rank <= rank:
        return
    if known is None:
        orphan = Call(
            id="call:" + call_id,
            order=context.part(part),
            agent=context.agent,
            tool_use_id=call_id,
            name="",
            state=CallState.ORPHAN,
        )
        known = KnownCall(orphan)
        state.calls[call_id] = known
    elif not known.has_call:
        known.item.agent, known.item.order = context.agent, context.part(part)
    context.status_may_change = True
    known.result_rank, known.failed, known.verdict = rank, is_error, verdict
    update_state(context, call_id)
    known.item.ended_at = context.time
    state.pending.discard(call_id)
    context.put(known.item)
    context.changes.append(
        ToolResult(
            id="result:" + call_id,
            order=context.part(part),
            agent=context.agent,
            tool_use_id=call_id,
            place=context.place,
            content=content,
            structured=structured,
            is_error=is_error,
            side_file=side_file_of(content),
            uuid=context.value.uuid,
        )
    )
    if not known.has_call or kind_of(known.item.name) == "agent":
        known.outcome = agents.outcome_of(structured, content)
        if known.has_call:
            agents.concluded(context, call_id, known.outcome)
    permissions.close_requests(context, call_id)


def side_file_of(content: Raw) -> str | None:
    """Returns the name of the file with the whole output, if the content is only a reference to it; else None."""
    view = memoryview(content)
    if not _MARK.match(view[:_REFERENCE_BYTES]):
        return None
    found = _SIDE_FILE.search(bytes(view[:_REFERENCE_BYTES]))
    return found.group(1).decode() if found else None


def _files(name: str, raw: Raw) -> tuple[str, ...]:
    if kind_of(name) != "editor" or raw == ABSENT:
        return ()
    try:
        target = _target.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ()
    path = target.file_path or target.notebook_path
    return (path,) if path else ()
