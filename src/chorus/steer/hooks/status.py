"""The status of the hooks: what a person wants to know before relying on them."""

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


class SettingsStatus(Struct, frozen=True, kw_only=True):
    """The status of one settings file."""

    path: str
    installed: bool
    """Whether the hook that asks is there, as it was installed."""
    missing: tuple[str, ...] = ()
    """Events without our hook although others have one."""
    reports_edits: bool = False
    """Whether the hooks for snapshots of files are there, as they were installed."""
    trouble: str | None = None
    """What is wrong with it: changed by another program, or not parseable."""


class Parts(Struct, frozen=True, kw_only=True):
    """What all settings files share."""

    program: Literal["missing", "changed", "there"]
    runs: bool
    key: bool
    server: bool


def settings_status(home: Home, path: Path) -> SettingsStatus:
    """Returns the status of the hooks in one file. Never raises."""
    try:
        data = read_file(path, None, _MAX_BYTES) or b""
        found = settings.entries(data.decode("utf-8"))
        wanted = settings.wanted_events(data.decode("utf-8"))
    except SourceUnreadable as error:
        return SettingsStatus(path=str(path), installed=False, trouble=skip_of(path, error).reason)
    except (UnicodeDecodeError, NotEditable) as error:
        return SettingsStatus(path=str(path), installed=False, trouble=f"cannot be understood: {error}; mend it first")
    own = {each.event for each in found if each.is_whole and each.command == command_of(home)}
    others = sorted({each.command for each in found if each.command != command_of(home)})
    bent = sorted({each.event for each in found} - own)
    missing = tuple(each for each in wanted if each not in own) if found else ()
    trouble = None
    if others:
        trouble = f"calls another program: {others[0]}"
    elif bent:
        trouble = f"was changed by somebody else: {', '.join(bent)}"
    elif missing or (not found and str(path) in read_note(home).places):
        trouble = f"hooks were taken out by somebody else: {', '.join(missing or settings.EVENTS)}"
    return SettingsStatus(
        path=str(path),
        installed=settings.ASKING in own,
        missing=missing,
        trouble=trouble,
        reports_edits=own.issuperset(settings.EDIT_EVENTS),
    )


def parts(home: Home) -> Parts:
    """Returns the status of the program, the key and the server, by calling the program as the client would."""
    state = program_state(home)
    reported: object = None
    if state == "there":
        answer = control.call([str(home.program), "--check"])
        try:
            reported = json.loads(answer.text) if answer.is_good else None
        except (ValueError, RecursionError):
            reported = None
    found = reported if isinstance(reported, dict) else {}
    return Parts(program=state, runs=bool(found), key=bool(read_key(home)), server=found.get("server") is True)


def tampering(home: Home) -> str | None:
    """Returns what another program changed in installed hooks, and what to do; None if nothing. Never raises."""
    installed = read_note(home).places
    if not installed:
        return None
    found = [
        f"{each.path}: {each.trouble}" for path in installed if (each := settings_status(home, Path(path))).trouble
    ]
    state = program_state(home)
    if state != "there":
        found.append(f"{home.program}: {'is missing' if state == 'missing' else 'was changed by somebody else'}")
    if not found:
        return None
    return f"{found[0]}; `chorus hooks install` puts it right, `chorus hooks remove` ends it"


def program_state(home: Home) -> Literal["missing", "changed", "there"]:
    """Returns whether the program is executable and exactly what `install` wrote."""
    data = read(home.program)
    if data is None or not os.access(home.program, os.X_OK):
        return "missing"
    return "there" if hashlib.sha256(data).hexdigest() == read_note(home).program else "changed"
