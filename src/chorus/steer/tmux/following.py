"""Follows the panes that print records: what they print is written to files, which the recorder takes into the vault.

tmux sends output only for the panes of the session that a control client is attached to. So each session with such a
pane gets a connection of its own as long as it has one.
"""

import contextlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from msgspec import Struct

from chorus.base import processes
from chorus.base.processes import AtTerminal
from chorus.errors import ChorusError, TmuxFailed
from chorus.steer.tmux.arguments import pane_target
from chorus.steer.tmux.connection import Connection, Mark
from chorus.steer.tmux.control_lines import Notice, Output
from chorus.steer.tmux.flat_stream import FlatStream
from chorus.steer.tmux.pane_files import PaneFile, file_name
from chorus.steer.tmux.panes import Pane
from chorus.steer.tmux.rows import Rows, begins_stream
from chorus.steer.tmux.shells import is_interactive_shell

FOLLOW_OPTION = "@chorus-follow"
"""An option of a pane; if it is set, the pane is followed from its first row."""
_CAPTURE = ("capture-pane", "-p", "-J", "-S", "-")
_SCREEN = ("capture-pane", "-p", "-J")


class _Followed(Struct, eq=False):
    pane: Pane
    group: int
    """The processes that print; when others come to the foreground, the stream has ended."""
    file: PaneFile
    rows: Rows
    flat: FlatStream
    awaits: str | None = None
    """The mark of a capture that was taken; output before it is in the capture."""


class Following:
    """All followed panes. One thread uses it: `look` about once a second, `step` as often as possible."""

    def __init__(self, root: Path, warn: Callable[[str], None]) -> None:
        """`root` is the vault's folder. `warn` is called with problems that do not end the work."""
        self._root = root
        self._warn = warn
        self._output: dict[tuple[str, str], Connection] = {}
        """The connections with output, by socket and session."""
        self._panes: dict[tuple[str, str], _Followed] = {}
        self._checked: dict[tuple[str, str], tuple[str, ...]] = {}
        """What the screens of other panes looked like when they were last checked."""
        self._over: set[tuple[tuple[str, str], int | None]] = set()
        """Panes and groups of processes whose streams have ended."""
        self._marks = 0

    @property
    def panes(self) -> list[Pane]:
        """The panes that are followed now."""
        return [each.pane for each in self._panes.values()]

    def streams(self) -> dict[tuple[str, str], tuple[Pane, int, FlatStream]]:
        """Returns the followed panes by their keys: each with the group of processes that prints, and its stream."""
        return {key: (each.pane, each.group, each.flat) for key, each in self._panes.items()}

    def look(
        self, panes: Iterable[Pane], at_terminals: Mapping[int, AtTerminal], connections: Mapping[Path, Connection]
    ) -> None:
        """Begins to follow panes that print records, and ends with those whose program has ended."""
        now = {pane.key: pane for pane in panes}
        groups = {each.device: each.group for each in at_terminals.values() if each.is_foreground}
        for key, followed in list(self._panes.items()):
            pane = now.get(key)
            is_over = pane is None or groups.get(followed.pane.device) != followed.group
            place = followed.pane.socket, (pane or followed.pane).session_id
            if pane is not None and place not in self._output:
                # It moved to another session, or the connection was lost.
                followed.pane = pane
                self._begin(followed)
            if is_over:
                self._finish(key, is_there=pane is not None)
        for key, pane in now.items():
            if key not in self._panes:
                self._check(pane, groups.get(pane.device), connections.get(Path(pane.socket)))
        self._checked = {key: seen for key, seen in self._checked.items() if key in now}
        self._over = {(key, group) for key, group in self._over if key in now}
        self._close_idle()

    def step(self) -> bool:
        """Writes what arrived since the last call; returns whether something did."""
        has_news = False
        for key, connection in list(self._output.items()):
            try:
                events = connection.events()
            except TmuxFailed:
                # The next look connects again, and the history of tmux fills the gap.
                self._lose(key)
                continue
            has_news = has_news or bool(events)
            data: dict[str, list[bytes]] = {}
            for event in events:
                if isinstance(event, Output):
                    data.setdefault(event.pane, []).append(event.data)
                else:
                    self._write_all(key, data)
                    data = {}
                    self._notice(key, connection, event)
            self._write_all(key, data)
        return has_news

    def close(self) -> None:
        """Ends the following; what was written stays for the recorder."""
        for each in self._panes.values():
            each.file.close()
        self._panes.clear()
        for connection in self._output.values():
            connection.close()
        self._output.clear()

    def _write_all(self, key: tuple[str, str], data: Mapping[str, list[bytes]]) -> None:
        for pane, pieces in data.items():
            followed = self._panes.get((key[0], pane))
            if followed is not None and followed.awaits is None and followed.pane.session_id == key[1]:
                self._write(followed, followed.rows.take(b"".join(pieces)))

    def _notice(self, key: tuple[str, str], connection: Connection, event: Notice | Mark) -> None:
        if isinstance(event, Mark):
            for followed in self._panes.values():
                if followed.awaits == event.command:
                    followed.awaits = None
        elif event.name == "pause":
            # tmux dropped output for this client: the history has it.
            followed = self._panes.get((key[0], event.rest))
            with contextlib.suppress(ChorusError):
                connection.run("refresh-client", "-A", f"{pane_target(event.rest)}:continue")
                if followed is not None:
                    self._fill(followed, connection)

    def _check(self, pane: Pane, group: int | None, connection: Connection | None) -> None:
        """Begins to follow a pane if a row on its screen is a record, or if it is marked."""
        if connection is None or pane.is_alternate or (pane.key, pane.pid if pane.is_dead else group) in self._over:
            return
        target = pane_target(pane.id)
        try:
            marked = connection.run("show-options", "-p", "-q", "-v", "-t", target, FOLLOW_OPTION)
            screen = connection.run(*_SCREEN, "-t", target)
        except TmuxFailed:
            return
        seen = tuple(line.decode("latin-1") for line in screen)
        key = (*seen, str(group))
        if not marked and self._checked.get(pane.key) == key:
            return
        self._checked[pane.key] = key
        if not marked and not any(begins_stream(row) for row in screen):
            return
        if pane.is_dead:
            group = pane.pid
        if group is None or (not pane.is_dead and _waits_for_person(group)):
            # Records on the screen of a shell were printed by a program that has ended.
            return
        try:
            file = PaneFile(self._root, file_name(pane, group))
        except ChorusError as error:
            self._warn(str(error))
            return
        rows, flat = Rows(), FlatStream()
        flat.take(rows.take(file.content()))
        followed = self._panes[pane.key] = _Followed(pane, group, file, rows, flat)
        self._begin(followed)
        if pane.is_dead:
            self._finish(pane.key, is_there=False)

    def _begin(self, followed: _Followed) -> None:
        """Connects to the session of a pane, and takes what tmux has of the pane."""
        key = followed.pane.socket, followed.pane.session_id
        try:
            if key not in self._output:
                self._output[key] = Connection(Path(key[0]), key[1], has_output=True)
            self._fill(followed, self._output[key])
        except TmuxFailed as error:
            self._warn(str(error))

    def _fill(self, followed: _Followed, connection: Connection) -> None:
        target = pane_target(followed.pane.id)
        self._marks += 1
        followed.awaits = f"capture-{self._marks}"
        captured, cursor = connection.run_with_facts(
            *_CAPTURE, "-t", target, pane=target, facts="#{cursor_x}", marks=followed.awaits
        )
        self._write(followed, followed.rows.fill(captured, is_at_row_start=cursor == "0"))

    def _finish(self, key: tuple[str, str], *, is_there: bool) -> None:
        followed = self._panes[key]
        output = self._output.get((followed.pane.socket, followed.pane.session_id))
        if output is not None and is_there:
            with contextlib.suppress(TmuxFailed):
                self._fill(followed, output)
        self._write(followed, followed.rows.end())
        followed.file.close()
        self._over.add((key, followed.group))
        del self._panes[key]

    def _write(self, followed: _Followed, data: bytes) -> None:
        if not data:
            return
        followed.flat.take(data)
        try:
            followed.file.write(data)
        except ChorusError as error:
            self._warn(str(error))

    def _lose(self, key: tuple[str, str]) -> None:
        self._output.pop(key).close()
        for followed in [each for each in self._panes.values() if (each.pane.socket, each.pane.session_id) == key]:
            self._begin(followed)

    def _close_idle(self) -> None:
        """Detaches from sessions without a followed pane."""
        needed = {(each.pane.socket, each.pane.session_id) for each in self._panes.values()}
        for key in [each for each in self._output if each not in needed]:
            self._output.pop(key).close()


def _waits_for_person(group: int) -> bool:
    first = processes.look(group)
    return first is not None and is_interactive_shell(first.command)
