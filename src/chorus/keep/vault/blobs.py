"""Reads blobs: side files that are stored once, under the SHA-256 of their content."""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from chorus.keep.vault import safe_files
from chorus.keep.vault.layout import blob_file, blob_path

_PIECE_BYTES = 1 << 20


def read_blob(root: Path, name: str) -> bytes | None:
    """Return the content of a blob; None if it is missing, damaged or below a link."""
    path = blob_path(root, name)
    if safe_files.has_link(root, path):
        return None
    try:
        with os.fdopen(safe_files.open_file(path, safe_files.READ), "rb") as file:
            data = file.read()
    except OSError:
        return None
    return data if hashlib.sha256(data).hexdigest() == name else None


def blob_pieces(root: Path, name: str) -> Iterator[bytes] | None:
    """Return the content of a blob in pieces; None if it is missing, damaged or below a link."""
    path = blob_path(root, name)
    if safe_files.has_link(root, path):
        return None
    try:
        with os.fdopen(safe_files.open_file(path, safe_files.READ), "rb") as file:
            is_right = hashlib.file_digest(file, "sha256").hexdigest() == name
    except OSError:
        return None
    return _pieces(path, name) if is_right else None


def _pieces(path: Path, name: str) -> Iterator[bytes]:
    """Yield a blob in pieces. Raises ValueError if its content no longer matches its name."""
    digest = hashlib.sha256()
    try:
        with os.fdopen(safe_files.open_file(path, safe_files.READ), "rb") as file:
            while piece := file.read(_PIECE_BYTES):
                digest.update(piece)
                yield piece
    except OSError as error:
        raise ValueError(f"{blob_file(name)}: {error.strerror or error}") from error
    if digest.hexdigest() != name:
        raise ValueError(f"{blob_file(name)} changed while it was read")
