"""The vault's contents by name as files (`blobs/{2 digits}/{sha256}`): which there are."""

import re
from collections.abc import Iterator
from pathlib import Path

_NAME = re.compile(r"[0-9a-f]{64}")


def blob_names(root: Path) -> Iterator[str]:
    """Every content of the vault, in order of its name; half-written ones are none."""
    for folder in sorted((root / "blobs").glob("??")):
        if not folder.is_symlink():
            yield from sorted(path.name for path in folder.iterdir() if _NAME.fullmatch(path.name))


def blob_place(name: str) -> str:
    """Where a content lies below the vault."""
    return f"blobs/{name[:2]}/{name}"


def is_blob_name(name: str) -> bool:
    """Whether a content can have this name: it may be anybody's text."""
    return _NAME.fullmatch(name) is not None
