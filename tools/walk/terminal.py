"""Runs a command in a terminal of a given width, or with a pipe."""

import contextlib
import errno
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence

PATIENCE_S = 300
ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-_])")


def printed(call: Sequence[str], environment: Mapping[str, str], columns: int | None) -> str:
    """Returns the output of a command on a terminal of so many columns, without colours; None means a pipe."""
    environment = {name: value for name, value in environment.items() if name not in {"COLUMNS", "LINES"}}
    if columns is None:
        done = subprocess.run(
            call, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE_S, check=False
        )
        return done.stdout.decode("utf-8", "replace")
    return ESCAPES.sub(
        "", _on_terminal(call, environment | {"TERM": "xterm-256color", "PAGER": "cat"}, columns)
    ).replace("\r\n", "\n")


def _on_terminal(call: Sequence[str], environment: Mapping[str, str], columns: int) -> str:
    ours, theirs = pty.openpty()
    try:
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        process = subprocess.Popen(
            call, env=environment, stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL, start_new_session=True
        )
        os.close(theirs)
        return _read(ours, process).decode("utf-8", "replace")
    finally:
        os.close(ours)


def _read(terminal: int, process: "subprocess.Popen[bytes]") -> bytes:
    said, until = bytearray(), time.monotonic() + PATIENCE_S
    try:
        while time.monotonic() < until:
            if not select.select([terminal], [], [], 1)[0]:
                continue
            try:
                piece = os.read(terminal, 65_536)
            except OSError as error:
                # Linux raises EIO when no process writes to the terminal any more.
                if error.errno != errno.EIO:
                    raise
                break
            if not piece:
                break
            said += piece
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill() if process.poll() is None and time.monotonic() >= until else None
        process.wait(PATIENCE_S)
    return bytes(said)
