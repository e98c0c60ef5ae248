"""The rows that a program printed in a pane, joined from the history of tmux and from live output. Pure.

Live output is what the program wrote, so no row of it is wrapped. The history of tmux is needed for what was printed
before, and after a gap: `capture-pane -J` joins what tmux wrapped, and the rows that are already known are left out.
"""

import re
from collections import deque
from collections.abc import Sequence

from chorus.core.records.decode import Refused, TooManyValues, decode
from chorus.core.records.dialect import dialect_of
from chorus.core.records.model import flat, system
from chorus.core.records.record import Dialect

REMEMBERED = 200
"""How many rows are compared with a capture; more repeat themselves in no real stream."""
LONGEST_ROW = 32 << 20
_ESCAPE = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])|[\x00-\x08\x0b-\x1f\x7f]")
_MAX_CHECKED = 1 << 20


def plain(row: bytes) -> bytes:
    """Returns a row as tmux shows it: without control sequences and blanks at its end."""
    return _ESCAPE.sub(b"", row).rstrip()


def begins_stream(row: bytes) -> bool:
    """Returns whether a row is a record with which a client prints a conversation: it names its session.

    Lines of session files are no such records, so that a person who looks at a file does not start anything.
    """
    start = row.find(b"{")
    if start < 0 or len(row) > _MAX_CHECKED or b'"type"' not in row:
        return False
    try:
        value = decode(plain(row[start:]))
    except (Refused, TooManyValues):
        return False
    if isinstance(value, flat.SessionStart):
        return bool(value.session_id or value.sessionId)
    if dialect_of(value) is not Dialect.STREAM_JSON or not value.session_id:
        return False
    return isinstance(value, system.System) or bool(value.uuid)


class Rows:
    """The rows of one pane. `take` gets live output, `fill` a capture of the whole history."""

    def __init__(self) -> None:
        self._rest = b""
        self._last: deque[bytes] = deque(maxlen=REMEMBERED)
        """The last rows that were returned, as they were printed: to compare them is rare, to print them is not."""

    def take(self, data: bytes) -> bytes:
        """Takes live output and returns the rows that it completes, byte for byte."""
        whole, newline, rest = data.rpartition(b"\n")
        if not newline:
            self._rest += data
            if len(self._rest) > LONGEST_ROW:
                return self.end()
            return b""
        rows = self._rest + whole + newline
        self._rest = rest
        self._remember(rows[:-1].split(b"\n"))
        return rows

    def fill(self, captured: Sequence[bytes], *, is_at_row_start: bool) -> bytes:
        """Takes all rows that tmux has and returns those that were not returned before.

        `is_at_row_start` is whether the cursor is at the beginning of a row: otherwise the last row is not complete.
        """
        rows = list(captured)
        while rows and not rows[-1].strip():
            rows.pop()
        self._rest = b""
        if rows and not is_at_row_start:
            self._rest = rows.pop()
        known = self._known(rows)
        new = rows[known:]
        if known == 0 and not self._last:
            first = next((n for n, row in enumerate(new) if begins_stream(row)), None)
            # Without one, the row with the session may not be complete yet.
            new = [] if first is None else new[first:]
        self._remember(new)
        return b"".join(row + b"\r\n" for row in new)

    def end(self) -> bytes:
        """Returns the last row, if a record has begun in it; the prompt of a shell is not part of the stream."""
        rest, self._rest = self._rest, b""
        return rest if plain(rest).startswith(b"{") else b""

    def continues(self, captured: Sequence[bytes]) -> bool:
        """Returns whether a capture of the last rows goes back far enough: to a row that was returned before."""
        return self._known(captured) > 0

    def _known(self, rows: Sequence[bytes]) -> int:
        """Returns how many of the captured rows were returned before: up to the last row that was.

        It looks from the end, because most rows of a long history are known.
        """
        last = list(map(plain, self._last))
        for at in range(len(rows) if last else 0, 0, -1):
            if plain(rows[at - 1]) != last[-1]:
                continue
            seen = [plain(row) for row in rows[max(0, at - len(last)) : at]]
            if seen == last[-len(seen) :] or _ends_with(seen, last):
                return at
        return 0

    def _remember(self, rows: list[bytes]) -> None:
        self._last.extend(rows[-REMEMBERED:])


def _ends_with(seen: list[bytes], last: list[bytes]) -> bool:
    """Returns whether rows end with the last known ones, if the first of them is cut off at the top of the capture."""
    return len(seen) > 1 and seen[1:] == last[-len(seen) + 1 :] and last[-len(seen)].endswith(seen[0])
