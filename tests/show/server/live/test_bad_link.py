"""The campaign of phones on a bad link: real servers, the reference client, and a proxy that delays and breaks."""

import contextlib
import random
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from msgspec import Struct, field

from chorus.core.records.times import wire_time
from chorus.mobile import MobileClient, MobileServer, Received, Store
from chorus.mobile.frames import Frame
from chorus.show.server.edge.control import request_link
from chorus.show.server.edge.limits import Limits
from chorus.testing.builders import Session, tool_use
from chorus.testing.builders.lines import Clock
from tests.show.server.bad_link import BadLink, Seen, bad_link
from tests.show.server.phones import name_of
from tests.show.server.serving import Serving, serving, session_of

LIMITS = Limits(connections=400, unknown_connections=200)
LAST = "the end"
DELAYS_S = (0.05, 0.1, 0.2, 0.4)


class Counted(Store):
    """A store that counts what a server sent although the phone had named it."""

    def __init__(self, folder: Path | None = None) -> None:
        super().__init__(folder)
        self.frames = 0
        self.again = 0

    def take(self, frame: Frame) -> list[Received]:
        before = self.stored.known()
        is_reset = any(each.message.get("isReset") for each in frame.messages)
        found = super().take(frame)
        self.frames += 1
        if not is_reset:
            again = [each for each in frame.messages if each.id is not None and before.get(each.key) == each.revision]
            self.again += len(again)
            for each in again:
                print("sent again:", each, frame.since, frame.seq)
        return found


class Handset(threading.Thread):
    """One phone: it follows until it is stopped, and notes what it was told."""

    def __init__(self, server: MobileServer, folder: Path | None, conversations: list[str], seed: int) -> None:
        super().__init__(name=f"phone {seed}", daemon=True)
        self.conversations = conversations
        self.store = Counted(folder)
        self.client = MobileClient(server, self.store, conversations, delays_s=DELAYS_S, chance=random.Random(seed))
        self.told: list[Received] = []
        self.repeated = 0
        self.failed: BaseException | None = None

    def run(self) -> None:
        had: dict[str, str | None] = {}
        try:
            for each in self.client.follow():
                if each.message.get("isReset"):
                    had.clear()
                if each.id is not None and not each.is_partial:
                    self.repeated += had.get(each.key) == each.revision
                    had[each.key] = each.revision
                self.told.append(each)
        except BaseException as error:  # noqa: BLE001 - the test reports it
            self.failed = error

    def has(self) -> dict[str, str | None]:
        """Returns the revisions of all that it has of its conversations."""
        return revisions(self.store, self.conversations)

    def end(self) -> None:
        self.client.stop()
        self.join(30)
        assert not self.is_alive()
        assert self.failed is None, self.failed


class Figures(Struct):
    """What a campaign measured."""

    phones: int
    messages: int = 0
    """Different messages in all conversations at the end."""
    delivered: int = 0
    lost: int = 0
    repeated: int = 0
    sent_again: int = 0
    """Messages that a server sent although the phone had them."""
    connections: int = 0
    resets: int = 0
    seconds: float = 0.0
    link: Seen = field(default_factory=Seen)


def revisions(store: Store, conversations: list[str]) -> dict[str, str | None]:
    """Returns the revisions of the messages, without progress that is over."""
    return {
        each.key: each.revision
        for name in conversations
        for each in store.stored.of(name)
        if each.message.get("currentStep") != ""
    }


def replayed(server: MobileServer, conversations: list[str]) -> Handset:
    """Returns a new phone that was sent these conversations, and has ended."""
    phone = Handset(server, None, conversations, seed=0)
    phone.start()
    wait(lambda: phone.client.connections and not phone.store.stored.incomplete)
    phone.end()
    return phone


def wait(holds: Any, patience_s: float = 60.0) -> None:
    end = time.monotonic() + patience_s
    while not holds():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.05)


def grow(session: Session, chance: random.Random, number: int) -> None:
    """Lets a conversation go on in one of several ways."""
    match chance.randrange(5):
        case 0:
            session.user(f"prompt {number}")
        case 1:
            session.assistant(f"Running test {number % 20 + 1} of 20...", stop="tool_use")
        case 2:
            session.assistant(tool_use("Bash", {"command": f"make {number}"}, id=f"c{number}"), stop="tool_use")
            session.tool_result(f"c{number}", f"[{number % 9 + 1}/9] cc -c part.c\n")
        case 3:
            session.assistant("words " * chance.randrange(1, 400), stop="end_turn")
        case _:
            session.assistant(tool_use("Read", {"file_path": f"/w/{number}.py"}, id=f"r{number}"), stop="tool_use")


class Campaign:
    """Phones, conversations that grow, and a server that is restarted and loses its index in between."""

    def __init__(self, places: tuple[Path, Path], tmp: Path, phones: int, seed: int) -> None:
        self.chance = random.Random(seed)
        self.places, self.tmp = places, tmp
        clock = Clock(wire_time(datetime.now(UTC)))
        self.sessions = [
            session_of(f"first of {n}", session_id=str(UUID(int=n + 1, version=4)), clock=clock) for n in range(6)
        ]
        self.figures = Figures(phones=phones)
        self.number = 0
        self.phones: list[Handset] = []

    def run(self, steps: int, pause_s: float, delay_s: float, breaks: float, patience_s: float) -> Figures:
        began = time.monotonic()
        with contextlib.ExitStack() as stack:
            with serving(*self.places, limits=LIMITS) as server:
                names = self._begin(server)
                link = stack.enter_context(bad_link(server.port, delay_s=delay_s, breaks=breaks))
                self._start_phones(names, link)
                self._grow(server, steps, pause_s)
            # A new server on the same port: the phones come back by themselves.
            with serving(*self.places, limits=LIMITS, port=server.port) as server:
                self._grow(server, steps, pause_s)
                (server.vault / "index" / "stale").touch()
                self._grow(server, steps, pause_s)
                link.calm()
                self._judge(server, names, patience_s)
        self.figures.seconds = time.monotonic() - began
        self.figures.link = link.seen
        return self.figures

    def _begin(self, server: Serving) -> list[str]:
        for session in self.sessions:
            server.write(session)
        browser = server.browser()
        return [name_of(browser, session) for session in self.sessions]

    def _start_phones(self, names: list[str], link: BadLink) -> None:
        for n in range(self.figures.phones):
            server = MobileServer(self._link, through=("127.0.0.1", link.port))
            phone = Handset(server, self.tmp / f"phone{n}", self.chance.sample(names, 3), seed=n)
            self.phones.append(phone)
            phone.start()

    def _link(self) -> str:
        found = request_link(self.places[0] / "state")
        assert found is not None
        return found.link

    def _grow(self, server: Serving, steps: int, pause_s: float) -> None:
        for _ in range(steps):
            for session in self.chance.sample(self.sessions, 3):
                self.number += 1
                grow(session, self.chance, self.number)
                server.write(session)
            time.sleep(self.chance.uniform(0.0, pause_s))

    def _judge(self, server: Serving, names: list[str], patience_s: float) -> None:
        """Waits until every phone has what a new one is sent, and counts what is wrong."""
        for session in self.sessions:
            session.user(LAST)
            server.write(session)
        near = MobileServer(self._link)
        truth: dict[str, str | None] = {}

        def is_same() -> bool:
            new = replayed(near, names)
            truth.clear()
            truth.update(new.has())
            assert not [phone.failed for phone in self.phones if phone.failed]
            # Before the last lines were recorded, all may have the same, and not for long.
            is_whole = all(
                any(each.message.get("content") == LAST for each in new.store.stored.of(name)) for name in names
            )
            return is_whole and all(phone.has() == of(truth, phone.conversations) for phone in self.phones)

        with contextlib.suppress(AssertionError):
            wait(is_same, patience_s)
        for phone in self.phones:
            phone.end()
        for phone in self.phones:
            expected, has = of(truth, phone.conversations), phone.has()
            wrong = {key for key in expected.keys() | has.keys() if expected.get(key) != has.get(key)}
            self.figures.lost += len(wrong)
            self.figures.repeated += phone.repeated
            self.figures.sent_again += phone.store.again
            self.figures.delivered += sum(each.id is not None for each in phone.told)
            self.figures.connections += phone.client.connections
            self.figures.resets += sum(bool(each.message.get("isReset")) for each in phone.told)
            for key in sorted(wrong)[:3]:
                print(phone.name, key, "should be", expected.get(key), "is", has.get(key))
        self.figures.messages = len(truth)


def of(truth: dict[str, str | None], conversations: list[str]) -> dict[str, str | None]:
    return {key: revision for key, revision in truth.items() if key.partition(" ")[0] in conversations}


def check(figures: Figures) -> None:
    print(figures)
    assert (figures.lost, figures.repeated, figures.sent_again) == (0, 0, 0)
    assert figures.connections > figures.phones and figures.resets >= figures.phones // 2
    assert figures.link.broken_inside > 0 and figures.messages > 0


def test_twenty_phones_on_a_bad_link(places, tmp_path, monkeypatch):
    """Through delays, broken frames, a new server and a new index, every phone ends with what a new one is sent."""
    monkeypatch.setattr("chorus.keep.sources.watcher.SWEEP_S", 0.3)
    check(Campaign(places, tmp_path, phones=20, seed=5).run(12, 0.08, delay_s=0.03, breaks=0.04, patience_s=60))


@pytest.mark.long
def test_twenty_phones_on_a_link_with_three_seconds_of_delay(places, tmp_path, monkeypatch):
    """The same for minutes, with delays of up to three seconds for every piece."""
    monkeypatch.setattr("chorus.keep.sources.watcher.SWEEP_S", 0.3)
    check(Campaign(places, tmp_path, phones=20, seed=6).run(60, 2.0, delay_s=3.0, breaks=0.04, patience_s=240))
