"""Writes what a running client writes on disk: its session file, and its entry in the registry of live sessions."""

import os
import re
import time
from datetime import UTC, datetime
from pathlib import Path

from chorus.lab.fake_claude.lines import ScriptLine, read, write
from chorus.lab.fake_claude.naming import Naming
from chorus.lab.fake_claude.recording import Recording
from chorus.lab.fake_claude.session_lines import SessionFile
from chorus.lab.fake_claude.synthesized import uuid_of

_KEY = re.compile(r"[^A-Za-z0-9]")


def config_folder() -> Path:
    """Returns the folder of the client's files."""
    named = os.environ.get("CLAUDE_CONFIG_DIR")
    return Path(named) if named else Path.home() / ".claude"


class Footprint:
    """Writes below the client's folder, for the current working folder."""

    def __init__(self, recording: Recording, session_id: str, naming: Naming) -> None:
        folder = str(Path.cwd())
        root = config_folder()
        self._session_id = session_id
        self._naming = naming
        self._session_file = SessionFile(recording.session, session_id, folder)
        # The id may come from a recording, so it is made safe as a file name.
        self._file = root / "projects" / _KEY.sub("-", folder) / f"{_KEY.sub('-', session_id) or 'session'}.jsonl"
        self._entry = root / "sessions" / f"{os.getpid()}.json"
        self._status = ""
        self._has_spoken = False
        self._facts = {"pid": os.getpid(), "sessionId": session_id, "cwd": folder, "startedAt": _now_ms()}
        for path in (self._file, self._entry):
            path.parent.mkdir(parents=True, exist_ok=True)

    def receive(self, raw: bytes) -> None:
        """Records a prompt of the caller."""
        line = read(raw)
        if line.kind == "user":
            moment = datetime.now(UTC)
            stamp = f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"
            self._append(self._session_file.prompt(line.value, uuid_of(self._session_id, raw.hex(), stamp), stamp))

    def add(self, line: ScriptLine, skipped: set[str]) -> None:
        """Records a line that was written to standard output."""
        self._has_spoken = True
        self._append(self._session_file.add(line, skipped))

    def set_status(self, status: str) -> None:
        """Updates the registry entry atomically, so that no reader sees half of it."""
        if status == self._status:
            return
        self._status = status
        waits = {"waitingFor": "permission prompt"} if status == "waiting" else {}
        known = {"version": "2.1.325", "kind": "interactive", "entrypoint": "sdk-cli", "statusUpdatedAt": _now_ms()}
        fresh = self._entry.with_suffix(".new")
        fresh.write_bytes(write({**self._facts, **known, "status": status, **waits}).raw.rstrip(b"\n"))
        fresh.replace(self._entry)

    def close(self, skipped: set[str], *, is_complete: bool) -> None:
        """Removes the registry entry; after a complete play, writes the rest of the recorded session file."""
        if self._has_spoken and is_complete:
            self._append(self._session_file.close(skipped))
        self._entry.unlink(missing_ok=True)

    def _append(self, lines: list[ScriptLine]) -> None:
        if lines:
            with self._file.open("ab") as file:
                file.write(b"".join(self._naming.rename(line.raw) for line in lines))


def _now_ms() -> int:
    return int(time.time() * 1000)
