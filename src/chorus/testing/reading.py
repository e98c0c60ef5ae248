"""Splits bytes in tests: the pieces of a stream in any chunks, and a check that they are the whole stream."""

from collections.abc import Iterable, Sequence

from chorus.core.records.place import StreamId
from chorus.core.records.record import Piece, Record, Unread
from chorus.core.records.split import Splitter

STREAM = StreamId("test")


def split(data: bytes, *, chunk_bytes: int | None = None) -> list[Piece]:
    """Returns all pieces of a stream that is fed as a whole or in chunks of one size."""
    step = chunk_bytes or max(1, len(data))
    return split_chunks(data[start : start + step] for start in range(0, len(data), step))


def split_chunks(chunks: Iterable[bytes]) -> list[Piece]:
    """Returns all pieces of a stream that is fed in these chunks."""
    splitter = Splitter(STREAM)
    pieces: list[Piece] = []
    for chunk in chunks:
        pieces.extend(splitter.feed(chunk))
    pieces.extend(splitter.close())
    return pieces


def records(data: bytes) -> list[Record]:
    """Returns the records of a stream, without unread bytes."""
    return [piece for piece in split(data) if isinstance(piece, Record) and not isinstance(piece, Unread)]


def unread(data: bytes) -> list[Unread]:
    """Returns the unread parts of a stream."""
    return [piece for piece in split(data) if isinstance(piece, Unread)]


def assert_tiles(data: bytes, pieces: Sequence[Piece], *, offset: int = 0) -> None:
    """Asserts that the pieces are the stream: in order, byte for byte, without gap or overlap, with correct offsets."""
    at = offset
    for piece in pieces:
        assert piece.offset == at, f"a piece at {at} has the offset {piece.offset}: {piece.raw[:60]!r}"
        at += len(piece.raw) + len(piece.tail)
    assert b"".join(piece.raw + piece.tail for piece in pieces) == data


def fingerprint(pieces: Iterable[Piece]) -> list[tuple[str, int, bytes, bytes, bytes | None, str]]:
    """Returns what must be equal in two readings of the same bytes."""
    return [
        (
            type(piece).__name__,
            piece.offset,
            piece.raw,
            piece.tail,
            piece.joined if isinstance(piece, Record) else None,
            piece.reason if isinstance(piece, Unread) else "",
        )
        for piece in pieces
    ]
