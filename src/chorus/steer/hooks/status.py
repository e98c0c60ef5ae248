"""How the hooks stand: what a person would want to know before relying on them."""

import hashlib
import json
import os
from pathlib import Path
from typing import Literal

from msgspec import Struct

from chorus.errors import SourceUnreadable
from chorus.keep.sources.file_access import read_file, skip_of
from chorus.steer.hooks import settings
from chorus.steer.hooks.home import Home, read, read_key
from chorus.steer.hooks.install import command_of, read_note
from chorus.steer.hooks.json_text import NotEditable
from chorus.steer.service import control

_MAX_BYTES = 8 << 20


class Standing(Struct, frozen=True, kw_only=True):
    """One file of settings."""

    path: str
    installed: bool
    """Whether the hook that asks is there, as it was installed."""
    missing: tuple[str, ...] = ()
    """Events that have no hook of ours although others do."""
    trouble: str | None = None
    """What is wrong with it: changed by somebody else, not understood."""


class Parts(Struct, frozen=True, kw_only=True):
    """What all places share."""

    program: Literal["missing", "changed", "there"]
    runs: bool
    key: bool
    server: bool


def standing(home: Home, path: Path) -> Standing:
    """How the hooks stand in one file. Never raises."""
    try:
        data = read_file(path, None, _MAX_BYTES) or b""
        found = settings.entries(data.decode("utf-8"))
    except SourceUnreadable as error:
        return Standing(path=str(path), installed=False, trouble=skip_of(path, error).reason)
    except (UnicodeDecodeError, NotEditable) as error:
        return Standing(path=str(path), installed=False, trouble=f"cannot be understood: {error}; mend it first")
    own = {each.event for each in found if each.is_whole and each.command == command_of(home)}
    others = sorted({each.command for each in found if each.command != command_of(home)})
    bent = sorted({each.event for each in found} - own)
    missing = tuple(each for each in settings.EVENTS if each not in own) if found else ()
    trouble = None
    if others:
        trouble = f"calls another program: {others[0]}"
    elif bent:
        trouble = f"was changed by somebody else: {', '.join(bent)}"
    elif missing or (not found and str(path) in read_note(home).places):
        trouble = f"hooks were taken out by somebody else: {', '.join(missing or settings.EVENTS)}"
    return Standing(path=str(path), installed=settings.ASKING in own, missing=missing, trouble=trouble)


def parts(home: Home) -> Parts:
    """How the program, the key and the server stand, by calling the program as the client would."""
    state = program_state(home)
    told: object = None
    if state == "there":
        answer = control.call([str(home.program), "--check"])
        try:
            told = json.loads(answer.text) if answer.is_good else None
        except (ValueError, RecursionError):
            told = None
    found = told if isinstance(told, dict) else {}
    return Parts(program=state, runs=bool(found), key=bool(read_key(home)), server=found.get("server") is True)


def tampering(home: Home) -> str | None:
    """What somebody else did to hooks that were installed, and the way out; None when nothing. Never raises."""
    installed = read_note(home).places
    if not installed:
        return None
    found = [f"{each.path}: {each.trouble}" for path in installed if (each := standing(home, Path(path))).trouble]
    state = program_state(home)
    if state != "there":
        found.append(f"{home.program}: {'is missing' if state == 'missing' else 'was changed by somebody else'}")
    if not found:
        return None
    return f"{found[0]}; `chorus hooks install` puts it right, `chorus hooks remove` ends it"


def program_state(home: Home) -> Literal["missing", "changed", "there"]:
    """Whether the program is what install wrote, and can be run."""
    data = read(home.program)
    if data is None or not os.access(home.program, os.X_OK):
        return "missing"
    return "there" if hashlib.sha256(data).hexdigest() == read_note(home).program else "changed"
