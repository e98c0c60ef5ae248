"""Lists the blobs of the vault (`blobs/{2 digits}/{sha256}`)."""

import re
from collections.abc import Iterator
from pathlib import Path

_NAME = re.compile(r"[0-9a-f]{64}")


def blob_names(root: Path) -> Iterator[str]:
    """Yield the name of every blob in the vault, sorted; incomplete files are left out."""
    for folder in sorted((root / "blobs").glob("??")):
        if folder.is_dir() and not folder.is_symlink():
            yield from sorted(path.name for path in folder.iterdir() if _NAME.fullmatch(path.name))


def blob_place(name: str) -> str:
    """Return the path of a blob below the vault."""
    return f"blobs/{name[:2]}/{name}"


def is_blob_name(name: str) -> bool:
    """Return whether a text, which may be untrusted, can be the name of a blob."""
    return _NAME.fullmatch(name) is not None
