"""Watches the tmux servers of this user: in which pane each session lives, and what panes print."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from chorus.base import config, processes
from chorus.errors import ChorusError, TmuxFailed
from chorus.show import wire
from chorus.show.server import log
from chorus.show.server.errors import Refused, not_found
from chorus.show.server.live.client_watcher import ClientWatcher
from chorus.show.server.live.pane_requests import PaneRequests
from chorus.steer.tmux.connection import Connection
from chorus.steer.tmux.flat_prompts import FlatPrompts
from chorus.steer.tmux.following import Following
from chorus.steer.tmux.open_servers import OpenServers
from chorus.steer.tmux.panes import go_command, go_to
from chorus.steer.tmux.placing import PlacedClient, place
from chorus.steer.tmux.sight import picture_of

LOOK_S = 1.0
STEP_S = 0.05
"""How often output of followed panes is written."""
DECISION_S = 0.2
"""How often to look for decisions while a request of a pane is open."""
NO_PANE = "This session runs in no pane of tmux that Chorus can see."


class PaneWatcher:
    """Watches all panes in a thread of its own. `placed` may be read from any thread."""

    def __init__(
        self,
        vault: Path,
        home: Path,
        client_watcher: ClientWatcher,
        report: Callable[[str | None], None],
        requests: PaneRequests | None = None,
    ) -> None:
        """`report` is called with a text if tmux cannot be used. Without `requests`, no prompt is answered."""
        self._requests = requests
        self._home = home
        self._client_watcher = client_watcher
        self._report = report
        self._following = Following(vault, self._warn)
        self._flat_prompts = FlatPrompts(self._following.streams)
        if requests is not None:
            requests.sources.append(self._flat_prompts)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="chorus-panes", daemon=True)
        self.placed: dict[str, PlacedClient] = {}
        """The pane of each session, by session id; the dict is replaced as a whole and never changed."""

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Detaches from all servers and waits until that is done."""
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _run(self) -> None:
        """Watches until stopped. Whatever fails is tried again: no tmux server may stop this one."""
        servers: OpenServers | None = None
        try:
            while not self._stop.is_set():
                with self._warning():
                    if servers is None:
                        servers = OpenServers(config.load(self._home), self._warn)
                    self._look(servers)
                next_look = time.monotonic() + LOOK_S
                with self._warning():
                    self._step_until(next_look, servers)
                self._stop.wait(max(0.0, next_look - time.monotonic()))
        finally:
            if self._requests is not None:
                with contextlib.suppress(ChorusError):
                    self._requests.close()
            self._following.close()
            if servers is not None:
                servers.close()

    @contextlib.contextmanager
    def _warning(self) -> Iterator[None]:
        """Reports what fails inside, so that it is tried again later."""
        try:
            yield
        except ChorusError as error:
            self._warn(str(error))
        except Exception as error:  # noqa: BLE001 - the next attempt may succeed
            log.failure("PANES", "", error)

    def _look(self, servers: OpenServers) -> None:
        panes = servers.panes()
        at_terminals = processes.at_terminals() if panes else {}
        found = place(panes, at_terminals, list(self._client_watcher.entries.values()))
        self.placed = found
        self._client_watcher.panes = {session: pane_on_wire(each) for session, each in found.items()}
        self._following.look(panes, at_terminals, servers.connections())
        if self._requests is not None:
            self._requests.look(servers.connections())

    def _step_until(self, end_s: float, servers: OpenServers | None) -> None:
        """Writes what followed panes print, and gives decisions to clients, until it is time for the next look."""
        while (left_s := end_s - time.monotonic()) > 0 and not self._stop.is_set():
            is_deciding = self._requests is not None and self._requests.is_waiting and servers is not None
            if not self._following.panes and not is_deciding:
                self._stop.wait(left_s)
                return
            has_news = self._following.step()
            if self._requests is not None and servers is not None and is_deciding:
                try:
                    self._requests.step(servers.connections())
                except ChorusError as error:
                    log.logger.error("a decision for a pane could not be read: %s", type(error).__name__)
                    self._stop.wait(left_s)
            if not has_news:
                self._stop.wait(DECISION_S if is_deciding and not self._following.panes else STEP_S)

    def go(self, session: str) -> wire.WentThere:
        """Shows the pane of a session to the person who is attached; raises `Refused` if there is none."""
        found = self.placed.get(session)
        if found is None:
            raise not_found(NO_PANE)
        try:
            with Connection(Path(found.pane.socket)) as connection:
                who = go_to(connection, found.pane)
        except TmuxFailed as error:
            raise Refused(409, "not_done", str(error)) from error
        return wire.WentThere(is_there=who is not None, command=go_command(found.pane))

    def prompts(self) -> wire.PanePrompts:
        """Returns the permission requests that can be answered only in their panes."""
        shown = (
            wire.PanePrompt(session=each.session, place=each.place, why=each.why)
            for each in self._flat_prompts.obstacles
        )
        return wire.PanePrompts(tuple(shown))

    def screen(self, session: str) -> wire.PaneScreen:
        """Returns what the pane of a session shows now; raises `Refused` if there is none."""
        found = self.placed.get(session)
        if found is None:
            raise not_found(NO_PANE)
        try:
            with Connection(Path(found.pane.socket)) as connection:
                picture = picture_of(connection, found.pane)
        except TmuxFailed as error:
            raise Refused(409, "not_done", str(error)) from error
        return wire.PaneScreen(width=picture.width, height=picture.height, cursor=picture.cursor, text=picture.text)

    def _warn(self, text: str) -> None:
        log.logger.warning("tmux cannot be used as expected")
        self._report(text)


def pane_on_wire(placed: PlacedClient) -> wire.Pane:
    pane = placed.pane
    return wire.Pane(id=pane.id, place=pane.place, command=go_command(pane), is_foreground=placed.is_foreground)
