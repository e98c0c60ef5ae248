"""The text of `chorus-hook`: a few lines of shell that find a Python, then `client.py` unchanged. Pure.

The interpreter is the one that Chorus was installed with; if an upgrade removed it, any `python3` is used.
"""

import re
import shlex
from importlib import resources

_HARMLESS = re.compile(r"[^\\\x00-\x1f\x7f]+")
_HEAD = """\
#!/bin/sh
''':'
# Written by `chorus hooks install`, and replaced by it: changes here are lost, and reported as tampering.
for python in {interpreter} python3; do
    command -v "$python" >/dev/null 2>&1 && exec "$python" -I -S "$0" "$@"
done
exit 0
':'''
"""


def script(interpreter: str) -> bytes:
    """Returns the program for that interpreter, or for `python3` if its path cannot be quoted safely."""
    is_safe = _HARMLESS.fullmatch(interpreter) is not None and "'" not in interpreter
    first = shlex.quote(interpreter) if is_safe else "python3"
    return (_HEAD.format(interpreter=first) + _client()).encode()


def _client() -> str:
    return resources.files("chorus.steer.hooks").joinpath("client.py").read_text("utf-8")
