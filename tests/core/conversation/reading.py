"""Builds conversations from streams, for tests that check their content."""

from collections.abc import Mapping

import chorus
from chorus.core.conversation.items import Item, Message
from chorus.testing.builders.lines import Script
from tests.core.conversation.talks import read

Streams = Mapping[str, Script | bytes]


def conversations(streams: Streams) -> list[chorus.Conversation]:
    """Returns the conversations of the streams, which are read in the given order."""
    return chorus.fold(record for name, data in streams.items() for record in read(name, bytes(data)))


def conversation(script: Script | bytes, **others: Script | bytes) -> chorus.Conversation:
    """Returns the one conversation of a script and of further streams, which are given by name."""
    (found,) = conversations({"main.jsonl": script, **{f"{name}.jsonl": data for name, data in others.items()}})
    return found


def words(talk: chorus.Conversation, agent: str = "") -> list[str]:
    """Returns the text of each message of a thread, with its author in front."""
    return [f"{item.author}: {talk.text(item)}" for item in talk.thread(agent) if isinstance(item, Message)]


def kinds(talk: chorus.Conversation, item: Item) -> list[str]:
    return [part.block.type for part in talk.blocks(item)]
