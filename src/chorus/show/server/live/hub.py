"""The feed of the index, told to every socket. One task reads it, so that all are told the same in the same order."""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable

from chorus.errors import IndexDamaged
from chorus.show import wire
from chorus.show.server import log
from chorus.show.server.edge.limits import Limits
from chorus.show.server.errors import Refused
from chorus.show.server.live import close_codes
from chorus.show.server.live.client import Client, Outgoing
from chorus.show.server.live.teller import Step, Teller
from chorus.show.server.services.listing import place_of
from chorus.show.server.services.readers import Readers

OWN_POLL_S = 1.0
"""The writer of the index wakes us; this is for what it does not tell."""
POLL_S = 0.1
"""When another process writes the index, nobody wakes us."""
PARTIAL_S = 0.05
STATUS_S = 0.25
FARTHEST = 20_000
"""Events that are told to somebody who was away; who missed more reads everything again."""


class Hub:
    """Every socket there is, and how far all of them were told."""

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
    ) -> None:
        self._readers = readers
        self._teller = teller
        self._limits = limits
        self._status = status
        self._is_writer = is_writer
        self._running = running
        self._runs = runs
        self._loop: asyncio.AbstractEventLoop | None = None
        self._wake = asyncio.Event()
        self._clients: set[Client] = set()
        self._nobody = asyncio.Event()
        self._nobody.set()
        self._joining: deque[tuple[Client, wire.Hello]] = deque()
        self._epoch = ""
        self._seq = 0
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
        """Whether any socket is open: while there is none, watchers may look less often."""
        return bool(self._clients or self._joining)

    async def run(self) -> None:
        """Tell what changes, until `close`."""
        self._loop = asyncio.get_running_loop()
        while not self._is_over:
            try:
                await self._go_on()
            except IndexDamaged:
                # It is being made; whoever is here is told when it is there.
                pass
            except Refused as refused:
                log.logger.warning("live: %s", refused.problem.kind)
            except Exception as error:  # noqa: BLE001 - what fails now is tried again
                log.failure("LIVE", "", error)
            await self._pause()

    def wake(self) -> None:
        """The index went on, or the status changed; may be called from any thread."""
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._wake.set)

    def status_changed(self) -> None:
        """There is a new status to tell; may be called from any thread."""
        self._is_status_due = True
        self.wake()

    def running_changed(self) -> None:
        """Other sessions run, or wait; may be called from any thread."""
        self._is_running_due = True
        self.wake()

    def runs_changed(self) -> None:
        """A run began, ended, or stands otherwise; may be called from any thread."""
        self._are_runs_due = True
        self.wake()

    def approvals_changed(self, pending: int) -> None:
        """So many permission requests wait now; may be called from any thread."""
        self._pending, self._is_pending_due = pending, True
        self.wake()

    def annotations_changed(self) -> None:
        """Something was said about conversations; may be called from any thread."""
        self._are_annotations_due = True
        self.wake()

    def join(self, login: str, hello: wire.Hello) -> Client:
        """A socket that said hello. It is welcomed as soon as the feed has been read up to now."""
        if sum(client.login == login for client in self._everyone()) >= self._limits.sockets_per_login:
            raise Refused(429, "busy", "Too many live sockets are open.")
        client = Client(login, self._limits, hello.seq or 0, self._gap)
        client.follows = frozenset(hello.follow[: self._limits.followed])
        self._joining.append((client, hello))
        self._wake.set()
        return client

    def follow(self, client: Client, conversations: Iterable[str]) -> None:
        """From now on the socket is told the rows of exactly these."""
        client.follows = frozenset(list(conversations)[: self._limits.followed])

    def leave(self, client: Client) -> None:
        self._clients.discard(client)
        if not self._clients:
            self._nobody.set()
        self._joining = deque(each for each in self._joining if each[0] is not client)

    async def close_login(self, login: str) -> None:
        """A session has ended: so do its sockets."""
        for client in self._everyone():
            if client.login == login:
                client.end(close_codes.LOGGED_OUT)

    def close_ended(self, is_alive: Callable[[str], bool]) -> None:
        """End the sockets of sessions that are over."""
        for client in self._everyone():
            if not is_alive(client.login):
                client.end(close_codes.LOGGED_OUT)

    async def close(self, patience_s: float = 2.0) -> None:
        """Tell nothing more, and close all sockets as one that goes away."""
        self._is_over = True
        self._wake.set()
        for client in self._everyone():
            client.end(close_codes.GOING_AWAY)
        try:
            await asyncio.wait_for(self._nobody.wait(), patience_s)
        except TimeoutError:
            return

    def _everyone(self) -> list[Client]:
        return [*self._clients, *(client for client, _ in self._joining)]

    async def _pause(self) -> None:
        poll = OWN_POLL_S if self._is_writer() or not self._clients else POLL_S
        now = time.monotonic()
        due = [self._partial_at.get(name, 0.0) + PARTIAL_S - now for name in self._partials]
        due += [self._status_at + STATUS_S - now] if self._is_status_due else []
        try:
            await asyncio.wait_for(self._wake.wait(), max(0.001, min([poll, *due])))
        except TimeoutError:
            return

    async def _go_on(self) -> None:
        self._wake.clear()
        try:
            if self._clients:
                await self._tell_feed()
            while self._joining:
                await self._welcome()
        except IndexDamaged:
            # How far the first pass is can be told before there is an index.
            await self._tell_status()
            raise
        self._tell_partials()
        self._tell_running()
        self._tell_runs()
        self._tell_approvals()
        self._tell_annotations()
        await self._tell_status()

    async def _tell_feed(self) -> None:
        """Everything that is new, to everyone."""
        while not self._is_over:
            epoch, since = self._epoch, self._seq
            follows = {name for client in self._clients for name in client.follows}
            step = await self._readers.run(lambda index: self._teller.step(index, epoch, since, follows))  # noqa: B023
            if step.is_broken:
                self._begin_anew(step)
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

    def _begin_anew(self, step: Step) -> None:
        """The index is another one: whoever is here reads everything again."""
        self._epoch, self._seq = step.epoch, step.seq
        self._partials.clear()
        frame = self._welcome_frame(step.seq, is_reset=True)
        for client in self._clients:
            client.restart(frame, step.seq)

    async def _welcome(self) -> None:
        """Take in one socket: what it missed, then what all are told."""
        client, hello = self._joining[0]
        if not self._clients:
            self._epoch, self._seq = await self._place()
        is_back = hello.epoch is not None and hello.seq is not None
        start = hello.seq if hello.seq is not None and is_back else self._seq
        can_go_on = not is_back or (hello.epoch == self._epoch and 0 <= self._seq - start <= FARTHEST)
        steps = await self._missed(start, client.follows) if can_go_on else None
        if not self._joining or self._joining[0][0] is not client:
            return  # It left meanwhile.
        self._joining.popleft()
        if steps is None:
            client.restart(self._welcome_frame(self._seq, is_reset=True), self._seq)
        else:
            client.restart(self._welcome_frame(start, is_reset=False), start)
            for step in steps:
                self._offer(client, step)
                client.offer([self._partial(name, row) for name, rows in step.partials.items() for row in rows])
        client.offer([self._running_frame(), self._runs_frame()])
        if is_back:
            # It may have missed one.
            client.offer([self._teller.standing(wire.AnnotationsChanged())])
        if self._pending is not None:
            client.offer([self._approvals(self._pending)])
        self._clients.add(client)
        self._nobody.clear()

    async def _missed(self, since: int, follows: frozenset[str]) -> list[Step] | None:
        """The steps from there to where everyone is; None when the feed does not go back so far."""
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

    def _tell_partials(self) -> None:
        """Rows that are being written, each conversation so many times a second at most."""
        now = time.monotonic()
        for name in [name for name in self._partials if now - self._partial_at.get(name, 0.0) >= PARTIAL_S]:
            self._partial_at[name] = now
            rows = self._partials.pop(name).values()
            frames = [self._partial(name, row) for row in rows]
            for client in self._clients:
                if name in client.follows:
                    client.offer(frames)

    def _tell_running(self) -> None:
        if self._is_running_due:
            self._is_running_due = False
            self._tell_all(self._running_frame())

    def _tell_runs(self) -> None:
        if self._are_runs_due:
            self._are_runs_due = False
            self._tell_all(self._runs_frame())

    def _tell_approvals(self) -> None:
        if not self._is_pending_due or self._pending is None:
            return
        self._is_pending_due = False
        self._tell_all(self._approvals(self._pending))

    def _tell_annotations(self) -> None:
        if self._are_annotations_due:
            self._are_annotations_due = False
            self._tell_all(self._teller.standing(wire.AnnotationsChanged()))

    async def _tell_status(self) -> None:
        now = time.monotonic()
        if not self._is_status_due or now - self._status_at < STATUS_S:
            return
        self._is_status_due, self._status_at = False, now
        if self._clients:
            self._tell_all(self._teller.standing(wire.StatusChanged(status=await self._status())))

    def _tell_all(self, frame: Outgoing) -> None:
        for client in self._clients:
            client.offer([frame])

    async def _place(self) -> tuple[str, int]:
        try:
            return await self._readers.run(lambda index: (index.epoch, place_of(index)))
        except IndexDamaged:
            return "", 0

    def _welcome_frame(self, seq: int, *, is_reset: bool) -> Outgoing:
        return self._teller.frame(wire.Welcome(epoch=self._epoch, seq=seq, is_reset=is_reset))

    def _running_frame(self) -> Outgoing:
        return self._teller.standing(wire.RunningChanged(sessions=tuple(self._running())))

    def _runs_frame(self) -> Outgoing:
        return self._teller.standing(wire.RunsChanged(runs=tuple(self._runs())))

    def _partial(self, name: str, row: wire.PageRow) -> Outgoing:
        return self._teller.frame(wire.Partial(conversation=name, row=row), key=f"partial {name} {row.row.id}")

    def _approvals(self, pending: int) -> Outgoing:
        return self._teller.standing(wire.ApprovalsChanged(pending=pending))

    def _gap(self, since: int, seq: int) -> Outgoing:
        return self._teller.frame(wire.Gap(since=since, seq=seq), seq=seq)
