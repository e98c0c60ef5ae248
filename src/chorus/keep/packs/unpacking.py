"""Unpacks a pack below a client's folder, for another project folder: everything is checked, then all of it appears."""

import errno
import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct, field

from chorus.errors import ChorusError
from chorus.keep.packs.contents import CLIENT, Contents, NotPacked, PackedFile
from chorus.keep.packs.moves import Move
from chorus.keep.packs.reading import PackReader
from chorus.keep.packs.rewriting import Rewriter
from chorus.keep.packs.staging import Staging, clean_up
from chorus.keep.restore.originals import Original
from chorus.keep.restore.restoring import Outcome, RestoredFile
from chorus.keep.restore.writing import open_folder

_MAX_SIDECAR_BYTES = 1 << 20
_READ_BYTES = 1 << 20
_FILE = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


class Unpacked(Struct):
    """What unpacking did, or would do."""

    session: str
    config_dir: Path
    cwd: str
    files: list[RestoredFile] = field(default_factory=list)
    rewritten: dict[str, int] = field(default_factory=dict)
    """What was changed in the lines of the session, and how often."""
    dropped: list[str] = field(default_factory=list)
    """What was left out because it leads out of the project."""
    unread: dict[str, int] = field(default_factory=dict)
    """File of the pack → the number of lines in which something is no record and was left out."""
    left_out: list[NotPacked] = field(default_factory=list)
    """What was not in the vault when the pack was made."""
    elsewhere: list[str] = field(default_factory=list)
    """Session files with the same id in other projects of the client's folder."""


class UnpackOptions(Struct, frozen=True, kw_only=True):
    """What a person allowed."""

    is_forced: bool = False
    is_dry_run: bool = False
    is_large: bool = False
    allows_other_sessions: bool = False


def unpack(path: Path, folder: Path, client: Path, options: UnpackOptions) -> Unpacked:
    """Write the files of a pack below `client`, as those of a session in `folder`.

    Raises ChorusError, and writes nothing, if anything in the pack is wrong, or if an existing file differs and
    `is_forced` is not set. With `is_dry_run`, the same is checked and nothing is written.
    """
    project = os.path.realpath(folder)
    if not Path(project).is_dir():
        raise ChorusError(f"{folder}: there is no such folder; create it, or name the folder of the project with --as")
    if not options.is_dry_run:
        clean_up(client)
    with PackReader(path, is_large=options.is_large) as reader:
        unpacking = _Unpacking(reader, project, client, options)
        if options.is_dry_run:
            unpacking.check()
        else:
            unpacking.write()
    return unpacking.done


class _Unpacking:
    """Unpacks one pack."""

    def __init__(self, reader: PackReader, project: str, client: Path, options: UnpackOptions) -> None:
        contents = reader.contents
        self.done = Unpacked(contents.session, client, project, left_out=contents.left_out)
        self._reader = reader
        self._client = client
        self._options = options
        self._move = Move(
            contents.session, contents.project, project, contents.config_dir, str(client), contents.project_key
        )
        self._rewriter = Rewriter(self._move, allows_other_sessions=options.allows_other_sessions)

    def check(self) -> None:
        """Check everything, and write nothing."""
        for file, pieces in self._reader.files():
            measure = _Measure(self._rewritten(file, pieces))
            size_bytes = sum(map(len, measure))
            self._add(self._target(file), size_bytes, measure.digest)
        self._report()

    def write(self) -> None:
        """Stage the files that do not exist yet, then put all of them in place."""
        _refuse_full_disk(self._client, self._reader.contents)
        with Staging(self._client) as staging:
            for file, pieces in self._reader.files():
                target = self._target(file)
                measure = _Measure(self._rewritten(file, pieces))
                size_bytes = staging.add(target, measure)
                if self._add(target, size_bytes, measure.digest) == "identical":
                    staging.drop_last()
            staging.commit(replace=self._options.is_forced)
        self._report()

    def _target(self, file: PackedFile) -> Original:
        top, *below = file.parts
        place = below if top == CLIENT else ("projects", self._move.new_key, *below)
        return Original(self._client, tuple(place), "")

    def _rewritten(self, file: PackedFile, pieces: Iterator[bytes]) -> Iterator[bytes]:
        try:
            # Some file systems do not tell capital letters from small ones.
            name = file.name.lower()
            if name.endswith(".jsonl"):
                yield from self._rewriter.lines(file.name, pieces)
            elif name.endswith(".meta.json"):
                yield self._rewriter.sidecar(file.name, _small(file, pieces))
            else:
                yield from pieces
        except (ValueError, RecursionError) as error:
            raise self._reader.error(f"{file.name}: {error}") from error

    def _add(self, target: Original, size_bytes: int, digest: str) -> Outcome:
        """Note what becomes of a file. Raises ChorusError if another one is there and may not be replaced."""
        existing = _digest_of(target)
        if existing not in (None, digest) and not self._options.is_forced:
            raise ChorusError(
                f"{target.path}: exists already and differs; nothing was written: pass --force to replace it, "
                "or unpack --into another folder"
            )
        outcome: Outcome = "written" if existing is None else "identical" if existing == digest else "replaced"
        self.done.files.append(RestoredFile(str(target.path), size_bytes, outcome))
        return outcome

    def _report(self) -> None:
        self.done.rewritten = dict(self._rewriter.rewritten)
        self.done.dropped = list(self._rewriter.dropped)
        self.done.unread = {name: lines for name, lines in self._rewriter.unread.items() if lines}
        own = self._client / "projects" / self._move.new_key
        found = self._client.glob(f"projects/*/{self._move.session}.jsonl")
        self.done.elsewhere = sorted(str(path) for path in found if path.parent != own)


class _Measure:
    """Passes pieces on, and computes their digest."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = pieces
        self._hash = hashlib.sha256()

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._pieces:
            self._hash.update(piece)
            yield piece

    @property
    def digest(self) -> str:
        return self._hash.hexdigest()


def _small(file: PackedFile, pieces: Iterator[bytes]) -> bytes:
    if file.size > _MAX_SIDECAR_BYTES:
        raise ValueError("is too large for a sidecar")
    return b"".join(pieces)


def _digest_of(target: Original) -> str | None:
    """Return the digest of an existing file; None if there is none. Raises ChorusError if it is no regular file."""
    folder = open_folder(target, make=False)
    if folder is None:
        return None
    try:
        fd = os.open(target.parts[-1], _FILE, dir_fd=folder)
    except FileNotFoundError:
        return None
    except OSError as error:
        reason = "is a link" if error.errno == errno.ELOOP else error.strerror
        raise ChorusError(f"{target.path}: {reason}; nothing was written: look at it first") from error
    finally:
        os.close(folder)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise ChorusError(f"{target.path}: is not a regular file; nothing was written: look at it first")
    with os.fdopen(fd, "rb") as file:
        digest = hashlib.sha256()
        while piece := file.read(_READ_BYTES):
            digest.update(piece)
        return digest.hexdigest()


def _refuse_full_disk(client: Path, contents: Contents) -> None:
    place = next(each for each in (client, *client.parents) if each.exists())
    try:
        status = os.statvfs(place)
    except OSError:
        return
    free_bytes = status.f_bavail * status.f_frsize
    if contents.size_bytes > free_bytes:
        raise ChorusError(
            f"{place}: the pack needs {contents.size_bytes:,} bytes, and {free_bytes:,} are free; nothing was written"
        )
