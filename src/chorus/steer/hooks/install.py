"""Adds hooks to the client's settings and removes them. A plan can be shown first and is then executed."""

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


class PlacedFile(Struct, frozen=True):
    """A file that was changed: its digests before and after."""

    before: str | None
    """The digest of the previous content; None if there was no file."""
    after: str


class InstallNote(Struct):
    """What was installed: needed to undo it exactly, and to notice changes by other programs."""

    program: str = ""
    """The digest of the program."""
    places: dict[str, PlacedFile] = field(default_factory=dict)


class InstallPlan(Struct, frozen=True):
    """A planned change of one settings file."""

    path: Path
    before: bytes | None
    after: bytes | None
    """The new content; None if the file is to be removed."""
    mode: int = 0o600

    @property
    def is_needed(self) -> bool:
        return self.before != self.after


def command_of(home: Home) -> str:
    """Returns the command for the settings: the program's path, quoted for a shell."""
    return shlex.quote(str(home.program))


def plan_install(home: Home, path: Path, *, with_edits: bool = False) -> InstallPlan:
    """Plans to add our hooks to a settings file; with `with_edits` also those that snapshots of files need.

    Raises `ChorusError` if the file cannot be parsed, or may not be changed.
    """
    before, mode = _read(path)
    text = _text(path, before or b"")
    try:
        after = settings.added(text, command_of(home), with_edits=with_edits)
    except NotEditable as error:
        raise ChorusError(f"{path}: {error}; mend it first: nothing was changed") from error
    return InstallPlan(path, before, after.encode("utf-8", "surrogatepass"), mode)


def plan_remove(home: Home, path: Path) -> InstallPlan:
    """Plans to remove our hooks: restores the previous bytes if nobody has changed the file since."""
    before, mode = _read(path)
    if before is None:
        return InstallPlan(path, None, None, mode)
    placed = read_note(home).places.get(str(path))
    if placed is not None and _digest(before) == placed.after:
        was = _backup(home, placed)
        if placed.before is None or was is not None:
            return InstallPlan(path, before, was, mode)
    try:
        after = settings.removed(_text(path, before))
    except NotEditable as error:
        raise ChorusError(f"{path}: {error}; mend it first: nothing was changed") from error
    return InstallPlan(path, before, after.encode("utf-8", "surrogatepass"), mode)


def install(home: Home, plan: InstallPlan) -> None:
    """Installs everything that the hooks need. The settings come last, so that they never name a missing program."""
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


def remove(home: Home, plan: InstallPlan) -> None:
    """Removes the hooks. The program stays, because sessions that run now call it until they end."""
    _replace(plan)
    note = read_note(home)
    placed = note.places.pop(str(plan.path), None)
    if placed is None:
        return
    _write_note(home, note)
    if placed.before is not None and all(each.before != placed.before for each in note.places.values()):
        with contextlib.suppress(OSError):
            (home.backups / f"{placed.before}.json").unlink(missing_ok=True)


def read_note(home: Home) -> InstallNote:
    """Returns what is installed; an empty note if the note cannot be read."""
    try:
        return msgspec.json.decode(read(home.note) or b"{}", type=InstallNote)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return InstallNote()


def _placed(plan: InstallPlan, known: PlacedFile | None) -> PlacedFile:
    """Returns what to note about a change. A file that already had our hooks is no state to restore."""
    assert plan.after is not None
    if known is not None and plan.before is not None and known.after == _digest(plan.before):
        return PlacedFile(known.before, _digest(plan.after))
    if plan.before is not None and settings.entries(_text(plan.path, plan.before)):
        return PlacedFile(None, "")
    return PlacedFile(_digest(plan.before) if plan.before is not None else None, _digest(plan.after))


def _write_note(home: Home, note: InstallNote) -> None:
    write(home, home.note, msgspec.json.format(msgspec.json.encode(note), indent=2) + b"\n")


def _backup(home: Home, placed: PlacedFile) -> bytes | None:
    if placed.before is None:
        return None
    data = read(home.backups / f"{placed.before}.json")
    return data if data is not None and _digest(data) == placed.before else None


def _read(path: Path) -> tuple[bytes | None, int]:
    """Returns the content and mode of a file.

    Raises `ChorusError` for a link, a pipe, another user's file or a file that is too large: these are not changed.
    """
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


def _replace(plan: InstallPlan) -> None:
    """Executes a plan, unless the file was changed meanwhile."""
    if not plan.is_needed:
        return
    if _read(plan.path)[0] != plan.before:
        raise ChorusError(f"{plan.path}: was changed meanwhile; try again")
    half = plan.path.with_name(f".{plan.path.name}.{os.getpid()}.tmp")
    try:
        if plan.after is None:
            plan.path.unlink()
            with contextlib.suppress(OSError):
                # If the folder is empty now, it was created for this file.
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
