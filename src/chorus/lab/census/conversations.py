"""Conversations over many streams, each session id once, and where their tokens come from."""

from collections import Counter

from msgspec import Struct

from chorus.core.conversation.items import Tokens
from chorus.core.conversation.model_usage import can_contain
from chorus.core.conversation.usage import plus
from chorus.lab.census.messages import Messages, digest


class _Known(Struct):
    has_usage: bool = False
    """Whether a message carries usage."""
    has_ended: bool = False
    """Whether such a message says how it ended."""


class Conversations:
    """Distinct conversations by session id.

    Where no message carries usage, or none says how it ended while results say more, what the turns report counts
    instead: the rule of `conversation.model_usage`.
    """

    def __init__(self) -> None:
        self._known: dict[int, _Known] = {}
        self._turns: dict[int, tuple[int, Tokens, bool]] = {}
        """Turn → its conversation and what it reported, so that a copy of a log counts once."""

    def saw(self, name: str, *, has_message_usage: bool, has_ended: bool) -> None:
        self._add(digest(name), _Known(has_message_usage, has_ended))

    def turn(self, name: str, turn_id: str, tokens: Tokens, *, has_models: bool) -> None:
        """A turn of the conversation `name` reported `tokens`, model by model or in all."""
        self._turns[digest(turn_id)] = (digest(name), tokens, has_models)

    def merge(self, other: "Conversations") -> None:
        for key, known in other._known.items():
            self._add(key, known)
        self._turns |= other._turns

    def __len__(self) -> int:
        return len(self._known)

    def tokens(self, messages: Messages) -> tuple[Tokens, int]:
        """What was used in all, by messages or turns; and how many of the messages that count may have used more."""
        total, unended = messages.tokens(), messages.unended()
        reported: dict[int, tuple[Tokens, bool]] = {}
        for conversation, tokens, has_models in self._turns.values():
            known, had_models = reported.get(conversation, (Tokens(), False))
            reported[conversation] = plus(known, tokens), had_models or has_models
        placeholders: dict[int, Tokens] = {}
        for conversation, tokens in unended.values():
            placeholders[conversation] = plus(placeholders.get(conversation, Tokens()), tokens)
        counts = Counter(conversation for conversation, _ in unended.values())
        open_messages = len(unended)
        for conversation, (tokens, has_models) in reported.items():
            known = self._known.get(conversation, _Known())
            told = placeholders.get(conversation, Tokens())
            if not known.has_usage or (has_models and not known.has_ended and can_contain(tokens, told)):
                total = plus(total, tokens, told)
                open_messages -= counts[conversation]
        return total, open_messages

    def _add(self, key: int, more: _Known) -> None:
        known = self._known.get(key)
        if known is None:
            self._known[key] = more
            return
        self._known[key] = _Known(known.has_usage or more.has_usage, known.has_ended or more.has_ended)
