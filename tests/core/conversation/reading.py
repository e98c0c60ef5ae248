"""One conversation out of built streams, for tests that say what it should hold."""

from collections.abc import Mapping

import chorus
from chorus.core.conversation.items import Item, Message
from chorus.testing.builders.lines import Script
from tests.core.conversation.talks import read

Streams = Mapping[str, Script | bytes]


def conversations(streams: Streams) -> list[chorus.Conversation]:
    """What the streams hold, read in the order given."""
    return chorus.fold(record for name, data in streams.items() for record in read(name, bytes(data)))


def conversation(script: Script | bytes, **others: Script | bytes) -> chorus.Conversation:
    """The one conversation of a script (and of further streams, by name)."""
    (found,) = conversations({"main.jsonl": script, **{f"{name}.jsonl": data for name, data in others.items()}})
    return found


def words(talk: chorus.Conversation, agent: str = "") -> list[str]:
    """The text of each message of a thread, with its author in front."""
    return [f"{item.author}: {talk.text(item)}" for item in talk.thread(agent) if isinstance(item, Message)]


def kinds(talk: chorus.Conversation, item: Item) -> list[str]:
    return [part.block.type for part in talk.blocks(item)]
