"""The names of files in records, in one form, so that the same file has one name. They are text and never opened."""

import ntpath
import posixpath


def full_path(path: str, folder: str | None) -> str:
    """Returns a path without `.` and `..`, relative ones below `folder`."""
    if _is_windows(path) or (folder and _is_windows(folder)):
        return ntpath.normpath(ntpath.join(folder or "", path))
    return posixpath.normpath(posixpath.join(folder or "", path))


def in_folder(folder: str, path: str) -> str:
    """Returns the path that a file has if it is directly in `folder`."""
    name = (ntpath if _is_windows(path) or _is_windows(folder) else posixpath).basename(path)
    return full_path(name, folder)


def _is_windows(path: str) -> bool:
    return path[1:3] in (":\\", ":/") or path.startswith("\\\\")
