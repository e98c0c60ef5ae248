"""Flat events: an answer arrives as text fragments and calls, then again as one `assistant` event. It is shown once."""

from chorus.core.conversation import calls, messages, status
from chorus.core.conversation.fold_context import FoldContext
from chorus.core.conversation.items import Append, Author, Block, Message, Remove
from chorus.core.conversation.state import FlatState, MessageState
from chorus.core.records.model import blocks, flat
from chorus.core.records.model.base import ABSENT, is_present
from chorus.core.records.model.turns import Assistant

_PRIME = (1 << 61) - 1


def text(context: FoldContext, value: flat.Text) -> None:
    """Folds a text fragment: it extends the open text block or starts a new one."""
    if not value.text:
        return
    building = _building(context)
    _digest(building, value.text)
    if building.open_block:
        context.changes.append(Append(building.open_block, value.text))
        return
    block_id = f"{context.id}:0"
    building.open_block = block_id
    building.segments[-1].append(block_id)
    _put_block(context, building, block_id, blocks.Block(type="text", text=value.text))
    status.set_thinking(context)


def tool_use(context: FoldContext, value: flat.ToolUse) -> None:
    """Folds a tool call: it closes the open text block."""
    building = _building(context)
    building.open_block = None
    block = call_of(value)
    block.id = block.id or context.id
    building.calls[-1].append(value.id or context.id)
    block_id = f"{context.id}:0"
    _put_block(context, building, block_id, block)
    calls.started(context, block, block_id, building.message, 1)
    status.set_thinking(context)


def call_of(value: flat.ToolUse) -> blocks.Block:
    """Returns the call in an event as a block, as in other dialects."""
    name = value.toolName or value.tool_name or value.name
    raw = next((raw for raw in (value.toolInput, value.tool_input, value.input) if is_present(raw)), ABSENT)
    return blocks.Block(type="tool_use", id=value.id, name=name, input=raw)


def tool_result(context: FoldContext, value: flat.ToolResult) -> None:
    """Folds a tool result. The next output of the model starts a new segment of its answer."""
    is_error = value.isError if value.isError is not None else value.is_error
    call_id = value.toolUseId or value.tool_use_id or context.id
    calls.returned(context, call_id, 1, content=value.content, structured=ABSENT, is_error=bool(is_error))
    building = context.stream.flat
    if building:
        building.open_block = None
        building.segments.append([])
        building.digests.append((0, 0))
        building.calls.append([])
    status.tool_answered(context)


def assistant(context: FoldContext, value: Assistant) -> None:
    """Folds the whole answer: it replaces the fragments that it repeats, and closes the message."""
    building, context.stream.flat = context.stream.flat, None
    if building is None:
        messages.assistant(context, value)
        return
    content = value.message.content if value.message else None
    parts = content if isinstance(content, list) else [blocks.Block(type="text", text=content)] if content else []
    words = "".join(block.text or "" for block in parts if block.type == "text")
    # If it replaced all fragments, it would be shown after the records that came between them.
    are_words_shown = building.messages > 1 and _whole(building) == _hash(words)
    if words and not are_words_shown:
        for block_id in _repeated(building, words, {block.id for block in parts if block.type == "tool_use"}):
            context.changes.append(Remove(block_id))
    for n, block in enumerate(parts):
        if (block.type == "tool_use" and block.id in context.state.calls) or (block.type == "text" and are_words_shown):
            continue
        block_id = f"{context.id}:{n}"
        _put_block(context, building, block_id, block, n + 1)
        if block.type == "tool_use":
            calls.started(context, block, block_id, building.message, n + 1)
    known = context.state.messages[building.message]
    if value.message:
        known.item.model = known.item.model or value.message.model
        known.item.stop_reason = value.message.stop_reason or known.item.stop_reason
    context.put(known.item)
    status.assistant_spoke(context, value, parts)


def interrupt(context: FoldContext) -> None:
    """Registers a permission request or an error between the parts of an answer. What follows is shown after it."""
    if context.stream.flat:
        context.stream.flat.is_broken = True


def close(context: FoldContext) -> None:
    """Closes the message that is being built: a prompt, a result or another session follows."""
    context.stream.flat = None


def _repeated(building: FlatState, words: str, call_ids: set[str | None]) -> list[str]:
    """Returns the text blocks that a whole message repeats: all of them, or those since the last tool result."""
    earlier = set().union(*building.calls[:-1])
    if _whole(building) == _hash(words) or call_ids & earlier:
        return [block_id for segment in building.segments for block_id in segment]
    return building.segments[-1]


def _whole(building: FlatState) -> tuple[int, int]:
    """Returns the digest of the text of all fragments."""
    whole = (0, 0)
    for length, digest in building.digests:
        whole = (whole[0] + length, (whole[1] * pow(256, length, _PRIME) + digest) % _PRIME)
    return whole


def _building(context: FoldContext) -> FlatState:
    """Returns the message that is being built. A new one is created if there is none, or after an interruption."""
    building = context.stream.flat
    if building is None or building.is_broken:
        if building is None:
            building = context.stream.flat = FlatState(context.id)
            context.state.session.messages += 1
        else:
            building.message, building.open_block, building.is_broken = context.id, None, False
            building.messages += 1
        item = Message(id=context.id, order=context.order, agent=context.agent, role="assistant", author=Author.MODEL)
        item.started_at = item.ended_at = context.time
        context.state.messages[context.id] = MessageState(item)
        context.put(item)
    return building


def _put_block(context: FoldContext, building: FlatState, block_id: str, block: blocks.Block, part: int = 1) -> None:
    context.changes.append(
        Block(
            id=block_id,
            order=context.part(part),
            agent=context.agent,
            of=building.message,
            block=block,
            place=context.place,
        )
    )


def _digest(building: FlatState, text: str) -> None:
    """Adds `text` to the digest of the current segment, so that fragments can be compared without storing them."""
    length, digest = building.digests[-1]
    more_length, more = _hash(text)
    building.digests[-1] = (length + more_length, (digest * pow(256, more_length, _PRIME) + more) % _PRIME)


def _hash(text: str) -> tuple[int, int]:
    data = text.encode("utf-8", "replace")
    return len(data), int.from_bytes(data) % _PRIME
