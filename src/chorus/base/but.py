"""The only module that starts `but`, the command line of GitButler.

It is a program of the person, and it runs with their environment, because it reads their settings. It never waits for
somebody: it has no terminal, a limited time and a limited output.
"""

import os
import re
import selectors
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from msgspec import Struct

from chorus.errors import GitFailed

PROGRAM = "but"
MAX_OUTPUT_BYTES = 16_000_000
VERSION_PATIENCE_S = 10.0
_VERSION = re.compile(r"(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?")
_PIECE_BYTES = 65_536
_NOT_PASSED = ("CHORUS_", "GIT_", "CLAUDE")
"""Variables that are not passed on: `but` must find the repository by its folder, and is no part of a run."""
_NO_QUESTIONS = {"GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": "false", "EDITOR": "false", "VISUAL": "false", "LC_ALL": "C"}

Version = tuple[int, int, int]


class ButOutput(Struct, frozen=True):
    """What a call of `but` printed, and its exit code."""

    code: int
    output: bytes
    error: bytes


class But(Struct, frozen=True):
    """An installed `but`."""

    program: str
    version: Version

    @property
    def version_text(self) -> str:
        return ".".join(map(str, self.version))

    def call(self, folder: Path, *arguments: str, input_bytes: bytes = b"", patience_s: float) -> ButOutput:
        """Runs `but` to its end in a folder. Raises `GitFailed` if it cannot run, takes too long or prints too much."""
        return _run([self.program, *arguments], folder, input_bytes, patience_s)


def find_but(folder: Path) -> But | None:
    """Returns the `but` on PATH with its version; None if there is none.

    A program inside `folder` is no program of the person: an agent may have written it. Raises `GitFailed` if `but`
    does not tell its version.
    """
    inside = os.path.realpath(folder)
    places = [each for each in os.environ.get("PATH", os.defpath).split(os.pathsep) if Path(each).is_absolute()]
    program = shutil.which(PROGRAM, path=os.pathsep.join(places))
    if (
        program is None
        or Path(os.path.realpath(program)).is_relative_to(inside)
        or Path(program).is_relative_to(inside)
    ):
        return None
    answer = _run([program, "--version"], Path(program).parent, b"", VERSION_PATIENCE_S)
    found = _VERSION.search(answer.output.decode("utf-8", "replace"))
    if answer.code != 0 or found is None:
        raise GitFailed(f"{program} does not tell its version")
    return But(program, (int(found[1]), int(found[2]), int(found[3] or 0)))


def _run(call: Sequence[str], folder: Path, input_bytes: bytes, patience_s: float) -> ButOutput:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(_NOT_PASSED)}
    try:
        process = subprocess.Popen(  # noqa: S603 - a list, and no shell
            call,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env={**environment, **_NO_QUESTIONS},
            start_new_session=True,
        )
    except OSError as error:
        raise GitFailed(f"{call[0]} cannot be started: {error.strerror}") from error
    try:
        return _exchange(process, " ".join(call[1:3]), input_bytes, time.monotonic() + patience_s, patience_s)
    finally:
        _end(process)


def _exchange(
    process: subprocess.Popen[bytes], words: str, input_bytes: bytes, end_s: float, patience_s: float
) -> ButOutput:
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    received: dict[IO[bytes], bytearray] = {process.stdout: bytearray(), process.stderr: bytearray()}
    left = memoryview(input_bytes)
    with selectors.DefaultSelector() as selector:
        for pipe in received:
            selector.register(pipe, selectors.EVENT_READ)
        os.set_blocking(process.stdin.fileno(), False)
        selector.register(process.stdin, selectors.EVENT_WRITE)
        while selector.get_map():
            ready = selector.select(max(0.0, end_s - time.monotonic()))
            if not ready:
                raise GitFailed(f"`but {words}` took longer than {patience_s:.0f} s and was ended")
            for key, _ in ready:
                if key.fileobj is process.stdin:
                    left = _push(process.stdin, left)
                    if not left:
                        selector.unregister(process.stdin)
                        _close(process.stdin)
                    continue
                piece = os.read(key.fd, _PIECE_BYTES)
                if not piece:
                    selector.unregister(key.fileobj)
                    continue
                buffer = received[process.stdout if key.fileobj is process.stdout else process.stderr]
                buffer += piece
                if len(buffer) > MAX_OUTPUT_BYTES:
                    raise GitFailed(f"`but {words}` printed more than {MAX_OUTPUT_BYTES // 1_000_000} MB and was ended")
    try:
        code = process.wait(max(0.1, end_s - time.monotonic()))
    except subprocess.TimeoutExpired as error:
        raise GitFailed(f"`but {words}` took longer than {patience_s:.0f} s and was ended") from error
    return ButOutput(code, bytes(received[process.stdout]), bytes(received[process.stderr]))


def _push(pipe: IO[bytes], left: memoryview) -> memoryview:
    """Writes what the pipe takes, and returns the rest; nothing is left if nobody reads any more."""
    try:
        return left[os.write(pipe.fileno(), left[:_PIECE_BYTES]) :] if left else left
    except BlockingIOError:
        return left
    except OSError:
        return memoryview(b"")


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends the program and everything that it started and that still belongs to it."""
    if process.poll() is None:
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        _close(pipe)


def _close(pipe: IO[bytes] | None) -> None:
    if pipe is not None:
        with suppress(OSError):
            pipe.close()
