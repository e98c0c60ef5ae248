"""The program of an installed stand-in: `python -m chorus.lab.fake_claude SETTINGS [CLIENT ARGUMENTS…]`.

`CHORUS_FAKE_RECORDING` and `CHORUS_FAKE_SPEED` in the environment override the installed settings, so that one
executable can play another recording in every test.
"""

import os
import sys
from collections.abc import Sequence

import msgspec

from chorus.lab.fake_claude.entry import MISUSED, run
from chorus.lab.fake_claude.settings import Settings


def main(arguments: Sequence[str]) -> int:
    """Plays the recording that the settings and the environment name; returns the exit code."""
    try:
        settings = msgspec.json.decode(arguments[0], type=Settings)
        recording = os.environ.get("CHORUS_FAKE_RECORDING") or settings.recording
        speed = float(os.environ.get("CHORUS_FAKE_SPEED") or settings.speed)
    except (IndexError, ValueError, msgspec.MsgspecError) as error:
        sys.stderr.write(f"fake-claude: the settings cannot be read ({error}); install the executable again\n")
        return MISUSED
    return run(msgspec.structs.replace(settings, recording=recording, speed=max(0.0, speed)), arguments[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
