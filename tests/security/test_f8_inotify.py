"""Tests of F8: with too many changes for the queue or too few watches, all is recorded and the limit is reported."""

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from chorus.testing.builders import Session, encode_all
from tests.keep.sources.keeping import Keeper
from tests.keep.sources.watching import PATIENCE_S, session_file, until, watching
from tests.security.roomy import slowdown

MAX_S = 5.0
OWN_LIMITS = ("unshare", "-U", "-r", "sh", "-c")


def has_own_limits() -> bool:
    try:
        done = subprocess.run([*OWN_LIMITS, "test -w /proc/sys/user/max_inotify_watches"], check=False, timeout=10)
    except OSError:
        return False
    return done.returncode == 0


@pytest.mark.parametrize("rounds", [60, pytest.param(100, marks=pytest.mark.long)])
def test_a_flood_of_changes_loses_nothing(tmp_path: Path, rounds: int) -> None:
    """When the system's queue overflows and drops events, the sweep finds the changes that they were about."""
    sessions = [Session(f"{n:08x}-0000-4000-8000-000000000000") for n in range(400)]
    paths = [session_file(tmp_path / "c", session) for session in sessions]
    for session, path in zip(sessions, paths, strict=True):
        session.user("first")
        path.write_bytes(bytes(session))
    keeper = Keeper(tmp_path / "v")
    slow = slowdown()
    with watching(tmp_path / "v", tmp_path / "c") as process:
        process.send_signal(signal.SIGSTOP)
        for _ in range(rounds):
            for session, path in zip(sessions, paths, strict=True):
                with path.open("ab") as file:
                    file.write(encode_all([session.user("more")]))
        process.send_signal(signal.SIGCONT)
        began = time.monotonic()
        left = {f"{session.id}/session": bytes(session) for session in sessions}
        end = time.monotonic() + 90
        while left and time.monotonic() < end:
            left = {name: left[name] for name, kept in keeper.all_kept(left).items() if kept != left[name]}
            time.sleep(0.2)

        took = time.monotonic() - began
    slow = max(slow, slowdown())
    print(
        f"F8: {rounds * len(paths):,} writes while the watcher stood still: all kept after {took:.1f} s "
        f"(machine {slow:.1f} × slower)"
    )
    assert left == {}
    assert took <= MAX_S * slow


@pytest.mark.skipif(not has_own_limits(), reason="this user may not have limits of watches of its own")
def test_folders_that_cannot_be_watched_are_reported(tmp_path: Path) -> None:
    """If there are fewer watches than folders, the watcher reports it and still records new lines."""
    for n in range(20):
        (tmp_path / "c" / "projects" / f"-p{n}").mkdir(parents=True)
    session = Session()
    session.user("hi")
    command = [sys.executable, "-m", "chorus", "sync", "--watch", "--vault", str(tmp_path / "v"), str(tmp_path / "c")]
    limited = [*OWN_LIMITS, 'echo 10 > /proc/sys/user/max_inotify_watches && exec "$@"', "sh", *command]
    process = subprocess.Popen(limited, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    try:
        assert b"watching" in process.stderr.readline()
        assert b"no watches left" in process.stderr.readline()
        path = tmp_path / "c" / "projects" / "-p19" / f"{session.id}.jsonl"
        path.write_bytes(bytes(session))
        name = f"{session.id}/session"
        keeper = Keeper(tmp_path / "v")
        assert until(lambda: name in keeper.streams() and keeper.kept(name) == bytes(session))
    finally:
        process.terminate()
        process.communicate(timeout=30)
    print("F8: 10 watches for 22 folders: said, and all kept by looking")


_WATCH_WITH_NO_WATCHES_LEFT = """
import ctypes, os, pathlib, sys
libc = ctypes.CDLL(None)
user, new_user_namespace = os.getuid(), 0x10000000
if libc.unshare(new_user_namespace) == 0:
    pathlib.Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    pathlib.Path("/proc/sys/user/max_inotify_instances").write_text("0")
else:
    while libc.inotify_init() >= 0:
        pass
from chorus.cli.main import main
sys.exit(main(["sync", "--watch", *sys.argv[1:]]))
"""
"""In a namespace of its own it may have none; without one it takes all there are, and others must do without."""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has inotify")
def test_without_watches_sources_are_looked_at_now_and_then(tmp_path: Path) -> None:
    """If the system has no watches left, the watcher reports it and still records new lines."""
    session = Session()
    session.user("first")
    path = session_file(tmp_path / "c", session)
    path.write_bytes(bytes(session))
    command = [sys.executable, "-c", _WATCH_WITH_NO_WATCHES_LEFT, "--vault", str(tmp_path / "v"), str(tmp_path / "c")]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    killer = threading.Timer(PATIENCE_S, process.kill)
    killer.start()
    try:
        said = process.stderr.readline() + process.stderr.readline()
        session.user("more")
        path.write_bytes(bytes(session))
        keeper = Keeper(tmp_path / "v")
        is_kept = until(lambda: keeper.kept(f"{session.id}/session") == bytes(session))
    finally:
        killer.cancel()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)

    assert b"looking every 2 s instead" in said
    assert is_kept
    print("F8: no watches at all: said, and all kept by looking every 2 s")
