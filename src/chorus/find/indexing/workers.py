"""Projects many conversations in several processes; the writer of the index stores what they return."""

import gc
import os
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import chain
from pathlib import Path

import msgspec

from chorus.base.pool import open_pool
from chorus.core.records.bounded import encoded
from chorus.errors import ChorusError
from chorus.find.index.rows import Writing
from chorus.find.index.sqlite.packed import Packed, packed
from chorus.find.indexing.open_conversation import OpenConversation
from chorus.keep.archive.listing import Kept
from chorus.keep.vault.files import FileVault

WORKERS = 2
WORTH_BYTES = 24 << 20
"""Less than this is projected in this process: starting workers takes longer than they save."""
_JOB_BYTES = 3 << 20
_MAX_WAITING = 4
"""Finished jobs per worker whose results may be in memory before they are taken."""
_decoder = msgspec.msgpack.Decoder(list[Packed])


def jobs_of(kept: list[Kept]) -> list[list[Kept]]:
    """Groups conversations into jobs of a useful size."""
    jobs: list[list[Kept]] = []
    size = _JOB_BYTES
    for each in kept:
        if size >= _JOB_BYTES:
            jobs.append([])
            size = 0
        jobs[-1].append(each)
        size += each.size_bytes
    return jobs


class Workers:
    """Processes that project whole conversations, and their pending results."""

    def __init__(self, root: Path, saved_since: str) -> None:
        self._root = root
        self._saved_since = saved_since
        self._pool: ProcessPoolExecutor | None = None
        self._is_alone = (os.cpu_count() or 1) < 2
        self._jobs: deque[tuple[list[Kept], Future[bytes] | None]] = deque()

    def submit(self, kept: list[Kept], trusted: Collection[str] = ()) -> None:
        """Starts to project conversations. Those named in `trusted` were just written by this process and need no
        check.
        """
        if self._pool is None and not self._is_alone:
            self._pool = open_pool(WORKERS, gives_way=True)
            self._is_alone = self._pool is None
        for job in jobs_of(kept):
            own = {each.name for each in job if each.name in trusted}
            future = self._pool.submit(_project, self._root, job, self._saved_since, own) if self._pool else None
            self._jobs.append((job, future))

    @property
    def left(self) -> int:
        """The number of jobs whose results were not taken yet."""
        return len(self._jobs)

    def results(self, *, waits: bool) -> Iterator[tuple[list[Kept], Sequence[Writing]]]:
        """Yields results in the order of submission: with `waits` all of them, else those that are available now."""
        while self._jobs:
            job, future = self._jobs[0]
            is_much = len(self._jobs) > WORKERS * _MAX_WAITING
            if future is not None and not waits and not is_much and not future.done():
                return
            self._jobs.popleft()
            if future is None:
                yield job, list(project(FileVault(self._root), job, self._saved_since))
                continue
            try:
                yield job, _decoder.decode(future.result())
            except BrokenProcessPool as error:
                raise ChorusError("a worker process was killed, perhaps for lack of memory: try again") from error

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None


def project(vault: FileVault, kept: list[Kept], saved_since: str) -> Iterator[Writing]:
    """Projects each conversation as a whole."""
    for each in kept:
        yield from OpenConversation(vault, each).writings(each, saved_since=saved_since)


def _project(root: Path, kept: list[Kept], saved_since: str, trusted: set[str]) -> bytes:
    """Runs in a worker. It creates few reference cycles, and collecting garbage would take a tenth of the time."""
    gc.disable()
    try:
        vaults = {is_trusted: FileVault(root, is_trusted=is_trusted) for is_trusted in (False, True)}
        found = (project(vaults[each.name in trusted], [each], saved_since) for each in kept)
        return encoded(list(map(packed, chain.from_iterable(found))))
    finally:
        gc.enable()
