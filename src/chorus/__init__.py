"""Chorus: the flight recorder and control tower for Claude Code.

    import chorus

    for record in chorus.read("session.jsonl"):      # every record, typed, with its exact bytes
        print(record.type, record.place)

    conversation = chorus.open("session.jsonl")      # with its sub-agents
    for message in conversation.messages:
        print(message.author, conversation.text(message))
    for call in conversation.calls:
        print(call.name, call.input, call.result and call.result.text)

    chorus.open("0b0e0c1a")                          # a recorded conversation, by the beginning of its id
    chorus.search("tool:Bash is:error")              # in all of them

Names are imported on first use, so that `import chorus` is fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chorus.core.conversation.branches import Branch as Branch
    from chorus.core.conversation.branches import active_thread as active_thread
    from chorus.core.conversation.branches import branches as branches
    from chorus.core.conversation.conversation import Conversation as Conversation
    from chorus.core.conversation.fold import Fold as Fold
    from chorus.core.conversation.items import Agent as Agent
    from chorus.core.conversation.items import Append as Append
    from chorus.core.conversation.items import Author as Author
    from chorus.core.conversation.items import Block as Block
    from chorus.core.conversation.items import Call as Call
    from chorus.core.conversation.items import CallState as CallState
    from chorus.core.conversation.items import Change as Change
    from chorus.core.conversation.items import Compaction as Compaction
    from chorus.core.conversation.items import Item as Item
    from chorus.core.conversation.items import Message as Message
    from chorus.core.conversation.items import ModeChange as ModeChange
    from chorus.core.conversation.items import Notice as Notice
    from chorus.core.conversation.items import Permission as Permission
    from chorus.core.conversation.items import Queued as Queued
    from chorus.core.conversation.items import Reach as Reach
    from chorus.core.conversation.items import Remove as Remove
    from chorus.core.conversation.items import Session as Session
    from chorus.core.conversation.items import SideFile as SideFile
    from chorus.core.conversation.items import Status as Status
    from chorus.core.conversation.items import Tokens as Tokens
    from chorus.core.conversation.items import ToolResult as ToolResult
    from chorus.core.conversation.items import Turn as Turn
    from chorus.core.conversation.tool_call import ToolCall as ToolCall
    from chorus.core.conversation.tool_call import ToolOutput as ToolOutput
    from chorus.core.records.place import Place as Place
    from chorus.core.records.record import Dialect as Dialect
    from chorus.core.records.record import Record as Record
    from chorus.core.records.record import Unread as Unread
    from chorus.errors import ChorusError as ChorusError
    from chorus.errors import SourceUnreadable as SourceUnreadable
    from chorus.library.costs import ConversationCost as ConversationCost
    from chorus.library.costs import Cost as Cost
    from chorus.library.costs import cost as cost
    from chorus.library.costs import price_table as price_table
    from chorus.library.files import count as count
    from chorus.library.files import fold as fold
    from chorus.library.files import open_all as open_all
    from chorus.library.files import read as read
    from chorus.library.following import Follow as Follow
    from chorus.library.following import Step as Step
    from chorus.library.following import follow as follow
    from chorus.library.vault import Vault as Vault
    from chorus.library.vault import open as open  # noqa: A004 - chorus.open(path) is the name users will look for
    from chorus.library.vault import search as search
    from chorus.library.vault import vault as vault

_ITEMS = (
    "Agent Append Author Block Call CallState Change Compaction Item Message ModeChange Notice Permission Queued Reach "
    "Remove Session SideFile Status Tokens ToolResult Turn"
)
_HOMES = {
    "chorus.library.costs": "ConversationCost Cost cost price_table",
    "chorus.library.following": "Follow Step follow",
    "chorus.library.vault": "Vault open search vault",
    "chorus.library.files": "count fold open_all read",
    "chorus.core.conversation.branches": "Branch active_thread branches",
    "chorus.core.conversation.conversation": "Conversation",
    "chorus.core.conversation.fold": "Fold",
    "chorus.core.conversation.items": _ITEMS,
    "chorus.core.conversation.tool_call": "ToolCall ToolOutput",
    "chorus.errors": "ChorusError SourceUnreadable",
    "chorus.core.records.place": "Place",
    "chorus.core.records.record": "Dialect Record Unread",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = sorted(_HOME_OF)  # noqa: PLE0605 - a list, built from the one table of public names


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'chorus' has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
