"""The panes of a tmux server, and the people who are attached to it. Names in them are untrusted text."""

import os
import shlex
import stat
from pathlib import Path

from msgspec import Struct

from chorus.errors import TmuxFailed
from chorus.steer.tmux.arguments import is_pane, is_session, pane_target
from chorus.steer.tmux.connection import Connection
from chorus.steer.tmux.servers import socket_folder

_NUMBERS = (
    "pane_pid", "pane_dead", "pane_in_mode", "alternate_on", "pane_width", "pane_height", "window_zoomed_flag",
    "pane_active", "session_attached", "window_index", "pane_index", "pid",
)  # fmt: skip
_PANE_FORMAT = " ".join(
    ["#{pane_id}", "#{session_id}", *(f"#{{{name}}}" for name in _NUMBERS), "#{pane_tty}", "#{session_name}"]
)
_CLIENT_FORMAT = "#{client_control_mode} #{client_activity} #{client_name}"
DEFAULT_NAME = "default"
"""The name of the socket that tmux uses if nobody names one."""


class Pane(Struct, frozen=True, kw_only=True):
    """One terminal of a tmux server, as it was when it was listed."""

    socket: str
    id: str
    """Such as `%3`. It is never used again while the server lives."""
    pid: int
    """The first process in it."""
    tty: str
    device: int
    """The device number of its terminal; 0 if the terminal is gone."""
    session: str
    session_id: str
    window: int
    index: int
    width: int
    height: int
    server_pid: int = 0
    is_dead: bool = False
    is_in_mode: bool = False
    """Whether a person scrolls back or chooses something in it: keys do not reach the program."""
    is_alternate: bool = False
    """Whether the program uses the second screen, which has no history."""
    is_hidden: bool = False
    """Whether another pane of its window is zoomed and covers it."""
    is_attached: bool = False
    """Whether a client is attached to its session."""

    @property
    def place(self) -> str:
        """Where it is, as people write it: `work:1.0`."""
        return f"{self.session}:{self.window}.{self.index}"

    @property
    def key(self) -> tuple[str, str]:
        return self.socket, self.id


def list_panes(connection: Connection) -> list[Pane]:
    """Returns the panes of a server, each once. Raises `TmuxFailed` if the server is gone."""
    found: dict[str, Pane] = {}
    for line in connection.run("list-panes", "-a", "-F", _PANE_FORMAT):
        pane = _pane(str(connection.socket), line.decode("utf-8", "replace"))
        # A window that is linked to several sessions is listed once for each.
        if pane is not None and (pane.id not in found or pane.is_attached > found[pane.id].is_attached):
            found[pane.id] = pane
    return list(found.values())


def panes_of(connection: Connection) -> list[Pane]:
    """Returns the panes of a server; none if it is gone."""
    try:
        return list_panes(connection)
    except TmuxFailed:
        return []


def go_to(connection: Connection, pane: Pane) -> str | None:
    """Shows the pane to the person who is attached and used tmux last; returns None if nobody is attached."""
    target = pane_target(pane.id)
    people: list[tuple[int, str]] = []
    for line in connection.run("list-clients", "-F", _CLIENT_FORMAT):
        is_control, activity, name = line.decode("utf-8", "replace").split(" ", 2)
        if is_control != "1" and activity.isdigit():
            people.append((int(activity), name))
    if not people:
        return None
    _, name = max(people)
    connection.run("switch-client", "-c", name, "-t", target)
    return name


def go_command(pane: Pane) -> str:
    """Returns a command for a shell that attaches to the pane."""
    path = Path(pane.socket)
    server = ["-L", path.name] if path.parent == socket_folder() else ["-S", pane.socket]
    call = ["tmux", *([] if server == ["-L", DEFAULT_NAME] else server)]
    target = pane_target(pane.id)
    # The id begins with `%`, which no shell expands in the middle of a line.
    then = f"select-window -t {target} \\; select-pane -t {target} \\; attach-session -t {target}"
    return f"{shlex.join(call)} {then}"


def _pane(socket: str, line: str) -> Pane | None:
    words = line.split(" ", len(_NUMBERS) + 3)
    if len(words) != len(_NUMBERS) + 4 or not is_pane(words[0]) or not is_session(words[1]):
        return None
    *numbers, tty, session = words[2:]
    if not all(each.isdigit() or not each for each in numbers):
        return None
    value = {name: int(each or 0) for name, each in zip(_NUMBERS, numbers, strict=True)}
    return Pane(
        socket=socket,
        id=words[0],
        pid=value["pane_pid"],
        tty=tty,
        device=_device(tty),
        session=session,
        session_id=words[1],
        window=value["window_index"],
        index=value["pane_index"],
        width=value["pane_width"],
        height=value["pane_height"],
        server_pid=value["pid"],
        is_dead=bool(value["pane_dead"]),
        is_in_mode=bool(value["pane_in_mode"]),
        is_alternate=bool(value["alternate_on"]),
        is_hidden=bool(value["window_zoomed_flag"]) and not value["pane_active"],
        is_attached=bool(value["session_attached"]),
    )


def _device(tty: str) -> int:
    try:
        status = os.stat(tty)  # noqa: PTH116 - for each pane, each second
    except (OSError, ValueError):
        return 0
    return status.st_rdev if stat.S_ISCHR(status.st_mode) else 0
