"""The one door to other programs: `systemctl` and `launchctl`, called by argument list, never through a shell."""

import shutil
import subprocess
from collections.abc import Sequence

from msgspec import Struct

_PATIENCE_S = 30


class Answer(Struct, frozen=True):
    """What a program said; `code` is None when it is not there or did not answer in time."""

    code: int | None
    text: str

    @property
    def is_good(self) -> bool:
        return self.code == 0


def is_there(program: str) -> bool:
    return shutil.which(program) is not None


def call(command: Sequence[str]) -> Answer:
    """Run a program to its end and give its answer."""
    path = shutil.which(command[0])
    if path is None:
        return Answer(None, f"{command[0]} is not there")
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
        return Answer(None, str(error))
    return Answer(done.returncode, (done.stdout.strip() or done.stderr.strip()))
