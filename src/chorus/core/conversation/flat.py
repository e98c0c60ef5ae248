"""Flat events: an answer told in text fragments and calls, then repeated as one `assistant` event, shown once."""

from chorus.core.conversation import calls, messages, status
from chorus.core.conversation.fold_context import FoldContext
from chorus.core.conversation.items import Append, Author, Block, Message, Remove
from chorus.core.conversation.state import FlatState, MessageState
from chorus.core.records.model import blocks, flat
from chorus.core.records.model.base import ABSENT, is_present
from chorus.core.records.model.turns import Assistant

_PRIME = (1 << 61) - 1


def text(context: FoldContext, value: flat.Text) -> None:
    """A fragment: more of the text block that is open, or a new one."""
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
    status.is_thinking(context)


def tool_use(context: FoldContext, value: flat.ToolUse) -> None:
    building = _building(context)
    building.open_block = None
    block = call_of(value)
    block.id = block.id or context.id
    building.calls[-1].append(value.id or context.id)
    block_id = f"{context.id}:0"
    _put_block(context, building, block_id, block)
    calls.made(context, block, block_id, building.message, 1)
    status.is_thinking(context)


def call_of(value: flat.ToolUse) -> blocks.Block:
    """The call that an event tells of, as the block that other dialects make it with."""
    name = value.toolName or value.tool_name or value.name
    raw = next((raw for raw in (value.toolInput, value.tool_input, value.input) if is_present(raw)), ABSENT)
    return blocks.Block(type="tool_use", id=value.id, name=name, input=raw)


def tool_result(context: FoldContext, value: flat.ToolResult) -> None:
    """A result: what the model says next is another stretch of its answer."""
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
    """The whole answer: takes the place of the fragments it repeats, and closes the message."""
    building, context.stream.flat = context.stream.flat, None
    if building is None:
        messages.assistant(context, value)
        return
    content = value.message.content if value.message else None
    parts = content if isinstance(content, list) else [blocks.Block(type="text", text=content)] if content else []
    words = "".join(block.text or "" for block in parts if block.type == "text")
    # Taking the place of all fragments it would stand after what came between them.
    are_words_told = building.messages > 1 and _whole(building) == _hash(words)
    if words and not are_words_told:
        for block_id in _repeated(building, words, {block.id for block in parts if block.type == "tool_use"}):
            context.changes.append(Remove(block_id))
    for n, block in enumerate(parts):
        if (block.type == "tool_use" and block.id in context.state.calls) or (block.type == "text" and are_words_told):
            continue
        block_id = f"{context.id}:{n}"
        _put_block(context, building, block_id, block, n + 1)
        if block.type == "tool_use":
            calls.made(context, block, block_id, building.message, n + 1)
    known = context.state.messages[building.message]
    if value.message:
        known.item.model = known.item.model or value.message.model
        known.item.stop_reason = value.message.stop_reason or known.item.stop_reason
    context.put(known.item)
    status.assistant_spoke(context, value, parts)


def breaks(context: FoldContext) -> None:
    """A permission request or an error came between the parts of an answer: what follows is shown after it."""
    if context.stream.flat:
        context.stream.flat.is_broken = True


def close(context: FoldContext) -> None:
    """Whatever was being built is complete: a prompt, a result or another session follows."""
    context.stream.flat = None


def _repeated(building: FlatState, words: str, call_ids: set[str | None]) -> list[str]:
    """The text blocks that a whole message repeats: all of them, or those since the last tool result."""
    earlier = set().union(*building.calls[:-1])
    if _whole(building) == _hash(words) or call_ids & earlier:
        return [block_id for segment in building.segments for block_id in segment]
    return building.segments[-1]


def _whole(building: FlatState) -> tuple[int, int]:
    """The digest of all text that was told in fragments."""
    whole = (0, 0)
    for length, digest in building.digests:
        whole = (whole[0] + length, (whole[1] * pow(256, length, _PRIME) + digest) % _PRIME)
    return whole


def _building(context: FoldContext) -> FlatState:
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
    """Add `text` to the running digest of the current stretch: fragments are compared without being kept."""
    length, digest = building.digests[-1]
    more_length, more = _hash(text)
    building.digests[-1] = (length + more_length, (digest * pow(256, more_length, _PRIME) + more) % _PRIME)


def _hash(text: str) -> tuple[int, int]:
    data = text.encode("utf-8", "replace")
    return len(data), int.from_bytes(data) % _PRIME
