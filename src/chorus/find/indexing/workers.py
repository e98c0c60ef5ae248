"""Many conversations projected by several processes; who writes the index takes what they give."""

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
from chorus.find.indexing.open_conversation import Opened
from chorus.keep.archive.listing import Kept
from chorus.keep.vault.files import FileVault

WORKERS = 2
WORTH_BYTES = 24 << 20
"""Less than this is done here: starting workers takes longer than they save."""
_JOB_BYTES = 3 << 20
_MAX_WAITING = 4
"""Jobs that may be done and not yet taken, for each worker: what they found lies in memory."""
_decoder = msgspec.msgpack.Decoder(list[Packed])


def jobs_of(kept: list[Kept]) -> list[list[Kept]]:
    """The conversations in groups that are worth handing out."""
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
    """Processes that project whole conversations, and the results they owe."""

    def __init__(self, root: Path, saved_since: str) -> None:
        self._root = root
        self._saved_since = saved_since
        self._pool: ProcessPoolExecutor | None = None
        self._is_alone = (os.cpu_count() or 1) < 2
        self._jobs: deque[tuple[list[Kept], Future[bytes] | None]] = deque()

    def submit(self, kept: list[Kept], trusted: Collection[str] = ()) -> None:
        """Hand out conversations; they are begun at once. Those of `trusted` names were kept whole a moment ago."""
        if self._pool is None and not self._is_alone:
            self._pool = open_pool(WORKERS, gives_way=True)
            self._is_alone = self._pool is None
        for job in jobs_of(kept):
            own = {each.name for each in job if each.name in trusted}
            future = self._pool.submit(_project, self._root, job, self._saved_since, own) if self._pool else None
            self._jobs.append((job, future))

    @property
    def left(self) -> int:
        """Jobs whose results were not taken yet."""
        return len(self._jobs)

    def results(self, *, waits: bool) -> Iterator[tuple[list[Kept], Sequence[Writing]]]:
        """What is done, in the order it was handed out; all of it, if need be by waiting, or what there is by now."""
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
                raise ChorusError("a worker was ended from outside, perhaps for lack of memory: try again") from error

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None


def project(vault: FileVault, kept: list[Kept], saved_since: str) -> Iterator[Writing]:
    """Each conversation as a whole."""
    for each in kept:
        yield from Opened(vault, each).writings(each, saved_since=saved_since)


def _project(root: Path, kept: list[Kept], saved_since: str, trusted: set[str]) -> bytes:
    """In a worker. It is short of cycles: to look for them takes a tenth of the time."""
    gc.disable()
    try:
        vaults = {is_trusted: FileVault(root, is_trusted=is_trusted) for is_trusted in (False, True)}
        found = (project(vaults[each.name in trusted], [each], saved_since) for each in kept)
        return encoded(list(map(packed, chain.from_iterable(found))))
    finally:
        gc.enable()
