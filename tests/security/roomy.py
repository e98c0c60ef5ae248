"""A server in a process of its own with room for many sockets, and browsers that can log in to it.

roomy.py VAULT FOLDER     prints its port, and serves until its standard input ends
"""

import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2]))

from chorus.keep.vault.keys import workspace_id
from chorus.show.server.edge.control import request_link
from chorus.show.server.edge.limits import Limits
from chorus.testing.builders import Session, encode_all
from tests.show.server.serving import Browser, serving
from tests.support.running import until

PER_LOGIN = Limits().sockets_per_login
MAX_CONNECTIONS = 1_200
PATIENCE_S = 120


class Roomy(NamedTuple):
    vault: Path
    port: int
    pid: int

    def browsers(self, sockets: int) -> list[Browser]:
        """Returns as many logged-in browsers as this number of sockets needs, with the usual number of sockets each."""
        found = []
        for _ in range(-(-sockets // PER_LOGIN)):
            browser = Browser(self.port)
            link = request_link(self.vault / "state")
            assert link is not None
            assert browser.post("/api/login", {"token": link.token}).status == 204
            found.append(browser)
        return found

    def warm(self, browser: Browser, path: Path, session: Session) -> str:
        """Lets a session grow until the server follows it; returns the name of its conversation."""
        name = f"{workspace_id(session.cwd)}/main/{session.id}"
        until(lambda: browser.get("/api/conversations").json.get("conversations"), PATIENCE_S)
        with path.open("ab") as file:
            file.write(encode_all([session.user("warm")]))
        until(lambda: b"warm" in browser.get(f"/api/conversations/{name}/rows?limit=100").body, PATIENCE_S)
        return name

    def rss_mb(self, field: str = "VmRSS") -> int:
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(field)) >> 10


@contextlib.contextmanager
def roomy(vault: Path, folder: Path) -> Iterator[Roomy]:
    call = [sys.executable, __file__, str(vault), str(folder)]
    with subprocess.Popen(call, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield Roomy(vault, int(process.stdout.readline()), process.pid)
        finally:
            process.stdin.close()
            process.wait(60)


def slowdown() -> float:
    """Returns how many times slower the machine is than an idle one, because other programs may use the processor."""
    began, spent = time.perf_counter(), time.process_time()
    while time.process_time() - spent < 0.2:
        pass
    return max(1.0, (time.perf_counter() - began) / 0.2)


def main(vault: Path, folder: Path) -> None:
    limits = Limits(connections=MAX_CONNECTIONS, unknown_connections=MAX_CONNECTIONS)
    with serving(vault, folder, limits=limits) as server:
        print(server.port, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
