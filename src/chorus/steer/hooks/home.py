"""Where the parts of the hooks lie in Chorus' home, and how they are written: for this user alone, and whole."""

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
    """Chorus' home, as an absolute path."""

    root: Path

    @property
    def program(self) -> Path:
        """What the client's settings call; must not move, whatever becomes of Chorus."""
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
        """What was installed where."""
        return self.root / "state" / "hooks.json"

    @property
    def backups(self) -> Path:
        return self.root / "state" / "hooks"


def make_key(home: Home) -> str:
    """The key that hooks show to the server: made once, 256 random bits, in a file of mode 600."""
    found = read_key(home)
    if found:
        return found
    key = secrets.token_hex(_KEY_BYTES)
    write(home, home.key, key.encode() + b"\n")
    return key


def read_key(home: Home) -> str:
    """The key, or nothing. One that others could read or that lies behind a link is none."""
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
    """Put a file below the home; `ChorusError` when that cannot be."""
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
    """A file of ours; None when it is not there, or no regular file."""
    try:
        fd = safe_files.open_file(path, safe_files.READ)
    except OSError:
        return None
    with os.fdopen(fd, "rb") as file:
        return file.read()
