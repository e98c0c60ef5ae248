"""Loads recordings: a file of lines, a session file, or a folder with everything that was captured of one or more runs.

    <run>.jsonl         standard output          <run>.times        arrival times: Unix seconds, one per line
    <run>.stdin.jsonl   standard input           <run>.cmd.json     the command line, a JSON array with the program
    <run>.stderr        standard error           <run>.exit         the exit code
    home/.claude/projects/*/<session>.jsonl      the session file

Only `<run>.jsonl` is required. `<run>.stdout.jsonl` is accepted in place of `<run>.jsonl`.
"""

import math
import stat
from pathlib import Path

import msgspec

from chorus.errors import SourceUnreadable
from chorus.lab.fake_claude.derived import from_session_file, is_session_file
from chorus.lab.fake_claude.lines import read_all
from chorus.lab.fake_claude.recording import Recording, times_by_stamp

_SUFFIXES = (".cmd.json", ".times", ".stdin.jsonl", ".stderr", ".exit")


def load(path: Path) -> list[Recording]:
    """Returns the runs at `path`, in the order of recording; raises `SourceUnreadable` if there is none."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        raise SourceUnreadable(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    if not stat.S_ISDIR(mode):
        return [_load_run(path)]
    runs = _runs_in(path)
    if not runs:
        raise SourceUnreadable(f"{path}: contains no recording; name a .jsonl file, or a folder with one in it")
    return sorted((_load_run(run) for run in runs), key=_moment)


def _runs_in(folder: Path) -> list[Path]:
    """Returns the files of standard output in a folder: those with other files of the same run, else all."""
    found = [path for path in sorted(folder.glob("*.jsonl")) if path.is_file() and not path.match("*.stdin.jsonl")]
    complete = [path for path in found if any(Path(f"{_stem(path)}{end}").exists() for end in _SUFFIXES)]
    return complete or found


def _load_run(path: Path) -> Recording:
    lines = read_all(_bytes(path))
    if is_session_file(lines):
        return from_session_file(path.stem, lines)
    stem = _stem(path)
    code = _number(_sibling(stem, ".exit").decode(errors="replace").strip())
    recording = Recording(
        name=stem.name,
        lines=lines,
        times=_times(_sibling(stem, ".times")) or times_by_stamp(lines),
        sent=read_all(_sibling(stem, ".stdin.jsonl")),
        arguments=_arguments(_sibling(stem, ".cmd.json")),
        stderr=_sibling(stem, ".stderr"),
        code=None if code is None else int(code),
    )
    return msgspec.structs.replace(recording, session=read_all(_session_file(path.parent, recording.session_id)))


def _session_file(folder: Path, session_id: str) -> bytes:
    """Returns the session file that was captured with a run; the id is compared with names and never used as a path."""
    for path in folder.glob("home/.claude/projects/*/*.jsonl"):
        if session_id and path.stem == session_id and path.is_file():
            return _bytes(path)
    return b""


def _stem(path: Path) -> Path:
    return path.with_name(path.name.removesuffix(".jsonl").removesuffix(".stdout"))


def _sibling(stem: Path, end: str) -> bytes:
    path = Path(f"{stem}{end}")
    return _bytes(path) if path.is_file() else b""


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise SourceUnreadable(f"{path}: {error.strerror or error}") from error


def _times(data: bytes) -> list[float | None]:
    return [_number(line) for line in data.decode(errors="replace").splitlines()]


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _arguments(data: bytes) -> list[str] | None:
    try:
        arguments = msgspec.json.decode(data, type=list[str])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return arguments[1:]


def _moment(recording: Recording) -> float:
    known = (time for time in recording.times if time is not None)
    return next(known, math.inf)
