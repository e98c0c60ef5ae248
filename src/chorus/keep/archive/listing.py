"""Lists the conversations in the vault, without reading more than the ends of files."""

import contextlib
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from msgspec import Struct

from chorus.core.conversation.route import Router, RouterState
from chorus.core.records.session_ids import is_session_id
from chorus.keep.archive.stream_ends import size_of
from chorus.keep.vault.keys import LOG_NOTE, MAIN_STREAM, SESSION_FILE, StreamKey, is_safe_name, safe_name
from chorus.keep.vault.port import Vault
from chorus.keep.vault.records import stream_of

MANIFEST_STREAM = "manifest"
"""The notes of Chorus about a conversation: the sources of its streams, and its side files."""
HISTORY_STREAM = "history"
"""Prompts that the client's history still had after the session was deleted."""
NOTES = frozenset({MANIFEST_STREAM, LOG_NOTE})
"""Streams that Chorus wrote about the conversation; they contain nothing of the conversation itself."""
AGENT_PREFIX, LOG_PREFIX, RUN_PREFIX = "agent-", "log-", "run-"
LOG_PART_PREFIX, PART_PREFIX = "log-part-", "part-"
"""Records of this session that come from a log, or from a file of another session."""
_WITHOUT_CONTENT = ("-in", "-err", "-notes")
"""Streams of a run that add no content: everything that was sent appears again in its output."""
SHORTEST = 4
"""The number of characters of an id that are enough to name something, if no other id begins with them."""


class Kept(Struct, frozen=True):
    """A conversation in the vault, with its streams and their sizes."""

    id: str
    workspace: str
    agent: str
    keys: tuple[StreamKey, ...]
    """All its streams, including the manifest, sorted by name."""
    sizes_bytes: tuple[int, ...]
    """The size of each of them in the vault, packed or not."""

    @property
    def name(self) -> str:
        """The name that is unique in the vault."""
        return f"{self.workspace}/{self.agent}/{self.id}"

    @property
    def sizes(self) -> dict[str, int]:
        """The size of each stream, by its name."""
        return {key.stream: size for key, size in zip(self.keys, self.sizes_bytes, strict=True)}

    @property
    def size_bytes(self) -> int:
        return sum(self.sizes_bytes)

    @property
    def content(self) -> tuple[StreamKey, ...]:
        """The streams that are folded. Prompts of the history count only if there is nothing else."""
        streams = [
            key
            for key in self.keys
            if key.stream not in NOTES and key.stream != HISTORY_STREAM and not _has_no_content(key)
        ]
        return tuple(streams or (key for key in self.keys if key.stream == HISTORY_STREAM))

    @property
    def is_stub(self) -> bool:
        """Whether only prompts are stored: the client had deleted the session before Chorus saw it."""
        return all(key.stream == HISTORY_STREAM for key in self.content)

    @property
    def session_file(self) -> StreamKey | None:
        """The stream of the client's own session file; None if only other sources were stored."""
        streams = {key.stream: key for key in self.keys}
        if SESSION_FILE in streams:
            return streams[SESSION_FILE]
        return None if LOG_NOTE in streams else streams.get(MAIN_STREAM)

    def is_log(self, stream: str) -> bool:
        """Return whether a stream of this name was stored from a log or a pipe."""
        is_main_log = stream == MAIN_STREAM and any(key.stream == LOG_NOTE for key in self.keys)
        return is_main_log or stream.startswith(LOG_PREFIX)

    def router(self, stream: str, state: RouterState | None = None) -> Router:
        """Return the router that assigns the records of a stream to sessions; records of others are stored as parts.

        Records without an id belong to the conversation, except in a log, which may contain several sessions.
        """
        name = stream_of(stream)[0]
        if name.startswith((PART_PREFIX, LOG_PART_PREFIX)):
            return Router(stream, state, home=self.id, is_sole=True)
        is_log = self.is_log(name) or not is_session_id(self.id)
        return Router(stream, state, home=None if is_log else self.id, fallback=self.id)

    def holds(self, session: str) -> bool:
        """Return whether records of this session belong to the conversation."""
        return session == self.id or safe_name(session) == self.id

    @property
    def agents(self) -> int:
        """The number of sub-agents that have a stream."""
        return sum(key.stream.startswith(AGENT_PREFIX) for key in self.keys)


def conversations(vault: Vault) -> Iterator[Kept]:
    """Yield every conversation in the vault, sorted by workspace and id."""
    return _grouped(vault, vault.keys())


def find(vault: Vault, prefix: str) -> list[Kept]:
    """Return the conversations whose id begins with `prefix`; a complete id finds only that conversation."""
    wanted = prefix.lower()
    keys = [key for key in vault.keys() if key.conversation.lower().startswith(wanted)]  # noqa: SIM118 - no mapping
    whole = [key for key in keys if key.conversation.lower() == wanted]
    return list(_grouped(vault, whole or keys))


def named(vault: Vault, names: Iterable[str]) -> list[Kept]:
    """Return the conversations with these names, if they are in the vault; others are not read."""
    return list(_grouped(vault, (key for name in names for key in vault.streams(name))))


def name_of(root: Path, conversation: str) -> str | None:
    """Return the name of the conversation with this id in the vault below `root`, or None if it is not there.

    For callers that know only the id, which may be untrusted text. Only folders are listed, and no file is read.
    """
    if not is_safe_name(conversation):
        return None
    with contextlib.suppress(OSError):
        kept = root / "conversations"
        for path in kept.glob(f"*/*/{conversation}.jsonl*"):
            return f"{path.parts[-3]}/{path.parts[-2]}/{conversation}"
        # If all its records come from sources of other sessions, there is no main stream.
        for prefix in (LOG_PART_PREFIX, PART_PREFIX):
            for path in kept.glob(f"*/*/{conversation}/{prefix}*.jsonl*"):
                return f"{path.parts[-4]}/{path.parts[-3]}/{conversation}"
    return None


def _grouped(vault: Vault, keys: Iterable[StreamKey]) -> Iterator[Kept]:
    for (workspace, agent, name), group in groupby(sorted(keys), key=_owner):
        streams = tuple(group)
        kept = Kept(name, workspace, agent, streams, tuple(size_of(vault, key) for key in streams))
        if kept.content:
            yield kept


def _has_no_content(key: StreamKey) -> bool:
    return key.stream.startswith(RUN_PREFIX) and key.stream.endswith(_WITHOUT_CONTENT)


def _owner(key: StreamKey) -> tuple[str, str, str]:
    return key.workspace, key.agent, key.conversation
