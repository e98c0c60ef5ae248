"""What is kept, conversation by conversation, told without reading more than the ends of files."""

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
"""Our own lines about a conversation: where its streams came from, and what lies beside them."""
HISTORY_STREAM = "history"
"""Prompts that the client's history still had when the session itself was gone."""
NOTES = frozenset({MANIFEST_STREAM, LOG_NOTE})
"""Streams that Chorus wrote about the conversation; nothing of it stands in them."""
AGENT_PREFIX, LOG_PREFIX, RUN_PREFIX = "agent-", "log-", "run-"
LOG_PART_PREFIX, PART_PREFIX = "log-part-", "part-"
"""Records of this session that a log, or a file of another session, holds among its own."""
_UNSPOKEN = ("-in", "-err", "-notes")
"""Streams of a run that say nothing of their own: what was sent comes back on its output."""
SHORTEST = 4
"""Characters of an id that are enough to name something, where only one begins so."""


class Kept(Struct, frozen=True):
    """A conversation in the vault: which streams of it there are, and what they take."""

    id: str
    workspace: str
    agent: str
    keys: tuple[StreamKey, ...]
    """All its streams, the manifest included, in order of their names."""
    sizes_bytes: tuple[int, ...]
    """What each of them takes in the vault, packed or not."""

    @property
    def name(self) -> str:
        """What tells it from all others in the vault."""
        return f"{self.workspace}/{self.agent}/{self.id}"

    @property
    def sizes(self) -> dict[str, int]:
        """What each stream takes, by its name."""
        return {key.stream: size for key, size in zip(self.keys, self.sizes_bytes, strict=True)}

    @property
    def size_bytes(self) -> int:
        return sum(self.sizes_bytes)

    @property
    def content(self) -> tuple[StreamKey, ...]:
        """The streams that the fold takes. Prompts of the history count only while nothing better is there."""
        spoken = [
            key
            for key in self.keys
            if key.stream not in NOTES and key.stream != HISTORY_STREAM and not _is_unspoken(key)
        ]
        return tuple(spoken or (key for key in self.keys if key.stream == HISTORY_STREAM))

    @property
    def is_stub(self) -> bool:
        """Whether only prompts are kept: the client had deleted the session before Chorus saw it."""
        return all(key.stream == HISTORY_STREAM for key in self.content)

    @property
    def session_file(self) -> StreamKey | None:
        """The stream of the client's own session file; None when only other sources were kept."""
        streams = {key.stream: key for key in self.keys}
        if SESSION_FILE in streams:
            return streams[SESSION_FILE]
        return None if LOG_NOTE in streams else streams.get(MAIN_STREAM)

    def is_log(self, stream: str) -> bool:
        """Whether a stream of this name was kept from a log or a pipe."""
        is_main_log = stream == MAIN_STREAM and any(key.stream == LOG_NOTE for key in self.keys)
        return is_main_log or stream.startswith(LOG_PREFIX)

    def router(self, stream: str, state: RouterState | None = None) -> Router:
        """What gives the records of one of its streams their sessions: those of others are kept in parts with them.

        The conversation is the home of its streams, but for a log, which may hold several sessions one after another.
        """
        name = stream_of(stream)[0]
        if name.startswith((PART_PREFIX, LOG_PART_PREFIX)):
            return Router(stream, state, home=self.id, is_sole=True)
        is_log = self.is_log(name) or not is_session_id(self.id)
        return Router(stream, state, home=None if is_log else self.id, fallback=self.id)

    def holds(self, session: str) -> bool:
        """Whether records of this session are the conversation's own."""
        return session == self.id or safe_name(session) == self.id

    @property
    def agents(self) -> int:
        """How many sub-agents have a stream of their own."""
        return sum(key.stream.startswith(AGENT_PREFIX) for key in self.keys)


def conversations(vault: Vault) -> Iterator[Kept]:
    """Every conversation that is kept, in order of workspace and id."""
    return _grouped(vault, vault.keys())


def find(vault: Vault, prefix: str) -> list[Kept]:
    """The conversations whose id begins with `prefix`; a whole id finds only its own."""
    wanted = prefix.lower()
    keys = [key for key in vault.keys() if key.conversation.lower().startswith(wanted)]  # noqa: SIM118 - no mapping
    whole = [key for key in keys if key.conversation.lower() == wanted]
    return list(_grouped(vault, whole or keys))


def named(vault: Vault, names: Iterable[str]) -> list[Kept]:
    """The conversations of these names, as far as they are kept; no other is looked at."""
    return list(_grouped(vault, (key for name in names for key in vault.streams(name))))


def name_of(root: Path, conversation: str) -> str | None:
    """The name of the conversation of this id in the vault below `root`; None when nothing of it is kept, or no id.

    For who knows no more than the id, which may be anybody's text: a look at the folders, and no file is read.
    """
    if not is_safe_name(conversation):
        return None
    with contextlib.suppress(OSError):
        kept = root / "conversations"
        for path in kept.glob(f"*/*/{conversation}.jsonl*"):
            return f"{path.parts[-3]}/{path.parts[-2]}/{conversation}"
        # Where all of it stands in sources of other sessions, nothing has its main place.
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


def _is_unspoken(key: StreamKey) -> bool:
    return key.stream.startswith(RUN_PREFIX) and key.stream.endswith(_UNSPOKEN)


def _owner(key: StreamKey) -> tuple[str, str, str]:
    return key.workspace, key.agent, key.conversation
