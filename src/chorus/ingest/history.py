"""Prompts of sessions that the client has deleted already: its prompt history still has them."""

from collections.abc import Callable
from pathlib import Path

import msgspec
from msgspec import Struct

from chorus.ingest.belonging import Belonging
from chorus.store.keys import StreamKey
from chorus.store.port import Vault

STREAM = "history"
"""The stream of a conversation of which only the prompts are left."""


class Entry(Struct, rename="camel"):
    session_id: str | None = None
    project: str | None = None


_entry = msgspec.json.Decoder(Entry)


def keep_prompts(
    vault: Vault, config: Path, belonging: Belonging, *, is_wanted: Callable[[StreamKey, Path], bool], seen_at: str
) -> int:
    """Keep the prompts of sessions that no other source has; gives the number of conversations that are new.

    A session found later with all its lines keeps its stub beside them: nothing kept is dropped.
    """
    path = config / "history.jsonl"
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError:
        return 0
    prompts: dict[str, tuple[str, list[bytes]]] = {}
    # What follows the last newline is not a whole line yet.
    for line in lines[:-1]:
        try:
            entry = _entry.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
        if entry.session_id:
            prompts.setdefault(entry.session_id, (entry.project or str(config), []))[1].append(line + b"\n")
    new = 0
    for session, (project, said) in prompts.items():
        is_known = belonging.knows(session)
        key = belonging.key_in(session, project, STREAM)
        if (is_known and not _is_stub(vault, key)) or not is_wanted(key, path):
            continue
        kept = vault.tail(key).seq
        if kept < len(said):
            vault.append(key, b"".join(said[kept:]), seen_at=seen_at)
            new += kept == 0
    return new


def _is_stub(vault: Vault, key: StreamKey) -> bool:
    """Whether the prompts are all that is kept of the conversation."""
    return vault.tail(StreamKey(key.workspace, key.agent, key.conversation)).seq == 0 and vault.tail(key).seq > 0
