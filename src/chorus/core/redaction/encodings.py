"""Looks behind encodings: the same text with JSON escapes, URL escapes, base64, colour codes or wrapped lines undone.

Every view knows where its characters come from, so that what is found in it can be replaced in the original text.
"""

import binascii
import re
import sys
from base64 import b64decode
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate

from msgspec import Struct, field

MAX_DEPTH = 3
"""How many encodings may lie inside each other."""
_BASE64 = re.compile(r"(?:[CDGI-Za-f][A-Za-z0-9+/_-]{3}){4,}[A-Za-z0-9+/_-]*={0,2}")
"""Base64 of text: the first character of every four says that a byte is printable ASCII or white space."""
_MIN_BASE64 = 16
_BASE64_SHAPE = bytes(
    ord("a") if chr(c).isascii() and (chr(c).isalnum() or chr(c) in "+/_-") else ord(" ") for c in range(0x100)
)
"""Maps each character of base64 to `a`, and everything else to a space."""
_ESCAPE = re.compile(
    r"(?:\\x[89a-fA-F][0-9a-fA-F])+|(?:\\[23][0-7]{2})+"
    r"|\\(?:u[0-9a-fA-F]{4}|u\{[0-9a-fA-F]{1,6}\}|x[0-9a-fA-F]{2}|[0-3][0-7]{2}|[\"\\/bfnrt'])"
)
"""Escapes of the bytes of one character belong together: they are UTF-8."""
_PERCENT = re.compile(r"(?:%[0-9a-fA-F]{2})+")
_FORM = re.compile(r"\+|(?:%[0-9a-fA-F]{2})+")
"""In forms, a plus stands for a space."""
_HEX = re.compile(r"[0-9a-fA-F]{16,}")
_OFFSET = "0000"
"""What the offsets of a dump have in common."""
_DUMP_ROW = re.compile(
    r"(?m)^[ \t]{0,8}[0-9a-fA-F]{4,16}:?[ \t]{1,4}((?:[0-9a-fA-F]{2}){1,4}(?:[ -]{1,2}(?:[0-9a-fA-F]{2}){1,4}){0,31})"
    r"(?:[ \t]{2,}[^\n]{0,40})?$\n?"
)
"""A row that xxd or hexdump prints: an offset, bytes, and what can be read of them."""
_ENTITY = re.compile(r"&(?:#[0-9]{1,8}|#[xX][0-9a-fA-F]{1,8}|amp|lt|gt|quot|apos);")
_COLOUR = re.compile(r"(?:\x1b\[|\x9b)[0-9;:]{0,32}[A-Za-z]|\x1b\][^\x07\x1b]{0,2048}(?:\x07|\x1b\\)")
"""Colours, and links: both may begin in the middle of a word."""
_NEXT_ROW = re.compile(r"[ \t]{0,8}\r?\n[ \t]{0,8}(?:[│|>]|[0-9]{1,7}(?:→|\t))?[ \t]{0,4}")
"""What is between two rows of base64: the end of a line, then blanks, a mark of a quotation, or the line's number."""
_MIN_ROW = 40
"""Programs that write base64 in rows make them at least this long, and all but the last of the same length."""
_HIDDEN = re.compile(rb"[\t\n\r\x20-\x7e]{16,}")
_MIN_DUMPED = 8
_MIN_HIDDEN = 24
"""Shorter runs of base64 hide no text of this length among other bytes."""
_LINE_START = re.compile(r"\n[ \t]{0,8}[│|>]?[ \t]{0,4}")
_MIN_WIDTH = 16
_MAX_BLANKS = 8
"""How many blanks before the end of a line may belong to a wrap."""
_NO_SPACES = dict.fromkeys(map(ord, "\t\r\n\x1b"))
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_SHORT = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_PROBE = 12
_TEXT_BYTES = frozenset((9, 10, 13, 27, *range(32, 127)))


class View(Struct):
    """A text with one encoding undone."""

    text: str
    start: int
    end: int
    """The part of the text above that it stands for."""
    begins: list[int] | None = None
    """Where its parts begin. They alternate: a part that is the same above, then one that replaces something there.

    None if only the whole of it has a place above.
    """
    begins_above: list[int] = field(default_factory=list)
    """Where the same parts begin in the text above."""
    behind: list["View"] = field(default_factory=list)
    """Its own views."""

    def above(self, start: int, end: int) -> tuple[int, int]:
        """Returns the range of the text above that a range of this view stands for."""
        if self.begins is None:
            return self.start, self.end
        return self._above(self.begins, start), self._above(self.begins, end)

    def _above(self, begins: list[int], at: int) -> int:
        part = bisect_right(begins, at) - 1
        begin = self.begins_above[part]
        return begin if part % 2 else begin + at - begins[part]

    def texts(self) -> Iterator[str]:
        """Yields its text, and those of its own views."""
        yield self.text
        for each in self.behind:
            yield from each.texts()


def views(text: str, depth: int = MAX_DEPTH) -> list[View]:
    """Returns every view of a text that differs from it. The work is linear in the length of the text."""
    if depth == 0:
        return []
    found: list[View] = []
    if "\\" in text:
        found += _replaced(text, _spans(_ESCAPE, text), _unescaped)
    if "%" in text:
        quoted = list(_replaced(text, _spans(_PERCENT, text), _unquoted))
        found += quoted
        if quoted and "+" in text:
            found += _replaced(text, _spans(_FORM, text), _unquoted)
    if "&" in text:
        found += _replaced(text, _spans(_ENTITY, text), _character)
    if "\x1b" in text or "\x9b" in text:
        found += _replaced(text, _spans(_COLOUR, text), _nothing)
    if len(text) >= _MIN_BASE64:
        found += _decoded(text)
        found += _from_dumps(text)
    for each in found:
        each.behind = views(each.text, depth - 1)
    return found


def unwrapped_rows(text: str) -> Iterator[View]:
    """Yields each group of rows joined, as before a terminal of this width wrapped them.

    All rows of a group but the last are as long as the longest line, and go on in the next one without a space.
    """
    lines = text.split("\n")
    width = max(map(len, lines))
    if len(lines) < 2 or width < _MIN_WIDTH:
        return
    full = [n for n, line in enumerate(lines[:-1]) if len(line) == width and _goes_on(line, lines[n + 1])]
    starts = [0, *accumulate(len(line) + 1 for line in lines)] if full else []
    first = 0
    for place, row in enumerate(full):
        if place + 1 == len(full) or full[place + 1] != row + 1:
            group = full[first : place + 1]
            first = place + 1
            start, end = starts[group[0]], starts[row + 2] - 1
            ends = [(starts[n + 1] - 1 - start, starts[n + 1] - start) for n in group]
            for joined in _replaced(text[start:end], ends, _nothing):
                joined.begins_above = [each + start for each in joined.begins_above]
                yield joined


def _goes_on(line: str, following: str) -> bool:
    return bool(following) and not line[-1].isspace() and not following[0].isspace()


def unwrapped(text: str) -> View | None:
    """Returns the text with its lines joined, as before a terminal wrapped it; None if it has one line."""
    return next(_replaced(text, _wraps(text), _nothing), None) if "\n" in text else None


def _spans(pattern: re.Pattern[str], text: str) -> Iterable[tuple[int, int]]:
    return map(re.Match.span, pattern.finditer(text))


def _wraps(text: str) -> Iterator[tuple[int, int]]:
    """Yields where lines were wrapped. Newlines are found first: most other characters are then never looked at."""
    at = 0
    for found in _LINE_START.finditer(text):
        start, end = found.span()
        if start > at and text[start - 1] == "\r":
            start -= 1
        if start > at and text[start - 1] in "\\│|":
            start -= 1
        line = text[max(at, start - _MAX_BLANKS) : start]
        yield start - len(line) + len(line.rstrip(" \t")), end
        at = end


def _replaced(text: str, spans: Iterable[tuple[int, int]], plain: Callable[[str], str]) -> Iterator[View]:
    parts: list[str] = []
    begins: list[int] = []
    above: list[int] = []
    at = size = 0
    for begin, end in spans:
        shown = plain(text[begin:end])
        parts += (text[at:begin], shown)
        above += (at, begin)
        begins += (size, size + begin - at)
        size = begins[-1] + len(shown)
        at = end
    if at:
        parts.append(text[at:])
        above.append(at)
        begins.append(size)
        yield View("".join(parts), 0, len(text), begins, above)


def _unescaped(escape: str) -> str:
    kind = escape[1]
    if len(escape) > 4 and kind != "u":
        base = 16 if kind == "x" else 8
        data = bytes(int(each.lstrip("x"), base) & 0xFF for each in escape[1:].split("\\"))
        return data.decode("utf-8", "replace")
    if kind in "ux":
        number = int(escape[2:].strip("{}"), 16)
        return chr(number) if number <= sys.maxunicode else "\ufffd"
    if kind.isdecimal():
        return chr(int(escape[1:], 8))
    return _SHORT.get(kind, kind)


def _unquoted(escapes: str) -> str:
    if escapes == "+":
        return " "
    data = bytes.fromhex(escapes.replace("%", ""))
    return data.decode("utf-8", "replace")


def _character(entity: str) -> str:
    name = entity[1:-1]
    if name[0] != "#":
        return _NAMED[name]
    is_hexadecimal = name[1] in "xX"
    number = int(name[1 + is_hexadecimal :], 16 if is_hexadecimal else 10)
    return chr(number) if number < 0xD800 else "\ufffd"


def _nothing(_: str) -> str:
    return ""


def _decoded(text: str) -> Iterator[View]:
    # Finding long runs in the shape of the text is five times faster than trying the pattern everywhere.
    shape = text.encode("latin-1", "replace").translate(_BASE64_SHAPE) + b" "
    run = b"a" * _MIN_BASE64
    place = shape.find(run)
    row_end = 0
    while place >= 0:
        end = shape.find(b" ", place)
        is_text = False
        # The padding follows the run.
        for found in _BASE64.finditer(text, place, end + 2):
            inner = _plain(found.group())
            if inner is not None:
                is_text |= found.start() == place
                yield View(inner, found.start(), found.end())
        yield from _from_hexadecimal(text, place, end)
        if not is_text and end - place >= _MIN_HIDDEN:
            yield from _hidden(text, [(place, end)])
        if place >= row_end and end - place >= _MIN_ROW:
            rows = list(_rows(text, shape, place, end))
            row_end = rows[-1][1]
            if len(rows) > 1:
                yield from _joined(text, rows)
        place = shape.find(run, end)


def _from_hexadecimal(text: str, start: int, end: int) -> Iterator[View]:
    """Yields what runs of hexadecimal digits stand for, if it is text."""
    for found in _HEX.finditer(text, start, end):
        digits = found.group()
        data = bytes.fromhex(digits[: len(digits) - len(digits) % 2])
        inner = _plain_bytes(data) or _in_other_letters(data)
        if inner is not None:
            yield View(inner, found.start(), found.end())


def _from_dumps(text: str) -> Iterator[View]:
    """Yields the text whose bytes xxd or hexdump printed."""
    if _OFFSET not in text:
        return
    rows: list[re.Match[str]] = []
    for row in _DUMP_ROW.finditer(text):
        if rows and rows[-1].end() != row.start():
            yield from _dumped(rows)
            rows = []
        rows.append(row)
    yield from _dumped(rows)


def _dumped(rows: list[re.Match[str]]) -> Iterator[View]:
    data = bytes.fromhex("".join(row[1] for row in rows).replace("-", ""))
    inner = (_plain_bytes(data) or _in_other_letters(data)) if len(data) >= _MIN_DUMPED else None
    if inner is not None:
        yield View(inner, rows[0].start(), rows[-1].end())


def _rows(text: str, shape: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yields the rows of base64 that begin with a run: further rows have its length, and only the last is shorter."""
    length = end - start
    yield start, end
    while end - start == length and (gap := _NEXT_ROW.match(text, end)) is not None:
        start, end = gap.end(), shape.find(b" ", gap.end())
        if not 0 < end - start <= length:
            return
        yield start, end


def _joined(text: str, rows: list[tuple[int, int]]) -> Iterator[View]:
    """Yields the view of base64 that was written in rows."""
    inner = _plain("".join(text[start:end] for start, end in rows))
    if inner is not None:
        yield View(inner, rows[0][0], _with_padding(text, rows[-1][1]))
    else:
        yield from _hidden(text, rows)


def _hidden(text: str, rows: list[tuple[int, int]]) -> Iterator[View]:
    """Yields what can be read among the bytes that base64 stands for: of a picture, or of text in UTF-16."""
    data = _bytes("".join(text[start:end] for start, end in rows)) or b""
    if (other := _in_other_letters(data)) is not None:
        yield View(other, rows[0][0], _with_padding(text, rows[-1][1]))
        return
    is_wide = data.count(0) * 3 > len(data)
    readable = _HIDDEN.findall(data.replace(b"\0", b"") if is_wide else data)
    if readable:
        yield View(b"\n".join(readable).decode("ascii"), rows[0][0], _with_padding(text, rows[-1][1]))


def _in_other_letters(data: bytes) -> str | None:
    """Returns bytes as a text that begins with other letters than English; None if they are no UTF-8."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        # The last character may be cut off.
        if error.start < len(data) - 3:
            return None
        text = data.decode("utf-8", "ignore")
    return text if text.translate(_NO_SPACES).isprintable() else None


def _with_padding(text: str, end: int) -> int:
    """Returns the end of a run of base64 with the padding that follows it."""
    while text[end : end + 1] == "=":
        end += 1
    return end


def _plain(run: str) -> str | None:
    """Returns the text that a run of base64 stands for; None if it stands for no text."""
    data = _bytes(run)
    return None if data is None else _plain_bytes(data)


def _plain_bytes(data: bytes) -> str | None:
    """Returns the text that bytes stand for; None if they stand for no text."""
    if not _TEXT_BYTES.issuperset(data[:_PROBE]):
        return None
    text = data.decode("utf-8", "replace")
    # A picture or a key may begin like text by chance; text has few characters that are none.
    return text if text.count("\ufffd") * 8 <= len(text) else None


def _bytes(run: str) -> bytes | None:
    body = run.rstrip("=")
    body = body[: len(body) - (len(body) % 4 == 1)]
    try:
        return b64decode(body.replace("-", "+").replace("_", "/") + "=" * (-len(body) % 4))
    except binascii.Error:
        return None
