"""Where paths of the old machine are on this one: the project's folder, and the client's folder."""

import re
from collections.abc import Iterator

from msgspec import Struct

from chorus.keep.sources.layout import project_key

_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\")


class Move(Struct, frozen=True):
    """The folders of a session before and after the move; an old one is None if it is not known."""

    session: str
    old_project: str | None
    new_project: str
    old_client: str | None
    new_client: str
    old_key: str | None

    @property
    def new_key(self) -> str:
        """The name of the project's folder below `projects/`."""
        return project_key(self.new_project)

    @property
    def sessions_folder(self) -> tuple[str, str] | None:
        """The folder with the sessions of the project, before and after."""
        if self.old_client is None or self.old_key is None:
            return None
        return _join(self.old_client, "projects", self.old_key), _join(self.new_client, "projects", self.new_key)

    def path(self, old: str) -> str | None:
        """Return where a path is now, or None if it is in none of the folders that moved."""
        for before, after in self._folders():
            rest = _below(old, before)
            if rest is not None:
                return _join(after, *rest)
        return None

    def project_path(self, old: str) -> str | None:
        """Return where a path of the project is now, or None if it is elsewhere."""
        rest = _below(old, self.old_project) if self.old_project else None
        return _join(self.new_project, *rest) if rest is not None else None

    def text(self, old: str) -> str:
        """Return a text in which each path into the folder of the project's sessions is the new one."""
        folder = self.sessions_folder
        if folder is None or folder[0] == folder[1]:
            return old
        before, after = (f"{each}{_separator(each)}" for each in folder)
        return old.replace(before, after)

    def _folders(self) -> Iterator[tuple[str, str]]:
        """Yield the folders that moved; a folder that is inside of another one comes first."""
        known = [(self.old_project, self.new_project), (self.old_client, self.new_client), self.sessions_folder]
        found = [(each[0], each[1]) for each in known if each is not None and each[0] is not None]
        yield from sorted(found, key=lambda each: -len(each[0]))


def is_absolute(path: str) -> bool:
    """Return whether a path is absolute, on this system or on another one."""
    return path.startswith("/") or _WINDOWS.match(path) is not None


def is_inside(path: str) -> bool:
    """Return whether a relative path stays below its folder."""
    parts = re.split(r"[\\/]", path)
    return bool(path) and "\0" not in path and not is_absolute(path) and ".." not in parts


def _below(path: str, folder: str) -> tuple[str, ...] | None:
    """Return the names that lead from a folder to a path in it; None if the path is elsewhere."""
    separator = _separator(folder)
    top = folder.rstrip(separator)
    if path == folder or path == top:
        return ()
    if not path.startswith(top + separator):
        return None
    rest = tuple(part for part in path[len(top) + 1 :].split(separator) if part)
    return None if ".." in rest or "\0" in path else rest


def _separator(folder: str) -> str:
    return "\\" if _WINDOWS.match(folder) and "\\" in folder else "/"


def _join(folder: str, *names: str) -> str:
    separator = _separator(folder)
    return separator.join([folder.rstrip(separator), *names]) if names else folder
