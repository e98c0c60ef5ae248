"""A line of a journal: JSON that names the line before it. Pure.

    {"sum":"<16 hex>","n":7,"prev":"<64 hex>","entry":{…}}

`sum` is the beginning of the SHA-256 of all that follows it on the line, `n` grows, `prev` is the SHA-256 of the line
before. That shows accidents and hand edits; it proves nothing about who wrote, since any process of this user can do
the same sums. What must be proved is signed inside an entry.
"""

import hashlib

import msgspec
from msgspec import Raw, Struct

LONGEST_BYTES = 8 << 20
"""No line is longer: what is longer in a file is passed over, unread."""
START = "0" * 64
"""What the first line names as the one before it."""
_REFUSALS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_OPENING, _SUM_END = b'{"sum":"', 24


class Line(Struct):
    """What a line says."""

    n: int
    prev: str
    entry: Raw


def fits(body: bytes) -> bool:
    """Whether an entry fits on a line."""
    return len(body) + 256 <= LONGEST_BYTES and b"\n" not in body


def encode(number: int, prev: str, body: bytes) -> bytes:
    """A line, without its newline."""
    rest = b'"n":%d,"prev":"%s","entry":%s}' % (number, prev.encode(), body)
    return b'%s%s",%s' % (_OPENING, _sum(rest), rest)


def decode(line: bytes) -> Line | None:
    """What a line says; None for one that is damaged, or was not written by `encode`."""
    rest = line[_SUM_END + 2 :]
    if not line.startswith(_OPENING) or line[_SUM_END : _SUM_END + 2] != b'",':
        return None
    if line[len(_OPENING) : _SUM_END] != _sum(rest):
        return None
    try:
        return _decoder.decode(b"{" + rest)
    except _REFUSALS:
        return None


def _sum(rest: bytes) -> bytes:
    return hashlib.sha256(rest).hexdigest()[:16].encode()


_decoder = msgspec.json.Decoder(Line)
