"""Tests of G4: five hundred sockets reconnect within five seconds, and each receives the missed lines once."""

import asyncio
import json
import re
import time
from typing import Any

import pytest
from msgspec import Struct, field
from websockets import Origin
from websockets.asyncio.client import ClientConnection, connect

from chorus.testing.builders import Session, encode_all
from tests.security.roomy import PER_LOGIN, roomy, slowdown
from tests.show.server.serving import Browser

WITHIN_S, MAX_S = 5.0, 10.0
PATIENCE_S = 300
LINES = 100
LINE = re.compile(r"line-(\d+)-")
FULL = 500


class Reader(Struct):
    """A page that counts the lines that it receives."""

    browser: Browser
    epoch: str | None = None
    seq: int | None = None
    heard: list[int] = field(default_factory=list)
    """The numbers of lines, as rows were told."""
    gaps: int = 0
    resets: int = 0

    async def connected(self, follow: str) -> ClientConnection:
        browser = self.browser
        ticket = await asyncio.to_thread(browser.ticket)
        socket = await connect(
            f"ws://127.0.0.1:{browser.port}/api/live",
            origin=Origin(browser.origin),
            additional_headers={"Cookie": browser.cookie or ""},
            compression=None,
            proxy=None,
            max_size=None,
            open_timeout=PATIENCE_S,
        )
        hello = {"type": "hello", "ticket": ticket, "follow": [follow], "epoch": self.epoch, "seq": self.seq}
        await socket.send(json.dumps({name: value for name, value in hello.items() if value is not None}))
        return socket

    async def read(self, socket: ClientConnection, until_line: int | None) -> None:
        """Reads frames until this line and the position in the change feed are known; with None, until the welcome."""
        while True:
            text = await asyncio.wait_for(socket.recv(), PATIENCE_S)
            frame: dict[str, Any] = json.loads(text)
            match frame["type"]:
                case "welcome":
                    self.resets += self.seq is not None and frame["is_reset"]
                    self.gaps += self.seq is not None and frame["seq"] != self.seq
                    self.epoch, self.seq = frame["epoch"], frame["seq"]
                    if until_line is None:
                        return
                case "gap":
                    self.gaps += 1
                case "rows":
                    self.heard += sorted({int(n) for n in LINE.findall(str(text))})
                case "changed":
                    self.gaps += frame["since"] != self.seq
                    self.seq = frame["seq"]
                    if until_line is not None and until_line in self.heard:
                        return
                case _:
                    pass


async def campaign(readers: list[Reader], follow: str, write: Any) -> tuple[float, float]:
    """Returns the seconds until the last reader was back, and until the last had all lines."""
    half = LINES // 2
    sockets = await asyncio.gather(*(reader.connected(follow) for reader in readers))
    await asyncio.gather(*(reader.read(socket, None) for reader, socket in zip(readers, sockets, strict=True)))
    for n in range(half):
        write(n)
    await asyncio.gather(*(reader.read(socket, half - 1) for reader, socket in zip(readers, sockets, strict=True)))
    for socket in sockets:
        socket.transport.abort()
    for n in range(half, LINES):
        write(n)
    began = time.perf_counter()

    async def come_back(number: int, reader: Reader) -> float:
        await asyncio.sleep(WITHIN_S * number / FULL)
        socket = await reader.connected(follow)
        back = time.perf_counter()
        await reader.read(socket, LINES - 1)
        await socket.close()
        return back

    backs = await asyncio.gather(*(come_back(number, reader) for number, reader in enumerate(readers)))
    return max(backs) - began, time.perf_counter() - began


@pytest.mark.parametrize("count", [20, pytest.param(FULL, marks=pytest.mark.long)])
def test_a_socket_that_comes_back_gets_what_it_missed(tmp_path, count):
    """Every socket receives every line once, and all have caught up within ten seconds."""
    session = Session()
    session.user("begin")
    path = tmp_path / "client" / "projects" / "-p" / f"{session.id}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(bytes(session))

    def write(n: int) -> None:
        with path.open("ab") as file:
            file.write(encode_all([session.user(f"line-{n}-")]))

    with roomy(tmp_path / "vault", tmp_path / "client") as server:
        browsers = server.browsers(count)
        name = server.warm(browsers[0], path, session)
        readers = [Reader(browsers[n // PER_LOGIN]) for n in range(count)]
        slow = slowdown()
        back, took = asyncio.run(campaign(readers, name, write))
        slow = max(slow, slowdown())
    wrong = [reader for reader in readers if sorted(reader.heard) != list(range(LINES))]
    print(
        f"G4: {count} sockets back after {back:.1f} s, caught up after {took:.1f} s (machine {slow:.1f} × slower); "
        f"{len(wrong)} missed or heard a line twice, {sum(each.gaps for each in readers)} gaps"
    )
    assert not wrong, wrong[0]
    assert sum(reader.gaps + reader.resets for reader in readers) == 0
    assert took <= MAX_S * slow
