"""The format version of the vault in `vault.json`, and the steps from an older format to the current one."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from chorus.errors import VaultUnwritable
from chorus.keep.vault import safe_files

NAME = "vault.json"
FORMAT = 1
"""The format that this Chorus writes."""
Step = Callable[[Path], None]
STEPS: Mapping[int, Step] = {}
"""The step from each older format to the next. A step may be killed and run again: it must be able to continue."""


def format_of(root: Path) -> int | None:
    """Return the format of the vault at `root`.

    Returns `FORMAT` if there is no vault yet, None if `vault.json` is unreadable.
    """
    found = _read(root)
    if found is None:
        return FORMAT
    version = found.get("format")
    return version if isinstance(version, int) and version > 0 else None


def is_listed(root: Path) -> bool:
    """Return whether `vault.json` states that all files of the vault are in its inventory."""
    return bool((_read(root) or {}).get("inventory"))


def text(version: int, *, is_listed: bool) -> bytes:
    """Return the exact content of `vault.json`."""
    return json.dumps({"format": version, "inventory": 1} if is_listed else {"format": version}).encode() + b"\n"


def write_format(root: Path, version: int, *, is_listed: bool = False) -> None:
    """Write the format of the vault, durably."""
    safe_files.put_file(root / NAME, text(version, is_listed=is_listed))
    safe_files.sync_folder(root)


def _read(root: Path) -> dict[str, object] | None:
    """Return the fields of `vault.json`; an empty dict if it cannot be read, None if it does not exist."""
    try:
        fd = safe_files.open_file(root / NAME, safe_files.READ)
    except FileNotFoundError:
        return None
    except OSError:
        return {}
    with os.fdopen(fd, "rb") as file:
        try:
            found = json.load(file)
        except (ValueError, RecursionError):
            return {}
    return found if isinstance(found, dict) else {}


def upgrade(root: Path, *, to: int = FORMAT, steps: Mapping[int, Step] = STEPS) -> None:
    """Upgrade the vault step by step, and record each step when it is done; one process at a time.

    Raises VaultUnwritable, and changes nothing, if a step is missing.
    """
    lock = safe_files.open_locked(root / "upgrade.lock")
    try:
        found = format_of(root)
        if found is None:
            raise VaultUnwritable(f"{root / NAME} cannot be read; it should say which format the vault has")
        for version in range(found, to):
            if version not in steps:
                raise VaultUnwritable(
                    f"{root} has format {found}; no step leads from format {version} to {version + 1}"
                )
        for version in range(found, to):
            steps[version](root)
            write_format(root, version + 1, is_listed=is_listed(root))
    finally:
        os.close(lock)
