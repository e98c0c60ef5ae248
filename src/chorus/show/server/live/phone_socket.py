"""Handles one socket of `chorus.mobile.v1`: reads the change feed at the phone's own pace, and answers what it says."""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
from litestar import WebSocket
from litestar.exceptions import WebSocketDisconnect

from chorus.errors import IndexDamaged
from chorus.find.index.port import Index
from chorus.show.server import log
from chorus.show.server.context import ServerContext
from chorus.show.server.edge.edge import login_of
from chorus.show.server.edge.scopes import scopes_of
from chorus.show.server.encoding import encode
from chorus.show.server.errors import Refused, problem_of
from chorus.show.server.live import close_codes
from chorus.show.server.live.phone_actions import NEEDED, act, require
from chorus.show.server.live.phone_board import PhoneBoard
from chorus.show.server.live.phone_feed import MAX_MISSED, PhoneFeed
from chorus.show.server.live.phone_state import requests, session_states
from chorus.show.server.services.listing import feed_position
from chorus.show.wire.mobile import PROTOCOL
from chorus.show.wire.mobile.incoming import MAX_REF_CHARS, Ack, MobileSaid, Subscribe
from chorus.show.wire.mobile.outgoing import (
    ActionDone,
    MobileBody,
    MobileError,
    MobileFrame,
    MobileHello,
    MobileSent,
    ReplayPlace,
)

MAX_FRAME_BYTES = 32 << 10
"""The limit for one message from a phone; below that of the server, so that a larger one gets an answer."""
MAX_IN_FLIGHT = 32
"""How many numbered frames may be on their way before the phone confirms one."""
_POLL_S = 1.0
_QUIET_LOOK_S = 20.0
_BEGUN = "This socket has begun: name conversations only."
_MAX_ERRORS = 100
"""A socket that said this many invalid things is closed."""

_Found = TypeVar("_Found")


class _Ended(Exception):  # noqa: N818 - no error
    """Raised in order to close the socket with `code`."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Phone:
    """One socket, from its first message to its end."""

    def __init__(self, server: ServerContext, socket: WebSocket[Any, Any, Any]) -> None:
        self.login = login_of(socket.scope)
        self._scopes = scopes_of(socket.scope)
        self._server = server
        self._socket = socket
        self._wake = asyncio.Event()
        self._sending = asyncio.Lock()
        self._reading = asyncio.Lock()
        """Held while `_feed` is used, which notes what the phone has."""
        self._ending: int | None = None
        self._over = asyncio.Event()
        """Set when the socket has to be closed, whatever it is doing."""
        self._feed = PhoneFeed(server.vault, server.summaries, {})
        self._follows: tuple[str, ...] = ()
        self._board: PhoneBoard | None = None
        """None if the phone did not ask for the board."""
        self._replays: deque[tuple[str, str | None, str | None]] = deque()
        """Conversations that are to be sent from their start, each with the place where that was interrupted, and the
        `ref` that asked for it."""
        self._epoch, self._seq = "", 0
        self._in_flight: deque[int] = deque()
        self._errors = 0
        self._looked_at = 0.0
        """When it was last checked whether something has gone quiet."""
        self._approval_changes = -1
        """The number of changes that the requests which the phone has are from."""

    def wake(self) -> None:
        """Called by the hub after a change."""
        self._wake.set()

    def end(self, code: int) -> None:
        """Closes the socket with `code`."""
        self._ending = self._ending or code
        self._over.set()

    async def greet(self, *, is_spoken: bool) -> None:
        """Ends the socket with an error if the phone did not offer this version."""
        if not is_spoken:
            words = f"This server speaks {PROTOCOL}; name it in Sec-WebSocket-Protocol."
            await self.say(MobileError(kind="unknown_version", message=words, ref=None))
            raise _Ended(close_codes.MISUSED)

    async def serve(self) -> None:
        """Talks until one side closes the socket; raises `_Ended` with the code to close it with."""
        await self._begin(await self._first())
        async with asyncio.TaskGroup() as group:
            group.create_task(self._listen())
            group.create_task(self._tell())
            group.create_task(self._close_on_end())

    async def _first(self) -> Subscribe:
        """Returns the first message, whose ticket is valid."""
        try:
            said = await asyncio.wait_for(self._next(), self._server.limits.hello_s)
        except TimeoutError:
            # On a bad link, even the first message of a phone may come too late.
            raise _Ended(close_codes.TRY_AGAIN) from None
        if not isinstance(said, Subscribe) or said.ticket is None:
            ref = said.ref if said is not None else None
            await self.say(MobileError(kind="out_of_order", message="Say `subscribe` with a ticket first.", ref=ref))
            raise _Ended(close_codes.MISUSED)
        if not self._server.tickets.take(said.ticket, self.login):
            raise _Ended(close_codes.LOGGED_OUT)
        return said

    async def _begin(self, said: Subscribe) -> None:
        """Sends `hello`, then the present state, from which the feed continues."""
        try:
            require("subscribe", self._scopes)
        except Refused as refused:
            await self.say(_error(refused, said.ref))
            raise _Ended(close_codes.MISUSED) from None
        epoch, now = await self._read(lambda index: (index.epoch, feed_position(index)))
        start = said.seq if said.epoch == epoch and said.seq is not None else None
        can_continue = start is not None and 0 <= start <= now and now - start <= MAX_MISSED
        is_reset = said.epoch is not None and not can_continue
        self._epoch, self._seq = epoch, start if can_continue and start is not None else now
        self._feed = PhoneFeed(self._server.vault, self._server.summaries, {} if is_reset else said.known)
        asked, pending = await self._requests()
        hello = MobileHello(
            version=PROTOCOL,
            scopes=tuple(sorted(self._scopes)),
            capabilities=tuple(kind for kind, needed in NEEDED.items() if needed in self._scopes),
            epoch=epoch,
            seq=self._seq,
            is_reset=is_reset,
            pending=pending,
        )
        await self.say(hello)
        lists = await self._read(lambda index: self._feed.lists(index, is_whole=not can_continue))
        await self._send(MobileFrame(since=None, seq=None, messages=(*lists, *asked)))
        await self._follow(said, is_back=can_continue)

    async def _follow(self, said: Subscribe, *, is_back: bool = False) -> None:
        """Takes over which conversations are followed. Of new ones, the phone gets what comes from now on."""
        fresh = [name for name in said.conversations if name not in (*self._follows, *said.replay)]
        epoch, seq = self._epoch, self._seq
        # From here on, no step leaves them out; what is passed over was there before.
        self._follows = said.conversations
        self._board = PhoneBoard() if said.board else None
        for name in fresh if not is_back else ():
            await self._read(lambda index: self._feed.pass_over(index, name, epoch, seq))  # noqa: B023
        places = said.replay_after if is_back or said.ticket is None else {}
        self._replays = deque((name, places.get(name), said.ref) for name in said.replay if name in said.conversations)
        self._wake.set()

    async def _listen(self) -> None:
        while True:
            said = await self._next()
            if said is None:
                continue
            try:
                kind = str(said.__struct_config__.tag)
                require(kind, self._scopes)
                match said:
                    case Ack():
                        self._confirm(said.seq)
                    case Subscribe() if said.ticket is not None or said.epoch is not None:
                        raise Refused(400, "out_of_order", _BEGUN)  # noqa: TRY301 - answered like a refused action
                    case Subscribe():
                        async with self._reading:
                            self._feed.begin_again(said.replay, said.known)
                        await self._follow(said)
                        if not said.replay:
                            await self.say(ActionDone(ref=said.ref, run_id=None))
                    case _:
                        await self.say(ActionDone(ref=said.ref, run_id=await act(self._server, said)))
            except Exception as error:
                if isinstance(error, (WebSocketDisconnect, OSError)):
                    raise
                if problem_of(error)[0] == 500:
                    log.failure("PHONE", "", error)
                await self.say(_error(error, said.ref))

    def _confirm(self, seq: int) -> None:
        if seq > self._seq:
            raise Refused(400, "out_of_order", "That frame was not sent yet.")
        while self._in_flight and self._in_flight[0] <= seq:
            self._in_flight.popleft()
        self._wake.set()

    async def _next(self) -> MobileSaid | None:
        """Returns the next message; None if it is not valid, which the phone was told."""
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(detail="gone")
        text = message.get("text")
        kind, why = "bad_message", "A message is a JSON object with a `type`."
        if isinstance(text, str) and len(text.encode("utf-8", "replace")) > MAX_FRAME_BYTES:
            kind, why = "too_large", f"A message has at most {MAX_FRAME_BYTES} bytes."
        elif isinstance(text, str):
            try:
                return _said.decode(text)
            except (msgspec.MsgspecError, UnicodeError, RecursionError, ValueError):
                kind, why = _fault(text)
        self._errors += 1
        ref = _ref_of(text) if isinstance(text, str) else None
        await self.say(MobileError(kind=kind, message=why, ref=ref))
        if self._errors >= _MAX_ERRORS:
            raise _Ended(close_codes.MISUSED)
        return None

    async def _tell(self) -> None:
        """Sends replays, the state of agents and the steps of the feed, as long as the phone confirms them."""
        while True:
            self._wake.clear()
            try:
                while self._replays:
                    await self._replay(*self._replays.popleft())
                await self._state()
                await self._look_for_quiet()
                while len(self._in_flight) < MAX_IN_FLIGHT and await self._step():
                    pass
            except IndexDamaged:
                pass  # The index is being built.
            except Refused as refused:
                log.logger.warning("phone: %s", refused.problem.kind)
            try:
                await asyncio.wait_for(self._wake.wait(), _POLL_S)
            except TimeoutError:
                continue

    async def _close_on_end(self) -> None:
        """Ends the socket at once, also while the phone reads nothing and a frame waits to be sent."""
        await self._over.wait()
        raise _Ended(self._ending or close_codes.DONE)

    async def _replay(self, name: str, place: str | None, ref: str | None) -> None:
        replay = await self._read(lambda index: self._feed.begin_replay(index, name, place))
        if replay is None:
            await self.say(MobileError(kind="not_found", message="There is no such conversation.", ref=ref))
            return
        while not replay.is_over:
            if any(again == name for again, _, _ in self._replays):
                return  # It was asked for again: it begins again, so that its messages stay in order.
            # Each page is one call of a reader, so that a long conversation holds none of them for long.
            page = await self._read(lambda index: self._feed.replay(index, replay))
            if not replay.is_over and (reached := replay.place) is not None:
                body = ReplayPlace(conversation=name, place=reached, ref=ref)
                page.append(MobileSent(conversation=name, id=None, revision=None, is_partial=False, message=body))
            if page:
                await self._send(MobileFrame(since=None, seq=None, messages=tuple(page)))
        if not any(waiting == ref for _, _, waiting in self._replays):
            await self.say(ActionDone(ref=ref, run_id=None))

    async def _state(self) -> None:
        watcher = self._server.board_watcher
        is_due = self._approval_changes != self._server.hub.approval_changes
        asked = (await self._requests())[0] if is_due else []
        async with self._reading:
            found = [*session_states(self._server, self._feed), *asked]
            if self._board is not None and watcher.has_looked:
                found += self._board.news(watcher.state, self._feed)
        if found:
            await self._send(MobileFrame(since=None, seq=None, messages=tuple(found)))

    async def _look_for_quiet(self) -> None:
        """Sends that progress is over where nothing was written for long: the feed has no event for that."""
        now, follows = asyncio.get_running_loop().time(), self._follows
        if now - self._looked_at < _QUIET_LOOK_S:
            return
        self._looked_at = now
        found = await self._read(lambda index: self._feed.gone_quiet(index, follows))
        if found:
            await self._send(MobileFrame(since=None, seq=None, messages=tuple(found)))

    async def _requests(self) -> tuple[list[MobileSent], tuple[str, ...]]:
        # Noted before they are read: a change in between is read again.
        self._approval_changes = self._server.hub.approval_changes
        cards = (await self._server.readers.in_thread(lambda: self._server.approvals.approvals(settled=0))).cards
        async with self._reading:
            return requests(cards, self._feed, self._scopes)

    async def _step(self) -> bool:
        """Sends the next step of the feed; returns whether there was one."""
        epoch, since, follows = self._epoch, self._seq, self._follows
        step = await self._read(lambda index: self._feed.step(index, epoch, since, follows))
        if step.is_broken:
            # The index was replaced: the phone comes back with its position and is told to begin again.
            raise _Ended(close_codes.TRY_AGAIN)
        if step.partials:
            await self._send(MobileFrame(since=None, seq=None, messages=tuple(step.partials)))
        if step.seq == since:
            return False
        self._seq = step.seq
        self._in_flight.append(step.seq)
        await self._send(MobileFrame(since=since, seq=step.seq, messages=tuple(step.messages)))
        return True

    async def say(self, body: MobileBody) -> None:
        """Sends one message that belongs to no conversation."""
        sent = MobileSent(conversation=None, id=None, revision=None, is_partial=False, message=body)
        await self._send(MobileFrame(since=None, seq=None, messages=(sent,)))

    async def _send(self, frame: MobileFrame) -> None:
        async with self._sending:
            try:
                await self._socket.send({"type": "websocket.send", "text": encode(frame).decode(), "bytes": None})
            except RuntimeError as error:
                # The server has closed the socket below, such as after a message that was too large.
                raise WebSocketDisconnect(detail="closed") from error

    async def _read(self, read: Callable[[Index], _Found]) -> _Found:
        async with self._reading:
            return await self._server.readers.run(read)


async def serve_phone(server: ServerContext, socket: WebSocket[Any, Any, Any]) -> None:
    """Serves a phone until one side closes the socket."""
    offered = list(socket.scope.get("subprotocols") or ())
    await socket.accept(subprotocols=PROTOCOL if PROTOCOL in offered else None)
    phone = Phone(server, socket)
    code: int | None = None
    try:
        await phone.greet(is_spoken=PROTOCOL in offered)
        server.hub.admit(phone)
        await phone.serve()
    except* _Ended as ended:
        code = _first(ended).code
    except* Refused:
        code = close_codes.TRY_AGAIN
    except* IndexDamaged:
        code = close_codes.TRY_AGAIN
    except* (WebSocketDisconnect, OSError):
        pass
    finally:
        server.hub.dismiss(phone)
    if code is not None:
        try:
            await socket.close(code, close_codes.REASONS.get(code))
        except (WebSocketDisconnect, OSError, RuntimeError):
            return


def _fault(text: str) -> tuple[str, str]:
    """Returns the kind of an error and its words, for a message that cannot be decoded. They quote nothing of it."""
    try:
        kind = _typed.decode(text).type
    except (msgspec.MsgspecError, UnicodeError, RecursionError, ValueError):
        return "bad_message", "A message is a JSON object with a `type`."
    if kind not in NEEDED:
        return "unknown_type", f"This server knows: {', '.join(NEEDED)}."
    return "bad_message", f"A field of `{kind}` is missing, or has the wrong type or length."


def _ref_of(text: str) -> str | None:
    """Returns the `ref` of a message that cannot be decoded, so that the phone does not wait for another answer."""
    try:
        ref = _referring.decode(text).ref
    except (msgspec.MsgspecError, UnicodeError, RecursionError, ValueError):
        return None
    return ref if isinstance(ref, str) and len(ref) <= MAX_REF_CHARS else None


def _error(error: Exception, ref: str | None) -> MobileError:
    problem = problem_of(error)[1]
    return MobileError(kind=problem.kind, message=problem.message, ref=ref)


def _first(group: BaseExceptionGroup[_Ended]) -> _Ended:
    found = group.exceptions[0]
    return found if isinstance(found, _Ended) else _first(found)


class _Typed(msgspec.Struct):
    type: str


class _Referring(msgspec.Struct):
    ref: Any = None


_referring = msgspec.json.Decoder(_Referring)
_typed = msgspec.json.Decoder(_Typed)
_said: msgspec.json.Decoder[Any] = msgspec.json.Decoder(MobileSaid)
