"""Every error that Chorus raises intentionally.

    ChorusError             an error that a person can fix; commands print it in one line
    ├── SourceUnreadable    a file or folder that cannot be opened
    │   └── SourceSkipped   a file that Chorus does not open: a pipe, a device, a link out of its folder
    ├── VaultUnwritable     the vault could not store something: disk full, an I/O error, no permission
    │   └── VaultBlocked    something else is in the place of one of its files
    ├── VaultTooNew         a vault that a newer Chorus wrote: it can be read, but not written
    ├── IndexDamaged        an index that cannot be used; it is rebuilt from the vault
    ├── GitFailed           git is missing, too old, took too long, or reported an error
    ├── TmuxFailed          tmux is missing, too old, gone, or refused a command
    ├── Unreachable         another machine did not answer; trying again later may help
    ├── AddressRefused      an address that Chorus never connects to
    ├── Unvetted            a folder with client settings that a person must check before an agent works in it
    └── QueryError          a query that cannot be understood, with the place of the error

Data never raises: bytes that cannot be understood become an `Unread` value instead.
"""

import unicodedata

_CONTEXT = 40
"""Maximum number of characters of a query that are shown before the error, of the error itself, and after it."""


class ChorusError(Exception):
    """Base of all errors that a caller may want to catch. Its text says what failed, where, and what to do next."""


class SourceUnreadable(ChorusError):
    """A source does not exist, is not a file or folder, or cannot be read."""


class SourceSkipped(SourceUnreadable):
    """A file or folder is left out on purpose: not a regular file, a link out of its folder, or too large."""


class VaultUnwritable(ChorusError):
    """Bytes could not be stored. What was acknowledged before is safe; work can continue when the fault is fixed."""


class VaultBlocked(VaultUnwritable):
    """Something else, such as a link, is in the place of one file of the vault. The others can be written."""


class VaultTooNew(ChorusError):
    """The vault has a newer format than this version of Chorus."""


class IndexDamaged(ChorusError):
    """There is no index, or none that can be trusted. Nothing is lost: it is rebuilt from the vault."""


class GitFailed(ChorusError):
    """Git is missing, too old, took too long, or reported an error."""


class TmuxFailed(ChorusError):
    """Tmux is missing or too old, its server is gone, or it refused a command."""


class Unreachable(ChorusError):
    """Another machine could not be reached, or did not answer as HTTP requires; trying again later may help."""


class AddressRefused(ChorusError):
    """Chorus never connects to this address, however often one tries."""


class Unvetted(ChorusError):
    """A folder contains client settings that nobody has trusted yet. `brings` says what they do."""

    def __init__(self, folder: str, brings: list[str]) -> None:
        super().__init__(
            f"{folder}: it contains client settings that nobody has checked yet ({'; '.join(brings)}); "
            f"check them, then run `chorus workspace trust {folder}`"
        )
        self.folder = folder
        self.brings = brings


class QueryError(ChorusError):
    """A query cannot be understood. `text[start:end]` is the place, and `str` shows it below the message.

    The shown text has no active or hidden characters, however hostile the query is. `text` is exactly what was typed.
    """

    def __init__(self, message: str, text: str, start: int, end: int) -> None:
        super().__init__(message, text, start, end)
        self.message = _visible(message)
        self.text = text
        self.start = start
        self.end = end

    def __str__(self) -> str:
        end = min(max(self.start, self.end), self.start + _CONTEXT)
        before = _visible(self.text[max(0, self.start - _CONTEXT) : self.start])
        place = _visible(self.text[self.start : end])
        after = _visible(self.text[end : end + _CONTEXT])
        cut_before = "…" if self.start > _CONTEXT else ""
        cut_after = "…" if end + _CONTEXT < len(self.text) else ""
        pointer = " " * _columns(cut_before + before) + "^" * max(1, _columns(place))
        return f"{self.message}\n  {cut_before}{before}{place}{after}{cut_after}\n  {pointer}"


def _visible(text: str) -> str:
    """Replaces each active or hidden character by one visible character, so that positions stay the same."""
    return text if text.isprintable() else "".join(map(_symbol_of, text))


def _symbol_of(char: str) -> str:
    if char.isprintable():
        return char
    code = ord(char)
    # Unicode has a symbol for each ASCII control character.
    return chr(0x2400 + code) if code < 0x20 else "\u2421" if code == 0x7F else "\ufffd"


def _columns(text: str) -> int:
    """Returns the number of terminal columns that the text takes."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )
