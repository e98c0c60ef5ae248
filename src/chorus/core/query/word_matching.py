"""What a typed word asks of the words of a text: one rule for every back end."""

import re

from msgspec import Struct

from chorus.core.query.tree import Phrase, Word
from chorus.core.query.words import parts, signs, tokens

_VERSION = re.compile(r"[0-9]+(?:\.[0-9]+)+(?:[-+.][0-9A-Za-z.+-]*)?")
_HASH = re.compile(r"(?=[a-f]*[0-9])[0-9a-f]{7,64}", re.IGNORECASE)
"""A short hash stands for the long one; a word without a digit is a word."""
_ID = re.compile(r"(?=[^0-9]*[0-9])[0-9A-Za-z_.-]{7,128}")
"""What may be the beginning of a conversation's id."""


class Run(Struct, frozen=True):
    """Words that follow each other."""

    words: tuple[str, ...]
    is_prefix: bool = False
    """Whether the last one may go on."""


class Meant(Struct, frozen=True):
    """What a text must say: one of the runs, and all signs. Or it belongs to the conversation that is named."""

    runs: tuple[Run, ...]
    signs: tuple[str, ...]
    id: str = ""
    """The beginning of a conversation's id, in lower case; "" when the word cannot be one."""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to look for."""
        return not self.runs and not self.signs


def meant(node: Word | Phrase) -> Meant:
    """What the node asks for; nothing where it has neither letters, digits, nor signs beyond ASCII."""
    whole = tuple(tokens(node.text))
    found = signs(node.text)
    if isinstance(node, Phrase):
        return Meant((Run(whole, node.is_prefix),) if whole else (), found)
    runs = [whole, tuple(parts(node.text))]
    if _VERSION.fullmatch(node.text):
        # Most versions are written with a letter before them.
        runs.append((f"v{whole[0]}", *whole[1:]))
    is_prefix = node.is_prefix or is_hash(node.text)
    alternatives = tuple(Run(run, is_prefix) for run in dict.fromkeys(runs) if run)
    return Meant(alternatives, found, node.text.lower() if _ID.fullmatch(node.text) else "")


def is_hash(text: str) -> bool:
    """Whether a word looks like the beginning of a hash."""
    return _HASH.fullmatch(text) is not None


def is_id_of(beginning: str, conversation: str) -> bool:
    """Whether a conversation's id begins so."""
    return bool(beginning) and conversation.lower().startswith(beginning)
