"""Runs a command with a controlling terminal of its own and types into that terminal."""

import os
import pty
import select
import signal
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
PATIENCE_S = 60


def at_a_terminal(*arguments, typed=(), environment=None, stdin=None, kind="dumb"):
    """Runs `chorus …` at a terminal and returns the exit code and all output.

    Each of `typed` is a pair: the text to wait for, and the text to type then. In place of the text to type, the pair
    may have a function that returns this text, or None if nothing is to be typed. `kind` is the value of TERM.
    """
    child, terminal = pty.fork()
    if child == 0:
        # SIGINT is ignored if the tests were started in the background, and the child inherits that. At a terminal it
        # is never ignored.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        if stdin is not None:
            os.dup2(os.open(stdin, os.O_RDONLY), 0)
        given = {name: value for name, value in os.environ.items() if name != "CHORUS_RUN"}
        given |= (environment or {}) | {"TERM": kind}
        os.execve(sys.executable, [sys.executable, "-m", "chorus", *map(str, arguments)], given)
    seen = b""
    waiting = list(typed)
    searched = 0
    until = time.monotonic() + PATIENCE_S
    try:
        while True:
            ready, _, _ = select.select([terminal], [], [], max(0, until - time.monotonic()))
            if not ready:
                os.kill(child, signal.SIGKILL)
                raise AssertionError(f"nothing happened after {seen!r}")
            try:
                piece = os.read(terminal, 10_000)
            except OSError:
                break
            if not piece:
                break
            seen += piece
            while waiting and (found := seen.find(waiting[0][0].encode(), searched)) >= 0:
                searched = found + len(waiting[0][0])
                _, answer = waiting.pop(0)
                answer = answer() if callable(answer) else answer
                if answer is not None:
                    os.write(terminal, answer if isinstance(answer, bytes) else f"{answer}\n".encode())
    finally:
        os.close(terminal)
        _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), seen.decode("utf-8", "replace").replace("\r\n", "\n")
