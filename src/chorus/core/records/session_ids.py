"""Session ids, the streams whose file names contain one, and names for streams without one."""

import hashlib
import re

_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def is_session_id(name: str) -> bool:
    """Returns whether `name` has the form of the ids that clients give to sessions."""
    return _ID.fullmatch(name) is not None


def base_of(stream: str) -> str:
    """Returns the name of a stream's file without folder and extension."""
    return stream.replace("\\", "/").rpartition("/")[2].removesuffix(".jsonl")


def name_without_id(stream: str) -> str:
    """Returns a name for the session of a stream without an id: its file name and 8 digits of a hash of its path.

    Files with the same name in different folders are different sessions. A stream without a folder has only its name.
    """
    base = base_of(stream) or "stream"
    if not any(sign in stream for sign in "/\\"):
        return base
    return f"{base}-{hashlib.sha256(stream.encode('utf-8', 'replace')).hexdigest()[:8]}"


def id_in(stream: str) -> str | None:
    """Returns the session id in the name of a stream's file; None if the name is not one."""
    base = base_of(stream)
    return base if is_session_id(base) else None
