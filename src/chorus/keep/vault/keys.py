"""Names in the vault: which workspace, agent, conversation and stream a line belongs to."""

import hashlib
import re

from msgspec import Struct

MAIN_STREAM = "session"
"""The stream that lies in the conversation's own file; all others lie in the folder beside it."""
LOG_NOTE = "main-log"
"""Our note that the main stream is a log: a stream of its own, so that names alone say it."""
SESSION_FILE = "session-file"
"""The client's session file, where a log had the main place before it came."""
OBSERVED_AGENT = "main"
"""The agent of sessions that Chorus only observed."""
_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,119}")
_NOT_SLUG = re.compile(r"[^a-z0-9]+")


class StreamKey(Struct, frozen=True, order=True):
    """One stream of one conversation. Each part is a file name: made by `safe_name`, never taken from data as it is."""

    workspace: str
    agent: str
    conversation: str
    stream: str = MAIN_STREAM

    @property
    def owner(self) -> str:
        """The name of the conversation, which tells it from all others."""
        return f"{self.workspace}/{self.agent}/{self.conversation}"

    def beside(self, stream: str) -> "StreamKey":
        """Another stream of the same conversation."""
        return StreamKey(self.workspace, self.agent, self.conversation, stream)

    def __post_init__(self) -> None:
        for part in (self.workspace, self.agent, self.conversation, self.stream):
            if not is_safe_name(part):
                raise ValueError(f"not a name for the vault: {part!r}")


def is_safe_name(name: str) -> bool:
    return _SAFE.fullmatch(name) is not None and not name.endswith((".jsonl", ".zst", ".tmp"))


def safe_name(text: str) -> str:
    """`text` if it can be a file name, else its digest: ids come from transcripts, which are text from strangers."""
    return text if is_safe_name(text) else "x-" + hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:24]


def workspace_id(folder: str) -> str:
    """The id of a workspace: its folder's name made readable, and 8 digits of its path's digest."""
    name = folder.replace("\\", "/").rstrip("/").rpartition("/")[2].lower()
    slug = _NOT_SLUG.sub("-", name).strip("-")[:40] or "root"
    return f"{slug}-{hashlib.sha256(folder.encode('utf-8', 'replace')).hexdigest()[:8]}"
