"""What a stranger wrote, made fit for one line or for JSON that a terminal may show."""

import json
import sys
from typing import Any

from chorus.views.safe import safe_json, safe_line

_LONGEST_READ = 1_000


def shortened(text: str, most: int) -> str:
    """`text` on one line of at most `most` characters, with nothing in it that acts or hides."""
    line = safe_line(text[:_LONGEST_READ])
    return line if len(line) <= most and len(text) <= _LONGEST_READ else line[: most - 1] + "…"


def print_safe_json(value: Any) -> None:
    """One JSON object on standard output: exact values, in which characters that act or hide are escapes."""
    text = safe_json(json.dumps(value, ensure_ascii=False, indent=2))
    sys.stdout.buffer.write(text.encode() + b"\n")
    sys.stdout.buffer.flush()
