"""Session ids, the streams whose files are named by one, and names for streams that have none."""

import hashlib
import re

_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def is_session_id(name: str) -> bool:
    """Whether `name` has the form of the ids that clients give to sessions."""
    return _ID.fullmatch(name) is not None


def base_of(stream: str) -> str:
    """The name of a stream's file without its folder and ending."""
    return stream.replace("\\", "/").rpartition("/")[2].removesuffix(".jsonl")


def name_without_id(stream: str) -> str:
    """What to call the session of a stream that names none: its file's name, and 8 digits that tell its folder.

    Files of the same name in different folders are different sessions. A stream without a folder has just its name.
    """
    base = base_of(stream) or "stream"
    if not any(sign in stream for sign in "/\\"):
        return base
    return f"{base}-{hashlib.sha256(stream.encode('utf-8', 'replace')).hexdigest()[:8]}"


def id_in(stream: str) -> str | None:
    """The session id that a stream's file is named by."""
    base = base_of(stream)
    return base if is_session_id(base) else None
