"""Calls `systemctl`, `launchctl` and the hook program, by argument list and never through a shell."""

import shutil
import subprocess
from collections.abc import Sequence

from msgspec import Struct

_PATIENCE_S = 30


class ProgramOutput(Struct, frozen=True):
    """The output of a program; `code` is None if it is missing or did not answer in time."""

    code: int | None
    text: str

    @property
    def is_good(self) -> bool:
        return self.code == 0


def is_there(program: str) -> bool:
    return shutil.which(program) is not None


def call(command: Sequence[str]) -> ProgramOutput:
    """Runs a program to its end and returns its answer."""
    path = shutil.which(command[0])
    if path is None:
        return ProgramOutput(None, f"{command[0]} is not there")
    try:
        done = subprocess.run(  # noqa: S603 - an argument list of our own, no shell
            [path, *command[1:]],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PATIENCE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return ProgramOutput(None, str(error))
    return ProgramOutput(done.returncode, (done.stdout.strip() or done.stderr.strip()))
