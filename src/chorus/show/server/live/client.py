"""One socket's share of what is told: a queue with bounds. Knows no network, so that its rules can be tested alone."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence

from msgspec import Struct

from chorus.show.server.edge.limits import Limits


class Outgoing(Struct, eq=False):
    """A frame as it is sent: made once, shared by all sockets."""

    text: str
    size_bytes: int
    seq: int | None = None
    """The place of the feed after it, if it is a step of the feed."""
    key: str | None = None
    """Frames of one key replace each other."""
    is_standing: bool = False
    """Whether it tells how things stand, by itself: then it holds whatever was left out before it."""


class Client:
    """What waits to be sent to one socket."""

    def __init__(self, login: str, limits: Limits, seq: int, gap: Callable[[int, int], Outgoing]) -> None:
        """`seq`: the place where it begins; `gap` makes the frame that stands for those left out."""
        self.login = login
        self.follows: frozenset[str] = frozenset()
        self.ending: int | None = None
        """The code to close with, once it is to end."""
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
        """Queue frames that belong together; where there is no room for all, everything becomes one gap."""
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
            self._leave_out([frame for frame in fresh if frame.is_standing])
            return
        for frame in fresh:
            self._add(frame)
        self._wake.set()

    def restart(self, frame: Outgoing, seq: int) -> None:
        """No step of the feed that waits means anything any more: begin again from `seq` with this frame."""
        self._sent_seq = self._last_seq = seq
        self._begin_with(frame)

    def end(self, code: int) -> None:
        """Send nothing more, and close."""
        self.ending = self.ending or code
        self._wake.set()

    async def next(self) -> Outgoing | None:
        """The frame to send now; None when it is time to close."""
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
        """The frame is on its way: somebody reads."""
        self._moved_at = asyncio.get_running_loop().time()
        if not self._queue:
            self._has_gap = False

    @property
    def is_idle(self) -> bool:
        """Whether all is sent."""
        return not self._queue

    @property
    def is_stalled(self) -> bool:
        """Whether frames were left out, and it takes none all the same."""
        return self._has_gap and asyncio.get_running_loop().time() - self._moved_at > self.limits.stalled_s

    def _leave_out(self, standing: Sequence[Outgoing]) -> None:
        self._begin_with(self._gap(self._sent_seq, self._last_seq), standing)
        self._has_gap = True

    def _begin_with(self, frame: Outgoing, standing: Sequence[Outgoing] = ()) -> None:
        """In place of all that waits, but for what stands by itself."""
        kept = [frame, *(each for each in self._queue if each.is_standing), *standing]
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
