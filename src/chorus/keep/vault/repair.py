"""Repairs a damaged stream: undamaged lines in their order, and lost lines built again from the source where possible.

A lost line is built again only between two undamaged lines that the source still has at the same offsets, and only if
the source has as many lines between them as are lost. The result is then the lost line, except for the time at which it
was seen. Other losses stay as they are: a damaged line, or a gap in the numbers.
"""

from collections.abc import Callable, Iterable

from msgspec import Struct

from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.line import StoredLine, decode, encode

Read = Callable[[int, int], bytes]
"""Returns the bytes of a source from one offset to another, as far as it goes."""


class RepairedStream(Struct):
    """The lines of a stream after the repair."""

    lines: list[bytes]
    rebuilt: int = 0
    """The number of lines that were built again from the source."""
    missing: int = 0
    """The number of lines that could not be recovered."""
    end: int = 0
    """The number of the line that comes next."""


class _Whole(Struct):
    text: bytes
    line: StoredLine


def repaired(key: StreamKey, lines: Iterable[bytes], read: Read | None, seen_at: str) -> RepairedStream:
    """Repair the lines of a stream's file. `read` returns bytes of its source; None if the source no longer exists."""
    whole: dict[int, _Whole] = {}
    damaged: dict[int, list[bytes]] = {}
    """Damaged lines by the number of the undamaged line before them."""
    last = -1
    for text in lines:
        try:
            line = decode(text)
        except ValueError:
            damaged.setdefault(last, []).append(text)
            continue
        text = text if text.endswith(b"\n") else text + b"\n"  # noqa: PLW2901
        last = line.head.seq
        is_ours = (line.head.conversation_id, line.head.agent_id) == (key.conversation, key.agent)
        if is_ours and line.has_id_of(key.conversation, key.stream):
            # If a line was stored again after damage, the last one counts.
            whole[last] = _Whole(text, line)
    found = RepairedStream([])
    before: StoredLine | None = None
    for seq in sorted(whole):
        each = whole[seq]
        gap = seq - (before.head.seq + 1 if before else 0)
        if gap:
            rebuilt = _rebuilt(key, before, each.line, gap, read, seen_at) if read else None
            if rebuilt is None:
                found.missing += gap
                found.lines += [text for text in damaged.get(before.head.seq if before else -1, ()) if text.strip()]
            else:
                found.rebuilt += gap
                found.lines += rebuilt
        found.lines.append(each.text)
        before = each.line
    found.end = before.head.seq + 1 if before else 0
    return found


def renumbered(key: StreamKey, lines: Iterable[bytes]) -> list[bytes]:
    """Return the undamaged lines of a stream that Chorus itself wrote, numbered again without gaps."""
    found: list[bytes] = []
    offset = 0
    seen: set[bytes] = set()
    for text in lines:
        try:
            line = decode(text)
        except ValueError:
            continue
        if line.bytes in seen:
            continue
        seen.add(line.bytes)
        found.append(_stored(key, line.bytes, len(found), offset, 0, line.head.timestamp))
        offset += len(line.bytes)
    return found


def _rebuilt(
    key: StreamKey, before: StoredLine | None, after: StoredLine, count: int, read: Read, seen_at: str
) -> list[bytes] | None:
    """Return the stored lines of a gap, or None if the source does not have them or this cannot be decided."""
    revision = before.head.revision if before else 0
    start = before.head.offset + len(before.bytes) if before else 0
    if after.head.revision != revision or after.head.follows is not None:
        return None
    is_there = all(_is_at_its_place(each, read) for each in (before, after) if each is not None)
    data = read(start, after.head.offset) if is_there else b""
    *whole, rest = data.split(b"\n")
    # A part without a newline belongs to a line that is too long to be stored as one.
    texts = [*(each + b"\n" for each in whole), *([rest] if rest else [])]
    if len(data) != after.head.offset - start or len(texts) != count:
        return None
    if before and before.head.seen:
        # Lines that are stored together are seen at the same time.
        seen_at = before.head.timestamp
    elif after.head.seen:
        seen_at = after.head.timestamp
    rebuilt: list[bytes] = []
    seq = before.head.seq + 1 if before else 0
    for number, text in enumerate(texts):
        rebuilt.append(_stored(key, text, seq + number, start, revision, seen_at))
        start += len(text)
    return rebuilt


def _is_at_its_place(line: StoredLine, read: Read) -> bool:
    start = line.head.offset
    return read(start, start + len(line.bytes)) == line.bytes


def _stored(key: StreamKey, text: bytes, seq: int, offset: int, revision: int, seen_at: str) -> bytes:
    return encode(
        text,
        conversation=key.conversation,
        agent=key.agent,
        stream=key.stream,
        seq=seq,
        offset=offset,
        seen_at=seen_at,
        revision=revision,
    )
