"""Tests of `chorus serve` and `chorus open` in processes of their own, as a person runs them."""

import contextlib
import hashlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from chorus.cli.commands.serve import PORT
from chorus.testing.builders import Session
from tests.cli.commands import PATIENCE_S, run_process
from tests.show.server.lan import LAN, needs_lan

LOOPBACK_4 = "0100007F"
LISTENING = "0A"


class Served:
    """A server in a process of its own, with its output."""

    def __init__(self, process: subprocess.Popen[str], printed: list[str]) -> None:
        self.process = process
        self.printed = printed
        self.link = next(line.strip() for line in printed if "#t=" in line)
        self.token = self.link.partition("#t=")[2]
        self.port = int(self.link.partition("/#")[0].rpartition(":")[2])

    def login(self, token: str) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        headers = {"Origin": f"http://127.0.0.1:{self.port}", "X-Chorus": "1", "Content-Type": "application/json"}
        connection.request("POST", "/api/login", json.dumps({"token": token}), headers)
        status = connection.getresponse().status
        connection.close()
        return status

    def end(self, number: int) -> tuple[int, str]:
        self.process.send_signal(number)
        out, _ = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, out


def _environment(folder: Path) -> dict[str, str]:
    return os.environ | {"CHORUS_HOME": str(folder / "vault"), "CLAUDE_CONFIG_DIR": str(folder / "client")}


@contextmanager
def _serving(folder: Path, *options: str, port: int | None = 0) -> Iterator[Served]:
    command = [sys.executable, "-m", "chorus", "serve", *([] if port is None else ["--port", str(port)]), *options]
    process = subprocess.Popen(
        command, env=_environment(folder), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    printed: list[str] = []
    try:
        while not printed or "Ctrl-C" not in printed[-1]:
            line = process.stdout.readline()
            assert line, printed
            printed.append(line)
        yield Served(process, printed)
    finally:
        process.kill()
        process.communicate()


def _listeners(pid: int) -> list[str]:
    """Returns the addresses on which a process listens, as the kernel reports them."""
    inodes = set()
    for fd in Path(f"/proc/{pid}/fd").iterdir():
        try:
            inodes.add(fd.readlink().name.removeprefix("socket:[").removesuffix("]"))
        except OSError:
            continue
    found = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == LISTENING and fields[9] in inodes:
                found.append(fields[1].partition(":")[0])
    return found


def test_a_first_run_explains_itself(tmp_path):
    """The output names the watched folder, the vault, the link and how to end the server, and the link works once."""
    session = Session()
    session.user("hi")
    path = tmp_path / "client" / "projects" / "-p" / f"{session.id}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(bytes(session))
    with _serving(tmp_path) as served:
        text = "".join(served.printed)
        assert f"Watching  {tmp_path / 'client'}  (1 session, " in text
        assert f"Recording {tmp_path / 'vault'}" in text
        assert served.link.startswith("http://127.0.0.1:")
        assert [served.login(served.token) for _ in range(2)] == [204, 401]
        code, rest = served.end(signal.SIGINT)
    assert (code, rest.strip()) == (0, "Ended.")


@pytest.mark.skipif(not Path("/proc/self/net/tcp").exists(), reason="this system does not list its listening sockets")
def test_it_listens_on_loopback_alone_and_tells_its_token_to_the_terminal_alone(tmp_path):
    """A6, A8: the server listens only on 127.0.0.1, and no argument, variable, log or page contains the token."""
    with _serving(tmp_path, "--verbose") as served:
        assert _listeners(served.process.pid) == [LOOPBACK_4]
        for entry in ("cmdline", "environ"):
            assert served.token not in Path(f"/proc/{served.process.pid}/{entry}").read_text(errors="replace")
        connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=10)
        connection.request("GET", "/")
        assert served.token not in connection.getresponse().read().decode()
        connection.close()
        served.end(signal.SIGTERM)
    for path in (tmp_path / "vault").rglob("*"):
        assert not path.is_file() or served.token.encode() not in path.read_bytes(), path


def test_the_second_one_gives_a_link_of_the_first(tmp_path):
    """A second `serve` and `open` each print a new login link that works, and the first server continues."""
    with _serving(tmp_path) as served:
        again = run_process("serve", "--port", "0", "--no-open", env=_environment(tmp_path))
        opened = run_process("open", env=_environment(tmp_path))
        links = [
            next(line for line in out.decode().splitlines() if "#t=" in line).strip()
            for out in (again.stdout, opened.stdout)
        ]
        assert (again.returncode, opened.returncode) == (0, 0)
        assert f"process {served.process.pid}".encode() in again.stdout
        assert len({served.link, *links}) == 3
        assert [served.login(link.partition("#t=")[2]) for link in links] == [204, 204]
        assert served.process.poll() is None
        assert served.end(signal.SIGTERM)[0] == 0


def test_what_a_killed_one_left_is_no_server(tmp_path):
    """After a server was killed, `open` says that none runs, and `serve` starts one."""
    with _serving(tmp_path) as served:
        served.end(signal.SIGKILL)
    assert (tmp_path / "vault" / "state" / "serve.json").exists()
    opened = run_process("open", env=_environment(tmp_path))
    assert opened.returncode == 2
    assert b"`chorus serve` starts one" in opened.stderr
    with _serving(tmp_path) as served:
        assert served.login(served.token) == 204


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "0", "192.168.0.1", "example.com", "*"])
def test_no_other_host_is_taken(tmp_path, host):
    """A6: another host is refused in one line that says why, and no server starts."""
    done = run_process("serve", "--host", host, env=_environment(tmp_path))
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert b"--host takes 127.0.0.1, localhost or ::1" in done.stderr


def test_a_port_that_somebody_else_has_is_said_so(tmp_path):
    """If the port is in use, the error names the option that helps, and the vault stays unchanged."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run_process("serve", "--port", str(port), env=_environment(tmp_path))
    assert done.returncode == 2
    assert f"port {port} ".encode() in done.stderr and b"--port" in done.stderr
    assert not (tmp_path / "vault" / "state" / "serve.json").exists()


def test_the_usual_port_may_be_taken(tmp_path):
    """Without `--port`, the next free port is used. The output says so, and the link has that port."""
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            # If another program already uses the port, that is enough for the test.
            stack.enter_context(socket.create_server(("127.0.0.1", PORT)))
        with _serving(tmp_path, port=None) as served:
            assert served.port > PORT
            assert served.printed[0] == f"Port {PORT} is used by another program; using port {served.port}.\n"
            assert served.login(served.token) == 204


def test_it_ends_soon_while_it_is_busy(tmp_path):
    """A signal ends the server also in the middle of a first pass."""
    folder = tmp_path / "client" / "projects" / "-p"
    folder.mkdir(parents=True)
    session = Session()
    for number in range(200):
        session.user(f"words {number} " + "long " * 200)
        session.assistant("more " * 200)
    for number in range(150):
        name = f"{number:08d}-0000-4000-8000-000000000000"
        (folder / f"{name}.jsonl").write_bytes(bytes(session).replace(session.id.encode(), name.encode()))
    with _serving(tmp_path) as served:
        assert served.end(signal.SIGTERM)[0] == 0


def test_a_browser_is_opened_without_its_link_among_arguments(tmp_path, monkeypatch):
    """The browser is started with a file that only its owner can read, and the server removes the file."""
    import stat
    import webbrowser

    from chorus.cli.commands.serve import open_in_browser
    from chorus.show.server.edge.link_page import remove_link_page

    asked = []
    monkeypatch.setattr(webbrowser, "open", lambda address: asked.append(address) or True)
    (tmp_path / "state").mkdir()
    open_in_browser('http://127.0.0.1:1/#t=secret"token', tmp_path)
    (path,) = (tmp_path / "state").iterdir()

    assert asked == [path.as_uri()] and "secret" not in asked[0]
    assert "url=http://127.0.0.1:1/#t=secret&quot;token" in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    remove_link_page(tmp_path / "state")
    assert path.exists()
    remove_link_page(tmp_path / "state", older_than_s=0)
    assert not path.exists()


@needs_lan
def test_the_network_is_an_additional_listener(tmp_path):
    """A6: with `--lan` it listens on loopback and on that one address, and says where phones go."""
    with _serving(tmp_path, "--lan", LAN.address) as served:
        phones = next(line for line in served.printed if line.startswith("Phones: "))
        assert f"https://{LAN.address}:{served.port} " in phones
        assert served.login(served.token) == 204
        if sys.platform == "linux":
            assert sorted(_listeners(served.process.pid)) == ["0100007F", "0200007F"]
        done = run_process("phone", "trust", "--out", tmp_path / "chorus.crt", env=_environment(tmp_path))
        shown = done.stdout.decode()
        assert f"https://{LAN.address}:{served.port}/trust" in shown
        pairs = hashlib.sha256((tmp_path / "chorus.crt").read_bytes()).digest().hex(" ").upper()
        assert pairs[:47] in shown and pairs[48:] in shown
        assert "PRIVATE" not in (tmp_path / "chorus.crt").read_text("latin-1")
        assert served.end(signal.SIGINT)[0] == 0


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--lan", "0.0.0.0"], "every network"),
        (["--lan", "::"], "every network"),
        (["--host", "192.168.1.5"], "this machine only"),
        (["--host", "0.0.0.0"], "every network"),
        (["--lan", "8.8.8.8"], "internet"),
        (["--cert", "a", "--key", "b"], "--lan, which is missing"),
        (["--lan", "127.0.0.2", "--cert", "a"], "belong together"),
        (["--lan", "127.0.0.2", "--cert", "nothing", "--key", "nothing"], "nothing: No such file"),
    ],
)
def test_a6_what_would_be_open_or_unencrypted_is_refused(tmp_path, options, reason):
    """A6: nothing is served on a wildcard, and nothing without encryption outside of loopback."""
    done = run_process("serve", "--no-open", "--port", "0", *options, env=_environment(tmp_path), cwd=tmp_path)
    assert done.returncode in (1, 2)
    assert reason in done.stderr.decode()
    assert b"#t=" not in done.stdout
