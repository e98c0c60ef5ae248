"""Many files counted on several cores.

Workers are spawned, so that it works alike on all systems; only quick work is shared with a copy of this process where
that is safe, because a new interpreter takes as long to start. Each takes chunks of files and gives back one small
count, and counts are merged. What is small, or comes through a pipe, is counted here and now.
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
    # A worker begins with loading this module: what only the counting needs is left to that, and pools to their users.
    from concurrent.futures import Future, ProcessPoolExecutor

    from chorus.keep.sources.reading import Advance

SMALL_BYTES = 24 << 20
"""Below this, starting workers (0.2 s) takes longer than they save."""
MAX_WORKERS: int = 2
"""Each worker has its own interpreter: with two, the memory promise (200 MB) holds on any machine."""
SHARED_BYTES = 32 << 20
"""Below this, quick work is over before a worker that would take part in it has started."""
SPAWNED_BYTES = 128 << 20
"""The same where the worker is a new interpreter."""
CHUNK_BYTES = 8 << 20
"""Files are handed out in chunks of about this size: small enough to show progress and to stop soon."""

_ENDED = "a worker process was ended from outside, perhaps for lack of memory: try fewer files"


class Count(Protocol):
    """What can be counted in parts: made empty, given streams one by one, merged; it must survive pickling."""

    def __init__(self) -> None: ...

    def take(self, name: str, advance: "Advance | None" = None) -> None:
        """Count one stream; raises `SourceUnreadable` when that fails, and then counts nothing of it."""

    def merge(self, other: Self) -> None: ...


C = TypeVar("C", bound=Count)
Failed = Callable[[SourceUnreadable], None]
"""Told of each stream that could not be read to its end; the others are counted all the same."""


def count(kind: type[C], names: Sequence[str], *, advance: "Advance", failed: Failed) -> C:
    """Count all streams; `advance` is told of the bytes that are done."""
    sizes = {name: _size(name) for name in names}
    if _is_shared(sizes, SMALL_BYTES):
        return _count_on(_workers(sizes), kind, sizes, advance, failed)
    return _count_here(kind, names, advance, failed)


def count_quickly(kind: type[C], names: Sequence[str], *, advance: "Advance", failed: Failed) -> C:
    """As `count`, for work that takes no longer than the start of a worker: this process does its share meanwhile."""
    sizes = {name: _size(name) for name in names}
    if forked.is_safe() and _is_shared(sizes, SHARED_BYTES):
        return _share(kind, sizes, advance, failed)
    if _is_shared(sizes, SPAWNED_BYTES):
        return _count_on(_workers(sizes), kind, sizes, advance, failed)
    return _count_here(kind, names, advance, failed)


def chunks_of(sizes: dict[str, int], number: int) -> list[list[str]]:
    """At most `number` chunks of about the same size, the largest files first; every name in exactly one of them."""
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


def _count_into(total: Count, names: Sequence[str], advance: "Advance | None", failed: Failed) -> None:
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
    """This process and a copy of it take chunk after chunk until none is left."""
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
    """What the workers give back, as it comes; when nobody wants more, chunks not yet begun are called off."""
    try:
        from concurrent.futures import as_completed

        for job in as_completed(list(jobs)):
            # Taken out, so that a result lives no longer than its merging.
            size_bytes = jobs.pop(job)
            yield job.result()
            advance(size_bytes)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _work(kind: type[C], names: Sequence[str]) -> tuple[C, list[str]]:
    """In a worker: one chunk. Errors travel as text, since not every exception survives pickling."""
    errors: list[str] = []
    part = _count_here(kind, names, None, lambda error: errors.append(str(error)))
    return part, errors


def _is_shared(sizes: dict[str, int], least_bytes: int) -> bool:
    """Whether work is handed to workers: so much of it, on several cores, and all of it files that they can open."""
    from chorus.keep.sources.reading import is_regular

    return _workers(sizes) > 1 and sum(sizes.values()) >= least_bytes and all(map(is_regular, sizes))


def _workers(sizes: dict[str, int]) -> int:
    return min(MAX_WORKERS, os.cpu_count() or 1, len(sizes))


def _size(name: str) -> int:
    try:
        return Path(name).stat().st_size
    except OSError:
        return 0
