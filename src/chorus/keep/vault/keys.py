"""Names in the vault: the workspace, agent, conversation and stream that a line belongs to."""

import hashlib
import re

from msgspec import Struct

MAIN_STREAM = "session"
"""The stream that is stored in the conversation's own file; all others are in the folder next to it."""
LOG_NOTE = "main-log"
"""A stream that marks the main stream as a log, so that the names of the streams are enough to know it."""
SESSION_FILE = "session-file"
"""The client's session file, if a log had become the main stream before it was found."""
OBSERVED_AGENT = "main"
"""The agent of sessions that Chorus only observed."""
_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,119}")
_NOT_SLUG = re.compile(r"[^a-z0-9]+")


class StreamKey(Struct, frozen=True, order=True):
    """One stream of one conversation. Each part is a file name from `safe_name`, never unchecked data."""

    workspace: str
    agent: str
    conversation: str
    stream: str = MAIN_STREAM

    @property
    def owner(self) -> str:
        """The name of the conversation, unique in the vault."""
        return f"{self.workspace}/{self.agent}/{self.conversation}"

    def sibling(self, stream: str) -> "StreamKey":
        """Return the key of another stream of the same conversation."""
        return StreamKey(self.workspace, self.agent, self.conversation, stream)

    def __post_init__(self) -> None:
        for part in (self.workspace, self.agent, self.conversation, self.stream):
            if not is_safe_name(part):
                raise ValueError(f"not a name for the vault: {part!r}")


def is_safe_name(name: str) -> bool:
    return _SAFE.fullmatch(name) is not None and not name.endswith((".jsonl", ".zst", ".tmp"))


def safe_name(text: str) -> str:
    """Return `text` if it can be a file name, else its digest: ids come from transcripts, which are untrusted."""
    return text if is_safe_name(text) else "x-" + hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:24]


def workspace_id(folder: str) -> str:
    """Return the id of a workspace: the readable name of its folder, and 8 digits of the digest of its path."""
    name = folder.replace("\\", "/").rstrip("/").rpartition("/")[2].lower()
    slug = _NOT_SLUG.sub("-", name).strip("-")[:40] or "root"
    return f"{slug}-{hashlib.sha256(folder.encode('utf-8', 'replace')).hexdigest()[:8]}"


def workspace_root(folder: str, conversation: str | None) -> str | None:
    """Return the folder of the workspace of a conversation, which `folder` is in; None if it is not in there.

    `conversation` is the name `workspace/agent/conversation`. The id of a workspace is made of the path of its folder.
    """
    wanted = (conversation or "").partition("/")[0]
    path = folder.rstrip("/")
    while wanted and path.startswith("/"):
        if workspace_id(path) == wanted:
            return path
        path = path.rpartition("/")[0]
    return None
