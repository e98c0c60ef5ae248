"""Defines which words of a text a typed word matches: one rule for every back end."""

import re

from msgspec import Struct

from chorus.core.query.tree import Phrase, Word
from chorus.core.query.words import parts, signs, tokens

_VERSION = re.compile(r"[0-9]+(?:\.[0-9]+)+(?:[-+.][0-9A-Za-z.+-]*)?")
_HASH = re.compile(r"(?=[a-f]*[0-9])[0-9a-f]{7,64}", re.IGNORECASE)
"""The beginning of a hash matches the whole hash. Text without a digit is a word."""
_ID = re.compile(r"(?=[^0-9]*[0-9])[0-9A-Za-z_.-]{7,128}")
"""Text that may be the beginning of a conversation id."""


class WordRun(Struct, frozen=True):
    """Words that follow each other."""

    words: tuple[str, ...]
    is_prefix: bool = False
    """Whether the last word may continue."""


class WordCriteria(Struct, frozen=True):
    """What a text must contain: one of the runs, and all signs. Or it belongs to the conversation with the given id."""

    runs: tuple[WordRun, ...]
    signs: tuple[str, ...]
    id: str = ""
    """The beginning of a conversation id in lower case; "" if the word cannot be one."""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to search for."""
        return not self.runs and not self.signs


def criteria_of(node: Word | Phrase) -> WordCriteria:
    """Returns what the node asks for; nothing if it has neither letters, digits, nor signs beyond ASCII."""
    whole = tuple(tokens(node.text))
    found = signs(node.text)
    if isinstance(node, Phrase):
        return WordCriteria((WordRun(whole, node.is_prefix),) if whole else (), found)
    runs = [whole, tuple(parts(node.text))]
    if _VERSION.fullmatch(node.text):
        # Most versions are written with a letter before the number.
        runs.append((f"v{whole[0]}", *whole[1:]))
    is_prefix = node.is_prefix or is_hash(node.text)
    alternatives = tuple(WordRun(run, is_prefix) for run in dict.fromkeys(runs) if run)
    return WordCriteria(alternatives, found, node.text.lower() if _ID.fullmatch(node.text) else "")


def is_hash(text: str) -> bool:
    """Returns whether a word looks like the beginning of a hash."""
    return _HASH.fullmatch(text) is not None


def is_id_of(beginning: str, conversation: str) -> bool:
    """Returns whether the id of a conversation begins with `beginning`."""
    return bool(beginning) and conversation.lower().startswith(beginning)
