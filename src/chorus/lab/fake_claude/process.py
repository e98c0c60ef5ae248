"""The stand-in as a process: connects the player with the clock, the pipes and signals.

Standard output contains only what the client would write; messages of the stand-in itself begin with `fake-claude:` and
go to standard error.
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
from chorus.lab.fake_claude.lines import ScriptLine, Value, text_at, write
from chorus.lab.fake_claude.naming import Naming
from chorus.lab.fake_claude.output import OutputFormatter, formatter_for
from chorus.lab.fake_claude.playback import playback_of
from chorus.lab.fake_claude.player import Player
from chorus.lab.fake_claude.recording import Recording
from chorus.lab.fake_claude.script import write_script
from chorus.lab.fake_claude.settings import Settings
from chorus.lab.fake_claude.synthesized import LineBuilder, uuid_of

TERMINATED = 143
_CHUNK = 1 << 16
_LONGEST_WAIT_S = 3600.0


class StandIn:
    """One recording, one caller, one process."""

    def __init__(self, settings: Settings, asked: Invocation, recording: Recording, signals: "Signals") -> None:
        salt = os.urandom(16).hex()
        self._recording = recording
        self._asked = asked
        self._signals = signals
        script = write_script(recording)
        session_id = _session_id(asked, recording, salt)
        lines = [*recording.lines, *recording.session]
        uuids = {text_at(line.value, "uuid") for line in lines} - {
            text_at(line.value, "uuid") for line in recording.sent
        }
        self._naming = Naming(recording.session_id, session_id, () if settings.keep_ids else uuids, salt)
        playback = playback_of(
            asked,
            speed=settings.speed,
            longest_gap=settings.longest_gap,
            is_strict=settings.strict,
        )
        self._player = Player(script, playback, LineBuilder(session_id, salt))
        self._formatter: OutputFormatter = formatter_for(
            asked, has_result=any(line.kind == "result" for line in recording.lines)
        )
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
            self._receive(write(given).raw)
            self._player.end_input()
        caller_input = _Input() if self._asked.is_streaming else None
        while True:
            output = self._player.advance(time.monotonic())
            for line in output.lines:
                self._emit(line)
            sys.stdout.buffer.flush()
            if self._footprint is not None:
                self._footprint.set_status(self._player.status)
            if output.code is not None:
                return self._leave(output.code, output.stderr)
            self._wait(caller_input, output.wake)
            if self._signals.has(signal.SIGTERM):
                return TERMINATED
            if self._signals.has(signal.SIGINT):
                self._player.stop()

    def _wait(self, caller_input: "_Input | None", wake: float | None) -> None:
        """Waits until the caller sends something, a signal arrives, or it is time."""
        inputs = [] if caller_input is None or caller_input.is_over else [caller_input.descriptor]
        left = _LONGEST_WAIT_S if wake is None else max(0.0, wake - time.monotonic())
        ready, _, _ = select.select([*inputs, self._signals.descriptor], [], [], min(left, _LONGEST_WAIT_S))
        if caller_input is None or caller_input.descriptor not in ready:
            return
        for raw in caller_input.lines():
            self._receive(raw)
        if caller_input.is_over:
            self._player.end_input()

    def _receive(self, raw: bytes) -> None:
        self._player.receive(raw)
        if self._footprint is not None:
            self._footprint.receive(raw)

    def _emit(self, line: ScriptLine) -> None:
        named = ScriptLine(self._naming.rename(line.raw), line.value)
        sys.stdout.buffer.write(self._formatter.add(named))
        if self._footprint is not None:
            self._footprint.add(line, self._player.skipped)

    def _leave(self, code: int, stderr: str) -> int:
        sys.stdout.buffer.write(self._formatter.close())
        sys.stdout.buffer.flush()
        then = self._recording
        if stderr:
            write_stderr(stderr.encode(errors="replace"))
            return code
        write_stderr(then.stderr)
        if then.unread and self._asked.output_format == STREAM:
            write_stderr(
                f"fake-claude: lines of the recording that are no JSON, written as they are: {then.unread}\n".encode()
            )
        if not self._player.is_complete or self._signals.has(signal.SIGINT):
            return code
        if then.code is not None:
            return _end_as(then.code)
        return 1 if then.stderr and not then.lines else code


class _Input:
    """The caller's lines."""

    def __init__(self) -> None:
        self.descriptor = sys.stdin.fileno()
        self.is_over = False
        self._rest = b""

    def lines(self) -> Iterator[bytes]:
        """Yields the lines that have arrived; after the end also the last one without a line end."""
        chunk = os.read(self.descriptor, _CHUNK)
        *whole, self._rest = (self._rest + chunk).split(b"\n")
        yield from whole
        if not chunk:
            self.is_over = True
            yield self._rest


class Signals:
    """Makes it possible to wait for SIGINT and SIGTERM."""

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
    """Returns the session id to use: the requested one, a new one for a fork, else the recorded one."""
    if asked.session_id:
        return asked.session_id
    if "fork-session" in asked.given and (asked.resume or asked.continues):
        return uuid_of(salt, "session")
    return asked.resume or recording.session_id


def write_stderr(text: bytes) -> None:
    """Writes to standard error, if it is open."""
    # A caller may have closed the pipe it does not read.
    with contextlib.suppress(OSError):
        sys.stderr.buffer.write(text)
        sys.stderr.buffer.flush()


def _end_as(code: int) -> int:
    """Returns the recorded exit code; for a negative one, ends by the signal that killed the client."""
    if code >= 0:
        return code & 0xFF
    with contextlib.suppress(OSError, ValueError):
        number = signal.Signals(-code)
        if number is not signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    return 1


def _silence_output() -> None:
    """Redirects standard output to nowhere, so that the interpreter's last flush cannot fail."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, sys.stdout.fileno())
    os.close(nothing)
