"""Show long output in a pager if standard output is a terminal, as git does.

The pager is `$CHORUS_PAGER`, else `$PAGER`, else `less`, which exits at once if everything fits on the screen. No pager
is used in a pipe, on a terminal that cannot move its cursor, or if the variable is empty or `cat`.
"""

import functools
import io
import os
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TextIO, cast

import click

from chorus.cli.main import NO_PAGER

if TYPE_CHECKING:
    from subprocess import Popen

_VARIABLES = ("CHORUS_PAGER", "PAGER")
_USUAL = "less"
_SHELL = "|&;<>$`"
_SETTINGS = {"LESS": "FRX", "LV": "-c"}
"""Defaults: exit if everything fits, show colours, leave the text on the screen. Variables that are set win."""


def paged(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--no-pager` to a command and send its output through the pager. Must be the innermost decorator."""

    @functools.wraps(command)
    def inside(*arguments: Any, no_pager: bool, **options: Any) -> Any:
        is_wanted = not no_pager and not click.get_current_context().meta.get(NO_PAGER)
        with paging(pager_command() if is_wanted else None):
            return command(*arguments, **options)

    return click.option("--no-pager", is_flag=True, help="Do not use a pager.")(inside)


def pager_command() -> list[str] | None:
    """Return the command of the pager for standard output; None if no pager is to be used.

    The variable is not passed to a shell: a value with shell syntax means no pager.
    """
    if not sys.stdout.isatty() or os.environ.get("TERM", "dumb") in ("dumb", ""):
        return None
    import shlex
    import shutil

    named = next((os.environ[name] for name in _VARIABLES if name in os.environ), _USUAL)
    try:
        command = shlex.split(named)
    except ValueError:
        return None
    is_for_a_shell = any(sign in named for sign in _SHELL)
    if command in ([], ["cat"]) or is_for_a_shell or shutil.which(command[0]) is None:
        return None
    return command


@contextmanager
def paging(command: list[str] | None) -> Generator[None, None, None]:
    """Send standard output to the pager inside the `with` block, and standard error as well once there is output.

    If the person quits the pager early, the block ends without an error. Ctrl-C also ends the block; the pager stays
    open until the person quits it.
    """
    if command is None:
        yield
        return
    pager = _Pager(command)
    terminal, errors = sys.stdout, sys.stderr
    out = _ToPager(pager, terminal)
    terminal.flush()
    sys.stdout = out
    if errors.isatty():
        sys.stderr = cast("TextIO", _ErrorsToPager(pager, errors, out))
    try:
        with suppress(BrokenPipeError):
            try:
                yield
            except KeyboardInterrupt:
                # After Ctrl-C, the output that was not shown yet is dropped.
                raise
            except BaseException:
                out.flush()
                raise
            out.flush()
    finally:
        sys.stdout, sys.stderr = terminal, errors
        pager.end()


class _Pager(io.RawIOBase):
    """The pager process. It starts when the first bytes are written."""

    def __init__(self, command: list[str]) -> None:
        self._command = command
        self._process: Popen[bytes] | None = None
        self._is_over = False

    @property
    def has_begun(self) -> bool:
        return self._process is not None

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        if self._is_over:
            # The person has quit the pager: drop the rest.
            return len(data)
        into = self._begun().stdin
        assert into is not None
        return into.write(data)

    def end(self) -> None:
        """Close the input of the pager and wait until the person quits it."""
        self._is_over = True
        process = self._process
        if process is None:
            return
        assert process.stdin is not None
        with suppress(OSError):
            process.stdin.close()
        while True:
            try:
                process.wait()
            except KeyboardInterrupt:
                # Ctrl-C is for the pager here.
                continue
            return

    def _begun(self) -> "Popen[bytes]":
        if self._process is None:
            import subprocess

            self._process = subprocess.Popen(  # noqa: S603 - the user chose this command
                self._command, stdin=subprocess.PIPE, bufsize=0, env=_SETTINGS | dict(os.environ)
            )
        return self._process


class _ToPager(io.TextIOWrapper):
    """Standard output through a pager. Code that draws still sees the terminal."""

    def __init__(self, pager: _Pager, terminal: Any) -> None:
        super().__init__(io.BufferedWriter(pager), encoding=terminal.encoding, errors=terminal.errors)
        self._terminal = terminal

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._terminal.fileno()


class _ErrorsToPager:
    """Standard error: the terminal until there is output, then the pager, because it owns the screen."""

    def __init__(self, pager: _Pager, errors: Any, out: _ToPager) -> None:
        self._pager = pager
        self._errors = errors
        self._out = out

    def __getattr__(self, name: str) -> Any:
        return getattr(self._errors, name)

    def write(self, text: str, /) -> int:
        self.flush()
        return self._now().write(text)

    def flush(self) -> None:
        self._now().flush()

    def _now(self) -> Any:
        return self._out if self._pager.has_begun else self._errors
