"""Conversations as the vault keeps them: their streams, and how a person names one."""

from fnmatch import fnmatchcase
from itertools import groupby

from msgspec import Struct

from chorus.errors import ChorusError
from chorus.restore.manifest import MANIFEST, Manifest, manifest_of
from chorus.store.keys import MAIN_STREAM, StreamKey
from chorus.store.port import Vault

SHORTEST_PREFIX = 8
_MOST_NAMED = 5


class Kept(Struct, frozen=True):
    """One conversation."""

    workspace: str
    agent: str
    id: str
    streams: tuple[StreamKey, ...]

    @property
    def name(self) -> str:
        return f"{self.workspace}/{self.agent}/{self.id}"

    def key(self, stream: str = MAIN_STREAM) -> StreamKey:
        return StreamKey(self.workspace, self.agent, self.id, stream)

    def has(self, stream: str) -> bool:
        return self.key(stream) in self.streams

    def manifest(self, vault: Vault) -> Manifest:
        return manifest_of(vault, self.key(MANIFEST))


def conversations(vault: Vault) -> list[Kept]:
    """Every conversation of the vault, in order of its name."""
    by_name = groupby(sorted(vault.keys()), key=lambda key: (key.workspace, key.agent, key.conversation))
    return [Kept(*names, tuple(keys)) for names, keys in by_name]


def named(vault: Vault, prefix: str) -> Kept:
    """The one conversation whose id (or whose name `workspace/agent/id`) begins with `prefix`.

    `ChorusError` when the prefix is too short, or when there is none or more than one.
    """
    if len(prefix.rpartition("/")[2]) < SHORTEST_PREFIX:
        raise ChorusError(f"{prefix}: too short, give at least {SHORTEST_PREFIX} characters of the conversation's id")
    found = [kept for kept in conversations(vault) if kept.id.startswith(prefix) or kept.name.startswith(prefix)]
    exact = [kept for kept in found if prefix in (kept.id, kept.name)]
    if len(exact or found) == 1:
        return (exact or found)[0]
    if not found:
        raise ChorusError(f"{prefix}: no conversation of the vault begins with this; 'chorus list' shows them")
    names = ", ".join(kept.name for kept in found[:_MOST_NAMED]) + (", …" if len(found) > _MOST_NAMED else "")
    raise ChorusError(f"{prefix}: {len(found)} conversations begin with this: {names}; give more of one")


def is_pattern(text: str) -> bool:
    return any(char in text for char in "*?[")


def matching(vault: Vault, pattern: str) -> list[Kept]:
    """The conversations of which a source's path, the id or the name matches a shell pattern (`*` crosses folders)."""
    return [kept for kept in conversations(vault) if _matches(vault, kept, pattern)]


def _matches(vault: Vault, kept: Kept, pattern: str) -> bool:
    if fnmatchcase(kept.id, pattern) or fnmatchcase(kept.name, pattern):
        return True
    return any(fnmatchcase(source.path, pattern) for source in kept.manifest(vault).sources.values())
