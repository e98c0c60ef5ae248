"""Long output goes through a pager at a terminal, as git does it.

`$CHORUS_PAGER`, else `$PAGER`, else `less`, which leaves at once where all fits on the screen. Nothing is paged in a
pipe, on a terminal that cannot move its cursor, or where the variable is empty or says `cat`.
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
"""Leave where all fits, show colours, leave the text on the screen; what a person set stays."""


def paged(command: Callable[..., Any]) -> Callable[..., Any]:
    """A command with `--no-pager`; what it prints goes through the pager. The first decorator above the function."""

    @functools.wraps(command)
    def inside(*arguments: Any, no_pager: bool, **options: Any) -> Any:
        is_wanted = not no_pager and not click.get_current_context().meta.get(NO_PAGER)
        with paging(pager_command() if is_wanted else None):
            return command(*arguments, **options)

    return click.option("--no-pager", is_flag=True, help="Print everything at once.")(inside)


def pager_command() -> list[str] | None:
    """The pager to use for standard output; None where there is none, or nobody who would turn pages.

    No shell reads the variable: what only a shell could understand is no pager.
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
    """Within it, standard output goes to the pager, and so does standard error once there is output.

    A person who leaves the pager early has seen enough: what is in here ends, and that is no failure. Ctrl-C ends what
    is in here, too, and the pager stays until the person leaves it.
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
        sys.stderr = cast("TextIO", _BesidePager(pager, errors, out))
    try:
        with suppress(BrokenPipeError):
            try:
                yield
            except KeyboardInterrupt:
                # What was not shown yet is not wanted.
                raise
            except BaseException:
                out.flush()
                raise
            out.flush()
    finally:
        sys.stdout, sys.stderr = terminal, errors
        pager.end()


class _Pager(io.RawIOBase):
    """The process that shows pages; it starts with the first bytes."""

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
            # What was left when the person had seen enough.
            return len(data)
        into = self._begun().stdin
        assert into is not None
        return into.write(data)

    def end(self) -> None:
        """Tell the pager that this was all, and wait until the person leaves it."""
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
                # Meant for the pager, which takes it as it likes.
                continue
            return

    def _begun(self) -> "Popen[bytes]":
        if self._process is None:
            import subprocess

            self._process = subprocess.Popen(  # noqa: S603 - a person's own variable
                self._command, stdin=subprocess.PIPE, bufsize=0, env=_SETTINGS | dict(os.environ)
            )
        return self._process


class _ToPager(io.TextIOWrapper):
    """Standard output while a pager shows it: to everybody who draws, it is the terminal that it ends on."""

    def __init__(self, pager: _Pager, terminal: Any) -> None:
        super().__init__(io.BufferedWriter(pager), encoding=terminal.encoding, errors=terminal.errors)
        self._terminal = terminal

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._terminal.fileno()


class _BesidePager:
    """Standard error: on the terminal until there is output, then in the pager, which the terminal belongs to."""

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
