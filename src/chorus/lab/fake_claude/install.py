"""Installs an executable that plays a recording: other tools can use its path in place of `claude`."""

import shlex
import sys
from pathlib import Path

import msgspec

from chorus.errors import ChorusError
from chorus.lab.fake_claude.settings import Settings

MARK = b"# Made by `chorus fake-claude --install`; made again by the same command."


def executable(settings: Settings, python: str = sys.executable) -> bytes:
    """Returns the text of the executable: a shell script that becomes the interpreter, with all arguments."""
    # -P: a folder in the working folder with the name of one of our packages must not be imported.
    call = shlex.join([python, "-P", "-m", "chorus.lab.fake_claude", msgspec.json.encode(settings).decode()])
    return b"#!/bin/sh\n" + MARK + f'\nexec {call} "$@"\n'.encode()


def install(path: Path, settings: Settings) -> None:
    """Writes the executable; never overwrites a file that this function did not write."""
    try:
        found = path.read_bytes() if path.is_symlink() or path.exists() else None
        if path.is_symlink() or (found is not None and MARK not in found.splitlines()[1:2]):
            raise ChorusError(f"{path}: already exists and was not created by this command; choose another path")
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(f".{path.name}.new")
        fresh.write_bytes(executable(settings))
        fresh.chmod(0o755)
        fresh.replace(path)
    except OSError as error:
        raise ChorusError(f"{path}: {error.strerror or error}; choose a path that can be written") from error
