"""Counts model messages over many streams, each once: its model, and the highest value of each token count.

All messages are in memory while counting, so each must be small: 8 bytes of digest and 35 of facts, about 170 with the
overhead of Python.
"""

import hashlib
import struct

from chorus.core.conversation.items import Tokens
from chorus.lab.census.names import MAX_LENGTH

_FACTS = struct.Struct("<4QBH")
_NONE = _FACTS.pack(0, 0, 0, 0, 0, 0)
_ENDED = 1
"""Whether the end of the message is recorded in one of its lines."""
_MOST = (1 << 64) - 1
_UNSEEN, _NO_MODEL = 0, 1
"""The first two model numbers: only its tokens are known (a sub-agent's message), or the message names no model."""
_MAX_MODELS = 1 << 16


def digest(name: str) -> int:
    """Returns the same number for the same name in every process, and in practice different numbers for different
    names.
    """
    return int.from_bytes(hashlib.blake2b(name.encode("utf-8", "replace"), digest_size=8).digest())


class Messages:
    """Distinct messages by id, or by uuid or place if they have no id."""

    def __init__(self) -> None:
        self._facts: dict[int, bytes] = {}
        self._models = ["", ""]
        self._numbers: dict[str, int] = {}
        self._latest: tuple[str, str | None] | None = None
        self._open: dict[int, int] = {}
        """Messages with a line without their end → the conversation of that line."""

    def saw(self, name: str, model: str | None) -> None:
        """Counts a line of the message."""
        # Most lines follow another one of the same message.
        if (name, model) == self._latest:
            return
        self._latest = (name, model)
        self._raise(digest(name), (0, 0, 0, 0), self._number(model or ""))

    def used(self, name: str, tokens: Tokens, open_in: str | None = None) -> None:
        """Adds tokens: the message used at least these; its end is not recorded in the conversation `open_in`."""
        if open_in is not None:
            self._open[digest(name)] = digest(open_in)
        self._raise(
            digest(name),
            (
                _bounded(tokens.input),
                _bounded(tokens.output),
                _bounded(tokens.cache_creation),
                _bounded(tokens.cache_read),
            ),
            _UNSEEN,
            _ENDED if open_in is None else 0,
        )

    def merge(self, other: "Messages") -> None:
        """Adds everything that another object knows; the order of merging makes no difference."""
        numbers = [self._number(name) if n > _NO_MODEL else n for n, name in enumerate(other._models)]
        for key, packed in other._facts.items():
            *tokens, flags, number = _FACTS.unpack(packed)
            self._raise(key, tuple(tokens), numbers[number], flags)
        self._open |= other._open

    def __len__(self) -> int:
        """Returns the number of messages that were read; those of which only the tokens are known do not count."""
        return sum(packed[-2:] != b"\0\0" for packed in self._facts.values())

    def models(self) -> dict[str, int]:
        """Returns the number of messages per model."""
        counts = [0] * len(self._models)
        for packed in self._facts.values():
            counts[packed[-2] | packed[-1] << 8] += 1
        return {name: count for name, count in zip(self._models, counts, strict=True) if name and count}

    def unended(self) -> dict[int, tuple[int, Tokens]]:
        """Returns messages without a recorded end, by number → their conversation, and tokens that may be too low."""
        found: dict[int, tuple[int, Tokens]] = {}
        for key, conversation in self._open.items():
            *tokens, flags, _ = _FACTS.unpack(self._facts[key])
            if not flags & _ENDED:
                found[key] = conversation, Tokens(*tokens)
        return found

    def tokens(self) -> Tokens:
        """Returns the sum over all messages."""
        sums = [0, 0, 0, 0]
        for packed in self._facts.values():
            sums = [total + count for total, count in zip(sums, _FACTS.unpack(packed), strict=False)]
        return Tokens(*sums)

    def _raise(self, key: int, tokens: tuple[int, ...], number: int, flags: int = 0) -> None:
        known = self._facts.get(key, _NONE)
        *before, known_flags, model = _FACTS.unpack(known)
        if number > _NO_MODEL and model > _NO_MODEL:
            # If copies differ, the same one of the two is chosen, whichever was read first.
            number = min(number, model, key=self._models.__getitem__)
        else:
            number = max(number, model)
        self._facts[key] = _FACTS.pack(*map(max, tokens, before), flags | known_flags, number)

    def _number(self, model: str) -> int:
        if not model:
            return _NO_MODEL
        model = model[:MAX_LENGTH]
        number = self._numbers.get(model)
        if number is None:
            if len(self._models) >= _MAX_MODELS:
                return _NO_MODEL
            number = self._numbers[model] = len(self._models)
            self._models.append(model)
        return number


def _bounded(count: int) -> int:
    return min(max(count, 0), _MOST)
