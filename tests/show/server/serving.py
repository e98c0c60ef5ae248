"""A real server on a real port, and a browser that can talk to it."""

import asyncio
import contextlib
import faulthandler
import http.client
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import structs
from websockets import Origin
from websockets.sync.client import ClientConnection, connect

from chorus.base.outgoing import Outgoing
from chorus.show.server.edge.binding import bind
from chorus.show.server.edge.control import Running, sole_server
from chorus.show.server.edge.limits import Limits
from chorus.show.server.http_server import Server
from chorus.show.server.lifecycle import Start, serve
from chorus.show.server.network.host import NetworkHost
from chorus.show.server.network.listening import Listening, listen_on_network
from chorus.testing.builders import Session

PATIENCE_S = 30.0
QUICK = Limits(stalled_s=1.0, hello_s=2.0)


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def kind(self) -> str:
        return self.json["kind"]


class Serving:
    """A running server, as its owner sees it."""

    def __init__(
        self, vault: Path, folder: Path, running: Running, server: Server, *, network: Listening | None = None
    ) -> None:
        self.vault = vault
        self.folder = folder
        self.token = running.token
        self.address = running.address
        self.port = int(running.address.rpartition(":")[2])
        self.server = server
        self._network = network

    @property
    def network(self) -> Listening:
        """The encrypted listener of a server that has one."""
        assert self._network is not None
        return self._network

    def link(self) -> str:
        """Returns the token of a new login link."""
        from chorus.show.server.edge.control import request_link

        found = request_link(self.vault / "state")
        assert found is not None
        return found.token

    def browser(self) -> "Browser":
        """Returns a browser that has logged in."""
        browser = Browser(self.port)
        answer = browser.post("/api/login", {"token": self.link()})
        assert answer.status == 204, answer
        return browser

    def write(self, session: Session) -> Path:
        """Writes the session, or its new lines, where the client would."""
        path = self.folder / "projects" / "-p" / f"{session.id}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            file.write(bytes(session)[file.tell() :])
        return path


class Browser:
    """Sends the headers of a page of the server, unless the caller gives others."""

    def __init__(self, port: int, host: str = "127.0.0.1") -> None:
        self.port = port
        self.host = host
        self.origin = f"http://{host}:{port}"
        self.cookie: str | None = None

    def get(self, path: str, **headers: str | None) -> Answer:
        return self.send("GET", path, None, headers)

    def post(self, path: str, value: Any = None, **headers: str | None) -> Answer:
        own: dict[str, str | None] = {"Origin": self.origin, "X-Chorus": "1", "Sec-Fetch-Site": "same-origin"}
        body = b"" if value is None else json.dumps(value).encode()
        if value is not None:
            own["Content-Type"] = "application/json"
        answer = self.send("POST", path, body, own | {name.replace("_", "-"): each for name, each in headers.items()})
        if given := answer.headers.get("set-cookie"):
            self.cookie = given.partition(";")[0]
        return answer

    def send(self, method: str, path: str, body: bytes | None, headers: dict[str, str | None]) -> Answer:
        with contextlib.closing(self.connection()) as connection:
            own = {"Host": f"{self.host}:{self.port}", "Cookie": self.cookie}
            sent = {name: value for name, value in (own | headers).items() if value is not None}
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in sent.items():
                connection.putheader(name, value)
            if body is not None:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body or None)
            response = connection.getresponse()
            return Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())

    def connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)

    def ticket(self) -> str:
        return self.post("/api/ticket").json["ticket"]

    @contextlib.contextmanager
    def live(self, **hello: Any) -> Iterator["Live"]:
        """Opens a live socket and sends the hello with its ticket."""
        with self.socket() as socket:
            socket.send(json.dumps({"type": "hello", "ticket": self.ticket(), **hello}))
            yield Live(socket)

    def socket(self, path: str = "/api/live", **options: Any) -> contextlib.AbstractContextManager[ClientConnection]:
        headers = {"Cookie": self.cookie or ""}
        return connect(
            f"{self.origin.replace('http', 'ws', 1)}{path}",
            origin=Origin(self.origin),
            additional_headers=headers,
            compression=None,
            proxy=None,
            max_size=None,
            open_timeout=PATIENCE_S,
            **options,
        )


class Live:
    """A live socket and the frames that it received."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.heard: list[dict[str, Any]] = []

    def next(self, timeout: float = PATIENCE_S) -> dict[str, Any]:
        frame = json.loads(self.socket.recv(timeout=timeout))
        self.heard.append(frame)
        return frame

    def until(self, holds: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Returns the next frame for which `holds` is true."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            frame = self.next()
            if holds(frame):
                return frame
        raise AssertionError(f"no such frame among {self.heard}")

    def say(self, said: Any) -> None:
        self.socket.send(said if isinstance(said, str | bytes) else json.dumps(said))


@contextlib.contextmanager
def serving(
    vault: Path,
    folder: Path,
    *,
    limits: Limits = QUICK,
    port: int = 0,
    bundle: Path | None = None,
    outgoing: Outgoing | None = None,
    lan: NetworkHost | None = None,
) -> Iterator[Serving]:
    """Runs a server in a thread of this process, and ends it on exit. With `lan` it also listens there, encrypted."""
    began = threading.Event()
    found: list[tuple[Running, Server]] = []
    failed: list[BaseException] = []

    def ready(running: Running, server: Server) -> None:
        found.append((running, server))
        began.set()

    listener = bind("127.0.0.1", port)
    start = Start(vault=vault, folders=[folder], listener=listener, limits=limits, ready=ready)
    if bundle is not None:
        start = structs.replace(start, bundle=bundle)
    network = listen_on_network(lan, 0, vault / "state", None) if lan else None
    start = structs.replace(start, network=network)
    if outgoing is not None:
        start = structs.replace(start, outgoing=outgoing)

    def run() -> None:
        try:
            with sole_server(vault) as is_ours:
                assert is_ours
                serve(start)
        except BaseException as error:  # noqa: BLE001 - raised again for the caller
            failed.append(error)
        finally:
            began.set()
            listener.close()
            if network is not None:
                network.listener.close()

    thread = threading.Thread(target=run, name="server under test")
    thread.start()
    try:
        assert began.wait(PATIENCE_S)
        if failed:
            raise failed[0]
        yield Serving(vault, folder, *found[0], network=network)
    finally:
        for _, server in found:
            server.end()
        thread.join(PATIENCE_S)
        if thread.is_alive():
            # What it waits for, for whoever looks for the cause.
            faulthandler.dump_traceback(2)
            for task in asyncio.all_tasks(found[0][1]._loop) if found else ():
                task.print_stack(file=sys.__stderr__)
        assert not thread.is_alive()
    if failed:
        raise failed[0]


def until(holds: Callable[[], Any]) -> Any:
    """Returns the first true value of `holds()`."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        if found := holds():
            return found
        time.sleep(0.02)
    raise AssertionError("it never came true")


def session_of(words: str = "hello there", **settings: Any) -> Session:
    session = Session(**settings)
    session.user(words)
    session.assistant("and hello to you")
    return session
