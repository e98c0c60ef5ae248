"""Records the payloads of hooks: their exact bytes, in the stream `hooks` of their conversation."""

import contextlib
import threading
from collections import deque
from datetime import UTC, datetime
from pathlib import Path

from chorus.core.records.times import wire_time
from chorus.errors import ChorusError
from chorus.keep.archive.listing import name_of
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.tombstones import is_forgotten
from chorus.show.recorder.wanted_sources import wanted
from chorus.show.server import log
from chorus.steer.hooks.payloads import Event

STREAM = "hooks"
MAX_WAITING = 1_000


class HookRecorder:
    """Appends to one vault; may be used from several threads.

    A session without any message has no conversation, and a hook creates none: payloads that arrive before the first
    message wait in memory until there is one.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._vault = FileVault(root)
        self._mutex = threading.Lock()
        self._waiting: deque[tuple[Event, bytes]] = deque(maxlen=MAX_WAITING)

    def keep(self, event: Event, data: bytes) -> None:
        """Stores a payload durably, unless its conversation is not to be recorded. A failure is only logged."""
        with self._mutex:
            waiting = [*self._waiting, (event, data)]
            self._waiting.clear()
            for each in waiting:
                if not self._is_done(*each):
                    self._waiting.append(each)

    def close(self) -> None:
        with contextlib.suppress(ChorusError):
            self._vault.close()

    def name_of(self, session: str) -> str | None:
        """Returns the conversation of a session, or None if nothing of it is recorded yet. `session` must look like an
        id."""
        return name_of(self._root, session)

    def _is_done(self, event: Event, data: bytes) -> bool:
        """Stores one payload; returns False if it has to wait because its conversation does not exist yet."""
        name = self.name_of(event.session)
        if name is None:
            return is_forgotten(self._root, event.session)
        try:
            workspace, agent, conversation = name.split("/")
            key = StreamKey(workspace, agent, conversation, STREAM)
            if wanted(self._root)(key, Path(event.transcript or event.session)):
                self._vault.tail(key)
                line = data if data.endswith(b"\n") else data + b"\n"
                self._vault.append(key, line, seen_at=wire_time(datetime.now(UTC)))
                self._vault.flush()
        except (ChorusError, ValueError) as error:
            log.logger.error("what a hook was given is not kept: %s", type(error).__name__)
        return True
