"""Numbers the lines of a stream, and begins the revisions of a rewritten source. Pure."""

from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.line import encode
from chorus.keep.vault.port import Tail


def revised(tail: Tail, prefix: int, *, is_begun: bool) -> Tail:
    """Return the end of a stream of which only the first `prefix` bytes are still valid.

    The revision number grows once: a revision that has no line yet is not counted.
    """
    if not 0 <= prefix <= tail.offset:
        raise ValueError(f"{prefix} bytes cannot be valid: only {tail.offset} bytes of the source are stored")
    return Tail(tail.revision if is_begun else tail.revision + 1, prefix, tail.seq)


def encode_all(key: StreamKey, data: bytes, tail: Tail, follows: int | None, seen_at: str) -> tuple[list[bytes], Tail]:
    """Return the stored lines of `data` after `tail`, and the new tail.

    Empty `data` gives the one line of a cut source.
    """
    stored: list[bytes] = []
    offset, seq = tail.offset, tail.seq
    start = 0
    while start < len(data) or not stored:
        end = data.find(b"\n", start) + 1 or len(data)
        line = data[start:end]
        stored.append(
            encode(
                line,
                conversation=key.conversation,
                agent=key.agent,
                stream=key.stream,
                seq=seq,
                offset=offset,
                seen_at=seen_at,
                revision=tail.revision,
                follows=follows,
            )
        )
        follows = None
        offset += len(line)
        seq += 1
        start = end
    return stored, Tail(tail.revision, offset, seq)
