"""Rebuilds a block that was incomplete when its stream ended, from the stream's events."""

from collections.abc import Iterator
from itertools import islice

from chorus.core.conversation.partials import grown
from chorus.core.records.model import blocks
from chorus.core.records.model.stream import Event, StreamEvent
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.port import Vault
from chorus.keep.vault.records import StreamReading

_MAX_RECORDS = 20_000


def written_so_far(vault: Vault, key: StreamKey, at: int) -> blocks.Block:
    """Returns the block that the event at this place begins, with everything that was added to it later."""
    events = _events(vault, key, at)
    first = next(events, None)
    block = (first.content_block if first else None) or blocks.Block(type="text", text="")
    if block.type == "tool_use":
        block = blocks.Block(type="tool_use", id=block.id, name=block.name, text="")
    texts: list[str] = []
    for event in events:
        if event.type in ("message_start", "message_stop"):
            break
        if first is not None and event.index == first.index and event.type == "content_block_delta" and event.delta:
            texts.append(event.delta.text or event.delta.thinking or event.delta.partial_json or "")
    return grown(block, "".join(texts))


def _events(vault: Vault, key: StreamKey, at: int) -> Iterator[Event]:
    """Yields the events of one agent from a place on."""
    agent: tuple[str | None, ...] | None = None
    for record in islice(StreamReading(vault, key, at), _MAX_RECORDS):
        value = record.value
        if not isinstance(value, StreamEvent) or value.event is None:
            continue
        own = (value.agentId, value.agent_id, value.parent_tool_use_id)
        agent = agent or own
        if own == agent:
            yield value.event
