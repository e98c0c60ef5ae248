"""Finds the end of a JSON value in one linear pass that can be interrupted and continued at any byte.

The scanner checks structure (strings, nesting, commas, colons), so that a value that can never be complete is detected
at the first impossible byte. Digits, literals and escapes are left to the decoder. The work is linear in the number of
bytes, no matter how the input is divided.
"""

import re
from enum import Enum

MAX_DEPTH = 512
"""Deeper than any client nests (9 in real data). The limit of the decoder depends on the Python version."""


class Verdict(Enum):
    """What is known after a piece was scanned."""

    OPEN = "open"
    """The value continues in the next piece."""
    COMPLETE = "complete"
    """The value ends at `Scanner.position` of the piece that was fed last."""
    BROKEN = "broken"
    """No continuation can make this a JSON value. `Scanner.position` is the offending byte."""


_VALUE, _FIRST_KEY, _KEY, _COLON, _NEXT, _SCALAR, _STRING, _ESCAPE = range(8)
_SPACE = re.compile(rb"[ \t\r\n]*")
_PLAIN = re.compile(rb'[^"\\\x00-\x1f]*')
_SCALAR_BYTES = re.compile(rb"[-+.0-9A-Za-z]*")
_SCALAR_START = frozenset(b"-0123456789tfn")
# The most common content of objects: whole `"key": scalar-or-string ,` members, many in one step. The count bounds the
# memory of the match. A possessive `++` would do so too, but before Python 3.11.5 it ends inside the next member.
_MEMBERS = re.compile(
    rb'(?:[ \t\r\n]*+"[^"\\\x00-\x1f]*+"[ \t\r\n]*+:[ \t\r\n]*+'
    rb'(?:"[^"\\\x00-\x1f]*+"|-?[0-9][-+.0-9eE]*+|true|false|null)[ \t\r\n]*+,){1,256}'
)


class Scanner:
    """Scans one JSON value that is fed in pieces. Create a new instance for each value."""

    __slots__ = ("_after_string", "_deepest", "_expect", "_stack", "position", "reason")

    def __init__(self, deepest: int = MAX_DEPTH) -> None:
        """A value that is nested deeper than `deepest` is broken."""
        self._deepest = deepest
        self._stack = bytearray()
        self._expect = _VALUE
        self._after_string = _NEXT
        self.position = 0
        """Index in the piece that was fed last: where the value ended or broke."""
        self.reason = ""
        """Why the value is broken."""

    def feed(self, piece: bytes, start: int = 0) -> Verdict:
        """Scans `piece` from `start`. Reads at most one value and nothing after it."""
        at, end, stack = start, len(piece), self._stack
        expect = self._expect
        while at < end:
            if expect == _STRING:
                at = _PLAIN.match(piece, at).end()  # type: ignore[union-attr]
                if at == end:
                    break
                byte = piece[at]
                if byte == 0x22:
                    expect = self._after_string
                elif byte == 0x5C:
                    expect = _ESCAPE
                else:
                    return self._broken(at, "control character inside a string")
                at += 1
                if expect == _NEXT and not stack:
                    return self._complete(at)
                continue
            if expect == _ESCAPE:
                expect = _STRING
                at += 1
                continue
            if expect == _SCALAR:
                at = _SCALAR_BYTES.match(piece, at).end()  # type: ignore[union-attr]
                if at == end:
                    break
                expect = _NEXT
                if not stack:
                    return self._complete(at)
                continue
            if expect == _KEY or expect == _FIRST_KEY:
                members = _MEMBERS.match(piece, at)
                if members:
                    at = members.end()
                    expect = _KEY
                    continue
            at = _SPACE.match(piece, at).end()  # type: ignore[union-attr]
            if at == end:
                break
            byte = piece[at]
            at += 1
            if expect == _VALUE:
                if byte == 0x22:
                    expect, self._after_string = _STRING, _NEXT
                elif byte == 0x7B or byte == 0x5B:
                    if len(stack) >= self._deepest:
                        return self._broken(at - 1, f"nested deeper than {self._deepest}")
                    stack.append(byte)
                    expect = _FIRST_KEY if byte == 0x7B else _VALUE
                elif byte in _SCALAR_START:
                    expect = _SCALAR
                elif byte == 0x5D and stack and stack[-1] == 0x5B:
                    stack.pop()
                    expect = _NEXT
                else:
                    return self._broken(at - 1, "a value was expected")
            elif expect == _NEXT:
                if byte == 0x2C:
                    expect = _KEY if stack[-1] == 0x7B else _VALUE
                elif byte == (0x7D if stack[-1] == 0x7B else 0x5D):
                    stack.pop()
                else:
                    return self._broken(at - 1, "a comma or a closing bracket was expected")
            elif expect == _COLON:
                if byte != 0x3A:
                    return self._broken(at - 1, "a colon was expected")
                expect = _VALUE
            elif byte == 0x22:
                expect, self._after_string = _STRING, _COLON
            elif byte == 0x7D and expect == _FIRST_KEY:
                stack.pop()
                expect = _NEXT
            else:
                return self._broken(at - 1, "a key was expected")
            if expect == _NEXT and not stack:
                return self._complete(at)
        self._expect = expect
        self.position = end
        return Verdict.OPEN

    def _complete(self, at: int) -> Verdict:
        self._expect = _NEXT
        self.position = at
        return Verdict.COMPLETE

    def _broken(self, at: int, reason: str) -> Verdict:
        self.position = at
        self.reason = reason
        return Verdict.BROKEN


def nests_deeper(text: bytes, than: int) -> bool:
    """Returns whether a valid JSON text has more than `than` levels of nesting."""
    if text.count(b"[") + text.count(b"{") <= than:
        return False
    return Scanner(than).feed(text) is Verdict.BROKEN
