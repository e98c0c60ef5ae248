"""Opens a stored conversation: its records go through the one fold, and its side files come from the vault."""

from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from msgspec import Struct

from chorus.core.conversation.agent_metadata import metadata_record
from chorus.core.conversation.authority import StreamAuthorities
from chorus.core.conversation.conversation import Conversation
from chorus.core.conversation.fold import agent_of_file
from chorus.core.conversation.folding import Folding
from chorus.core.conversation.items import SideFile, ToolResult
from chorus.core.conversation.route import Router
from chorus.core.conversation.stream_gate import revised_authorities
from chorus.core.records.place import StreamId
from chorus.core.records.record import Record
from chorus.errors import SourceUnreadable
from chorus.keep.archive.decision_stream import DECISIONS_STREAM, decision_record
from chorus.keep.archive.listing import HISTORY_STREAM, RUN_PREFIX, Kept
from chorus.keep.archive.manifest import CONFIG_BASE, SESSION_BASE, Manifest, manifest_of
from chorus.keep.archive.prompts import prompt_record
from chorus.keep.archive.stream_authority import authorities_in, best_first
from chorus.keep.archive.stream_ends import ends
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.port import Vault
from chorus.keep.vault.records import stored_records


def records_of(vault: Vault, kept: Kept, authorities: StreamAuthorities | None = None) -> Iterator[Record]:
    """Yield the records of all its streams, those with the most authority first; each revision adds what it changed."""
    for key in best_first(kept, authorities):
        yield from prepared(vault, kept, key, stored_records(vault, key))


def own_records(vault: Vault, kept: Kept) -> Iterator[Record]:
    """Yield the records that belong to the conversation, without those of other sessions in its streams.

    The conversations of a vault together have each record once.
    """
    routers: dict[str, Router] = {}
    for record in records_of(vault, kept):
        router = routers.get(record.stream) or routers.setdefault(record.stream, kept.router(record.stream))
        yield from (each for session, each in router.route(record) if kept.holds(session))
    for router in routers.values():
        yield from (each for session, each in router.close() if kept.holds(session))


def open_kept(vault: Vault, kept: Kept) -> Conversation:
    """Return the conversation as the live files would give it. Raises SourceUnreadable if nothing of it can be read."""
    manifest = manifest_of(vault, kept)
    authorities: StreamAuthorities | None = authorities_in(kept, manifest)
    conversation: Conversation | None = None
    while authorities is not None:
        folding = Folding(kept.router, authorities=authorities)
        for sidecar in sidecars(kept, manifest):
            if record := sidecar_record(vault, kept, sidecar):
                folding.feed(record)
        for record in records_of(vault, kept, authorities):
            folding.feed(record)
        conversation = next((each for each in folding.finish() if kept.holds(each.id)), None)
        if conversation is None:
            raise SourceUnreadable(f"{kept.id}: nothing of it can be read, or its records belong to other sessions")
        authorities = revised_authorities(folding.folds[conversation.id].state.comparison, authorities)
    assert conversation is not None
    _attach_side_files(vault, conversation, manifest)
    return conversation


def prepared(vault: Vault, kept: Kept, key: StreamKey, records: Iterable[Record]) -> Iterator[Record]:
    """Yield the records of a stored stream in the form in which the fold takes them."""
    uses_seen_times = _uses_seen_times(vault, kept, key)
    if key.stream == HISTORY_STREAM:
        for record in records:
            yield prompt_record(record, key.conversation)
    elif key.stream == DECISIONS_STREAM:
        yield from map(decision_record, records)
    else:
        for record in records:
            if not uses_seen_times:
                record.seen_at = None
            yield record


def _uses_seen_times(vault: Vault, kept: Kept, key: StreamKey) -> bool:
    """Return whether the times at which the lines of a stream were found count as the times of its records.

    A time of finding says little about when a line was written. It counts only for a log in which no record has a time,
    if there is no session file that has times: otherwise it would move lines to the day of the import, away from those
    with a time. The lines of a run were found at the moment they were written.
    """
    if key.stream.startswith(RUN_PREFIX):
        return True
    if not kept.is_log(key.stream) or ends(vault, key).has_own_times:
        return False
    file = kept.session_file
    return file is None or not ends(vault, file).has_own_times


class Sidecar(Struct, frozen=True):
    """The file of the client next to a sub-agent's file."""

    stream: StreamId
    agent: str
    blob: str
    """The name of its content."""


def sidecars(kept: Kept, manifest: Manifest) -> list[Sidecar]:
    """Return the sidecar of every sub-agent's file, as it is now; none is read."""
    return [
        Sidecar(StreamId(f"{kept.id}/{PurePosixPath(path).name}"), agent, side.blob)
        for (base, path), side in manifest.side_files.items()
        if base == SESSION_BASE and path.endswith(".meta.json") and (agent := agent_of_file(path))
    ]


def sidecar_record(vault: Vault, kept: Kept, sidecar: Sidecar) -> Record | None:
    """Return a sidecar as a record, or None if its content is damaged or not in the client's format."""
    data = _blob(vault, sidecar.blob)
    return metadata_record(data, sidecar.stream, sidecar.agent, kept.id) if data is not None else None


def _attach_side_files(vault: Vault, conversation: Conversation, manifest: Manifest) -> None:
    for result in conversation.all(ToolResult):
        if result.side_file:
            conversation.side_files[result.id] = side_file(vault, result.side_file, manifest)
    conversation.plan_file = plan_text(vault, conversation.session.slug, manifest)


def plan_text(vault: Vault, slug: str | None, manifest: Manifest) -> str | None:
    """Return the plan of a session by its slug, or None if it is not stored."""
    plan = manifest.side_files.get((CONFIG_BASE, f"plans/{slug}.md")) if slug else None
    data = _blob(vault, plan.blob) if plan is not None else None
    return data.decode("utf-8", "replace") if data is not None else None


def side_file(vault: Vault, name: str, manifest: Manifest) -> SideFile:
    """Return a long output that is stored in a side file; without a size if its content is missing."""
    side = manifest.side_files.get((SESSION_BASE, f"tool-results/{name}"))
    if side is None:
        return SideFile(name=name, path="", size_bytes=None)
    path = blob_path(vault, side.blob)
    is_there = path.is_file() if path else _blob(vault, side.blob) is not None
    return SideFile(name=name, path=str(path.resolve()) if path else "", size_bytes=side.size if is_there else None)


def blob_path(vault: Vault, name: str) -> Path | None:
    """Return the path of a blob; None for a vault that has no files."""
    if not isinstance(vault, FileVault) or not _is_digest(name):
        return None
    return vault.root / "blobs" / name[:2] / name


def _blob(vault: Vault, name: str) -> bytes | None:
    return vault.blob(name) if _is_digest(name) else None


def _is_digest(name: str) -> bool:
    return len(name) == 64 and name.isascii() and name.isalnum()
