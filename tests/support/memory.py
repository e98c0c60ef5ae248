"""Measures the memory of a command of Chorus."""

import json
import subprocess
import sys

LAUNCHER = """
import json, os, sys
pid = os.posix_spawn(sys.executable, [sys.executable, "-m", "chorus", *sys.argv[1:]], os.environ)
_, status, used = os.wait4(pid, 0)
print(json.dumps([os.waitstatus_to_exitcode(status), used.ru_maxrss >> 10]), file=sys.stderr)
"""
"""Starts the command from a small process: what this one holds counts as the command's until it is another program."""


def bounded(most_mb: int, *command: object) -> tuple[str, int]:
    """Returns what a command prints and its peak memory in megabytes. Checks the limit and that it ended by itself."""
    call = [sys.executable, "-c", LAUNCHER, *map(str, command)]
    done = subprocess.run(call, capture_output=True, check=True)
    code, used_mb = json.loads(done.stderr.splitlines()[-1])
    assert code in (0, 1), (command, code, done.stderr[-2_000:])
    assert used_mb <= most_mb, f"{command}: {used_mb} MB"
    return done.stdout.decode(), used_mb
