"""The running program: its path, and a digest that distinguishes it from other programs of the same name."""

import hashlib
import sys
from pathlib import Path

import chorus

_SHOWN = 32


def path() -> str:
    """Return the path of the program that was called."""
    return str(Path(sys.argv[0]).absolute())


def digest() -> str:
    """Return the first digits of the SHA-256 over the names and contents of all code files of this Chorus."""
    root = Path(chorus.__file__).resolve().parent
    found = hashlib.sha256()
    for file in sorted(root.rglob("*.py")):
        data = file.read_bytes()
        found.update(f"{file.relative_to(root)}\0{len(data)}\0".encode() + data)
    return found.hexdigest()[:_SHOWN]


def description() -> str:
    """Return path, code folder and digest as one sentence, for a person to compare with an earlier one."""
    return f"This is {path()}, code in {Path(chorus.__file__).resolve().parent}, digest {digest()}"
