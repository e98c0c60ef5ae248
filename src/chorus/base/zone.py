"""The time zone of the user, with its rules for daylight saving time."""

import os
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

LOCALTIME = Path("/etc/localtime")
"""Where systems store the rules of their zone."""
_FAILURES = (OSError, ValueError, KeyError)
"""What invalid zone names and zone files raise; both may contain anything."""


def local_zone() -> tzinfo:
    """Return the zone that `TZ` names, else the system's; if neither has readable rules, the current offset."""
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
