"""The connections to all tmux servers of this user. A server that comes, goes or cannot be used stops nothing."""

import contextlib
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Self

from chorus.base import processes
from chorus.base.config import Config
from chorus.errors import TmuxFailed
from chorus.steer.clients.registry_entry import Running
from chorus.steer.tmux.connection import MIN_VERSION, Connection
from chorus.steer.tmux.panes import Pane, list_panes
from chorus.steer.tmux.placing import PlacedClient, place
from chorus.steer.tmux.servers import server_sockets

NOBODY = ("no server running", "error connecting", "no sessions", "ended the connection", "server exited")
"""What tmux says if nobody listens at a socket: a server that has ended, which is no problem."""


class OpenServers:
    """One control client for each server. One thread uses it. A context manager."""

    def __init__(self, settings: Config, warn: Callable[[str], None] = lambda text: None) -> None:
        """`warn` is called once for each problem, again only after another one."""
        self._is_on = settings.tmux == "on"
        self._named = list(settings.tmux_sockets)
        self._warn = warn
        self._open: dict[Path, Connection] = {}
        self._said: dict[str, str] = {}
        """The last problem of each socket."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        for each in self._open.values():
            each.close()
        self._open.clear()

    def connections(self) -> dict[Path, Connection]:
        """Returns a working connection for each server; connects to new servers, and again to lost ones."""
        sockets = server_sockets(self._named, self._open) if self._is_on else []
        if sockets and shutil.which("tmux") is None:
            self._say("", "tmux is not on PATH: panes of its servers are not seen")
            return {}
        for path in [each for each in self._open if each not in sockets]:
            self._open.pop(path).close()
        for path in sockets:
            self._renew(path)
        return dict(self._open)

    def panes(self) -> list[Pane]:
        """Returns the panes of all servers."""
        found: list[Pane] = []
        for path, connection in self.connections().items():
            try:
                found += list_panes(connection)
            except TmuxFailed as error:
                self._drop(path, error)
        return found

    def place(self, clients: Iterable[Running]) -> dict[str, PlacedClient]:
        """Returns which of the clients run in which pane, by session."""
        known = list(clients)
        panes = self.panes() if known else []
        return place(panes, processes.at_terminals(), known) if panes else {}

    def _renew(self, path: Path) -> None:
        known = self._open.get(path)
        try:
            if known is not None:
                known.events()
                return
            connection = Connection(path)
        except TmuxFailed as error:
            self._drop(path, error)
            return
        if _is_older(connection.version):
            connection.close()
            wanted = ".".join(map(str, MIN_VERSION))
            self._say(str(path), f"{path}: this server has tmux {connection.version}; {wanted} or newer is needed")
            return
        self._said.pop(str(path), None)
        self._open[path] = connection

    def _drop(self, path: Path, error: TmuxFailed) -> None:
        known = self._open.pop(path, None)
        if known is not None:
            with contextlib.suppress(TmuxFailed):
                known.close()
        if not any(each in str(error) for each in NOBODY):
            self._say(str(path), str(error))

    def _say(self, path: str, text: str) -> None:
        if self._said.get(path) != text:
            self._said[path] = text
            self._warn(text)


def _is_older(version: str) -> bool:
    """Returns whether a version such as `3.3a` or `next-3.5` is too old; False for one that cannot be read."""
    numbers = version.removeprefix("next-").split(".")
    major, minor = [*numbers, ""][:2]
    minor = "".join(char for char in minor if char.isdigit())
    return (int(major), int(minor or 0)) < MIN_VERSION if major.isdigit() else False
