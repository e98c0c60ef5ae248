"""Sends the change feed of the index to every socket. One task reads it, so that all sockets get the same frames in the
same order."""

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from typing import Protocol

from chorus.errors import IndexDamaged
from chorus.show import wire
from chorus.show.server import log
from chorus.show.server.edge.limits import Limits
from chorus.show.server.errors import Refused
from chorus.show.server.live import close_codes
from chorus.show.server.live.client import Client, Outgoing
from chorus.show.server.live.teller import Step, Teller
from chorus.show.server.services.listing import feed_position
from chorus.show.server.services.readers import Readers

OWN_POLL_S = 1.0
"""How often the feed is read while this process writes the index: the recorder wakes the hub after most changes."""
POLL_S = 0.1
"""How often the feed is read while another process writes the index, which cannot wake the hub."""
GATHER_PER_SOCKET_S, MAX_GATHER_S = 0.0005, 0.1
"""How long changes are gathered after some were sent. Each frame costs once for every socket, so the more sockets are
open, the more changes go into one frame."""
PARTIAL_S = 0.05
STATUS_S = 0.25
MISSED_S = 5.0
"""How long the frames for sockets that come back are kept after one did: others may have missed the same."""
MAX_MISSED = 20_000
"""The maximum number of events sent to a socket that reconnects; one that missed more loads everything again."""


class Guest(Protocol):
    """A socket that reads the change feed itself, at its own pace."""

    login: str

    def wake(self) -> None:
        """Called after a change of anything."""
        ...

    def end(self, code: int) -> None:
        """Closes the socket with `code`."""
        ...


class Hub:
    """All open sockets, and the position in the change feed up to which they were sent everything."""

    def __init__(
        self,
        readers: Readers,
        teller: Teller,
        limits: Limits,
        *,
        status: Callable[[], Awaitable[wire.ServerStatus]],
        is_writer: Callable[[], bool],
        running: Callable[[], Iterable[wire.Running]],
        runs: Callable[[], Iterable[wire.RunShown]],
        board: Callable[[], wire.BoardChanged],
    ) -> None:
        """`board` returns a frame without changes, which says where a reader of the board stands."""
        self._readers = readers
        self._teller = teller
        self._limits = limits
        self._status = status
        self._is_writer = is_writer
        self._running_sessions = running
        self._runs = runs
        self._board = board
        self._board_changes: deque[wire.BoardChanged] = deque()
        self.noticed: Callable[[], None] = lambda: None
        """Called after each change that the hub hears of, in the thread that reports it."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._wake = asyncio.Event()
        self._clients: set[Client] = set()
        self._guests: set[Guest] = set()
        self.approval_changes = 0
        """How often permission requests or approvers changed; a guest that saw fewer reads them again."""
        self._all_left = asyncio.Event()
        self._all_left.set()
        self._joining: deque[tuple[Client, wire.Hello]] = deque()
        self._epoch = ""
        self._seq = 0
        self._last_missed: tuple[tuple[str, int, int, frozenset[str]], list[Step] | None] | None = None
        """What the last socket that came back had missed. After a short break of the network, many missed the same."""
        self._missed_at = 0.0
        self._partials: dict[str, dict[str, wire.PageRow]] = {}
        self._partial_at: dict[str, float] = {}
        self._is_status_due = False
        self._status_at = 0.0
        self._is_running_due = False
        self._are_runs_due = False
        self._pending: int | None = None
        self._is_pending_due = False
        self._are_annotations_due = False
        self._is_over = False

    @property
    def has_listeners(self) -> bool:
        """Whether any socket is open; while there is none, watchers may poll less often."""
        return bool(self._clients or self._joining or self._guests)

    async def run(self) -> None:
        """Sends changes until `close` is called."""
        self._loop = asyncio.get_running_loop()
        while not self._is_over:
            try:
                await self._send_due()
            except IndexDamaged:
                # The index is being built; the open sockets get its content when it is ready.
                pass
            except Refused as refused:
                log.logger.warning("live: %s", refused.problem.kind)
            except Exception as error:  # noqa: BLE001 - the next pass tries again
                log.failure("LIVE", "", error)
            for guest in self._guests:
                guest.wake()
            await self._gather()
            await self._pause()

    def wake(self) -> None:
        """Wakes the task after the index or the status changed; may be called from any thread."""
        self.noticed()
        self._wake_up()

    def _wake_up(self) -> None:
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._wake.set)

    def status_changed(self) -> None:
        """Schedules a frame with the new server status; may be called from any thread."""
        self._is_status_due = True
        self.wake()

    def running_changed(self) -> None:
        """Schedules a frame with the sessions that run or wait; may be called from any thread."""
        self._is_running_due = True
        self.wake()

    def runs_changed(self) -> None:
        """Schedules a frame with the runs, after one began, ended or changed; may be called from any thread."""
        self._are_runs_due = True
        self.wake()

    def approvals_changed(self, pending: int) -> None:
        """Schedules a frame with the number of pending permission requests; may be called from any thread."""
        self._pending, self._is_pending_due = pending, True
        self.approval_changes += 1
        self.wake()

    def annotations_changed(self) -> None:
        """Schedules a frame after annotations of conversations changed; may be called from any thread."""
        self._are_annotations_due = True
        self.wake()

    def board_changed(self, change: wire.BoardChanged) -> None:
        """Schedules a frame with what changed on the board; may be called from any thread."""
        self._board_changes.append(change)
        self._wake_up()

    def notify(self, login: str, notified: wire.Notified) -> None:
        """Sends a notification to the open sockets of a login; may be called from any thread. What a socket misses is
        not sent later: the board shows it."""
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._notify, login, notified)

    def _notify(self, login: str, notified: wire.Notified) -> None:
        frame = self._teller.frame(notified)
        for client in self._clients:
            if client.login == login:
                client.offer([frame])

    def join(self, login: str, hello: wire.Hello) -> Client:
        """Adds a socket that said hello; raises `Refused` if its login has too many. Its welcome is sent as soon as the
        feed has been read to the end."""
        self._check_room(login)
        client = Client(login, self._limits, hello.seq or 0, self._gap)
        client.follows = frozenset(hello.follow[: self._limits.followed])
        self._joining.append((client, hello))
        self._wake.set()
        return client

    def admit(self, guest: Guest) -> None:
        """Adds a socket that reads the feed itself; raises `Refused` if its login has too many."""
        self._check_room(guest.login)
        self._guests.add(guest)
        self._all_left.clear()

    def dismiss(self, guest: Guest) -> None:
        self._guests.discard(guest)
        self._note_leaving()

    def _check_room(self, login: str) -> None:
        if sum(each.login == login for each in self._everyone()) >= self._limits.sockets_per_login:
            raise Refused(429, "busy", "Too many live sockets are open.")

    def follow(self, client: Client, conversations: Iterable[str]) -> None:
        """Sets the conversations whose rows are sent to the socket from now on."""
        client.follows = frozenset(list(conversations)[: self._limits.followed])

    def leave(self, client: Client) -> None:
        self._clients.discard(client)
        self._note_leaving()
        self._joining = deque(each for each in self._joining if each[0] is not client)

    def _note_leaving(self) -> None:
        if not self._clients and not self._guests:
            self._all_left.set()

    async def close_login(self, login: str) -> None:
        """Closes the sockets of a session that has ended."""
        for client in self._everyone():
            if client.login == login:
                client.end(close_codes.LOGGED_OUT)

    def close_ended(self, is_alive: Callable[[str], bool]) -> None:
        """Closes the sockets of all sessions that are no longer alive."""
        for client in self._everyone():
            if not is_alive(client.login):
                client.end(close_codes.LOGGED_OUT)

    async def close(self, patience_s: float = 2.0) -> None:
        """Sends nothing more, closes all sockets with `GOING_AWAY`, and waits up to `patience_s` for them."""
        self._is_over = True
        self._wake.set()
        for client in self._everyone():
            client.end(close_codes.GOING_AWAY)
        try:
            await asyncio.wait_for(self._all_left.wait(), patience_s)
        except TimeoutError:
            return

    def _everyone(self) -> list[Client | Guest]:
        return [*self._clients, *(client for client, _ in self._joining), *self._guests]

    async def _gather(self) -> None:
        """Waits for more changes, where many sockets are open."""
        seconds = min(len(self._clients) * GATHER_PER_SOCKET_S, MAX_GATHER_S)
        if seconds > 0 and not self._is_over:
            await asyncio.sleep(seconds)

    async def _pause(self) -> None:
        poll = OWN_POLL_S if self._is_writer() or not (self._clients or self._guests) else POLL_S
        now = time.monotonic()
        due = [self._partial_at.get(name, 0.0) + PARTIAL_S - now for name in self._partials]
        due += [self._status_at + STATUS_S - now] if self._is_status_due else []
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._wake.wait(), max(0.001, min([poll, *due])))
        if time.monotonic() - self._missed_at > MISSED_S:
            self._last_missed = None

    async def _send_due(self) -> None:
        self._wake.clear()
        try:
            if self._clients:
                await self._send_feed()
            while self._joining:
                await self._welcome()
        except IndexDamaged:
            # The progress of the first pass can be sent before there is an index.
            await self._send_status()
            raise
        self._send_partials()
        self._send_running()
        self._send_runs()
        self._send_approvals()
        self._send_annotations()
        self._send_board()
        await self._send_status()

    async def _send_feed(self) -> None:
        """Sends all new steps of the change feed to all sockets."""
        while not self._is_over:
            epoch, since = self._epoch, self._seq
            follows = {name for client in self._clients for name in client.follows}
            step = await self._readers.run(lambda index: self._teller.step(index, epoch, since, follows))  # noqa: B023
            if step.is_broken:
                self._restart_all(step)
                return
            if step.changed is None:
                return
            self._seq = step.seq
            for client in self._clients:
                self._offer(client, step)
            for name, rows in step.partials.items():
                self._partials.setdefault(name, {}).update((row.row.id, row) for row in rows)

    def _offer(self, client: Client, step: Step) -> None:
        rows = [frame for name, frame in step.rows.items() if name in client.follows]
        client.offer([*rows, step.changed] if step.changed else rows)

    def _restart_all(self, step: Step) -> None:
        """Makes all sockets load everything again, because the index was replaced."""
        self._epoch, self._seq = step.epoch, step.seq
        self._partials.clear()
        frame = self._welcome_frame(step.seq, is_reset=True)
        for client in self._clients:
            client.restart(frame, step.seq)

    async def _welcome(self) -> None:
        """Admits one socket: sends what it missed, then the current state."""
        client, hello = self._joining[0]
        if not self._clients:
            self._epoch, self._seq = await self._feed_position()
        is_back = hello.epoch is not None and hello.seq is not None
        start = hello.seq if hello.seq is not None and is_back else self._seq
        can_go_on = not is_back or (hello.epoch == self._epoch and 0 <= self._seq - start <= MAX_MISSED)
        steps = await self._missed(start, client.follows) if can_go_on else None
        if not self._joining or self._joining[0][0] is not client:
            return  # The socket left in the meantime.
        self._joining.popleft()
        if steps is None:
            client.restart(self._welcome_frame(self._seq, is_reset=True), self._seq)
        else:
            client.restart(self._welcome_frame(start, is_reset=False), start)
            for step in steps:
                self._offer(client, step)
                client.offer([self._partial(name, row) for name, rows in step.partials.items() for row in rows])
        client.offer([self._running_frame(), self._runs_frame(), self._teller.frame(self._board())])
        if is_back:
            # It may have missed a change of annotations.
            client.offer([self._teller.snapshot(wire.AnnotationsChanged())])
        if self._pending is not None:
            client.offer([self._approvals(self._pending)])
        self._clients.add(client)
        self._all_left.clear()

    async def _missed(self, since: int, follows: frozenset[str]) -> list[Step] | None:
        """Returns the steps from `since` to the position of all sockets; None if the feed does not go back that far."""
        epoch, until = self._epoch, self._seq
        asked = epoch, since, until, follows
        if self._last_missed is None or self._last_missed[0] != asked:
            self._last_missed = asked, await self._built(since, follows)
        self._missed_at = time.monotonic()
        return self._last_missed[1]

    async def _built(self, since: int, follows: frozenset[str]) -> list[Step] | None:
        steps: list[Step] = []
        epoch, until = self._epoch, self._seq
        while since < until:
            step = await self._readers.run(
                lambda index: self._teller.step(index, epoch, since, follows, until=until)  # noqa: B023
            )
            if step.is_broken or step.changed is None:
                return None
            steps.append(step)
            since = step.seq
        return steps

    def _send_partials(self) -> None:
        """Sends rows that are still being written, for each conversation at most once in `PARTIAL_S`."""
        now = time.monotonic()
        for name in [name for name in self._partials if now - self._partial_at.get(name, 0.0) >= PARTIAL_S]:
            self._partial_at[name] = now
            rows = self._partials.pop(name).values()
            frames = [self._partial(name, row) for row in rows]
            for client in self._clients:
                if name in client.follows:
                    client.offer(frames)

    def _send_running(self) -> None:
        if self._is_running_due:
            self._is_running_due = False
            self._send_all(self._running_frame())

    def _send_runs(self) -> None:
        if self._are_runs_due:
            self._are_runs_due = False
            self._send_all(self._runs_frame())

    def _send_approvals(self) -> None:
        if not self._is_pending_due or self._pending is None:
            return
        self._is_pending_due = False
        self._send_all(self._approvals(self._pending))

    def _send_annotations(self) -> None:
        if self._are_annotations_due:
            self._are_annotations_due = False
            self._send_all(self._teller.snapshot(wire.AnnotationsChanged()))

    def _send_board(self) -> None:
        while self._board_changes:
            change = self._board_changes.popleft()
            if self._clients:
                self._send_all(self._teller.frame(change))

    async def _send_status(self) -> None:
        now = time.monotonic()
        if not self._is_status_due or now - self._status_at < STATUS_S:
            return
        self._is_status_due, self._status_at = False, now
        if self._clients:
            self._send_all(self._teller.snapshot(wire.StatusChanged(status=await self._status())))

    def _send_all(self, frame: Outgoing) -> None:
        for client in self._clients:
            client.offer([frame])

    async def _feed_position(self) -> tuple[str, int]:
        try:
            return await self._readers.run(lambda index: (index.epoch, feed_position(index)))
        except IndexDamaged:
            return "", 0

    def _welcome_frame(self, seq: int, *, is_reset: bool) -> Outgoing:
        return self._teller.frame(wire.Welcome(epoch=self._epoch, seq=seq, is_reset=is_reset))

    def _running_frame(self) -> Outgoing:
        return self._teller.snapshot(wire.RunningChanged(sessions=tuple(self._running_sessions())))

    def _runs_frame(self) -> Outgoing:
        return self._teller.snapshot(wire.RunsChanged(runs=tuple(self._runs())))

    def _partial(self, name: str, row: wire.PageRow) -> Outgoing:
        return self._teller.frame(wire.Partial(conversation=name, row=row), key=f"partial {name} {row.row.id}")

    def _approvals(self, pending: int) -> Outgoing:
        return self._teller.snapshot(wire.ApprovalsChanged(pending=pending))

    def _gap(self, since: int, seq: int) -> Outgoing:
        return self._teller.frame(wire.Gap(since=since, seq=seq), seq=seq)
