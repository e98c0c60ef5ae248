"""Cuts long texts of rows before they are sent, and states how much is missing.

Texts are cut at the end. The output of a tool is cut in the middle, because its last lines show how it ended.
"""

from typing import Any, TypeVar

import msgspec
from msgspec import Struct, structs

from chorus.core.views import blocks
from chorus.core.views.rows import Row
from chorus.core.views.safe import replace_surrogates

BLOCK_CHARS = 64 << 10
"""The limit for one block on a page."""
ROW_CHARS = 1 << 20
"""The limit for all blocks of a row on a page."""
WHOLE_CHARS = 8 << 20
"""The limit for a row that is requested separately."""
_LINE_CHARS = 2_000
"""The limit for titles, names and similar texts."""
_TAIL_CHARS = 2_000
"""How much of the end of a cut output is shown."""
_TEXTS = ("markdown", "text", "command")
_LISTS = {blocks.Todos: "items", blocks.Links: "links", blocks.Question: "options"}
_encoder = msgspec.json.Encoder()
_Some = TypeVar("_Some", bound=Struct)


class Cutter:
    """Cuts the blocks of one row. `left` is the number of characters that the remaining blocks may use."""

    def __init__(self, *, is_whole: bool = False) -> None:
        self._block_chars = WHOLE_CHARS if is_whole else BLOCK_CHARS
        self.left = WHOLE_CHARS if is_whole else ROW_CHARS
        self._line_chars = WHOLE_CHARS if is_whole else _LINE_CHARS

    def row(self, row: Row) -> Row:
        """Returns the row with cut texts and without lone surrogates."""
        return self._of(row)

    def _of(self, value: Any) -> Any:
        match value:
            case blocks.ViewBlock():
                return self._block(value)
            case Struct():
                return self._struct(value)
            case tuple() if value and not isinstance(value[0], int):
                return tuple(map(self._of, value))
            case str():
                return self._line(value)
            case _:
                return value

    def _struct(self, value: _Some) -> _Some:
        changed = {}
        for name in value.__struct_fields__:
            old = getattr(value, name)
            # A cut id would be a different id.
            new = _encodable(old) if name == "id" and isinstance(old, str) else self._of(old)
            if new is not old:
                changed[name] = new
        return structs.replace(value, **changed) if changed else value

    def _block(self, block: Any) -> Any:
        room = max(0, min(self._block_chars, self.left))
        missing = 0
        changed: dict[str, Any] = {}
        for name in block.__struct_fields__:
            value = getattr(block, name)
            if name in _TEXTS and isinstance(value, str):
                if len(value) > room:
                    missing += len(value) - room
                    if isinstance(block, blocks.Output):
                        changed["tail"] = tail = _encodable(_tail(value, room))
                        self.left -= len(tail)
                        value = value[: room - len(tail)]
                    else:
                        value = value[:room]
                changed[name] = _encodable(value)
                self.left -= len(value)
            elif isinstance(value, str) and name not in changed:
                changed[name] = self._line(value)
        if isinstance(block, blocks.Diff):
            changed["hunks"], missing = self._hunks(block.hunks, room)
        elif name := _LISTS.get(type(block)):
            changed[name], missing = self._listed(getattr(block, name), room)
        elif isinstance(block, blocks.Output) and block.side_file:
            changed["side_file"] = self._struct(block.side_file)
        kept = {name: value for name, value in changed.items() if value is not getattr(block, name)}
        if missing:
            kept["cut_chars"] = missing
        return structs.replace(block, **kept) if kept else block

    def _hunks(self, hunks: tuple[blocks.Hunk, ...], room: int) -> tuple[tuple[blocks.Hunk, ...], int]:
        found: list[blocks.Hunk] = []
        missing = 0
        for hunk in hunks:
            lines: list[str] = []
            for line in hunk.lines:
                if len(line) <= room:
                    room -= len(line) + 1
                    lines.append(_encodable(line))
                else:
                    kept = line[: max(0, room)]
                    missing += len(line) - len(kept)
                    room = 0
                    if kept:
                        lines.append(_encodable(kept))
            self.left -= sum(map(len, lines))
            if lines:
                found.append(structs.replace(hunk, lines=tuple(lines)))
        return tuple(found), missing

    def _listed(self, listed: tuple[Struct, ...], room: int) -> tuple[tuple[Struct, ...], int]:
        """Returns as many items of a list as fit, and how many characters are missing."""
        found: list[Struct] = []
        missing = 0
        for item in listed:
            size = sum(len(text) for text in _texts(item))
            if size > room:
                missing += size
                room = 0
                continue
            room -= size
            self.left -= size
            found.append(_clean(item))
        return tuple(found), missing

    def _line(self, text: str) -> str:
        short = text if len(text) <= self._line_chars else text[: self._line_chars - 1] + "…"
        return _encodable(short)


def cut(row: Row, *, is_whole: bool = False) -> tuple[Row, int]:
    """Returns the row as a page shows it, and its approximate number of characters."""
    try:
        size = len(_encoder.encode(row))
    except UnicodeEncodeError:
        size = ROW_CHARS
    if size <= BLOCK_CHARS:
        # True for nearly all rows: no text can be too long, and there is no lone surrogate.
        return row, size
    cutter = Cutter(is_whole=is_whole)
    start = cutter.left
    return cutter.row(row), start - cutter.left


def _tail(text: str, room: int) -> str:
    """Returns the last lines of a text, in a fraction of the room for the whole text."""
    start = len(text) - min(_TAIL_CHARS, room // 4)
    line = text.find("\n", start - 1) + 1
    return text[line if start < line < len(text) else start :]


def _texts(item: Struct) -> list[str]:
    return [value for name in item.__struct_fields__ if isinstance(value := getattr(item, name), str)]


def _clean(item: Struct) -> Struct:
    changed = {
        name: new
        for name in item.__struct_fields__
        if isinstance(old := getattr(item, name), str) and (new := _encodable(old)) is not old
    }
    return structs.replace(item, **changed) if changed else item


def _encodable(text: str) -> str:
    return text if text.isascii() else replace_surrogates(text)
