"""Private keys that come line by line: as an array of lines in a record, or as one line in each of several records.

No pattern of a rule matches such a key, because no string has all of it.
"""

import re
from collections.abc import Iterator

MARK = b"PRIVATE KEY-----"
"""What a record has in which such a key begins or ends."""
_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_END = re.compile(r"-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_LINE = re.compile(r"""[-\s0-9→+>|│"']{0,16}?([A-Za-z0-9+/]{40,80}={0,2})["',;\s\\n+]{0,8}""")
"""A whole line of a key, with the marks of a diff, the number of the line, or quotes around it."""
_LAST = re.compile(r"""[-\s0-9→+>|│"']{0,16}?([A-Za-z0-9+/]{4,79}={0,2})["',;\s\\n+]{0,8}""")
_RUN = re.compile(r"[A-Za-z0-9+/]{16,}={0,2}")
_LONG = 40
"""Shorter runs may be words."""
_MAX_STRINGS = 4_000
"""A key that has not ended after this many strings was cut off."""


def lines_of(key: str) -> list[str]:
    """Returns the lines of a private key that are long enough to be looked for one by one."""
    runs = _RUN.findall(key.replace("\\n", "\n"))
    return list(dict.fromkeys(run for run in runs if len(run) >= _LONG or _is_mixed(run)))


class KeyLines:
    """Puts the keys of one source together."""

    def __init__(self) -> None:
        self._lines: list[str] | None = None
        """The lines of a key that has begun."""
        self._last = ""
        """A line that is too short to belong to a key, unless the key ends after it."""
        self._left = 0

    def wants(self, data: bytes) -> bool:
        """Returns whether the strings of a record have to be looked at."""
        return self._lines is not None or MARK in data

    def feed(self, text: str) -> Iterator[str]:
        """Takes the next string, and yields the lines of a key that is complete, each line ended."""
        if self._lines is None:
            begun = _BEGIN.search(text)
            if begun is None or _END.search(text, begun.end()):
                return
            self._lines, self._last, self._left = lines_of(text[begun.end() :]), "", _MAX_STRINGS
            return
        self._left -= 1
        ended = _END.search(text)
        if ended is not None:
            self._lines += lines_of(text[: ended.start()])
            self._lines += [self._last] if self._last else []
        elif (line := _LINE.fullmatch(text)) is not None:
            self._lines.append(line[1])
            self._last = ""
        elif (line := _LAST.fullmatch(text)) is not None and _is_mixed(line[1]):
            self._last = line[1]
        else:
            self._lines += lines_of(text) if "\n" in text and _is_part(text) else []
        if ended is not None or self._left == 0:
            yield from self.close()

    def close(self) -> Iterator[str]:
        """Yields the lines of a key that has no end."""
        lines, self._lines = self._lines, None
        if lines:
            yield "\n".join(dict.fromkeys(lines))


def _is_part(text: str) -> bool:
    """Returns whether all lines of a text are lines of a key."""
    return all(_LINE.fullmatch(line) for line in text.splitlines() if line.strip())


def _is_mixed(line: str) -> bool:
    """Returns whether a short text may be the last line of a key: it has small letters, capitals and digits."""
    return any(map(str.islower, line)) and any(map(str.isupper, line)) and any(map(str.isdigit, line))
