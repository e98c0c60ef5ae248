"""Every error Chorus raises on purpose.

    ChorusError             what a person can act on; a door prints it in one line
    ├── SourceUnreadable    a file or folder that cannot be opened
    │   └── SourceSkipped   a file that Chorus does not open: a pipe, a device, a link out of its folder
    ├── VaultUnwritable     the vault could not keep something: disk full, an I/O error, no permission
    ├── VaultTooNew         a vault that a newer Chorus wrote: it can be read, not written
    ├── IndexDamaged        an index that cannot be used; it is made anew from the vault
    ├── Unvetted            a folder whose own settings a person has to look at before an agent works in it
    └── QueryError          a query that cannot be understood, and where in it

Data never raises: what a reader cannot understand becomes an `Unread` value instead.
"""

import unicodedata

_CONTEXT = 40
"""How many characters of a query are shown before a faulty place, of the place, and after it."""


class ChorusError(Exception):
    """Base of all errors a caller may want to catch; its text says what, where and what to do next."""


class SourceUnreadable(ChorusError):
    """A named source does not exist, is not a file or folder, or may not be read."""


class SourceSkipped(SourceUnreadable):
    """A file or folder that is left out on purpose: it is no regular file, leads out of its folder, or is too large."""


class VaultUnwritable(ChorusError):
    """Bytes could not be kept; what was acknowledged before is safe, and work can go on when the fault is mended."""


class VaultTooNew(ChorusError):
    """The vault's format is newer than this Chorus."""


class IndexDamaged(ChorusError):
    """There is no index, or none that can be trusted: nothing is lost, it is made anew."""


class Unvetted(ChorusError):
    """A folder brings settings of the client that nobody has let act yet; `brings` says what they do."""

    def __init__(self, folder: str, brings: list[str]) -> None:
        super().__init__(
            f"{folder}: it brings settings that nobody has looked at yet ({'; '.join(brings)}); "
            f"look at them, then `chorus workspace trust {folder}`"
        )
        self.folder = folder
        self.brings = brings


class QueryError(ChorusError):
    """A query that cannot be understood: `text[start:end]` is the place, and `str` shows it below the message.

    What is shown holds no character that acts or hides, however hostile the query; `text` is as it was typed.
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
    """`text` with one harmless character for each that acts or hides, so that places stay the same."""
    return text if text.isprintable() else "".join(map(_stand_in, text))


def _stand_in(char: str) -> str:
    if char.isprintable():
        return char
    code = ord(char)
    # Unicode has a picture for each control character of ASCII.
    return chr(0x2400 + code) if code < 0x20 else "\u2421" if code == 0x7F else "\ufffd"


def _columns(text: str) -> int:
    """How many columns of a terminal the text takes."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )
