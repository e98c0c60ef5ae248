"""Hooks put into the client's settings and taken out again. First a plan that can be shown, then what it says."""

import contextlib
import hashlib
import os
import shlex
import stat
import sys
from pathlib import Path

import msgspec
from msgspec import Struct, field

from chorus.base import config
from chorus.errors import ChorusError
from chorus.keep.sources.file_access import read_file
from chorus.steer.hooks import settings
from chorus.steer.hooks.home import Home, make_key, read, write
from chorus.steer.hooks.json_text import NotEditable
from chorus.steer.hooks.script import script
from chorus.steer.hooks.strict import write_strict

_MAX_BYTES = 8 << 20


class Placed(Struct, frozen=True):
    """A file that was changed: what it was, and what was made of it."""

    before: str | None
    """The digest of what was there; None for nothing."""
    after: str


class Note(Struct):
    """What was installed: to undo it exactly, and to tell when somebody else changed it."""

    program: str = ""
    """The digest of the program."""
    places: dict[str, Placed] = field(default_factory=dict)


class Plan(Struct, frozen=True):
    """A change of one file of settings, not yet made."""

    path: Path
    before: bytes | None
    after: bytes | None
    """None: the file goes, as it came."""
    mode: int = 0o600

    @property
    def is_needed(self) -> bool:
        return self.before != self.after


def command_of(home: Home) -> str:
    """What stands in the settings: the program's path, as a shell reads it."""
    return shlex.quote(str(home.program))


def plan_install(home: Home, path: Path) -> Plan:
    """The settings with our hooks. `ChorusError` when the file cannot be understood, or is not ours to change."""
    before, mode = _read(path)
    text = _text(path, before or b"")
    try:
        after = settings.added(text, command_of(home))
    except NotEditable as error:
        raise ChorusError(f"{path}: {error}; mend it first: nothing was changed") from error
    return Plan(path, before, after.encode("utf-8", "surrogatepass"), mode)


def plan_remove(home: Home, path: Path) -> Plan:
    """The settings without our hooks: as they were before, byte for byte, if nobody has changed them since."""
    before, mode = _read(path)
    if before is None:
        return Plan(path, None, None, mode)
    placed = read_note(home).places.get(str(path))
    if placed is not None and _digest(before) == placed.after:
        was = _backup(home, placed)
        if placed.before is None or was is not None:
            return Plan(path, before, was, mode)
    try:
        after = settings.removed(_text(path, before))
    except NotEditable as error:
        raise ChorusError(f"{path}: {error}; mend it first: nothing was changed") from error
    return Plan(path, before, after.encode("utf-8", "surrogatepass"), mode)


def install(home: Home, plan: Plan) -> None:
    """Put everything in place that the hooks need, and the settings last: they never name what is not there."""
    program = script(sys.executable)
    write(home, home.program, program, mode=0o700)
    make_key(home)
    write_strict(home, config.load(home.root))
    note = read_note(home)
    note.program = _digest(program)
    placed = _placed(plan, note.places.get(str(plan.path)))
    note.places[str(plan.path)] = placed
    if plan.before is not None and placed.before == _digest(plan.before):
        write(home, home.backups / f"{placed.before}.json", plan.before)
    _write_note(home, note)
    _replace(plan)


def remove(home: Home, plan: Plan) -> None:
    """Take the hooks out. The program stays: sessions that run now call it until they end."""
    _replace(plan)
    note = read_note(home)
    placed = note.places.pop(str(plan.path), None)
    if placed is None:
        return
    _write_note(home, note)
    if placed.before is not None and all(each.before != placed.before for each in note.places.values()):
        with contextlib.suppress(OSError):
            (home.backups / f"{placed.before}.json").unlink(missing_ok=True)


def read_note(home: Home) -> Note:
    """What is known to be installed; nothing when the note cannot be read."""
    try:
        return msgspec.json.decode(read(home.note) or b"{}", type=Note)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return Note()


def _placed(plan: Plan, known: Placed | None) -> Placed:
    """What to remember of a change. What had hooks of ours already is no state to go back to."""
    assert plan.after is not None
    if known is not None and plan.before is not None and known.after == _digest(plan.before):
        return Placed(known.before, _digest(plan.after))
    if plan.before is not None and settings.entries(_text(plan.path, plan.before)):
        return Placed(None, "")
    return Placed(_digest(plan.before) if plan.before is not None else None, _digest(plan.after))


def _write_note(home: Home, note: Note) -> None:
    write(home, home.note, msgspec.json.format(msgspec.json.encode(note), indent=2) + b"\n")


def _backup(home: Home, placed: Placed) -> bytes | None:
    if placed.before is None:
        return None
    data = read(home.backups / f"{placed.before}.json")
    return data if data is not None and _digest(data) == placed.before else None


def _read(path: Path) -> tuple[bytes | None, int]:
    """What the file holds, and its mode; a link, a pipe or another user's file is not changed."""
    try:
        status = path.lstat()
    except FileNotFoundError:
        return None, 0o600
    except OSError as error:
        raise ChorusError(f"{path}: {error.strerror or error}") from error
    if not stat.S_ISREG(status.st_mode):
        raise ChorusError(f"{path}: is a link or no file; name the file itself, or add the hooks by hand")
    if status.st_uid != os.getuid():
        raise ChorusError(f"{path}: belongs to another user; nothing was changed")
    if status.st_size > _MAX_BYTES:
        raise ChorusError(f"{path}: is too large for settings; nothing was changed")
    return read_file(path, None, _MAX_BYTES), stat.S_IMODE(status.st_mode)


def _text(path: Path, data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ChorusError(f"{path}: byte {error.start} is no UTF-8; mend it first: nothing was changed") from error


def _replace(plan: Plan) -> None:
    """Make the change, unless somebody else changed the file meanwhile."""
    if not plan.is_needed:
        return
    if _read(plan.path)[0] != plan.before:
        raise ChorusError(f"{plan.path}: changed meanwhile; look again")
    half = plan.path.with_name(f".{plan.path.name}.{os.getpid()}.tmp")
    try:
        if plan.after is None:
            plan.path.unlink()
            with contextlib.suppress(OSError):
                # Where nothing else is in it, the folder was made for this file.
                plan.path.parent.rmdir()
            return
        plan.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fd = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
        with os.fdopen(fd, "wb") as file:
            file.write(plan.after)
            file.flush()
            os.fchmod(fd, plan.mode)
            os.fsync(fd)
        half.replace(plan.path)
    except OSError as error:
        with contextlib.suppress(OSError):
            half.unlink(missing_ok=True)
        raise ChorusError(f"{plan.path}: {error.strerror or error}") from error


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
