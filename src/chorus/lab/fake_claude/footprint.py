"""What a running client leaves on disk: its session file, and its entry in the registry of live sessions."""

import os
import re
import time
from datetime import UTC, datetime
from pathlib import Path

from chorus.lab.fake_claude.lines import Line, read, write
from chorus.lab.fake_claude.naming import Naming
from chorus.lab.fake_claude.recording import Recording
from chorus.lab.fake_claude.session_lines import SessionFile
from chorus.lab.fake_claude.synthesized import uuid_of

_KEY = re.compile(r"[^A-Za-z0-9]")


def config_folder() -> Path:
    """Where the client keeps its files."""
    named = os.environ.get("CLAUDE_CONFIG_DIR")
    return Path(named) if named else Path.home() / ".claude"


class Footprint:
    """Writes below the client's folder, in the places of the present working folder."""

    def __init__(self, recording: Recording, session_id: str, naming: Naming) -> None:
        folder = str(Path.cwd())
        root = config_folder()
        self._session_id = session_id
        self._naming = naming
        self._kept = SessionFile(recording.session, session_id, folder)
        # The id may come from a recording: it is a name here, never a path.
        self._file = root / "projects" / _KEY.sub("-", folder) / f"{_KEY.sub('-', session_id) or 'session'}.jsonl"
        self._entry = root / "sessions" / f"{os.getpid()}.json"
        self._status = ""
        self._has_spoken = False
        self._facts = {"pid": os.getpid(), "sessionId": session_id, "cwd": folder, "startedAt": _now_ms()}
        for path in (self._file, self._entry):
            path.parent.mkdir(parents=True, exist_ok=True)

    def hear(self, raw: bytes) -> None:
        """Note a prompt of the caller."""
        line = read(raw)
        if line.kind == "user":
            moment = datetime.now(UTC)
            stamp = f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"
            self._append(self._kept.prompt(line.value, uuid_of(self._session_id, raw.hex(), stamp), stamp))

    def say(self, line: Line, skipped: set[str]) -> None:
        """Note a line that was said."""
        self._has_spoken = True
        self._append(self._kept.say(line, skipped))

    def tell(self, status: str) -> None:
        """Bring the registry's entry up to date, in one step, so that no reader sees half of it."""
        if status == self._status:
            return
        self._status = status
        waits = {"waitingFor": "permission prompt"} if status == "waiting" else {}
        known = {"version": "2.1.325", "kind": "interactive", "entrypoint": "sdk-cli", "statusUpdatedAt": _now_ms()}
        fresh = self._entry.with_suffix(".new")
        fresh.write_bytes(write({**self._facts, **known, "status": status, **waits}).raw.rstrip(b"\n"))
        fresh.replace(self._entry)

    def close(self, skipped: set[str], *, is_complete: bool) -> None:
        """Take the entry away, and after a whole play write what the recorded file holds at its end."""
        if self._has_spoken and is_complete:
            self._append(self._kept.close(skipped))
        self._entry.unlink(missing_ok=True)

    def _append(self, lines: list[Line]) -> None:
        if lines:
            with self._file.open("ab") as file:
                file.write(b"".join(self._naming.rename(line.raw) for line in lines))


def _now_ms() -> int:
    return int(time.time() * 1000)
