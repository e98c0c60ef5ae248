"""Conversations over many streams, each session id once, and where their tokens come from."""

from chorus.census.messages import digest
from chorus.conversation.items import Tokens
from chorus.conversation.usage import plus


class Conversations:
    """Distinct conversations by session id. Where no message carries usage, what the turns report counts instead."""

    def __init__(self) -> None:
        self._has_usage: dict[int, bool] = {}
        self._turns: dict[int, tuple[int, Tokens]] = {}
        """Turn → its conversation and what it reported, so that a copy of a log counts once."""

    def saw(self, name: str, *, has_message_usage: bool) -> None:
        key = digest(name)
        self._has_usage[key] = self._has_usage.get(key, False) or has_message_usage

    def turn(self, name: str, turn_id: str, tokens: Tokens) -> None:
        """A turn of the conversation `name` reported `tokens`."""
        self._turns[digest(turn_id)] = (digest(name), tokens)

    def merge(self, other: "Conversations") -> None:
        for key, has_usage in other._has_usage.items():
            self._has_usage[key] = self._has_usage.get(key, False) or has_usage
        self._turns |= other._turns

    def __len__(self) -> int:
        return len(self._has_usage)

    def turn_tokens(self) -> Tokens:
        """What the turns used in conversations where no message says it."""
        total = Tokens()
        for conversation, tokens in self._turns.values():
            if not self._has_usage.get(conversation, False):
                total = plus(total, tokens)
        return total
