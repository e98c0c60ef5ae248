"""Projects many conversations in several processes; the writer of the index stores what they return.

The writer never waits for a worker while there is a job that nobody has begun: it does that job itself.
"""

import gc
import os
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import chain
from pathlib import Path

import msgspec
from msgspec import Struct

from chorus.base.pool import open_pool
from chorus.core.records.bounded import encoded
from chorus.errors import ChorusError
from chorus.find.index.rows import Writing
from chorus.find.index.sqlite.packed import Packed, packed
from chorus.find.indexing.open_conversation import OpenConversation
from chorus.keep.archive.listing import Kept
from chorus.keep.vault.files import FileVault

_CORES = os.cpu_count() or 1
WORKERS = 1 if _CORES <= 2 else 2
"""Recording and writing the index take as long as projecting: on two cores, a second worker would only wait."""
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


class _Job(Struct):
    kept: list[Kept]
    trusted: set[str]
    future: Future[bytes] | None = None
    """None if this process does the job, or did it."""
    writings: Sequence[Writing] | None = None
    """What this process found."""


class Workers:
    """Processes that project whole conversations, and their pending results."""

    def __init__(self, root: Path, saved_since: str) -> None:
        self._root = root
        self._saved_since = saved_since
        self._pool: ProcessPoolExecutor | None = None
        self._is_alone = _CORES < 2
        self._jobs: deque[_Job] = deque()

    def submit(self, kept: list[Kept], trusted: Collection[str] = ()) -> None:
        """Starts to project conversations. Those named in `trusted` were just written by this process and need no
        check.
        """
        if self._pool is None and not self._is_alone:
            self._pool = open_pool(WORKERS, gives_way=_CORES <= WORKERS)
            self._is_alone = self._pool is None
        for each in jobs_of(kept):
            job = _Job(each, {kept.name for kept in each if kept.name in trusted})
            if self._pool is not None:
                job.future = self._pool.submit(_project, self._root, job.kept, self._saved_since, job.trusted)
            self._jobs.append(job)

    @property
    def left(self) -> int:
        """The number of jobs whose results were not taken yet."""
        return len(self._jobs)

    def results(self, *, waits: bool) -> Iterator[tuple[list[Kept], Sequence[Writing]]]:
        """Yields results in the order of submission: with `waits` all of them, else those that are available now."""
        while self._jobs:
            first = self._jobs[0]
            is_much = len(self._jobs) > WORKERS * _MAX_WAITING
            while first.future is not None and not first.future.done():
                if not waits and not is_much:
                    return
                if not self._do_last():
                    break
            self._jobs.popleft()
            yield first.kept, self._writings(first)

    def _writings(self, job: _Job) -> Sequence[Writing]:
        if job.future is None:
            return self._do(job) if job.writings is None else job.writings
        try:
            return _decoder.decode(job.future.result())
        except BrokenProcessPool as error:
            raise ChorusError("a worker process was killed, perhaps for lack of memory: try again") from error

    def _do_last(self) -> bool:
        """Does the last job that no worker has begun; returns whether there was one. Workers begin with the first."""
        if sum(job.writings is not None for job in self._jobs) >= _MAX_WAITING:
            return False
        for job in reversed(self._jobs):
            if job.future is not None and job.future.cancel():
                job.future = None
                job.writings = self._do(job)
                return True
        return False

    def _do(self, job: _Job) -> list[Writing]:
        return _project_all(self._root, job.kept, self._saved_since, job.trusted)

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None


def project(vault: FileVault, kept: list[Kept], saved_since: str) -> Iterator[Writing]:
    """Projects each conversation as a whole."""
    for each in kept:
        yield from OpenConversation(vault, each).writings(each, saved_since=saved_since)


def _project_all(root: Path, kept: list[Kept], saved_since: str, trusted: set[str]) -> list[Writing]:
    """Projects the conversations of a job. That creates few reference cycles, and collecting garbage would take a
    tenth of the time.
    """
    is_collecting = gc.isenabled()
    gc.disable()
    try:
        vaults = {is_trusted: FileVault(root, is_trusted=is_trusted) for is_trusted in (False, True)}
        found = (project(vaults[each.name in trusted], [each], saved_since) for each in kept)
        return [packed(writing) for writing in chain.from_iterable(found)]
    finally:
        if is_collecting:
            gc.enable()


def _project(root: Path, kept: list[Kept], saved_since: str, trusted: set[str]) -> bytes:
    """Runs in a worker."""
    return encoded(_project_all(root, kept, saved_since, trusted))
