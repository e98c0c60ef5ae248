"""`python -m chorus.show.recorder FOLDER`: imports what the run in that folder left behind, then ends.

The holder of a run that nobody watches starts it when the run has ended. It has a low priority and a limited time, and
its output goes to the log of the run.
"""

import os
import signal
import sys
from pathlib import Path
from typing import NoReturn

from chorus.show.recorder.after_run import take_in
from chorus.steer.runs.run_folders import RunFolder

_LONGEST_S = 300
_LAST_S = 30
"""After its time is over, it has this long to release what it holds; then the system kills it."""
_MAX_OWED_BYTES = 256 << 20
"""An index that lacks more of the vault than this is left to a process that was started for it."""
_NICENESS = 10


class _TooLong(Exception):  # noqa: N818 - no error
    """The time is over."""


def main(arguments: list[str]) -> int:
    os.nice(_NICENESS)
    signal.signal(signal.SIGALRM, _give_up)
    signal.alarm(_LONGEST_S)
    try:
        take_in(RunFolder(Path(arguments[0]).absolute()), _warn, max_owed_bytes=_MAX_OWED_BYTES)
    except _TooLong:
        _warn(f"taking in what the run left behind took more than {_LONGEST_S} s; the next `chorus sync` does it")
    return 0


def _give_up(*_: object) -> NoReturn:
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(_LAST_S)
    raise _TooLong


def _warn(words: str) -> None:
    sys.stderr.write(f"chorus: {words}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
