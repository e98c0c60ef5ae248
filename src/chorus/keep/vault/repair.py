"""A damaged stream put together again: whole lines in their order, lost ones made from the source where it has them.

A lost line is made again only between two whole lines that the source still has at their places, and only when the
source has as many lines between them as are lost; made so, it is the line that was lost, but for the time at which it
was seen. What cannot be made stays as it is: a damaged line, or a gap in the numbers.
"""

from collections.abc import Callable, Iterable

from msgspec import Struct

from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.line import StoredLine, decode, encode

Read = Callable[[int, int], bytes]
"""The bytes of a source from a place to another, as far as it goes."""


class Mended(Struct):
    """The lines of a stream after mending."""

    lines: list[bytes]
    made: int = 0
    """Lines that were made again from the source."""
    missing: int = 0
    """Lines that could not be had again."""
    end: int = 0
    """The number of the line that comes next."""


class _Whole(Struct):
    text: bytes
    line: StoredLine


def mended(key: StreamKey, lines: Iterable[bytes], read: Read | None, seen_at: str) -> Mended:
    """Put the lines of a stream's file together again; `read` gives its source, where that is still there."""
    whole: dict[int, _Whole] = {}
    damaged: dict[int, list[bytes]] = {}
    """By the number of the whole line that they follow."""
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
            # Of a line that was kept again after damage, the one that was kept last.
            whole[last] = _Whole(text, line)
    found = Mended([])
    before: StoredLine | None = None
    for seq in sorted(whole):
        each = whole[seq]
        gap = seq - (before.head.seq + 1 if before else 0)
        if gap:
            made = _made(key, before, each.line, gap, read, seen_at) if read else None
            if made is None:
                found.missing += gap
                found.lines += [text for text in damaged.get(before.head.seq if before else -1, ()) if text.strip()]
            else:
                found.made += gap
                found.lines += made
        found.lines.append(each.text)
        before = each.line
    found.end = before.head.seq + 1 if before else 0
    return found


def renumbered(key: StreamKey, lines: Iterable[bytes]) -> list[bytes]:
    """The whole lines of a stream that Chorus wrote for itself, as a stream of their own without gaps."""
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


def _made(
    key: StreamKey, before: StoredLine | None, after: StoredLine, count: int, read: Read, seen_at: str
) -> list[bytes] | None:
    """The stored lines of a gap; None when the source does not have them, or it cannot be told."""
    revision = before.head.revision if before else 0
    start = before.head.offset + len(before.bytes) if before else 0
    if after.head.revision != revision or after.head.follows is not None:
        return None
    is_there = all(_is_at_its_place(each, read) for each in (before, after) if each is not None)
    data = read(start, after.head.offset) if is_there else b""
    *whole, rest = data.split(b"\n")
    # What has no end is a piece of a line that is too long to be stored as one.
    texts = [*(each + b"\n" for each in whole), *([rest] if rest else [])]
    if len(data) != after.head.offset - start or len(texts) != count:
        return None
    if before and before.head.seen:
        # Lines that are taken together are seen at the same time.
        seen_at = before.head.timestamp
    elif after.head.seen:
        seen_at = after.head.timestamp
    made: list[bytes] = []
    seq = before.head.seq + 1 if before else 0
    for number, text in enumerate(texts):
        made.append(_stored(key, text, seq + number, start, revision, seen_at))
        start += len(text)
    return made


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
