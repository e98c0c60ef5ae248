"""Reads the files of a workspace for a snapshot: byte for byte, without following a link, without waiting."""

import contextlib
import errno
import os
import re
import stat
from pathlib import Path, PurePath

from msgspec import Struct

MAX_BYTES = 5_000_000
"""Larger files are not part of a snapshot."""
_SECRET_NAMES = re.compile(
    r"(\.env(\..*)?|.+\.env|\.envrc|\.netrc|_netrc|\.npmrc|\.pypirc|\.pgpass|\.my\.cnf|\.s3cfg|\.boto|\.htpasswd|"
    r"\.git-credentials|\.dockercfg|\.terraformrc|\.vault[-_](token|pass(word)?)|(.*[-_.])?credentials(\.(json|toml|ya?ml|csv|ini|xml|txt|db|properties))?|"
    r"id_(rsa|dsa|ecdsa|ed25519)(_sk)?|.*\.(pem|key|p12|pfx|jks|keystore|kdbx|asc|gpg|ppk|ovpn)|(.*\.)?kubeconfig|"
    r"(.*[-_])?(service[-_]?account|client[-_]?secret).*\.json|"
    r"secrets?\.(ya?ml|json|toml|env|properties|ini|xml)|.*\.tfstate|.*\.tfvars)"
    r"(\.(backup|bak|old|orig|save|swp)|~)?",
    re.IGNORECASE,
)
_MAX_LINKS = 40
_MAX_DEPTH = 200
"""Trees are read and written one folder in the other."""
HALF_WRITTEN = re.compile(rb"\.chorus-[0-9a-f]{16}")
"""The name of a file that is not completely written yet, or was left by a process that was killed."""
_PUBLIC_NAMES = re.compile(
    r".*\.env(\..*)?\.(example|sample|template|dist)|(.*[-_.])?(example|sample|template)\.env", re.IGNORECASE
)
_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class FileContent(Struct, frozen=True):
    """A file or a link as it is on disk."""

    mode: str
    data: bytes


class Skipped(Struct, frozen=True):
    """A file that is not part of a snapshot, and the reason."""

    reason: str
    is_folder: bool = False
    """Whether there is no file, but a folder of this name."""


def path_in(folder: Path, path: str) -> bytes | None:
    """Returns a path relative to the workspace, as git writes it; None if it is not inside.

    Only the text is examined: the path comes from a transcript. `read_content` follows no link.
    """
    if "\0" in path:
        return None
    place = os.path.normpath(folder / path)
    below = PurePath(place)
    try:
        parts = below.relative_to(folder).parts
    except ValueError:
        return None
    return b"/".join(os.fsencode(part) for part in parts) if parts else None


def followed(folder: Path, path: bytes) -> bytes | None:
    """Returns where a path in the workspace leads if links are followed; None if it leads elsewhere, or in a circle.

    Only links in the workspace are looked at. `read_content` follows none, so one that changes meanwhile does no harm.
    """
    at: list[bytes] = []
    left = path.split(b"/")[::-1]
    links = 0
    while left:
        name = left.pop()
        if name == b"..":
            if not at:
                return None
            at.pop()
        elif name not in (b"", b"."):
            try:
                target = os.readlink(b"/".join([os.fsencode(folder), *at, name]))  # noqa: PTH115 - bytes
            except (OSError, ValueError):
                at.append(name)
                continue
            links += 1
            if target.startswith(b"/"):
                target = path_in(folder, os.fsdecode(target)) or b""
                at = []
            if links > _MAX_LINKS or not target:
                return None
            left += target.split(b"/")[::-1]
    return b"/".join(at) or None


def reason_to_skip(path: bytes) -> str | None:
    """Returns why a file of this name is never part of a snapshot, or None."""
    parts = path.split(b"/")
    if len(parts) > _MAX_DEPTH:
        return f"it is in more than {_MAX_DEPTH} folders"
    if any(part.lower() == b".git" for part in parts):
        return "it is part of a git repository"
    if HALF_WRITTEN.fullmatch(parts[-1]):
        return "it was left by an undo that was interrupted"
    name = os.fsdecode(parts[-1])
    if _SECRET_NAMES.fullmatch(name) and not _PUBLIC_NAMES.fullmatch(name):
        return "its name says that it holds a secret"
    return None


def read_content(folder: Path, path: bytes) -> FileContent | Skipped | None:
    """Returns the content of a file, the reason why it is skipped, or None if there is no such file."""
    reason = reason_to_skip(path)
    if reason is not None:
        return Skipped(reason)
    *above, name = path.split(b"/")
    try:
        at = open_folder(folder, above)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return Skipped("it is behind a link" if error.errno == errno.ELOOP else _why(error))
    try:
        return _read(at, name)
    except FileNotFoundError:
        return None
    except OSError as error:
        return Skipped(_why(error))
    finally:
        os.close(at)


def read_unless_folder(folder: Path, path: bytes) -> FileContent | Skipped | None:
    """Returns the same for a file that is to be replaced. A folder in its place is no file.

    Whether the folder can give way, because nothing is left in it, is seen when the file is written.
    """
    found = read_content(folder, path)
    return None if isinstance(found, Skipped) and found.is_folder else found


def open_folder(folder: Path, names: list[bytes], *, make: bool = False) -> int:
    """Returns a descriptor of a folder in the workspace. A link on the way is refused; the workspace itself may be one.

    With `make`, folders that do not exist are created.
    """
    at = os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0))
    for name in names:
        try:
            if make:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(name, 0o755, dir_fd=at)
            if stat.S_ISLNK(os.stat(name, dir_fd=at, follow_symlinks=False).st_mode):
                raise OSError(errno.ELOOP, "a link is on the way, and links are not followed")
            inner = os.open(name, _FLAGS | getattr(os, "O_DIRECTORY", 0), dir_fd=at)
        finally:
            os.close(at)
        at = inner
    return at


def _read(at: int, name: bytes) -> FileContent | Skipped:
    known = os.stat(name, dir_fd=at, follow_symlinks=False)
    if stat.S_ISLNK(known.st_mode):
        return FileContent("120000", os.readlink(name, dir_fd=at))
    if stat.S_ISDIR(known.st_mode):
        return Skipped("it is a folder", is_folder=True)
    if not stat.S_ISREG(known.st_mode):
        return Skipped("it is not a regular file")
    if known.st_size > MAX_BYTES:
        return Skipped(f"it is larger than {MAX_BYTES // 1_000_000} MB")
    fd = os.open(name, _FLAGS, dir_fd=at)
    try:
        opened = os.fstat(fd)
        if not stat.S_ISREG(opened.st_mode):
            return Skipped("it is not a regular file")
        with os.fdopen(os.dup(fd), "rb") as file:
            data = file.read(MAX_BYTES + 1)
    finally:
        os.close(fd)
    if len(data) > MAX_BYTES:
        return Skipped(f"it is larger than {MAX_BYTES // 1_000_000} MB")
    return FileContent("100755" if opened.st_mode & 0o100 else "100644", data)


def _why(error: OSError) -> str:
    return f"it cannot be read ({error.strerror or 'an input error'})"
