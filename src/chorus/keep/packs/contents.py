"""The list of contents of a pack (`contents.json`, its first entry), and the rules for names in a pack.

Names are those of a client's folder: `project/` is the folder of the project below `projects/`, `client/` is the
client's folder itself. A pack is hostile input, so every name is checked before anything is written.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from chorus.core.records.session_ids import is_session_id
from chorus.keep.archive.listing import AGENT_PREFIX
from chorus.keep.packs.moves import is_absolute
from chorus.keep.restore.originals import is_name, is_of_session

FORMAT, VERSION = "chorus-pack", 1
CONTENTS = "contents.json"
PROJECT, CLIENT = "project", "client"
"""The first part of every other name."""
MAX_FILES = 100_000
MAX_CONTENTS_BYTES = 64 << 20
_MAX_FOLDER = 4096
_MAX_PARTS, _MAX_NAME_BYTES = 16, 1_000
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?")
"""Names of devices on Windows."""
_NOT_PORTABLE = re.compile(r'[<>:"|?*]')


class PackedFile(Struct, frozen=True):
    """One file of a pack, with its original bytes."""

    name: Annotated[str, Meta(max_length=_MAX_NAME_BYTES)]
    size: Annotated[int, Meta(ge=0)]
    sha256: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]

    @property
    def parts(self) -> tuple[str, ...]:
        return tuple(self.name.split("/"))


class NotPacked(Struct, frozen=True):
    """A file of the conversation that the vault did not have when the pack was made."""

    path: str
    reason: str


class Contents(Struct, frozen=True, kw_only=True, rename="camel"):
    """What a pack says about itself."""

    format: str
    version: int
    session: str
    """The id for `claude --resume`."""
    project: str | None = None
    """The working folder of the session where it was recorded."""
    config_dir: str | None = None
    """The client's folder there."""
    project_key: str | None = None
    """The name of the project's folder below `projects/` there."""
    files: list[PackedFile]
    """In the order of the entries that follow; the session file comes first."""
    left_out: list[NotPacked] = []

    @property
    def size_bytes(self) -> int:
        return sum(file.size for file in self.files)


class _Version(Struct):
    format: str
    version: int


_version = msgspec.json.Decoder(_Version)
_contents = msgspec.json.Decoder(Contents)


def read_contents(data: bytes) -> Contents:
    """Return the list of contents. Raises ValueError with the reason if it cannot be one, or breaks a rule."""
    try:
        stated = _version.decode(data)
        if stated.format != FORMAT:
            raise ValueError("it is not a pack of Chorus")
        if stated.version != VERSION:
            raise ValueError(f"a newer Chorus wrote it (format {stated.version:,}): upgrade Chorus")
        found = _contents.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"its {CONTENTS} cannot be read: {error}") from error
    _check(found)
    return found


def _check(contents: Contents) -> None:
    if not is_session_id(contents.session):
        raise ValueError(f"{contents.session[:80]!r} is not a session id")
    if len(contents.files) > MAX_FILES:
        raise ValueError(f"it has {len(contents.files):,} files; {MAX_FILES:,} are allowed")
    if not contents.files or contents.files[0].name != session_name(contents.session):
        raise ValueError("its first file is not the session file")
    for folder in (contents.project, contents.config_dir):
        if folder is not None and (not is_absolute(folder) or len(folder) > _MAX_FOLDER or "\0" in folder):
            raise ValueError(f"{folder[:80]!r} is not the path of a folder")
    if contents.project_key is not None and not is_name(contents.project_key):
        raise ValueError(f"{contents.project_key[:80]!r} is not the name of a project's folder")
    names = [file.name for file in contents.files]
    for name in names:
        if reason := wrong_with(name, contents.session):
            raise ValueError(f"the name {name!r} {reason}")
    _refuse_clashes(names)


def session_name(session: str) -> str:
    """Return the name of the session file in a pack."""
    return f"{PROJECT}/{session}.jsonl"


def wrong_with(name: str, session: str) -> str | None:
    """Return why a file of this name cannot be in the pack of a session; None if it can."""
    parts = tuple(name.split("/"))
    try:
        size_bytes = len(name.encode())
    except UnicodeEncodeError:
        return "is not valid Unicode"
    if not name.isprintable():
        return "has characters that cannot be seen"
    if len(parts) > _MAX_PARTS or size_bytes > _MAX_NAME_BYTES or not all(len(part.encode()) < 256 for part in parts):
        return "is too long"
    if not all(map(is_name, parts)):
        return "would leave its folder"
    if any(_NOT_PORTABLE.search(part) or part.endswith((".", " ")) or part.startswith(" ") for part in parts):
        return "is not allowed on every system"
    if any(map(_RESERVED.fullmatch, parts)):
        return "is reserved on some systems"
    return None if _is_place(parts, session) else "is not a place to which a session writes"


def _is_place(parts: tuple[str, ...], session: str) -> bool:
    match parts:
        case ("project", name):
            is_agent = name.startswith(AGENT_PREFIX) and name.endswith(".jsonl")
            return name == f"{session}.jsonl" or is_agent
        case ("project", owner, _, *_):
            return owner == session
        case ("client", *below):
            return is_of_session(tuple(below), session)
        case _:
            return False


def _refuse_clashes(names: Sequence[str]) -> None:
    """Raise ValueError if two names are the same file on some system, or one is a folder of another."""
    known: set[str] = set()
    folders: set[str] = set()
    for name in names:
        key = unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
        if key in known:
            raise ValueError(f"two files have the name {name!r}, or names that are the same on some systems")
        known.add(key)
        parts = key.split("/")
        folders.update("/".join(parts[:count]) for count in range(1, len(parts)))
    if both := known & folders:
        raise ValueError(f"{min(both)!r} is a file and a folder")
