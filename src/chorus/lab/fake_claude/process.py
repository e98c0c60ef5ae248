"""The stand-in as a process: the one module that reads the clock, the pipes and signals.

Standard output carries what the client would say and nothing else; words of the stand-in itself begin with
`fake-claude:` and go to standard error.
"""

import contextlib
import os
import select
import signal
import sys
import time
from collections.abc import Iterator
from typing import Self

from chorus.lab.fake_claude.arguments import STREAM, Invocation
from chorus.lab.fake_claude.footprint import Footprint
from chorus.lab.fake_claude.lines import Line, Value, words, write
from chorus.lab.fake_claude.naming import Naming
from chorus.lab.fake_claude.output import Voice, voice_of
from chorus.lab.fake_claude.playback import manner_of
from chorus.lab.fake_claude.player import Player
from chorus.lab.fake_claude.recording import Recording
from chorus.lab.fake_claude.script import write_script
from chorus.lab.fake_claude.settings import Settings
from chorus.lab.fake_claude.synthesized import Author, uuid_of

TERMINATED = 143
_CHUNK = 1 << 16
_LONGEST_WAIT_S = 3600.0


class Performance:
    """One recording, one caller, one process."""

    def __init__(self, settings: Settings, asked: Invocation, recording: Recording, signals: "Signals") -> None:
        salt = os.urandom(16).hex()
        self._recording = recording
        self._asked = asked
        self._signals = signals
        script = write_script(recording)
        session_id = _session_id(asked, recording, salt)
        lines = [*recording.lines, *recording.session]
        uuids = {words(line.value, "uuid") for line in lines} - {words(line.value, "uuid") for line in recording.sent}
        self._naming = Naming(recording.session_id, session_id, () if settings.keep_ids else uuids, salt)
        manner = manner_of(
            asked,
            speed=settings.speed,
            longest_gap=settings.longest_gap,
            is_strict=settings.strict,
        )
        self._player = Player(script, manner, Author(session_id, salt))
        self._voice: Voice = voice_of(asked, has_result=any(line.kind == "result" for line in recording.lines))
        self._footprint: Footprint | None = None
        if settings.write_session and "no-session-persistence" not in asked.given:
            self._footprint = Footprint(recording, session_id, self._naming)

    def play(self, given: Value) -> int:
        try:
            return self._play(given)
        except BrokenPipeError:
            _silence_output()
            return 1
        finally:
            if self._footprint is not None:
                self._footprint.close(self._player.skipped, is_complete=self._player.is_complete)

    def _play(self, given: Value) -> int:
        if not self._asked.is_streaming:
            self._hear(write(given).raw)
            self._player.end_input()
        listening = _Listening() if self._asked.is_streaming else None
        while True:
            saying = self._player.advance(time.monotonic())
            for line in saying.lines:
                self._say(line)
            sys.stdout.buffer.flush()
            if self._footprint is not None:
                self._footprint.tell(self._player.status)
            if saying.code is not None:
                return self._leave(saying.code, saying.complaint)
            self._wait(listening, saying.wake)
            if self._signals.has(signal.SIGTERM):
                return TERMINATED
            if self._signals.has(signal.SIGINT):
                self._player.stop()

    def _wait(self, listening: "_Listening | None", wake: float | None) -> None:
        """Until the caller says something, a signal comes, or it is time."""
        heard = [] if listening is None or listening.is_over else [listening.descriptor]
        left = _LONGEST_WAIT_S if wake is None else max(0.0, wake - time.monotonic())
        ready, _, _ = select.select([*heard, self._signals.descriptor], [], [], min(left, _LONGEST_WAIT_S))
        if listening is None or listening.descriptor not in ready:
            return
        for raw in listening.lines():
            self._hear(raw)
        if listening.is_over:
            self._player.end_input()

    def _hear(self, raw: bytes) -> None:
        self._player.hear(raw)
        if self._footprint is not None:
            self._footprint.hear(raw)

    def _say(self, line: Line) -> None:
        named = Line(self._naming.rename(line.raw), line.value)
        sys.stdout.buffer.write(self._voice.say(named))
        if self._footprint is not None:
            self._footprint.say(line, self._player.skipped)

    def _leave(self, code: int, complaint: str) -> int:
        sys.stdout.buffer.write(self._voice.close())
        sys.stdout.buffer.flush()
        then = self._recording
        if complaint:
            complain(complaint.encode(errors="replace"))
            return code
        complain(then.complaint)
        if then.unread and self._asked.output_format == STREAM:
            complain(
                f"fake-claude: lines of the recording that are no JSON, said as they are: {then.unread}\n".encode()
            )
        if not self._player.is_complete or self._signals.has(signal.SIGINT):
            return code
        if then.code is not None:
            return _end_as(then.code)
        return 1 if then.complaint and not then.lines else code


class _Listening:
    """The caller's lines."""

    def __init__(self) -> None:
        self.descriptor = sys.stdin.fileno()
        self.is_over = False
        self._rest = b""

    def lines(self) -> Iterator[bytes]:
        """The lines that have come; after the end also one that lacks its line end."""
        chunk = os.read(self.descriptor, _CHUNK)
        *whole, self._rest = (self._rest + chunk).split(b"\n")
        yield from whole
        if not chunk:
            self.is_over = True
            yield self._rest


class Signals:
    """SIGINT and SIGTERM as something that can be waited for."""

    def __init__(self) -> None:
        self._came: set[int] = set()

    def __enter__(self) -> Self:
        self.descriptor, self._writing = os.pipe()
        os.set_blocking(self._writing, False)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._note)
        signal.set_wakeup_fd(self._writing, warn_on_full_buffer=False)
        return self

    def __exit__(self, *_: object) -> None:
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        os.close(self.descriptor)
        os.close(self._writing)

    def has(self, number: int) -> bool:
        return number in self._came

    def _note(self, number: int, _frame: object) -> None:
        self._came.add(number)


def _session_id(asked: Invocation, recording: Recording, salt: str) -> str:
    """The id to speak under: the one asked for, a fresh one for a fork, else the recorded one."""
    if asked.session_id:
        return asked.session_id
    if "fork-session" in asked.given and (asked.resume or asked.continues):
        return uuid_of(salt, "session")
    return asked.resume or recording.session_id


def complain(text: bytes) -> None:
    """Write to standard error, if anybody listens."""
    # A caller may have closed the pipe it does not read.
    with contextlib.suppress(OSError):
        sys.stderr.buffer.write(text)
        sys.stderr.buffer.flush()


def _end_as(code: int) -> int:
    """The recorded exit code; a negative one is the signal that killed the client."""
    if code >= 0:
        return code & 0xFF
    with contextlib.suppress(OSError, ValueError):
        number = signal.Signals(-code)
        if number is not signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    return 1


def _silence_output() -> None:
    """Nobody reads any more: let the interpreter's last flush have nowhere to fail."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, sys.stdout.fileno())
    os.close(nothing)
