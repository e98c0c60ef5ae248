"""Records everything that goes through the pipes of a run: every byte, in its stream, with the time of arrival.

If the vault cannot be written, the run is delayed as little as possible: the bytes wait in memory and are tried again,
and once too many wait, nothing more is read from the client.
"""

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from chorus.errors import ChorusError
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.line import StoredLine
from chorus.keep.vault.port import Vault
from chorus.steer.runs.run_folders import NOTES, STREAMS, Run

_MAX_WAITING = 64 << 20

Clock = Callable[[], str]
"""The current time in the client's format."""


class PipeRecorder:
    """Appends the bytes of a run to the vault."""

    def __init__(self, vault: Vault, run: Run, clock: Clock) -> None:
        self._vault = vault
        self._run = run
        self._clock = clock
        self._waiting: deque[tuple[StreamKey, bytes, str]] = deque()
        self._waiting_bytes = 0
        self._lengths = dict.fromkeys(STREAMS, 0)
        self.is_dirty = False
        """Whether something was recorded that would not survive a crash yet."""
        self.trouble = ""
        """Why something cannot be recorded at the moment; empty if there is no problem."""

    @property
    def is_full(self) -> bool:
        """Whether so much waits that no more should be read."""
        return self._waiting_bytes > _MAX_WAITING

    def now(self) -> str:
        return self._clock()

    def record(self, stream: str, data: bytes) -> None:
        """Records bytes of a pipe under the current session, and the time of arrival."""
        now = self._clock()
        self._lengths[stream] += len(data)
        self._append(stream, data, now)
        self.note(type="came", stream=stream, until=self._lengths[stream], at=now)

    def note(self, **fact: Any) -> None:
        """Records a fact about the run that none of its pipes contains."""
        now = self._clock()
        self._append(NOTES, msgspec.json.encode({**fact, "at": fact.get("at", now)}) + b"\n", now)

    def try_again(self) -> None:
        """Records the waiting bytes in order, as far as possible."""
        while self._waiting:
            key, data, seen_at = self._waiting[0]
            try:
                self._vault.append(key, data, seen_at=seen_at)
            except (ChorusError, OSError) as error:
                self.trouble = str(error)
                return
            self._waiting.popleft()
            self._waiting_bytes -= len(data)
            self.is_dirty = True
        self.trouble = ""

    def flush(self) -> None:
        """Makes everything recorded durable."""
        self.try_again()
        if not self.is_dirty:
            return
        try:
            self._vault.flush()
        except (ChorusError, OSError) as error:
            self.trouble = str(error)
        else:
            self.is_dirty = False

    def lines(self, stream: str, session: str, place: int) -> Iterator[StoredLine]:
        """Yields the recorded lines of a stream, starting at a place, as far as they can be read."""
        try:
            for line in self._vault.lines(self._run.key(stream, session), place):
                if isinstance(line, StoredLine):
                    yield line
        except OSError as error:
            self.trouble = self.trouble or f"{error.filename}: {error.strerror}"

    def _append(self, stream: str, data: bytes, seen_at: str) -> None:
        self._waiting.append((self._run.key(stream), data, seen_at))
        self._waiting_bytes += len(data)
        self.try_again()
