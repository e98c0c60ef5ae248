"""The readers of `bench.soaking`: `python -m bench.pane_readers ours|bare SOCKET FOLDER PANES`.

Each says `ready`, reads until it gets a line, and prints its processor time and how many bytes panes printed.
"""

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

from chorus.base import processes
from chorus.show.server.live.client_watcher import ClientWatcher
from chorus.show.server.live.pane_watcher import PaneWatcher
from chorus.steer.tmux.control_lines import Output, notification

_PIECE_BYTES = 1 << 18
_SESSION = "soak"


def ours(socket: Path, root: Path, panes: int) -> tuple[float, int]:
    """Follows the panes as `chorus serve` does, into files below `root`."""
    os.environ["TMUX_TMPDIR"] = str(socket.parent.parent)
    watcher = PaneWatcher(root, root, ClientWatcher([]), lambda problem: print(problem or "", file=sys.stderr))
    watcher.start()
    written = root / "panes"
    while len(list(written.glob("*.jsonl"))) < panes:
        time.sleep(0.2)
    used_s = until_asked()
    watcher.stop()
    return used_s, sum(path.stat().st_size for path in written.iterdir())


def bare(socket: Path, _root: Path, _panes: int) -> tuple[float, int]:
    """Splits and unescapes what a control client says."""
    call = ["tmux", "-u", "-N", "-S", str(socket), "-C", "attach-session", "-E", "-f", "ignore-size", "-t", _SESSION]
    with subprocess.Popen(
        call, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, env=processes.terminal_environment()
    ) as client:
        assert client.stdout is not None
        size = [0]
        thread = threading.Thread(target=_take_all, args=(client.stdout.fileno(), size))
        thread.start()
        used_s = until_asked()
        client.terminate()
        thread.join()
    return used_s, size[0]


def _take_all(fd: int, size: list[int]) -> None:
    rest = b""
    while data := os.read(fd, _PIECE_BYTES):
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            event = notification(line)
            if isinstance(event, Output):
                size[0] += len(event.data)


def until_asked() -> float:
    """Says that the reader is ready, and waits for a line; returns the processor time in between."""
    began_s = time.process_time()
    print("ready", flush=True)
    sys.stdin.readline()
    return time.process_time() - began_s


def main(kind: str, socket: str, root: str, panes: str) -> None:
    used_s, size = {"ours": ours, "bare": bare}[kind](Path(socket), Path(root), int(panes))
    print(json.dumps([used_s, size]), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
