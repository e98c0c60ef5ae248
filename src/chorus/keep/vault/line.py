"""One line of the vault: a physical line of a source in an envelope, its exact bytes a slice of the line.

    {"crc":…,"id":…,"conversationId":…,"agentId":…,"timestamp":…,"seq":…,"offset":…, … ,"claudeMessage":{…}}

`crc` comes first and covers everything after it. `claudeMessage` comes last and is verbatim. A source line that is not
exactly one JSON object is stored in `raw` (text) or `rawBase64`. The line ending of the source is stored in `end`, so
that the joined lines of a stream are the source.
"""

import hashlib
import json
import re
from base64 import b64decode, b64encode
from functools import lru_cache
from uuid import UUID
from zlib import crc32

import msgspec

from chorus.core.records.times import canonical_time

NAMESPACE = UUID("5b8f2f0e-2f5c-5d0e-9d51-6a1c6f0f2a77")
"""The namespace of the ids of stored lines: uuid5 over conversation, stream, revision and offset."""
_CUT = b"cut"
"""Replaces the offset in the id of a line without bytes, because the line that follows has the same offset."""
_MESSAGE = b',"claudeMessage":'
_MESSAGE_TEXT = _MESSAGE.decode()
_VARIANT = {digit: "89ab"[int(digit, 16) & 3] for digit in "0123456789abcdef"}
"""Maps a digit of the digest to the digit that contains the variant of a UUID."""
_CRC = re.compile(rb'\{"crc":([0-9]{1,10}),')


class Head(msgspec.Struct, rename="camel"):
    """The envelope of a stored line, without its content."""

    crc: int
    id: str
    conversation_id: str
    agent_id: str
    timestamp: str
    seq: int
    offset: int
    end: str = "\n"
    revision: int = 0
    seen: bool = False
    """Whether `timestamp` is the time at which Chorus saw the line, because the record has no time."""
    follows: int | None = None
    """On the first line of a revision: how many bytes of the previous revision are still valid."""
    raw: str | None = None
    raw_base64: str | None = None


class Facts(msgspec.Struct):
    """The time, cost and duration that a record itself states."""

    timestamp: str | None = None
    costUSD: float | None = None  # noqa: N815 - as on the wire
    durationMs: float | None = None  # noqa: N815 - as on the wire
    total_cost_usd: float | None = None
    duration_ms: float | None = None


_head = msgspec.json.Decoder(Head)
_facts = msgspec.json.Decoder(Facts)
_object = msgspec.json.Decoder(dict[str, msgspec.Raw])


class StoredLine(msgspec.Struct):
    """A line of the vault."""

    head: Head
    body: bytes
    """The exact bytes of the source's line, without its line ending."""
    at: int = 0
    """The line's offset in the vault, for `Vault.line_at` and `Vault.lines`. Packing the stream does not change it."""
    next_at: int = 0
    """The offset of the line after it, whether it exists already or not."""
    is_utf8: bool = False
    """Whether `body` is known to be UTF-8."""

    @property
    def bytes(self) -> bytes:
        return self.body + self.head.end.encode()

    def has_id_of(self, conversation: str, stream: str) -> bool:
        """Return whether the line's id matches its position in this stream."""
        head = self.head
        return head.id == line_id(conversation, stream, head.revision, head.offset, is_empty=not self.bytes)


def line_id(conversation: str, stream: str, revision: int, offset: int, *, is_empty: bool = False) -> str:
    """Return the uuid5 of a line's position.

    Computed here because `uuid.uuid5` takes as long as everything else that is done to a line.
    """
    digest = _of_stream(conversation, stream, revision).copy()
    digest.update(_CUT if is_empty else b"%d" % offset)
    text = digest.hexdigest()
    return f"{text[:8]}-{text[8:12]}-5{text[13:16]}-{_VARIANT[text[16]]}{text[17:20]}-{text[20:32]}"


@lru_cache(16)
def _of_stream(conversation: str, stream: str, revision: int) -> "hashlib._Hash":
    """Return the digest of an id's name, before the offset is added."""
    name = f"{conversation}\n{stream}\n{revision}\n"
    return hashlib.sha1(NAMESPACE.bytes + name.encode(), usedforsecurity=False)


def encode(
    line: bytes,
    *,
    conversation: str,
    agent: str,
    stream: str,
    seq: int,
    offset: int,
    seen_at: str,
    revision: int = 0,
    follows: int | None = None,
) -> bytes:
    """Return the stored form of one physical line of a source (with its line ending), ended by a newline.

    An empty `line` stands for a revision that keeps the bytes it `follows` and has no bytes of its own yet.
    """
    end = b"\r\n" if line.endswith(b"\r\n") else b"\n" if line.endswith(b"\n") else b""
    body = line[: len(line) - len(end)]
    facts = _facts_of(body)
    time = canonical_time(facts.timestamp) if facts else None
    # Built as text for speed: every line of every source passes here.
    head = (
        f'"id":"{line_id(conversation, stream, revision, offset, is_empty=not line)}",{_owner(conversation, agent)},'
        f'"timestamp":{_timed(time or seen_at)},"seq":{seq},"offset":{offset}'
    )
    if end != b"\n":
        head += f',"end":{_quoted(end.decode())}'
    if revision:
        head += f',"revision":{revision}'
    if time is None:
        head += ',"seen":true'
    if follows is not None:
        head += f',"follows":{follows}'
    if facts is None:
        return _sealed(head, _encode_raw(body))
    cost = facts.costUSD if facts.costUSD is not None else facts.total_cost_usd
    duration = facts.durationMs if facts.durationMs is not None else facts.duration_ms
    if cost is not None:
        head += f',"costUSD":{_encoded(cost)}'
    if duration is not None:
        head += f',"durationMs":{_encoded(duration)}'
    return _sealed(head + _MESSAGE_TEXT, body)


@lru_cache(16)
def _owner(conversation: str, agent: str) -> str:
    return f'"conversationId":{_quoted(conversation)},"agentId":{_quoted(agent)}'


def _timed(time: str) -> str:
    """Return a time as JSON; ordinary times need no escapes."""
    return f'"{time}"' if time.isprintable() and '"' not in time and "\\" not in time else _quoted(time)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _encoded(number: float) -> str:
    return msgspec.json.encode(number).decode()


def decode(line: bytes, *, is_trusted: bool = False) -> StoredLine:
    """Return the stored line. Raises ValueError if it is damaged.

    `is_trusted`: the line comes directly from `encode`, so its checksum is not compared.
    """
    end = len(line) - line.endswith(b"\n")
    if not is_trusted:
        found = _CRC.match(line)
        if found is None:
            raise ValueError("is not a stored line" if line.strip() else "is empty")
        if crc32(memoryview(line)[found.end() : end]) != int(found[1]):
            raise ValueError("its checksum does not match")
    start = line.find(_MESSAGE)
    try:
        # The message is not parsed: even one that is nested too deeply for the parser can be returned.
        head = _head.decode(line if start < 0 else line[:start] + b"}")
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"is not a stored line: {error}") from None
    if start >= 0:
        return StoredLine(head, line[start + len(_MESSAGE) : end - 1], is_utf8=is_trusted)
    if head.raw is not None:
        return StoredLine(head, head.raw.encode())
    if head.raw_base64 is not None:
        return StoredLine(head, b64decode(head.raw_base64))
    raise ValueError("is not a stored line: it has no content")


def _sealed(head: str, content: bytes) -> bytes:
    """Return the line of `head` and `content`, with their checksum in front."""
    start = head.encode()
    crc = crc32(b"}", crc32(content, crc32(start)))
    return b"".join((b'{"crc":%d,' % crc, start, content, b"}\n"))


def _facts_of(body: bytes) -> Facts | None:
    """Return what the record states, or None if the line is not exactly one JSON object that can be embedded."""
    if not body.startswith(b"{") or not body.endswith(b"}"):
        return None
    try:
        facts = _facts.decode(body)
    except msgspec.ValidationError:
        try:
            _object.decode(body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
        facts = Facts()
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return facts if body.isascii() or _is_utf8(body) else None


def _encode_raw(body: bytes) -> bytes:
    if _is_utf8(body):
        return f',"raw":{_quoted(body.decode())}'.encode()
    return b',"rawBase64":"%s"' % b64encode(body)


def _is_utf8(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True
