"""Follows the panes that print records: what they print is written to files, which the recorder takes into the vault.

tmux sends output only for the panes of the session that a control client is attached to. So each session with such a
pane gets a connection of its own as long as it has one.

What was printed before, and what tmux dropped for a client that was too slow, comes from the history. tmux does not
keep the order between its reply to a command and the output of a pane if other panes print, too. So the history is read
while the pane is paused for us: the same step that reads it ends the pause, and all output after that follows on it.
"""

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from chorus.base import processes
from chorus.base.processes import AtTerminal
from chorus.errors import ChorusError, TmuxFailed
from chorus.steer.tmux.arguments import pane_target
from chorus.steer.tmux.connection import Connection, Event, Mark
from chorus.steer.tmux.control_lines import Notice, Output
from chorus.steer.tmux.flat_stream import FlatStream
from chorus.steer.tmux.open_servers import NOBODY
from chorus.steer.tmux.pane_files import PaneFile, file_name
from chorus.steer.tmux.panes import Pane
from chorus.steer.tmux.rows import Rows, begins_stream
from chorus.steer.tmux.shells import is_interactive_shell

FOLLOW_OPTION = "@chorus-follow"
"""An option of a pane; if it is set, the pane is followed from its first row."""
_CAPTURE = ("capture-pane", "-p", "-J", "-S", "-")
_RECENT_ROWS = 2_000
_RECENT = ("capture-pane", "-p", "-J", "-S", str(-_RECENT_ROWS))
"""The whole history takes tmux long, and in that time it serves nobody else."""
_SCREEN = ("capture-pane", "-p", "-J")

_GONE = ("can't find", *NOBODY)
"""What tmux says about a session or a server that has ended since the last look, which is no problem."""


class _Followed(Struct, eq=False):
    pane: Pane
    group: int
    """The processes that print; when others come to the foreground, the stream has ended."""
    file: PaneFile
    rows: Rows
    flat: FlatStream
    awaits: str | None = None
    """The mark of the pause in which the history was read; output before it is in the history."""


class Following:
    """All followed panes. One thread uses it: `look` about once a second, `step` as often as possible."""

    def __init__(self, root: Path, warn: Callable[[str], None]) -> None:
        """`root` is the vault's folder. `warn` is called with problems that do not end the work."""
        self._root = root
        self._warn = warn
        self._output: dict[tuple[str, str], Connection] = {}
        """The connections with output, by socket and session."""
        self._panes: dict[tuple[str, str], _Followed] = {}
        self._marks = 0
        self._checked: dict[tuple[str, str], tuple[str, ...]] = {}
        """What the screens of other panes looked like when they were last checked."""
        self._over: set[tuple[tuple[str, str], int | None]] = set()
        """Panes and groups of processes whose streams have ended."""

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
        for key, connection in list(self._output.items()):
            try:
                connection.check()
            except TmuxFailed:
                self._drop(key)
        now = {pane.key: pane for pane in panes}
        groups = {each.device: each.group for each in at_terminals.values() if each.is_foreground}
        attached = set(self._output)
        for key, followed in list(self._panes.items()):
            pane = now.get(key)
            is_over = pane is None or groups.get(followed.pane.device) != followed.group
            place = followed.pane.socket, (pane or followed.pane).session_id
            if pane is not None and place not in attached:
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
                self._take(key, events)
            except TmuxFailed:
                self._drop(key)
                continue
            has_news = has_news or bool(events)
        return has_news

    def close(self) -> None:
        """Ends the following; what was written stays for the recorder."""
        for each in self._panes.values():
            each.file.close()
        self._panes.clear()
        for connection in self._output.values():
            connection.close()
        self._output.clear()

    def _take(self, key: tuple[str, str], events: Iterable[Event]) -> None:
        data: dict[str, list[bytes]] = {}
        for event in events:
            if isinstance(event, Output):
                data.setdefault(event.pane, []).append(event.data)
            else:
                self._write_all(key, data)
                data = {}
                self._notice(key, event)
        self._write_all(key, data)

    def _write_all(self, key: tuple[str, str], data: Mapping[str, list[bytes]]) -> None:
        for pane, pieces in data.items():
            followed = self._panes.get((key[0], pane))
            if followed is not None and followed.awaits is None and followed.pane.session_id == key[1]:
                self._write(followed, followed.rows.take(b"".join(pieces)))

    def _notice(self, key: tuple[str, str], event: Notice | Mark) -> None:
        if isinstance(event, Mark):
            for followed in self._panes.values():
                if followed.awaits == event.name:
                    followed.awaits = None
        elif event.name == "pause":
            # tmux dropped output that came faster than we read: the history has it.
            followed, connection = self._panes.get((key[0], event.rest)), self._output.get(key)
            # Without a connection, the next look makes one and reads the history.
            if followed is None or connection is None or followed.pane.session_id != key[1]:
                return
            if followed.awaits is None:
                self._resume(followed, connection)

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
        if not marked and not self._shows_stream(connection, target, screen):
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

    def _shows_stream(self, connection: Connection, target: str, screen: Sequence[bytes]) -> bool:
        """Returns whether a record that names its session is on a screen, or ends there: it may be longer than that."""
        if any(begins_stream(row) for row in screen):
            return True
        if not _last_row(screen).endswith(b"}"):
            return False
        try:
            return begins_stream(_last_row(connection.run(*_RECENT, "-t", target)))
        except TmuxFailed:
            return False

    def _begin(self, followed: _Followed) -> None:
        """Connects to the session of a pane, and takes what tmux has of it."""
        key = followed.pane.socket, followed.pane.session_id
        try:
            if key not in self._output:
                self._output[key] = Connection(Path(key[0]), key[1], has_output=True)
            if followed.pane.is_dead:
                self._fill(followed, self._output[key])
            else:
                self._marks += 1
                followed.awaits = f"pause-{self._marks}"
                self._output[key].run(*_state(followed.pane, "pause"), marks=followed.awaits)
                self._fill(followed, self._output[key], _state(followed.pane, "continue"))
        except TmuxFailed as error:
            if not any(each in str(error) for each in _GONE):
                self._warn(str(error))
            self._drop(key)

    def _resume(self, followed: _Followed, connection: Connection) -> None:
        """Takes what tmux dropped since it paused a pane, and ends the pause."""
        captured, is_at_row_start = self._captured(followed, connection, _RECENT, _state(followed.pane, "continue"))
        if followed.rows.continues(captured):
            self._write(followed, followed.rows.fill(captured, is_at_row_start=is_at_row_start))
        else:
            self._begin(followed)

    def _fill(self, followed: _Followed, connection: Connection, and_then: Sequence[str] = ()) -> None:
        """Takes everything that tmux has of a pane; in the same step, tmux runs the command `and_then`."""
        captured, is_at_row_start = self._captured(followed, connection, _CAPTURE, and_then)
        self._write(followed, followed.rows.fill(captured, is_at_row_start=is_at_row_start))

    def _captured(
        self, followed: _Followed, connection: Connection, capture: Sequence[str], and_then: Sequence[str]
    ) -> tuple[list[bytes], bool]:
        """Returns rows of a pane, and whether its cursor is at the beginning of a row."""
        target = pane_target(followed.pane.id)
        rows, cursor = connection.run_with_facts(
            *capture, "-t", target, pane=target, facts="#{cursor_x}", and_then=and_then
        )
        return rows, cursor == "0"

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

    def _drop(self, key: tuple[str, str]) -> None:
        """Ends a connection; the next look connects again if the panes are still there, and the history of tmux fills
        the gap."""
        lost = self._output.pop(key, None)
        if lost is not None:
            lost.close()

    def _close_idle(self) -> None:
        """Detaches from sessions without a followed pane."""
        needed = {(each.pane.socket, each.pane.session_id) for each in self._panes.values()}
        for key in [each for each in self._output if each not in needed]:
            self._output.pop(key).close()


def _last_row(rows: Sequence[bytes]) -> bytes:
    return next((row.rstrip() for row in reversed(rows) if row.strip()), b"")


def _state(pane: Pane, state: str) -> tuple[str, ...]:
    """Returns the command that pauses or continues the output of a pane for this client."""
    return "refresh-client", "-A", f"{pane_target(pane.id)}:{state}"


def _waits_for_person(group: int) -> bool:
    first = processes.look(group)
    return first is not None and is_interactive_shell(first.command)
