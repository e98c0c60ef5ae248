"""Counts many files on several cores.

Workers are spawned, so that it works the same on all systems. Only short work is shared with a forked copy of this
process where that is safe, because a new interpreter would take as long to start. Each worker takes chunks of files and
returns one small count; counts are merged. Small input, or a pipe, is counted in this process.
"""

import heapq
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, Self, TypeVar

from chorus.base.pool import open_pool
from chorus.errors import ChorusError, SourceUnreadable
from chorus.lab.census import forked

if TYPE_CHECKING:
    # A worker starts by importing this module: imports that only counting or pools need are done where they are used.
    from concurrent.futures import Future, ProcessPoolExecutor

    from chorus.keep.sources.reading import Advance

SMALL_BYTES = 24 << 20
"""For less than this, starting workers (0.2 s) takes longer than they save."""
MAX_WORKERS: int = 2
"""Each worker has its own interpreter: with two, the memory limit that is promised (200 MB) is met on any machine."""
SHARED_BYTES = 32 << 20
"""Below this, short work ends before a worker could start."""
SPAWNED_BYTES = 128 << 20
"""The same limit if the worker is a new interpreter."""
CHUNK_BYTES = 8 << 20
"""The approximate size of a chunk of files: small enough to show progress and to stop soon."""

_ENDED = "a worker process was killed, perhaps for lack of memory: try fewer files"


class Countable(Protocol):
    """Something that can be counted in parts: created empty, given streams one by one, merged; it must survive
    pickling.
    """

    def __init__(self) -> None: ...

    def take(self, name: str, advance: "Advance | None" = None) -> None:
        """Counts one stream; if that fails, raises `SourceUnreadable` and counts nothing of it."""

    def merge(self, other: Self) -> None: ...


C = TypeVar("C", bound=Countable)
Failed = Callable[[SourceUnreadable], None]
"""Called with each stream that could not be read to its end; the others are still counted."""


def count(kind: type[C], names: Sequence[str], *, advance: "Advance", failed: Failed) -> C:
    """Counts all streams; calls `advance` with the number of bytes that are done."""
    sizes = {name: _size(name) for name in names}
    if _is_shared(sizes, SMALL_BYTES):
        return _count_on(_workers(sizes), kind, sizes, advance, failed)
    return _count_here(kind, names, advance, failed)


def count_quickly(kind: type[C], names: Sequence[str], *, advance: "Advance", failed: Failed) -> C:
    """Like `count`, for work that takes no longer than the start of a worker: this process works too."""
    sizes = {name: _size(name) for name in names}
    if forked.is_safe() and _is_shared(sizes, SHARED_BYTES):
        return _share(kind, sizes, advance, failed)
    if _is_shared(sizes, SPAWNED_BYTES):
        return _count_on(_workers(sizes), kind, sizes, advance, failed)
    return _count_here(kind, names, advance, failed)


def chunks_of(sizes: dict[str, int], number: int) -> list[list[str]]:
    """Returns at most `number` chunks of similar size, largest files first; every name is in exactly one of them."""
    chunks: list[list[str]] = [[] for _ in range(max(1, min(number, len(sizes))))]
    loads = [(0, n) for n in range(len(chunks))]
    for name in sorted(sizes, key=lambda name: (-sizes[name], name)):
        load, n = heapq.heappop(loads)
        chunks[n].append(name)
        heapq.heappush(loads, (load + sizes[name], n))
    return [chunk for chunk in chunks if chunk]


def _count_here(kind: type[C], names: Sequence[str], advance: "Advance | None", failed: Failed) -> C:
    total = kind()
    _count_into(total, names, advance, failed)
    return total


def _count_into(total: Countable, names: Sequence[str], advance: "Advance | None", failed: Failed) -> None:
    for name in names:
        try:
            total.take(name, advance)
        except SourceUnreadable as error:
            failed(error)


def _count_on(workers: int, kind: type[C], sizes: dict[str, int], advance: "Advance", failed: Failed) -> C:
    from concurrent.futures.process import BrokenProcessPool

    pool = open_pool(workers)
    if pool is None:
        return _count_here(kind, list(sizes), advance, failed)
    total = kind()
    chunks = chunks_of(sizes, max(workers * 2, sum(sizes.values()) // CHUNK_BYTES))
    try:
        with pool:
            jobs = {pool.submit(_work, kind, chunk): sum(sizes[name] for name in chunk) for chunk in chunks}
            for part, errors in _results(pool, jobs, advance):
                total.merge(part)
                for error in errors:
                    failed(SourceUnreadable(error))
    except BrokenProcessPool as error:
        raise ChorusError(_ENDED) from error
    return total


def _share(kind: type[C], sizes: dict[str, int], advance: "Advance", failed: Failed) -> C:
    """Counts in this process and in a copy of it; both take chunks until none is left."""
    chunks = chunks_of(sizes, max(4, min(sum(sizes.values()) // CHUNK_BYTES, forked.MAX_PARTS)))
    here = os.getpid()

    def work(numbers: Iterator[int]) -> tuple[C, list[str], int]:
        total, errors, done = kind(), list[str](), 0
        for number in numbers:
            _count_into(total, chunks[number], None, lambda error: errors.append(str(error)))
            size_bytes = sum(sizes[name] for name in chunks[number])
            done += size_bytes
            if os.getpid() == here:
                advance(size_bytes)
        return total, errors, done

    try:
        (total, errors, _), (part, others, done) = forked.shared(len(chunks), work)
    except forked.CopyEnded as error:
        raise ChorusError(_ENDED) from error
    advance(done)
    total.merge(part)
    for error in errors + others:
        failed(SourceUnreadable(error))
    return total


def _results(
    pool: "ProcessPoolExecutor", jobs: "dict[Future[tuple[C, list[str]]], int]", advance: "Advance"
) -> Iterator[tuple[C, list[str]]]:
    """Yields the results of the workers as they come; if the caller stops, chunks that did not start are cancelled."""
    try:
        from concurrent.futures import as_completed

        for job in as_completed(list(jobs)):
            # Removed, so that a result is freed after it was merged.
            size_bytes = jobs.pop(job)
            yield job.result()
            advance(size_bytes)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _work(kind: type[C], names: Sequence[str]) -> tuple[C, list[str]]:
    """Counts one chunk, in a worker. Errors are returned as text, because not every exception survives pickling."""
    errors: list[str] = []
    part = _count_here(kind, names, None, lambda error: errors.append(str(error)))
    return part, errors


def _is_shared(sizes: dict[str, int], least_bytes: int) -> bool:
    """Whether to use workers: enough work, several cores, and only regular files."""
    from chorus.keep.sources.reading import is_regular

    return _workers(sizes) > 1 and sum(sizes.values()) >= least_bytes and all(map(is_regular, sizes))


def _workers(sizes: dict[str, int]) -> int:
    return min(MAX_WORKERS, os.cpu_count() or 1, len(sizes))


def _size(name: str) -> int:
    try:
        return Path(name).stat().st_size
    except OSError:
        return 0
