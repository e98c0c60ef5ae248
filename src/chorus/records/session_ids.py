"""Session ids, and the streams whose files are named by one."""

import re

_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def is_session_id(name: str) -> bool:
    """Whether `name` has the form of the ids that clients give to sessions."""
    return _ID.fullmatch(name) is not None


def base_of(stream: str) -> str:
    """The name of a stream's file without its folder and ending."""
    return stream.replace("\\", "/").rpartition("/")[2].removesuffix(".jsonl")


def id_in(stream: str) -> str | None:
    """The session id that a stream's file is named by."""
    base = base_of(stream)
    return base if is_session_id(base) else None
