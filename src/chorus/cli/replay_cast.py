"""Writes a replay as an asciicast, version 2, which asciinema and its players play."""

import contextlib
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from chorus.base.regular_files import is_special
from chorus.cli.replay_screen import Screen, redraw
from chorus.core.replay.marks import Mark
from chorus.core.replay.moments import time_ms
from chorus.core.replay.player import Player
from chorus.core.views.safe import safe_line
from chorus.errors import ChorusError

_STREAMED_S = 0.1
"""How often a text that was streamed is drawn."""


def write_cast(path: str, screen: Screen, player: Player, title: str, *, is_forced: bool) -> int:
    """Write the asciicast and return its size in bytes; `-` is standard output.

    The file appears under its name when it is complete. Raises `ChorusError` if it exists (unless `is_forced`), is a
    pipe or a device, or cannot be written; then nothing is left behind.
    """
    if path == "-":
        return sum(_print(line) for line in cast_lines(screen, player, title))
    target = Path(path)
    if is_special(target):
        raise ChorusError(f"{path}: a pipe or a device is not replaced; name a file, or use `--cast -` and a pipe")
    if target.is_dir() or (os.path.lexists(path) and not is_forced):
        raise ChorusError(f"{path}: it exists already; choose another name, or use --force to replace it")
    half: str | None = None
    size = 0
    try:
        descriptor, half = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
        with os.fdopen(descriptor, "wb") as file:
            for line in cast_lines(screen, player, title):
                size += file.write(line)
            file.flush()
            os.fsync(file.fileno())
        os.replace(half, target)  # noqa: PTH105 - one step, as `half` is a text
        half = None
    except OSError as error:
        raise ChorusError(
            f"{path}: the asciicast could not be written ({error.strerror or error}); nothing was left behind"
        ) from error
    finally:
        if half is not None:
            with contextlib.suppress(OSError):
                os.unlink(half)  # noqa: PTH108
    return size


def cast_lines(screen: Screen, player: Player, title: str) -> Iterator[bytes]:
    """Yield the lines of an asciicast: the header, then what is written to the terminal, and the marks."""
    header: dict[str, object] = {"version": 2, "width": screen.width, "height": screen.height}
    began = time_ms(player.replay.started_at)
    if began is not None and began >= 0:
        header["timestamp"] = began // 1000
    yield _encoded({**header, "title": safe_line(title), "env": {"TERM": "xterm-256color"}})
    marks: dict[int, list[Mark]] = {}
    for mark in player.replay.marks:
        marks.setdefault(mark.moment, []).append(mark)
    before: list[str] | None = None
    seconds = 0.0
    passed = player.moment.number - 1
    while True:
        number = player.moment.number
        after = screen.lines(player)
        if written := redraw(before, after):
            yield _encoded([round(seconds, 3), "o", written])
        before = after
        for each in range(passed + 1, number + 1):
            for mark in marks.get(each, ()):
                yield _encoded([round(seconds, 3), "m", safe_line(f"{mark.kind}: {mark.label}")])
        passed = number
        wait = player.seconds_to_next()
        if wait is None:
            return
        if player.replay.growths:
            wait = min(wait, _STREAMED_S)
        player.advance(max(wait, 1e-6))
        seconds += wait


def _print(line: bytes) -> int:
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()
    return len(line)


def _encoded(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
