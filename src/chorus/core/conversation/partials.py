"""Stream events: a message while it is written. Complete lines replace the partial blocks."""

from msgspec import Raw

from chorus.core.conversation import api_messages
from chorus.core.conversation.fold_context import FoldContext
from chorus.core.conversation.items import MAIN, Append, Block
from chorus.core.conversation.messages import begin_partial
from chorus.core.conversation.state import MessageState, State
from chorus.core.conversation.status import set_thinking
from chorus.core.records.model import blocks
from chorus.core.records.model.base import ABSENT
from chorus.core.records.model.stream import Event, StreamEvent


def stream_event(context: FoldContext, value: StreamEvent) -> None:
    """Folds one event of the API's stream into its message."""
    event = value.event
    if event is None:
        return
    opened = context.stream.open_message
    if event.type == "message_start" and event.message and event.message.id:
        if (before := opened.get(context.agent)) and before != event.message.id:
            api_messages.cut_off(context, before)
        opened[context.agent] = event.message.id
        begin_partial(context, event.message)
        if context.agent == MAIN:
            set_thinking(context)
        return
    message_id = value.api_message_id or opened.get(context.agent)
    if message_id is None:
        return
    if event.type == "message_stop":
        opened.pop(context.agent, None)
        return
    if event.type == "message_delta":
        stop = event.delta.stop_reason if event.delta else None
        begin_partial(context, blocks.Message(id=message_id, usage=event.usage, stop_reason=stop))
        return
    key = f"{context.agent}/{message_id}" if context.agent else message_id
    known = context.state.messages.get(key)
    if known is not None and event.index is not None:
        _grow(context, known, event, event.index)


def ended(context: FoldContext) -> None:
    """Marks the messages that are still open in the stream as cut off, because the turn ended."""
    for message_id in context.stream.open_message.values():
        api_messages.cut_off(context, message_id)
    context.stream.open_message.clear()


def _grow(context: FoldContext, known: MessageState, event: Event, index: int) -> None:
    """Starts a partial block, or appends text to it."""
    if index < known.covered:
        return
    block_id = f"{known.item.id}~{index}"
    if event.type == "content_block_start":
        known.partials[index] = None
        block = event.content_block or blocks.Block()
        if block.type == "tool_use":
            # The input arrives as pieces of text. The announced input is an empty object.
            block = blocks.Block(type="tool_use", id=block.id, name=block.name, text="", input=ABSENT)
        context.changes.append(
            Block(
                id=block_id,
                order=context.part(1),
                agent=context.agent,
                of=known.item.id,
                block=block,
                place=context.place,
                is_partial=True,
            )
        )
    elif event.type == "content_block_delta" and index in known.partials and event.delta:
        text = event.delta.text or event.delta.thinking or event.delta.partial_json
        if text:
            context.changes.append(Append(block_id, text))


def being_written(state: State) -> set[str]:
    """Returns the ids of announced blocks whose complete lines have not been read."""
    return {f"{known.item.id}~{index}" for known in state.messages.values() for index in known.partials}


def grown(block: blocks.Block, text: str) -> blocks.Block:
    """Returns `block` with `text` appended to the field that has the text of its type."""
    if block.type == "thinking":
        return blocks.Block(type="thinking", thinking=(block.thinking or "") + text, signature=block.signature)
    if block.type == "tool_use":
        so_far = (block.text or "") + text
        return blocks.Block(type="tool_use", id=block.id, name=block.name, text=so_far, input=Raw())
    return blocks.Block(type=block.type or "text", text=(block.text or "") + text)
