"""Builds index writings from sessions with the real fold, and returns the content of an index in a comparable form."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from chorus.find.index.port import Index
from chorus.find.index.rows import Writing
from chorus.find.indexing.open_conversation import OpenConversation
from chorus.keep.archive.listing import Kept, conversations
from chorus.keep.vault.keys import MAIN_STREAM, StreamKey
from chorus.keep.vault.memory import MemoryVault
from chorus.keep.vault.port import Vault
from chorus.testing.builders import Run, Session

WORKSPACE = "work-12345678"
SEEN_AT = "2026-03-01T12:00:00.000Z"
NEVER = "9999"


def keep(vault: Vault, session: Session, *, workspace: str = WORKSPACE) -> None:
    """Appends to the vault the lines of a session and its sub-agents that it does not have yet."""
    streams = {MAIN_STREAM: bytes(session)}
    streams |= {f"agent-{agent.agent_id}": bytes(agent) for agent in session.agents}
    for stream, data in streams.items():
        key = StreamKey(workspace, "main", session.id, stream)
        vault.append(key, data[vault.tail(key).offset :], seen_at=SEEN_AT)
    vault.flush()


def kept_in(vault: Vault) -> list[Kept]:
    return list(conversations(vault))


def writings_of(*sessions: Session, workspace: str = WORKSPACE) -> list[Writing]:
    """Returns the writings of each complete session."""
    vault = MemoryVault()
    for session in sessions:
        keep(vault, session, workspace=workspace)
    return list(whole(vault))


def run_writings(run: Run, *, workspace: str = WORKSPACE) -> list[Writing]:
    """Returns the writings of a conversation of which only the standard output of a run is stored."""
    vault = MemoryVault()
    vault.append(StreamKey(workspace, "main", run.id, "stdout"), bytes(run), seen_at=SEEN_AT)
    vault.flush()
    return list(whole(vault))


def whole(vault: Vault) -> Iterator[Writing]:
    """Yields the writings of every conversation of a vault, from its start."""
    for kept in kept_in(vault):
        yield from OpenConversation(vault, kept).writings(kept, saved_since=NEVER)


def name_of(session: Session, workspace: str = WORKSPACE) -> str:
    return f"{workspace}/main/{session.id}"


def snapshot(index: Index, names: Iterable[str]) -> dict[str, Any]:
    """Returns everything that the index has of these conversations, except what depends on the order of writing."""
    found: dict[str, Any] = {}
    names = sorted(names)
    for name in names:
        row = index.conversation(name)
        entries = [msgspec.structs.replace(entry, number=0, digest=0, at=0) for entry in index.all_entries(name)]
        found[name] = (
            msgspec.to_builtins(row),
            [msgspec.to_builtins(entry) for entry in entries],
            [entry.number > 0 for entry in index.all_entries(name)],
            index.files(name),
        )
    spent, reported, forks = index.spent()
    found["spent"] = sorted(map(repr, spent))
    found["reported"] = sorted(map(repr, reported))
    found["forks"] = sorted(forks)
    found["done"] = sorted(map(repr, index.done(is_by_conversation=True)))
    for group in ("period", "model", "workspace", "agent", "subagent", "conversation"):
        used = index.used(group)
        found[f"used by {group}"] = {key: sorted(map(repr, rows)) for key, rows in sorted(used.items())}
    found["turns"] = {
        name: sorted((turn, sorted(map(repr, rows))) for turn, rows in index.turn_sums(name).items())
        for name in sorted(names)
    }
    found["limits"] = list(map(repr, index.limits()))
    return found
