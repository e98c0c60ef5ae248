"""The steps of a conversation that alerts are found in, made from its items.

A folded conversation and the entries of the index have the same items, so both give the same steps.
"""

from collections.abc import Callable
from hashlib import blake2b
from typing import Any

import msgspec
from msgspec import Raw, Struct

from chorus.core.conversation import items
from chorus.core.conversation.context_window import ContextFill, context_of
from chorus.core.conversation.items import Author, CallState
from chorus.core.conversation.tool_call import decoded
from chorus.core.conversation.tool_facts import facts_of

_ENDED_BADLY = (CallState.FAILED, CallState.REFUSED)
_LABEL = "description"
"""A field of a command's input that only describes the command."""


class Prompt(Struct, frozen=True):
    """A person said something, or the turn ended: whatever went wrong before is over."""

    thread: str
    time: str | None


class Answer(Struct, frozen=True):
    """The model answered."""

    item: str
    thread: str
    time: str | None
    fill: ContextFill | None


class ApiError(Struct, frozen=True):
    """The API answered with an error, or the client announced another attempt."""

    item: str
    thread: str
    time: str | None


class Compacted(Struct, frozen=True):
    """The client replaced the history in the context by a summary."""

    time: str | None


class Called(Struct, frozen=True, kw_only=True):
    """A tool call, with its result if there is one."""

    call: str
    thread: str
    tool: str
    state: CallState
    started_at: str | None
    ended_at: str | None
    signature: bytes | None = None
    """Equal for calls with equal input and equal error; None for a call that did not fail, or cannot be compared."""

    @property
    def is_open(self) -> bool:
        return self.state is CallState.PENDING

    @property
    def has_failed(self) -> bool:
        return self.state in _ENDED_BADLY

    @property
    def has_edited(self) -> bool:
        """Whether it changed files, so that the next call of the same kind may end differently."""
        return self.state is CallState.DONE and facts_of(self.tool).kind == "editor"


Step = Prompt | Answer | ApiError | Compacted | Called

SignatureOf = Callable[[items.Call], bytes | None]
"""Returns the signature of a failed call. It may read the payload, and is only called for calls that failed."""


def step_of(item: items.Item, signature_of: SignatureOf) -> Step | None:
    """Returns the step that an item is, or None. Notices of API errors are found by the caller."""
    match item:
        case items.Message(error=str() as error) if error:
            return ApiError(item.id, item.agent, item.ended_at or item.started_at)
        case items.Message(author=Author.HUMAN) | items.Message(author=Author.AGENT):
            return Prompt(item.agent, item.started_at)
        case items.Message(author=Author.MODEL):
            return Answer(item.id, item.agent, item.ended_at or item.started_at, context_of(item))
        case items.Turn():
            return Prompt(item.agent, item.ended_at)
        case items.Compaction():
            return Compacted(item.time)
        case items.Call():
            return Called(
                call=item.tool_use_id,
                thread=item.agent,
                tool=item.name,
                state=item.state,
                started_at=item.started_at,
                ended_at=item.ended_at,
                signature=signature_of(item) if item.state in _ENDED_BADLY else None,
            )
        case _:
            return None


def signature(tool: str, given: Raw, error: str) -> bytes:
    """Returns a digest of what was called and how it failed. The description of a command is left out."""
    value: Any = decoded(given)
    if isinstance(value, dict) and facts_of(tool).kind == "command":
        value = {name: each for name, each in value.items() if name != _LABEL}
    canonical = bytes(given) if value is None else msgspec.json.encode(value, order="sorted")
    digest = blake2b(digest_size=16)
    for part in (tool.encode("utf-8", "replace"), canonical, error.strip().encode("utf-8", "replace")):
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.digest()
