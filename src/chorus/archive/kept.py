"""What is kept, conversation by conversation, told without reading more than the ends of files."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from msgspec import Struct

from chorus.archive.ends import ends, size_of
from chorus.store.keys import MAIN_STREAM, StreamKey
from chorus.store.port import Vault

MANIFEST_STREAM = "manifest"
"""Our own lines about a conversation: where its streams came from, and what lies beside them."""
HISTORY_STREAM = "history"
"""Prompts that the client's history still had when the session itself was gone."""
AGENT_PREFIX, LOG_PREFIX = "agent-", "log-"
SHORTEST = 8
"""Characters of an id that are enough to name a conversation."""


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
    def size_bytes(self) -> int:
        return sum(self.sizes_bytes)

    @property
    def content(self) -> tuple[StreamKey, ...]:
        """The streams that the fold takes. Prompts of the history count only while nothing better is there."""
        spoken = [key for key in self.keys if key.stream not in (MANIFEST_STREAM, HISTORY_STREAM)]
        return tuple(spoken or (key for key in self.keys if key.stream == HISTORY_STREAM))

    @property
    def is_stub(self) -> bool:
        """Whether only prompts are kept: the client had deleted the session before Chorus saw it."""
        return all(key.stream == HISTORY_STREAM for key in self.content)

    @property
    def agents(self) -> int:
        """How many sub-agents have a stream of their own."""
        return sum(key.stream.startswith(AGENT_PREFIX) for key in self.keys)


class Span(Struct, frozen=True):
    """When a conversation began and ended, as far as the ends of its streams tell."""

    first_at: str | None = None
    last_at: str | None = None


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


def span(vault: Vault, kept: Kept) -> Span:
    """The earliest and the latest time at the ends of the streams; of the main one alone, where it has any."""
    main = [key for key in kept.content if key.stream == MAIN_STREAM]
    times = [ends(vault, key) for key in main or kept.content]
    if main and not times[0].last_at:
        times = [ends(vault, key) for key in kept.content]
    firsts = [each.first_at for each in times if each.first_at]
    lasts = [each.last_at for each in times if each.last_at]
    return Span(min(firsts, default=None), max(lasts, default=None))


def _grouped(vault: Vault, keys: Iterable[StreamKey]) -> Iterator[Kept]:
    for (workspace, agent, name), group in groupby(sorted(keys), key=_owner):
        streams = tuple(group)
        kept = Kept(name, workspace, agent, streams, tuple(size_of(vault, key) for key in streams))
        if kept.content:
            yield kept


def _owner(key: StreamKey) -> tuple[str, str, str]:
    return key.workspace, key.agent, key.conversation
