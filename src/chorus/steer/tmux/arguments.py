"""Writes arguments of tmux commands so that tmux reads exactly these bytes. Pure.

tmux splits a command line by rules of its own, which are close to those of a shell: `;` separates commands, `$` and `~`
are expanded. Inside double quotes a byte can be written as three octal digits, which no rule of tmux touches.
"""

import re

from chorus.errors import ChorusError

_PANE = re.compile(r"%[0-9]{1,9}")
_SESSION = re.compile(r"\$[0-9]{1,9}")
_PLAIN = re.compile(rb"[A-Za-z0-9_./:,@-]+")
_SAFE = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 ")


def command(*words: str | bytes) -> bytes:
    """Returns one line for a control client. Raises ValueError for a NUL byte, which no argument can contain."""
    return b" ".join(_quoted(word.encode() if isinstance(word, str) else word) for word in words)


def _quoted(word: bytes) -> bytes:
    if b"\0" in word:
        raise ValueError("an argument of tmux cannot contain a NUL byte")
    if _PLAIN.fullmatch(word):
        return word
    return b'"' + b"".join(bytes([each]) if each in _SAFE else b"\\%03o" % each for each in word) + b'"'


def pane_target(pane: str) -> str:
    """Returns the id of a pane if it has the form of one, because any other target may mean another pane."""
    if not _PANE.fullmatch(pane):
        raise ChorusError(f"{pane[:40]!r} is not the id of a pane, such as %3")
    return pane


def is_pane(text: str) -> bool:
    return _PANE.fullmatch(text) is not None


def is_session(text: str) -> bool:
    return _SESSION.fullmatch(text) is not None
