"""Chorus: the flight recorder and control tower for Claude Code.

    import chorus

    for record in chorus.read("session.jsonl"):      # every record, typed, its exact bytes kept
        print(record.type, record.place)

    talk = chorus.open("session.jsonl")              # the conversation, with its sub-agents
    for message in talk.messages:
        print(message.author, talk.text(message))
    for call in talk.calls:
        print(call.name, call.input, call.result and call.result.text)

    chorus.open("0b0e0c1a")                          # a kept conversation, by the beginning of its id
    chorus.search("tool:Bash is:error")              # in all of them

Names are resolved when they are first used, so that `import chorus` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chorus.api.costs import ConversationCost as ConversationCost
    from chorus.api.costs import Cost as Cost
    from chorus.api.costs import cost as cost
    from chorus.api.costs import price_table as price_table
    from chorus.api.following import Follow as Follow
    from chorus.api.following import Step as Step
    from chorus.api.following import follow as follow
    from chorus.api.vault import Vault as Vault
    from chorus.api.vault import open as open  # noqa: A004 - chorus.open(path) is the name users will look for
    from chorus.api.vault import search as search
    from chorus.api.vault import vault as vault
    from chorus.conversation.branches import Branch as Branch
    from chorus.conversation.branches import active_thread as active_thread
    from chorus.conversation.branches import branches as branches
    from chorus.conversation.conversation import Conversation as Conversation
    from chorus.conversation.fold import Fold as Fold
    from chorus.conversation.items import Agent as Agent
    from chorus.conversation.items import Append as Append
    from chorus.conversation.items import Author as Author
    from chorus.conversation.items import Block as Block
    from chorus.conversation.items import Call as Call
    from chorus.conversation.items import CallState as CallState
    from chorus.conversation.items import Change as Change
    from chorus.conversation.items import Compaction as Compaction
    from chorus.conversation.items import Item as Item
    from chorus.conversation.items import Message as Message
    from chorus.conversation.items import ModeChange as ModeChange
    from chorus.conversation.items import Notice as Notice
    from chorus.conversation.items import Permission as Permission
    from chorus.conversation.items import Queued as Queued
    from chorus.conversation.items import Reach as Reach
    from chorus.conversation.items import Remove as Remove
    from chorus.conversation.items import Session as Session
    from chorus.conversation.items import SideFile as SideFile
    from chorus.conversation.items import Status as Status
    from chorus.conversation.items import Tokens as Tokens
    from chorus.conversation.items import ToolResult as ToolResult
    from chorus.conversation.items import Turn as Turn
    from chorus.conversation.tool_call import ToolCall as ToolCall
    from chorus.conversation.tool_call import ToolOutput as ToolOutput
    from chorus.errors import ChorusError as ChorusError
    from chorus.errors import SourceUnreadable as SourceUnreadable
    from chorus.library import count as count
    from chorus.library import fold as fold
    from chorus.library import open_all as open_all
    from chorus.library import read as read
    from chorus.records.place import Place as Place
    from chorus.records.record import Dialect as Dialect
    from chorus.records.record import Record as Record
    from chorus.records.record import Unread as Unread

_ITEMS = (
    "Agent Append Author Block Call CallState Change Compaction Item Message ModeChange Notice Permission Queued Reach "
    "Remove Session SideFile Status Tokens ToolResult Turn"
)
_HOMES = {
    "chorus.api.costs": "ConversationCost Cost cost price_table",
    "chorus.api.following": "Follow Step follow",
    "chorus.api.vault": "Vault open search vault",
    "chorus.library": "count fold open_all read",
    "chorus.conversation.branches": "Branch active_thread branches",
    "chorus.conversation.conversation": "Conversation",
    "chorus.conversation.fold": "Fold",
    "chorus.conversation.items": _ITEMS,
    "chorus.conversation.tool_call": "ToolCall ToolOutput",
    "chorus.errors": "ChorusError SourceUnreadable",
    "chorus.records.place": "Place",
    "chorus.records.record": "Dialect Record Unread",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = sorted(_HOME_OF)  # noqa: PLE0605 - a list, made from the one table of public names


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'chorus' has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
