"""Settings, and where they live: `config.json` in Chorus' home."""

import json
import os
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, field

from chorus.errors import ChorusError

HOME_VARIABLE = "CHORUS_HOME"


class Workspace(Struct, kw_only=True, rename="camel"):
    """A folder in which agents work, as it was first seen."""

    id: str
    path: str
    ignore: list[str] = field(default_factory=list)
    """Patterns of session files that are never kept."""


class Config(Struct, kw_only=True, rename="camel"):
    """Every setting with its default."""

    seal_after_days: int = 30
    """Conversations idle for this long are packed."""
    workspaces: list[Workspace] = field(default_factory=list)


def home(vault: str | os.PathLike[str] | None = None) -> Path:
    """Chorus' home: what the person named (`--vault`), else `$CHORUS_HOME`, else `~/.chorus`."""
    named = os.fspath(vault) if vault else os.environ.get(HOME_VARIABLE)
    return Path(named).expanduser() if named else Path.home() / ".chorus"


def load(root: Path) -> Config:
    """The settings in `root`; defaults where there is no file. `ChorusError` when it cannot be understood."""
    path = root / "config.json"
    try:
        return msgspec.json.decode(path.read_bytes(), type=Config)
    except FileNotFoundError:
        return Config()
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ChorusError(f"{path}: {error}; mend it, or move it away to start afresh") from error


def save(root: Path, config: Config) -> None:
    """Write the settings atomically, for this user alone; what other versions put there is kept."""
    path = root / "config.json"
    try:
        known: dict[str, Any] = json.loads(path.read_text())
    except (OSError, ValueError):
        known = {}
    known.update(msgspec.to_builtins(config))
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    half = path.with_name(f"config.json.{os.getpid()}.tmp")
    try:
        fd = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(fd, "w", encoding="utf-8") as file:
            file.write(json.dumps(known, indent=2, ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(fd)
        half.replace(path)
    except OSError as error:
        half.unlink(missing_ok=True)
        raise ChorusError(f"{path}: {error.strerror or error}") from error
