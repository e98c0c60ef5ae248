"""Tests of the registry on disk, which lists the sessions that run now."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from chorus.steer.clients.registry import MAX_BYTES, Registry
from tests.steer.clients.entries import SESSION, entry, put, start_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only /proc says when a process started")


@pytest.fixture
def child():
    """A process that the test can end."""
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    yield process
    process.kill()
    process.wait()
    assert process.stdin is not None
    process.stdin.close()


def test_what_runs_is_found(tmp_path):
    """A session of a living process is found with its status, and a change is seen at the next look."""
    registry = Registry([tmp_path, tmp_path / "missing"])
    assert registry.look() == {}
    put(tmp_path, entry(status="waiting", waitingFor="permission prompt"))
    assert registry.look()[SESSION].waiting_for == "permission prompt"
    put(tmp_path, entry(status="idle"))
    assert registry.look()[SESSION].status == "idle"


def test_what_a_killed_client_left_counts_for_nothing(tmp_path, child):
    """An entry of a process that ended does not count, even if its file was not removed."""
    registry = Registry([tmp_path])
    put(tmp_path, entry(child.pid))
    assert list(registry.look()) == [SESSION]
    child.kill()
    child.wait()
    assert registry.look() == {}


def test_a_number_that_was_given_away_counts_for_nothing(tmp_path):
    """A reused pid does not count: the start time differs, or without one the process started after the entry."""
    put(tmp_path, entry(procStart=str(int(start_of(os.getpid())) + 1)))
    assert Registry([tmp_path]).look() == {}
    put(tmp_path, entry(procStart=None, startedAt=1_000_000))
    assert Registry([tmp_path]).look() == {}
    put(tmp_path, entry(procStart=None, startedAt=9_999_999_999_999))
    assert list(Registry([tmp_path]).look()) == [SESSION]


def test_another_space_of_numbers_is_not_ours(tmp_path):
    """An entry from another pid namespace, such as a container that shares the home, does not count."""
    put(tmp_path, entry(pidDomain="linux:0123:pid:[1]"))
    assert Registry([tmp_path]).look() == {}
    put(tmp_path, entry(pidDomain=f"linux:0123:{Path('/proc/self/ns/pid').readlink()}"))
    assert list(Registry([tmp_path]).look()) == [SESSION]


def test_of_two_clients_in_one_session_the_one_that_waits(tmp_path, child):
    """If two clients use one session, the registry returns the one that waits for a person."""
    put(tmp_path, entry(status="busy"))
    put(tmp_path, entry(child.pid, status="waiting", waitingFor="input"))
    assert Registry([tmp_path]).look()[SESSION].pid == child.pid


def test_hostile_content_is_passed_over(tmp_path):
    """Links, pipes, folders, garbage and huge files beside a good entry cause no error, and no key is opened."""
    folder = tmp_path / "sessions"
    put(tmp_path, entry())
    secret = folder / f"{os.getpid()}.sock.key"
    secret.write_text("secret")
    secret.chmod(0)
    (folder / "12.json").symlink_to(folder / f"{os.getpid()}.json")
    os.mkfifo(folder / "13.json")
    (folder / "14.json").mkdir()
    (folder / "15.json").write_bytes(b"\xff\x00{")
    (folder / "16.json").write_text(json.dumps(entry(16, name="x" * MAX_BYTES)))
    (folder / "../17.json").write_text(json.dumps(entry(17)))
    (folder / "018.json").write_text(json.dumps(entry(18)))
    (folder / "99999999999999999999.json").write_text("{}")

    assert list(Registry([tmp_path]).look()) == [SESSION]


def test_a_link_is_not_followed(tmp_path):
    """An entry that is a link is ignored."""
    elsewhere = tmp_path / "entry"
    elsewhere.write_text(json.dumps(entry()))
    folder = tmp_path / "client" / "sessions"
    folder.mkdir(parents=True)
    (folder / f"{os.getpid()}.json").symlink_to(elsewhere)
    assert Registry([tmp_path / "client"]).look() == {}


def test_a_registry_that_is_a_file_is_empty(tmp_path):
    """A file in place of the registry's folder gives no entries."""
    (tmp_path / "sessions").write_text("{}")
    assert Registry([tmp_path]).look() == {}
