"""The bounded queue of frames for one socket. It does no I/O, so that its rules can be tested alone."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence

from msgspec import Struct

from chorus.show.server.edge.limits import Limits


class Outgoing(Struct, eq=False):
    """An encoded frame: encoded once and shared by all sockets."""

    text: str
    size_bytes: int
    seq: int | None = None
    """The number in the change feed that a reader has reached with this frame; None if it is no step of the feed."""
    key: str | None = None
    """A new frame replaces a queued frame with the same key."""
    is_snapshot: bool = False
    """Whether it contains a complete state: then it is valid even if frames before it were left out."""


class Client:
    """The frames that wait to be sent to one socket."""

    def __init__(self, login: str, limits: Limits, seq: int, gap: Callable[[int, int], Outgoing]) -> None:
        """`seq`: the number in the change feed to begin at; `gap` builds the frame that replaces frames left out."""
        self.login = login
        self.follows: frozenset[str] = frozenset()
        self.ending: int | None = None
        """The close code, as soon as the socket is to be closed."""
        self.limits = limits
        self._gap = gap
        self._queue: deque[Outgoing] = deque()
        self._by_key: dict[str, Outgoing] = {}
        self._bytes = 0
        self._sent_seq = self._last_seq = seq
        self._has_gap = False
        self._wake = asyncio.Event()
        self._moved_at = asyncio.get_running_loop().time()

    def offer(self, frames: Sequence[Outgoing]) -> None:
        """Queues frames that belong together. If there is no room for all of them, one gap replaces the whole queue."""
        fresh: list[Outgoing] = []
        for frame in frames:
            waiting = self._by_key.get(frame.key) if frame.key else None
            if waiting is None:
                fresh.append(frame)
            else:
                self._bytes += frame.size_bytes - waiting.size_bytes
                self._queue[self._queue.index(waiting)] = frame
                self._by_key[frame.key or ""] = frame
        self._last_seq = max([self._last_seq, *(frame.seq for frame in fresh if frame.seq is not None)])
        size = sum(frame.size_bytes for frame in fresh)
        is_full = len(self._queue) + len(fresh) > self.limits.queue_frames
        if is_full or self._bytes + size > self.limits.queue_bytes:
            self._leave_out([frame for frame in fresh if frame.is_snapshot])
            return
        for frame in fresh:
            self._add(frame)
        self._wake.set()

    def restart(self, frame: Outgoing, seq: int) -> None:
        """Drops all queued steps of the change feed, which are no longer valid; begins again at `seq` with `frame`."""
        self._sent_seq = self._last_seq = seq
        self._begin_with(frame)

    def end(self, code: int) -> None:
        """Sends no more frames, and closes the socket with `code`."""
        self.ending = self.ending or code
        self._wake.set()

    async def next(self) -> Outgoing | None:
        """Waits for and returns the next frame to send; returns None when the socket is to be closed."""
        while not self._queue and self.ending is None:
            self._wake.clear()
            await self._wake.wait()
        if self.ending is not None:
            return None
        frame = self._queue.popleft()
        self._bytes -= frame.size_bytes
        if frame.key:
            self._by_key.pop(frame.key, None)
        if frame.seq is not None:
            self._sent_seq = frame.seq
        return frame

    def sent(self) -> None:
        """Notes that the last frame was sent, so the other side is reading."""
        self._moved_at = asyncio.get_running_loop().time()
        if not self._queue:
            self._has_gap = False

    @property
    def is_idle(self) -> bool:
        """Whether the queue is empty."""
        return not self._queue

    @property
    def is_stalled(self) -> bool:
        """Whether frames were left out and the other side still reads none."""
        return self._has_gap and asyncio.get_running_loop().time() - self._moved_at > self.limits.stalled_s

    def _leave_out(self, snapshots: Sequence[Outgoing]) -> None:
        self._begin_with(self._gap(self._sent_seq, self._last_seq), snapshots)
        self._has_gap = True

    def _begin_with(self, frame: Outgoing, snapshots: Sequence[Outgoing] = ()) -> None:
        """Replaces the queue by `frame`, the snapshots that were queued, and `snapshots`."""
        kept = [frame, *(each for each in self._queue if each.is_snapshot), *snapshots]
        self._queue.clear()
        self._by_key.clear()
        self._bytes = 0
        self._has_gap = False
        for each in kept:
            self._add(each)
        self._wake.set()

    def _add(self, frame: Outgoing) -> None:
        self._queue.append(frame)
        self._bytes += frame.size_bytes
        if frame.key:
            self._by_key[frame.key] = frame
