"""Tests that unpacking is all or nothing: after a kill or a failure at any step, no half of a session stays."""

import errno
import os
import signal
import sys

import msgspec
import pytest

from chorus.errors import ChorusError
from chorus.keep.packs.staging import PREFIX, clean_up
from chorus.keep.packs.unpacking import UnpackOptions, unpack
from tests.keep.packs.packs import packed
from tests.support.keeping import files

STEPS = frozenset({"open", "os.mkdir", "os.link", "os.rename", "os.remove", "os.rmdir", "os.truncate", "shutil.rmtree"})
KILLED, REFUSED, TOLERATED = 77, 78, 79


def stop_at(step, fail):
    """Calls `fail` at the n-th file operation of this process, and returns a list that is empty until then."""
    count = 0
    failed = []

    def watch(event, details):
        nonlocal count
        # A descriptor that is already open does not count as a step.
        if event in STEPS and not isinstance(details[0], int):
            count += 1
            if count == step:
                failed.append(step)
                fail()

    sys.addaudithook(watch)
    return failed


def in_a_child(machine, step, fail, *, is_forced):
    """Unpacks in another process that fails at a step, and returns its exit code."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            failed = stop_at(step, fail)
            unpack(machine.pack, machine.work, machine.client, UnpackOptions(is_forced=is_forced))
            code = TOLERATED if failed else 0
        except ChorusError:
            code = REFUSED
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def disk_is_full():
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.fixture(params=[False, True], ids=["new", "forced"])
def is_forced(request):
    return request.param


@pytest.fixture
def states(machine, is_forced):
    """Returns the allowed results: everything as before, or the whole session.

    With `--force`, other files exist first.
    """
    machine.pack.write_bytes(packed())
    machine.client.mkdir()
    unpack(machine.pack, machine.work, machine.client, UnpackOptions())
    after = machine.everything()
    before = dict.fromkeys(files(machine.client)[::2], b"mine") if is_forced else {}
    return before | {machine.root / "precious.txt": b"precious"}, after


def put_back(machine, state):
    for path in sorted(machine.client.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    for path, data in state.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def test_a_kill_at_any_step_leaves_no_half(machine, states, is_forced):
    """After a kill, the next call finds or restores the state before, or the whole session."""
    before, after = states
    seen = []
    for step in range(1, 10_000):
        put_back(machine, before)
        folders = {path for path in machine.client.rglob("*") if path.is_dir()}
        code = in_a_child(machine, step, lambda: os._exit(KILLED), is_forced=is_forced)
        if code == 0:
            break
        assert code == KILLED
        clean_up(machine.client)
        seen.append(machine.everything() == after)
        assert machine.everything() == (after if seen[-1] else before), step
        assert seen[-1] or {path for path in machine.client.rglob("*") if path.is_dir()} == folders, step
    assert len(seen) > 20 and {False, True} <= set(seen) and seen == sorted(seen)


def test_a_failure_at_any_step_leaves_no_half(machine, states, is_forced):
    """If the disk is full at any step, there is one line of error, and the state is as before or complete."""
    before, after = states
    for step in range(1, 10_000):
        put_back(machine, before)
        code = in_a_child(machine, step, disk_is_full, is_forced=is_forced)
        found = {path: data for path, data in machine.everything().items() if PREFIX not in str(path)}
        clean_up(machine.client)
        assert not list(machine.client.glob(f"{PREFIX}*"))
        assert found == (before if code == REFUSED else after), step
        if code == 0:
            break
        assert code in (REFUSED, TOLERATED), step
    assert step > 20


def test_a_live_process_is_left_alone(machine):
    """Cleaning up does not touch the files that another process is unpacking."""
    machine.client.mkdir()
    waiting, go_on = os.pipe()
    child = os.fork()
    if child == 0:
        from chorus.keep.packs.staging import Staging
        from chorus.keep.restore.originals import Original

        try:
            with Staging(machine.client) as staging:
                staging.add(Original(machine.client, ("plans", "x.md"), ""), [b"x"])
                os.write(go_on, b"1")
                signal.pause()
        finally:
            os._exit(0)
    os.read(waiting, 1)
    clean_up(machine.client)
    found = list(machine.client.glob(f"{PREFIX}*/new-0"))
    os.kill(child, 9)
    os.waitpid(child, 0)
    clean_up(machine.client)

    assert len(found) == 1 and not list(machine.client.iterdir())


def test_a_planted_note_removes_nothing_else(machine):
    """A note that names other places has no effect on them, because anybody could have written it."""
    precious = machine.root / "precious.txt"
    status = precious.stat()
    machine.client.mkdir()
    for parts in (["..", "precious.txt"], ["projects", "..", "..", "precious.txt"], ["settings.json"]):
        folder = machine.client / f"{PREFIX}0000000000000000"
        folder.mkdir()
        (machine.client / "settings.json").write_bytes(b"{}")
        inode = (machine.client / "settings.json").stat().st_ino if parts == ["settings.json"] else status.st_ino
        moved = [{"parts": parts, "device": status.st_dev, "inode": inode}]
        moved += [{"parts": ["projects", "x"], "device": 0, "inode": 0}]
        (folder / "moves.json").write_bytes(msgspec.json.encode({"files": moved, "folders": [["..", "work"]]}))
        clean_up(machine.client)

        assert precious.read_bytes() == b"precious" and machine.work.is_dir() and not folder.exists()
        assert (machine.client / "settings.json").exists()
