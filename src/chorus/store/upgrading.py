"""The vault's format version: what `vault.json` says, and the steps from an older format to the present one."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from chorus.errors import VaultUnwritable
from chorus.store import places

FORMAT = 1
"""What this Chorus writes."""
Step = Callable[[Path], None]
STEPS: Mapping[int, Step] = {}
"""The step from each older format to the next. A step may be killed and run again: it must go on where it was."""


def format_of(root: Path) -> int | None:
    """The format of the vault at `root`: the present one where there is none yet, None when it cannot be read."""
    try:
        fd = places.open_file(root / "vault.json", places.READ)
    except FileNotFoundError:
        return FORMAT
    except OSError:
        return None
    with os.fdopen(fd, "rb") as file:
        try:
            found = json.load(file)
        except (ValueError, RecursionError):
            return None
    version = found.get("format") if isinstance(found, dict) else None
    return version if isinstance(version, int) and version > 0 else None


def write_format(root: Path, version: int) -> None:
    """Say durably which format the vault has."""
    places.put_file(root / "vault.json", json.dumps({"format": version}).encode() + b"\n")
    places.sync_folder(root)


def upgrade(root: Path, *, to: int = FORMAT, steps: Mapping[int, Step] = STEPS) -> None:
    """Bring the vault to a format step by step, each noted when it is done; one process at a time.

    Where a step is missing nothing is touched: `VaultUnwritable` says which.
    """
    lock = places.hold(root / "upgrade.lock")
    try:
        found = format_of(root)
        if found is None:
            raise VaultUnwritable(f"{root / 'vault.json'} cannot be read; it should say which format the vault has")
        for version in range(found, to):
            if version not in steps:
                raise VaultUnwritable(
                    f"{root} has format {found}; no step leads from format {version} to {version + 1}"
                )
        for version in range(found, to):
            steps[version](root)
            write_format(root, version + 1)
    finally:
        os.close(lock)
