"""Plays a recording under another session id: replaces ids in the bytes, and changes nothing else of a line."""

import re
from collections.abc import Iterable

import msgspec

from chorus.lab.fake_claude.synthesized import uuid_of

_ID = re.compile(rb'"([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})"')


class Naming:
    """Replaces the session id `old` by `new`, and each of `uuids` by one of this process (derived from `salt`).

    A quote inside a JSON string is always escaped. So a pattern that begins with a bare quote finds whole strings and
    keys, never a part of a text.
    """

    def __init__(self, old: str, new: str, uuids: Iterable[str], salt: str) -> None:
        self.is_needed = bool(new) and old != new
        self._new = new.encode()
        self._session = re.compile(rb'("(?:session_id|sessionId)"\s*:\s*")' + re.escape(old.encode(errors="replace")))
        self._uuids = {uuid.encode(errors="replace"): uuid_of(salt, uuid).encode() for uuid in uuids if uuid}

    def rename(self, raw: bytes) -> bytes:
        if not self.is_needed:
            return raw
        return _ID.sub(self._fresh, self._session.sub(self._renamed, raw))

    def _renamed(self, found: re.Match[bytes]) -> bytes:
        return found[1] + self._new

    def _fresh(self, found: re.Match[bytes]) -> bytes:
        return b'"' + self._uuids.get(found[1], found[1]) + b'"'


def with_request_id(raw: bytes, old: str, new: str) -> bytes:
    """Returns the line with another id of the request that it answers."""
    if old == new:
        return raw
    found = re.search(rb'"request_id"\s*:\s*("' + re.escape(old.encode(errors="replace")) + b'")', raw)
    return raw if found is None else raw[: found.start(1)] + _quoted(new) + raw[found.end(1) :]


def with_string(raw: bytes, old: str, new: str) -> bytes:
    """Returns the line with every JSON string equal to `old` replaced."""
    return raw if old == new else raw.replace(_quoted(old), _quoted(new))


def _quoted(text: str) -> bytes:
    return msgspec.json.encode(text)
