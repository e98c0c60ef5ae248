"""The time zone of the person who asks, with its rules for daylight saving time."""

import os
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

LOCALTIME = Path("/etc/localtime")
"""Where systems keep the rules of their zone."""
_FAILURES = (OSError, ValueError, KeyError)
"""What names of zones and their files raise: both may be anything."""


def local_zone() -> tzinfo:
    """The zone that `TZ` names, else the system's; where neither has rules that can be read, the present offset."""
    name = os.environ.get("TZ")
    try:
        if name is None:
            return _read(LOCALTIME)
        named = name.removeprefix(":")
        return _read(Path(named)) if named.startswith("/") else ZoneInfo(named or "UTC")
    except _FAILURES:
        return datetime.now(UTC).astimezone().tzinfo or UTC


def _read(path: Path) -> ZoneInfo:
    with path.open("rb") as file:
        return ZoneInfo.from_file(file, key=str(path))
