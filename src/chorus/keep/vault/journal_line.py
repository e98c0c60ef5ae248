"""A line of a journal: JSON that contains the digest of the line before it. Pure.

    {"sum":"<16 hex>","n":7,"prev":"<64 hex>","entry":{…}}

`sum` is the beginning of the SHA-256 of everything after it on the line, `n` increases, `prev` is the SHA-256 of the
previous line. This detects accidents and manual edits. It does not prove who wrote the line, because every process of
this user can compute the same sums. What must be proved is signed inside an entry.
"""

import hashlib

import msgspec
from msgspec import Raw, Struct

LONGEST_BYTES = 8 << 20
"""The maximum length of a line; a longer line in a file is skipped without being read."""
START = "0" * 64
"""The `prev` of the first line."""
_REFUSALS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_OPENING, _SUM_END = b'{"sum":"', 24


class JournalLine(Struct):
    """The fields of a line."""

    n: int
    prev: str
    entry: Raw


def fits(body: bytes) -> bool:
    """Return whether an entry fits on a line."""
    return len(body) + 256 <= LONGEST_BYTES and b"\n" not in body


def encode(number: int, prev: str, body: bytes) -> bytes:
    """Return a line, without its newline."""
    rest = b'"n":%d,"prev":"%s","entry":%s}' % (number, prev.encode(), body)
    return b'%s%s",%s' % (_OPENING, _sum(rest), rest)


def decode(line: bytes) -> JournalLine | None:
    """Return the fields of a line, or None if it is damaged or was not written by `encode`."""
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


_decoder = msgspec.json.Decoder(JournalLine)
