"""Tests a server from its start to its end, beside other processes that serve or write the same vault."""

import contextlib
import json
import os
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from chorus.keep.sources.lock import sole_sync
from chorus.show.server.edge import control
from chorus.show.server.edge.control import sole_server
from chorus.show.server.edge.limits import Limits
from tests.show.server.serving import Browser, serving, session_of, until


def test_what_it_leaves_while_it_runs_is_for_its_owner(places):
    """Note, lock and socket have mode 600 in a folder of mode 700. All but the lock are removed with the server."""
    vault, _ = places
    state = vault / "state"
    with serving(*places) as server:
        note = json.loads((state / "serve.json").read_bytes())
        assert (note["pid"], note["port"], note["address"]) == (os.getpid(), server.port, server.address)
        for name in ("serve.json", "serve.lock", "serve.sock"):
            assert stat.S_IMODE((state / name).stat().st_mode) == 0o600, name
        server.browser()
        assert stat.S_IMODE((state / "logins.json").stat().st_mode) == 0o600
        assert stat.S_IMODE(state.stat().st_mode) == stat.S_IMODE(vault.stat().st_mode) == 0o700
    assert {path.name for path in state.iterdir()} & {"serve.json", "serve.sock"} == set()


ASK = """
import sys
from pathlib import Path
from chorus.show.server.edge.control import request_link
print(request_link(Path(sys.argv[1])) is not None)
"""


def test_an_agent_gets_no_link(places):
    """A process in a run gets no login link from the socket or the command, because it could steer runs with it."""
    vault, _ = places
    free = {name: value for name, value in os.environ.items() if name != "CHORUS_RUN"} | {"CHORUS_HOME": str(vault)}
    asks = [sys.executable, "-c", ASK, str(vault / "state")]
    opens = [sys.executable, "-m", "chorus", "open"]
    with serving(*places):
        for environment, answer in ((free, "True"), (free | {"CHORUS_RUN": "abc"}, "False")):
            told = subprocess.run(asks, env=environment, capture_output=True, text=True, timeout=30, check=True)
            assert told.stdout.strip() == answer
        refused = subprocess.run(
            opens, env=free | {"CHORUS_RUN": "abc"}, capture_output=True, text=True, timeout=30, check=False
        )
    assert refused.returncode
    assert "an agent gets no login link" in refused.stderr


def test_logins_outlive_a_restart(places):
    """After a restart, a browser is still logged in, and one that logged out is not."""
    with serving(*places) as server:
        stays, leaves = server.browser(), server.browser()
        gone = leaves.cookie
        leaves.post("/api/logout")
        port = server.port
    with serving(*places, port=port):
        assert stays.get("/api/status").status == 200
        leaves.cookie = gone
        assert leaves.get("/api/status").status == 401


def test_one_server_for_a_vault(places):
    """A second server sees the first by its lock, and gets a login link from its socket."""
    vault, _ = places
    with serving(*places) as server:
        with sole_server(vault) as is_ours:
            assert not is_ours
        found = control.request_link(vault / "state")
        assert found is not None and found.link.startswith(f"{server.address}/#t=")
        assert Browser(server.port).post("/api/login", {"token": found.token}).status == 204
    with sole_server(vault) as is_ours:
        assert is_ours
    assert control.request_link(vault / "state") is None


def test_what_a_killed_server_left_misleads_nobody(places):
    """The note and the socket of a killed server are ignored, and the next server replaces them."""
    vault, _ = places
    state = vault / "state"
    state.mkdir(parents=True)
    dead = socket.socket(socket.AF_UNIX)
    before = Path.cwd()
    os.chdir(state)
    dead.bind("serve.sock")
    os.chdir(before)
    dead.close()
    (state / "serve.json").write_text('{"pid": 1, "address": "http://127.0.0.1:1", "port": 1, "started_at": ""}')

    assert control.request_link(state) is None
    with sole_server(vault) as is_ours:
        assert is_ours
    with serving(*places) as server:
        assert json.loads((state / "serve.json").read_bytes())["port"] == server.port
        assert server.browser().get("/api/status").status == 200


def test_a_long_path_is_no_reason_not_to_answer(tmp_path):
    """The server's socket works at a long path, although systems limit socket paths to about a hundred bytes."""
    vault = tmp_path / ("long" * 30) / "vault"
    with serving(vault, tmp_path / "client") as server:
        assert control.request_link(vault / "state") is not None
        assert server.browser().get("/api/status").status == 200


@pytest.mark.parametrize("said", [b"", b"\n", b"{}\n", b'{"ask":"token"}\n', b"x" * 10_000, b'{"ask":"link"}'])
def test_the_owner_s_socket_takes_one_question(places, said):
    """The owner's socket answers only a request for a link. It ignores all other input, and the server continues."""
    vault, _ = places
    with serving(*places), socket.socket(socket.AF_UNIX) as channel:
        channel.settimeout(10)
        before = Path.cwd()
        os.chdir(vault / "state")
        channel.connect("serve.sock")
        os.chdir(before)
        channel.sendall(said)
        channel.shutdown(socket.SHUT_WR)
        answer = channel.recv(4_096)
        assert (b"token" in answer) == (said == b'{"ask":"link"}')
        assert control.request_link(vault / "state") is not None


def test_it_serves_while_another_process_keeps_sessions(places):
    """While another process has the sync lock, the server serves the stored sessions.

    Its recorder continues when the lock is free.
    """
    vault, _ = places
    session = session_of("first")
    with serving(*places) as server:
        server.write(session)
        browser = server.browser()
        until(lambda: browser.get("/api/conversations").json.get("conversations"))
    with sole_sync(vault, "chorus sync", lambda _: None), serving(*places) as server:
        browser = server.browser()
        assert len(browser.get("/api/conversations").json["conversations"]) == 1
        trouble = until(lambda: browser.get("/api/status").json["trouble"])
        assert "chorus sync" in trouble
    with serving(*places) as server:
        browser = server.browser()
        status = until(lambda: (found := browser.get("/api/status").json)["state"] == "watching" and found)
        assert status["trouble"] is None


def test_it_follows_what_another_process_writes(places):
    """If another process writes the index, the server follows its feed and does not wait for its own recorder."""
    from datetime import UTC, datetime

    from chorus.find.indexing.writer import index_writer
    from chorus.keep.vault.files import FileVault

    vault, _ = places
    session = session_of("first")
    kept = FileVault(vault)
    with index_writer(kept, datetime.now(UTC)) as keeper:
        assert keeper is not None
        with serving(*places) as server:
            path = server.write(session)
            browser = server.browser()
            until(lambda: list(kept.keys()))
            keeper.catch_up()
            until(lambda: browser.get("/api/conversations").json.get("conversations"))
            with browser.live() as live:
                welcome = live.next()
                session.user("written elsewhere")
                server.write(session)
                until(lambda: len(b"".join(line.bytes for line in _lines(kept))) == path.stat().st_size)
                keeper.catch_up()
                changed = live.until(lambda frame: frame["type"] == "changed")
                assert changed["since"] == welcome["seq"]


def _lines(vault):
    (key,) = [key for key in iter(vault.keys()) if key.stream == "session"]
    return list(vault.lines(key))


def test_a_damaged_index_is_no_error_of_the_server(places):
    """With a damaged index, the server answers that the index is being built, then from the index, and never 500."""
    vault, _ = places
    with serving(*places) as server:
        server.write(session_of())
        browser = server.browser()
        until(lambda: browser.get("/api/conversations").json.get("conversations"))
    data = (vault / "index" / "index.db").read_bytes()
    (vault / "index" / "index.db").write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))
    with serving(*places) as server:
        browser = server.browser()
        statuses: set[int] = set()

        def answers():
            answer = browser.get("/api/conversations")
            statuses.add(answer.status)
            return answer.status == 200 and answer.json["conversations"]

        until(answers)
        assert statuses <= {200, 503}


def test_connections_have_an_end_and_a_number(places):
    """A connection without a complete head is closed after a time.

    Connections over the limit are refused until there is room.
    """
    with serving(*places, limits=Limits(connections=5, head_s=0.3)) as server:
        waiting = [socket.create_connection(("127.0.0.1", server.port), timeout=10) for _ in range(5)]
        for each in waiting[1:]:
            each.sendall(b"GET / HT")
        one_more = socket.create_connection(("127.0.0.1", server.port), timeout=10)
        assert one_more.recv(100).startswith(b"HTTP/1.1 503 ")
        for each in waiting:
            assert each.recv(100) == b""
        for each in (*waiting, one_more):
            each.close()
        assert until(lambda: Browser(server.port).get("/").status == 200)


def _login_with_a_slow_body(port: int) -> socket.socket:
    """Opens a login request that announces a body and sends one byte of it."""
    found = socket.create_connection(("127.0.0.1", port), timeout=10)
    own = f"127.0.0.1:{port}"
    head = f"POST /api/login HTTP/1.1\r\nHost: {own}\r\nOrigin: http://{own}\r\nX-Chorus: 1\r\nContent-Length: 1000\r\n"
    found.sendall(head.encode() + b"Content-Type: application/json\r\n\r\n{")
    return found


def test_slow_bodies_without_a_login_keep_nobody_out(places):
    """During 300 logins with unfinished bodies, the owner can still log in, read, and open a socket."""
    with serving(*places) as server, contextlib.ExitStack() as stack:
        before = server.browser()
        for _ in range(300):
            stack.enter_context(_login_with_a_slow_body(server.port))
        assert before.get("/api/status").status == 200
        browser = server.browser()
        assert browser.get("/").status == 200
        with browser.live() as live:
            assert live.next()["type"] == "welcome"


def test_a_body_has_to_come_within_its_time(places):
    """A body that takes too long is refused with 408, and the connection is closed."""
    with serving(*places, limits=Limits(unknown_body_s=0.2)) as server, _login_with_a_slow_body(server.port) as slow:
        answer = b""
        while chunk := slow.recv(65_536):
            answer += chunk
        assert answer.startswith(b"HTTP/1.1 408 ")
        assert b"connection: close" in answer.lower()


def test_its_threads_end_with_it(places):
    """No thread of the server is left after its end, even if it ends during a first pass."""
    before = {thread.name for thread in threading.enumerate()}
    with serving(*places) as server:
        for number in range(200):
            session = session_of(session_id=f"{number:08d}-0000-4000-8000-000000000000")
            server.write(session)
        server.browser().get("/api/status")
    until(lambda: {thread.name for thread in threading.enumerate()} <= before)


def test_a_price_file_that_makes_no_sense_hides_nothing(places):
    """With an invalid price file, the status says so and costs are unknown, and everything else works."""
    vault, _ = places
    vault.mkdir(parents=True)
    (vault / "prices.json").write_text("{nonsense")
    with serving(*places) as server:
        server.write(session_of())
        browser = server.browser()
        (row,) = until(lambda: browser.get("/api/conversations").json.get("conversations"))
        assert row["cost_usd"] is None
        assert "prices.json" in until(lambda: browser.get("/api/status").json["trouble"])


def test_an_empty_machine_is_no_error(places):
    """Without sessions, folder and vault the list is empty, and a first session appears when it is written."""
    with serving(*places) as server:
        browser = server.browser()
        status = until(lambda: (found := browser.get("/api/status").json)["state"] == "watching" and found)
        assert (status["conversations"], status["trouble"]) == (0, None)
        assert browser.get("/api/conversations").json["conversations"] == []
        with browser.live() as live:
            live.next()
            server.write(session_of("at last"))
            changed = live.until(lambda frame: frame["type"] == "changed")
            assert changed["conversations"][0]["title"] == "at last"


def test_while_there_is_no_index_it_says_so(places):
    """Without an index the answer is 503 with its own kind, and the status shows the state of the first pass."""
    vault, folder = places
    with sole_sync(vault, "chorus sync", lambda _: None), serving(*places) as server:
        server.write(session_of())
        browser = server.browser()
        answer = browser.get("/api/conversations")
        assert (answer.status, answer.kind) == (503, "index_building")
        status = until(lambda: (found := browser.get("/api/status").json)["state"] == "keeping" and found)
        assert (status["epoch"], status["seq"]) == ("", 0)
        assert status["watched"][0]["path"] == str(folder)
        with browser.live() as live:
            assert live.next() == {"type": "welcome", "epoch": "", "seq": 0, "is_reset": False}
