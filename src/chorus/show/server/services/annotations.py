"""Changes annotations of conversations and forgets a conversation, as requested from the page."""

import asyncio
from datetime import UTC, datetime

from msgspec import UNSET

from chorus.base import config
from chorus.core.records.times import wire_time
from chorus.errors import ChorusError
from chorus.find.indexing.index_keeper import make_stale
from chorus.keep.archive.annotations import Change, annotations_of
from chorus.keep.archive.listing import Kept, named
from chorus.keep.restore.forgetting import forget, planned_removal
from chorus.keep.sources.lock import sole_sync
from chorus.keep.vault.files import FileVault
from chorus.show import wire
from chorus.show.server.errors import Refused, not_found
from chorus.show.server.live.hub import Hub
from chorus.steer.runs.run_folders import Runs

LOOK_S = 0.5
WHO = "the page"


def annotate(vault: FileVault, name: str, asked: wire.AnnotationAsked) -> None:
    """Stores changed annotations; raises `Refused` if they are invalid or cannot be stored."""
    change = Change(
        title=UNSET if asked.title is None else asked.title,
        is_starred=UNSET if asked.is_starred is None else asked.is_starred,
        is_archived=UNSET if asked.is_archived is None else asked.is_archived,
        tags=UNSET if asked.tags is None else asked.tags,
        note=UNSET if asked.note is None else asked.note,
    )
    if change == Change():
        return
    try:
        annotations_of(vault.root).change(name, change, time=wire_time(datetime.now(UTC)))
    except ChorusError as error:
        raise Refused(409, "not_done", str(error)) from error


def leaving(vault: FileVault, name: str) -> wire.Leaving:
    """Returns what would be deleted with a conversation."""
    found = planned_removal(vault, _kept(vault, name))
    return wire.Leaving(
        lines=found.lines, size_bytes=found.size_bytes, side_files=found.side_files, sources=found.sources
    )


def forget_one(vault: FileVault, name: str, asked: wire.ForgettingAsked) -> None:
    """Deletes a conversation permanently; raises `Refused` if it changed since the person saw it."""
    with sole_sync(vault.root, WHO, lambda _who: None):
        found = planned_removal(vault, _kept(vault, name))
        if found.lines != asked.lines:
            raise Refused(409, "changed", "The conversation went on since you looked. Look again, then delete it.")
        try:
            home, now = config.home_of(vault.root), wire_time(datetime.now(UTC))
            forget(vault, [found], Runs(home), time=now, pattern=None, home=home)
        except ChorusError as error:
            raise Refused(409, "not_done", str(error)) from error
        # Deleting rows leaves their words in the file of the index, so the index is built again.
        make_stale(vault)


def _kept(vault: FileVault, name: str) -> Kept:
    found = named(vault, [name])
    if not found:
        raise not_found("There is no such conversation; it may have been forgotten.")
    return found[0]


async def watch_annotations(vault: FileVault, hub: Hub) -> None:
    """Notifies all sockets when any process changed annotations, until cancelled."""
    known = annotations_of(vault.root)
    before = None
    while True:
        # A `stat` is cheaper than a call in a thread.
        if before is None or known.has_changed():
            await asyncio.to_thread(known.all)
        if before is not None and known.version != before:
            hub.annotations_changed()
        before = known.version
        await asyncio.sleep(LOOK_S)
