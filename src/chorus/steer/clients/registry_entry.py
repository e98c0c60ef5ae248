"""One entry of a client's registry. Pure: bytes in, a value or None out; invalid data never raises."""

from typing import Any, Literal, cast

import msgspec
from msgspec import Struct

from chorus.core.records.session_ids import is_session_id

Status = Literal["idle", "busy", "waiting"]

LONGEST_TEXT = 4_096
"""The most characters of any text of an entry; longer ones are cut."""
_STATUSES = ("idle", "busy", "waiting")
_MAX_PID = 1 << 31


class Running(Struct, frozen=True, kw_only=True):
    """A session that a client has open, as the client reports it."""

    pid: int
    session: str
    status: Status
    waiting_for: str | None = None
    """What it waits for in the client's words, such as "permission prompt"; untrusted text."""
    cwd: str | None = None
    name: str | None = None
    version: str | None = None
    kind: str | None = None
    entrypoint: str | None = None
    started_at_ms: int | None = None
    """When the session was opened, in milliseconds since 1970."""
    status_since_ms: int | None = None
    """When the status last changed."""
    process_start: str | None = None
    """The start of its process as the system counts; equal only for the same process."""
    process_space: str | None = None
    """The machine and process namespace that the pid belongs to."""


def read_entry(data: bytes, pid: int) -> Running | None:
    """Returns the entry in the file named after `pid`.

    Returns None if it is malformed, names another process, or has no session. An unknown status counts as idle: people
    are told only what a client says explicitly.
    """
    try:
        found: Any = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    if not isinstance(found, dict) or found.get("pid") != pid or isinstance(found.get("pid"), bool):
        return None
    session = _text(found.get("sessionId"))
    if not 0 < pid < _MAX_PID or session is None or not is_session_id(session):
        return None
    status = found.get("status")
    is_known = isinstance(status, str) and status in _STATUSES
    return Running(
        pid=pid,
        session=session,
        status=cast("Status", status) if is_known else "idle",
        waiting_for=_text(found.get("waitingFor")) if status == "waiting" else None,
        cwd=_text(found.get("cwd")),
        name=_text(found.get("name")),
        version=_text(found.get("version")),
        kind=_text(found.get("kind")),
        entrypoint=_text(found.get("entrypoint")),
        started_at_ms=_whole(found.get("startedAt")),
        status_since_ms=_whole(found.get("statusUpdatedAt")),
        process_start=_text(found.get("procStart")),
        process_space=_text(found.get("pidDomain")),
    )


def _text(value: Any) -> str | None:
    return value[:LONGEST_TEXT] if isinstance(value, str) and value else None


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53 else None
