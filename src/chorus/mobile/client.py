"""Follows conversations over a bad link: stores, confirms, comes back, and asks again for what it cannot have."""

import contextlib
import itertools
import random
import threading
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from chorus.errors import Unreachable
from chorus.mobile.frames import Frame, Received, decode_frame
from chorus.mobile.server import MobileConnector, OpenSocket
from chorus.mobile.store import Store
from chorus.mobile.stored import OutOfStep

DELAYS_S = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
"""How long to wait before each further try to connect. A connection that was greeted begins again with the first."""

_REPLAY = "replay"
"""The `ref` of the request for conversations from their start."""


class MobileClient:
    """One client. `follow` runs in one thread; `say` and `stop` may be called from any other."""

    def __init__(
        self,
        server: MobileConnector,
        store: Store,
        conversations: Iterable[str] = (),
        *,
        delays_s: tuple[float, ...] = DELAYS_S,
        chance: random.Random | None = None,
    ) -> None:
        """Follows these conversations, at most eight, from their start: what is stored is not sent again."""
        self.store = store
        self._server = server
        self._conversations = tuple(conversations)
        self._delays_s = delays_s
        self._chance = chance or random.Random()  # noqa: S311 - it only spreads the load
        self._stop = threading.Event()
        self._line: OpenSocket | None = None
        self._refs = itertools.count(1)
        self._asked: set[str] = set()
        """The conversations that are sent from their start over this connection."""
        self._places: dict[str, str] = {}
        """How far the replay of a conversation came, so that the next connection continues there."""
        self.connections = 0
        """How many connections were greeted."""
        store.note_incomplete(
            store.stored.incomplete | {each for each in self._conversations if not store.stored.of(each)}
        )

    def follow(self) -> Iterator[Received]:
        """Yields each message that is new, after it was stored, until `stop` is called.

        Raises `ChorusError` if the server does not want this client. Everything else is tried again.
        """
        failures = 0
        while not self._stop.is_set():
            before = self.connections
            with contextlib.suppress(Unreachable, OutOfStep, msgspec.MsgspecError):
                ticket = self._server.ticket()
                with self._server.open() as line:
                    self._line = line
                    self._subscribe(line, ticket)
                    while not self._stop.is_set():
                        yield from self._hear(line)
            self._line = None
            failures = 0 if self.connections > before else failures
            longest = self._delays_s[min(failures, len(self._delays_s) - 1)]
            # Clients that lost the same server do not come back at the same moment.
            self._stop.wait(longest * self._chance.uniform(0.5, 1.0))
            failures += 1

    def say(self, kind: str, **fields: Any) -> str:
        """Sends a message of this type and returns its `ref`; `done` or `error` with the same one is the answer.

        Raises `Unreachable` without a connection: nothing is said later that was meant for now.
        """
        line = self._line
        if line is None:
            raise Unreachable("there is no connection to the server")
        ref = str(next(self._refs))
        line.say(_encoded({"type": kind, "ref": ref, **fields}))
        return ref

    def stop(self) -> None:
        """Ends `follow`."""
        self._stop.set()
        if (line := self._line) is not None:
            line.close()

    def _hear(self, line: OpenSocket) -> Iterator[Received]:
        """Stores the next frame, yields what is new in it, and confirms it."""
        frame = decode_frame(line.hear())
        found = self.store.take(frame)
        self._judge(frame)
        # What is stored is handed over, whatever happens to the line.
        yield from found
        if frame.seq is not None:
            line.say(_encoded({"type": "ack", "seq": frame.seq}))
        if (self.store.stored.incomplete & set(self._conversations)) - self._asked:
            # On a socket of its own, a replay leaves out exactly what is stored.
            raise Unreachable("a conversation has to be sent from its start")

    def _judge(self, frame: Frame) -> None:
        for message in (each.message for each in frame.messages):
            kind, incomplete = message.get("type"), self.store.stored.incomplete
            if kind == "hello":
                self.connections += 1
                if message.get("isReset"):
                    self._places.clear()
                    self.store.note_incomplete(incomplete | set(self._conversations))
            elif kind == "gap":
                # What was sent of it so far has to be sent again, from the start.
                self._places.pop(str(message.get("conversation")), None)
                self._asked.discard(str(message.get("conversation")))
            elif kind == "replay_place" and message.get("conversation") in self._asked:
                self._places[str(message["conversation"])] = str(message.get("place"))
            elif kind == "done" and message.get("ref") == _REPLAY:
                self.store.note_incomplete(incomplete - self._asked)
                self._places.clear()
                self._asked = set()

    def _subscribe(self, line: OpenSocket, ticket: str) -> None:
        """Says what is stored, what to follow, and what of it to send from its start."""
        stored = self.store.stored
        self._asked = stored.incomplete & set(self._conversations)
        said = {
            "type": "subscribe",
            "ref": _REPLAY,
            "ticket": ticket,
            "epoch": stored.epoch,
            "seq": stored.seq,
            "known": stored.known(),
            "conversations": self._conversations,
            "replay": sorted(self._asked),
            "replayAfter": {name: self._places[name] for name in sorted(self._asked & self._places.keys())},
        }
        line.say(_encoded(said))


def _encoded(value: object) -> str:
    return msgspec.json.encode(value).decode()
