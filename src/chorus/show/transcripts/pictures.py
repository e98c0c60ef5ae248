"""Images inside records: numbers them within their record, and returns the bytes of types that are safe to show."""

import binascii
import struct
from base64 import b64decode
from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct, structs

from chorus.core.conversation.messages import parts_of as blocks_of
from chorus.core.records.model import blocks as wire
from chorus.core.records.model.base import is_present
from chorus.core.records.model.turns import Assistant, User
from chorus.core.records.place import Place
from chorus.core.records.record import Record
from chorus.core.views.blocks import Image
from chorus.core.views.content import parts_of
from chorus.core.views.rows import MessageRow, OrphanRow, Piece, Row, ToolCall
from chorus.find.index.rows import RESULT, Entry
from chorus.find.payloads.loader import Loader

MAX_BYTES = 10 << 20
MAX_PIXELS = 40_000_000
_KINDS = ("image", "document")
_DECODE_ERRORS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class Picture(Struct, frozen=True):
    """The bytes of an image, with the type and size that were detected from the bytes."""

    media_type: str
    data: bytes
    width: int
    height: int


class _File(Struct):
    base64: str | None = None


class _Structured(Struct):
    file: _File | None = None


_structured = msgspec.json.Decoder(_Structured)


def numbered(row: Row, entries: dict[str, Entry], loader: Loader) -> Row:
    """Returns the row with its images numbered within the records that contain them."""
    match row:
        case MessageRow() if any(map(_has_picture, row.pieces)):
            numbers = _Numbers(entries.get(row.id), entries, loader)
            return structs.replace(row, pieces=tuple(map(numbers.put, row.pieces)))
        case OrphanRow(call=call) if _has_picture(call):
            return structs.replace(row, call=_Numbers(entries.get(row.id), entries, loader).put(call))
        case _:
            return row


def pictures_in(record: Record) -> Iterator[wire.Source]:
    """Yields every image of a record: first those of its message, then those that tools returned."""
    value = record.value
    if not isinstance(value, Assistant | User):
        yield from _images_anywhere(record)
        return
    blocks = blocks_of(value.message)
    for block in blocks:
        if block.type in _KINDS:
            yield block.source or wire.Source()
    results = [block for block in blocks if block.type == "tool_result"]
    for block in results:
        yield from _result_images(block, value, is_alone=len(results) == 1)


def picture_of(source: wire.Source) -> Picture | None:
    """Decodes an image; None if its type is not supported, if it is too large, or if it cannot be decoded."""
    if source.data is None or len(source.data) > MAX_BYTES * 4 // 3 + 4:
        return None
    try:
        data = b64decode(source.data, validate=False)
    except (binascii.Error, ValueError):
        return None
    return detect(data)


def detect(data: bytes) -> Picture | None:
    """Detects the type and size of an image from its bytes, whatever type the record states; None if not allowed."""
    if len(data) > MAX_BYTES:
        return None
    try:
        found = _png(data) or _gif(data) or _webp(data) or _jpeg(data)
    except (struct.error, IndexError):
        return None
    if found is None:
        return None
    media_type, width, height = found
    if width <= 0 or height <= 0 or width * height > MAX_PIXELS:
        return None
    return Picture(media_type, data, width, height)


def _has_picture(piece: Piece) -> bool:
    return isinstance(piece, Image) or (isinstance(piece, ToolCall) and any(isinstance(b, Image) for b in piece.given))


class _Numbers:
    """Counts the images of the same record before each image, in a message and in the results of its calls."""

    def __init__(self, owner: Entry | None, entries: dict[str, Entry], loader: Loader) -> None:
        self._entries = entries
        self._loader = loader
        self._blocks: dict[str, int] = {}
        self._results: dict[Place, dict[str, int]] = {}
        found = Counter[Place]()
        for part in sorted(owner.parts if owner else (), key=lambda part: part.order):
            self._blocks.setdefault(part.id, found[part.place])
            found[part.place] += part.kind in _KINDS

    def put(self, piece: Any) -> Any:
        """Returns a piece of the message with its images numbered."""
        match piece:
            case Image():
                return structs.replace(piece, nth=piece.nth + self._blocks.get(piece.item, 0))
            case ToolCall() if _has_picture(piece):
                before = self._before_result(self._entries.get(f"call:{piece.id}"))
                given = (_shifted(block, before) if isinstance(block, Image) else block for block in piece.given)
                return structs.replace(piece, given=tuple(given))
            case _:
                return piece

    def _before_result(self, call: Entry | None) -> int:
        result = next((part for part in call.parts if part.kind == RESULT), None) if call else None
        if result is None:
            return 0
        known = self._results.get(result.place)
        if known is None:
            known = self._results[result.place] = _before_results(self._loader.record(result.place, result.at))
        return known.get(result.call or "", 0)


def _shifted(block: Image, by: int) -> Image:
    return structs.replace(block, nth=block.nth + by)


def _before_results(record: Record | None) -> dict[str, int]:
    """Maps each call whose result is in a record to the number of images in the record before that result."""
    value = record.value if record else None
    if not isinstance(value, User):
        return {}
    blocks = blocks_of(value.message)
    at = sum(block.type in _KINDS for block in blocks)
    found: dict[str, int] = {}
    for block in blocks:
        if block.type == "tool_result":
            found.setdefault(block.tool_use_id or "", at)
            at += sum(1 for _ in _result_images(block, value, is_alone=False))
    return found


def _result_images(block: wire.Block, value: Assistant | User, *, is_alone: bool) -> Iterator[wire.Source]:
    sources = [part.source or wire.Source() for part in parts_of(block.content) if part.type in _KINDS]
    yield from sources
    if not sources and is_alone and isinstance(value, User):
        raw = value.toolUseResult if is_present(value.toolUseResult) else value.tool_use_result
        try:
            structured = _structured.decode(raw) if is_present(raw) else _Structured()
        except _DECODE_ERRORS:
            return
        if structured.file and structured.file.base64:
            yield wire.Source(type="base64", data=structured.file.base64)


def _images_anywhere(record: Record) -> Iterator[wire.Source]:
    """Yields the images of any other record, in the order of its text."""
    try:
        waiting = [msgspec.json.decode(record.json)]
    except _DECODE_ERRORS:
        return
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting.extend(reversed(value))
        elif isinstance(value, dict):
            source = value.get("source")
            if value.get("type") in _KINDS and isinstance(source, dict):
                data = source.get("data")
                yield wire.Source(data=data if isinstance(data, str) else None)
            else:
                waiting.extend(reversed(list(value.values())))


def _png(data: bytes) -> tuple[str, int, int] | None:
    if not data.startswith(b"\x89PNG\r\n\x1a\n") or data[12:16] != b"IHDR":
        return None
    return "image/png", *struct.unpack(">II", data[16:24])


def _gif(data: bytes) -> tuple[str, int, int] | None:
    if not data.startswith((b"GIF87a", b"GIF89a")):
        return None
    return "image/gif", *struct.unpack("<HH", data[6:10])


def _webp(data: bytes) -> tuple[str, int, int] | None:
    if not data.startswith(b"RIFF") or data[8:12] != b"WEBP":
        return None
    kind = data[12:16]
    if kind == b"VP8X":
        return "image/webp", int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
    if kind == b"VP8L" and data[20] == 0x2F:
        bits = int.from_bytes(data[21:25], "little")
        return "image/webp", (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 " and data[23:26] == b"\x9d\x01\x2a":
        width, height = struct.unpack("<HH", data[26:30])
        return "image/webp", width & 0x3FFF, height & 0x3FFF
    return None


def _jpeg(data: bytes) -> tuple[str, int, int] | None:
    """Reads the size from the first frame header and skips the segments before it."""
    if not data.startswith(b"\xff\xd8\xff"):
        return None
    at = 2
    while at + 9 < len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
            continue
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return "image/jpeg", width, height
        at += 2 + struct.unpack(">H", data[at + 2 : at + 4])[0]
    return None
