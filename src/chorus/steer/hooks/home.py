"""The files of the hooks in the home of Chorus. They are written atomically and for this user only."""

import os
import secrets
from contextlib import nullcontext
from pathlib import Path

from msgspec import Struct

from chorus.errors import ChorusError
from chorus.keep.vault import proof, safe_files

SOCKET = "hooks.sock"
_KEY_BYTES = 32


class Home(Struct, frozen=True):
    """The home of Chorus, as an absolute path."""

    root: Path

    @property
    def program(self) -> Path:
        """The program that the client's settings call; its path must never change."""
        return self.root / "bin" / "chorus-hook"

    @property
    def strict(self) -> Path:
        return self.root / "bin" / "strict.json"

    @property
    def run(self) -> Path:
        """The folder of the socket that hooks connect to."""
        return self.root / "run"

    @property
    def key(self) -> Path:
        return self.root / "state" / "hook.key"

    @property
    def note(self) -> Path:
        """The note about what was installed where."""
        return self.root / "state" / "hooks.json"

    @property
    def backups(self) -> Path:
        return self.root / "state" / "hooks"


def make_key(home: Home) -> str:
    """Returns the key that hooks send to the server: created once, 256 random bits, in a file of mode 600."""
    found = read_key(home)
    if found:
        return found
    key = secrets.token_hex(_KEY_BYTES)
    write(home, home.key, key.encode() + b"\n")
    return key


def read_key(home: Home) -> str:
    """Returns the key; an empty text if there is none, or if others can read it or its file is a link."""
    try:
        fd = safe_files.open_file(home.key, safe_files.READ)
    except OSError:
        return ""
    with os.fdopen(fd, "rb") as file:
        status = os.fstat(fd)
        if status.st_uid != os.getuid() or status.st_mode & 0o077:
            return ""
        key = file.read(1_000).strip().decode("ascii", "replace")
    return key if len(key) == 2 * _KEY_BYTES and key.isalnum() else ""


def write(home: Home, path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Writes a file below the home. Raises `ChorusError` if that fails."""
    try:
        made = safe_files.make_folders(home.root, path.parent)
        with proof.replacing(path, data) if path.parent == home.key.parent else nullcontext():
            safe_files.put_file(path, data)
        path.chmod(mode)
        for folder in {*made, str(path.parent)}:
            safe_files.sync_folder(folder)
    except OSError as error:
        raise ChorusError(f"{path}: {error.strerror or error}") from error


def read(path: Path) -> bytes | None:
    """Returns the content of a file; None if it is missing or not a regular file."""
    try:
        fd = safe_files.open_file(path, safe_files.READ)
    except OSError:
        return None
    with os.fdopen(fd, "rb") as file:
        return file.read()
