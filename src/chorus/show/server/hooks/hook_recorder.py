"""What hooks were given, kept: the bytes as they came, in the stream `hooks` of their conversation."""

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
MAX_HELD = 1_000


class HookRecorder:
    """Appends to one vault; may be used from several threads.

    A session that was opened and never spoken in has no conversation, and a hook makes none: what comes before the
    first word is held until there is one.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._vault = FileVault(root)
        self._mutex = threading.Lock()
        self._run_watcher: deque[tuple[Event, bytes]] = deque(maxlen=MAX_HELD)

    def keep(self, event: Event, data: bytes) -> None:
        """Keep what a hook was given, durably, unless its conversation is not to be kept. Failing is logged alone."""
        with self._mutex:
            waiting = [*self._run_watcher, (event, data)]
            self._run_watcher.clear()
            for each in waiting:
                if not self._has_kept(*each):
                    self._run_watcher.append(each)

    def close(self) -> None:
        with contextlib.suppress(ChorusError):
            self._vault.close()

    def name_of(self, session: str) -> str | None:
        """The conversation that a session is; None when nothing of it is kept yet. `session` is of an id's form."""
        return name_of(self._root, session)

    def _has_kept(self, event: Event, data: bytes) -> bool:
        """Whether nothing is left to do: not where the conversation is not there yet."""
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
