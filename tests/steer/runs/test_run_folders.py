"""Tests of the folders of runs on disk."""

import json
import os
import sys
import threading

import pytest

from chorus.errors import ChorusError
from chorus.steer.runs.run_folders import Ending, Runs
from tests.support.runs import SESSION, described, named


def test_what_is_written_is_read_again(tmp_path):
    folder = Runs(tmp_path / "home").new()
    run = described(folder)

    assert folder.read() == run
    assert [each.id for _, each in Runs(tmp_path / "home")] == [run.id]
    assert (folder.path / "run.json").stat().st_mode & 0o777 == 0o600
    for place in (folder.path, folder.path.parent, tmp_path / "home"):
        assert place.stat().st_mode & 0o777 == 0o700


def test_the_newest_comes_first_and_what_is_no_run_is_passed_over(tmp_path):
    described(named(tmp_path, "aaaa"), 1)
    described(named(tmp_path, "bbbb"), 2)
    (tmp_path / "runs" / "cccc").mkdir()
    (tmp_path / "runs" / "dddd").mkdir()
    (tmp_path / "runs" / "dddd" / "run.json").write_text("{")
    (tmp_path / "runs" / "link").symlink_to(tmp_path / "runs" / "aaaa")

    assert [run.id for _, run in Runs(tmp_path)] == ["bbbb", "aaaa"]


def test_a_run_is_found_by_the_beginning_of_its_id_or_its_session(tmp_path):
    described(named(tmp_path, "abcd01"), 1)
    described(named(tmp_path, "abce02"), 2)
    runs = Runs(tmp_path)

    assert runs.find("abcd")[1].id == "abcd01"
    assert runs.find(f"{SESSION}2")[1].id == "abce02"
    for name, words in (("abc", "2 runs begin so"), ("ff", "no run"), ("", "no run"), (SESSION[:8], "2 runs begin so")):
        with pytest.raises(ChorusError, match=words):
            runs.find(name)


def test_of_a_session_s_runs_the_newest_is_meant_when_all_have_ended(tmp_path):
    ending = Ending(at="2026-11-15T00:00:09.000Z")
    for name, second in (("aaaa", 1), ("bbbb", 2)):
        run = described(named(tmp_path, name), 1, ending=ending)
        run.started_at = f"2026-11-15T00:00:0{second}.000Z"
        named(tmp_path, name).write(run)

    assert Runs(tmp_path).find(f"{SESSION}1")[1].id == "bbbb"


def test_a_run_without_its_holder_is_lost(tmp_path):
    """A run without its holder is lost, unless it has ended or no holder ever started it."""
    folder = named(tmp_path, "aaaa")
    run = described(folder)
    assert folder.phase(run) == "starting"

    run.holder = run.client = 1
    lock = folder.hold()
    assert lock is not None and folder.hold() is None
    assert folder.phase(run) == "running"

    import os

    os.close(lock)
    assert folder.phase(run) == "lost"
    run.ending = Ending(at="2026-11-15T00:00:09.000Z")
    assert folder.phase(run) == "ended"


def test_the_home_of_a_session_is_known_as_soon_as_it_is_written_down(tmp_path):
    """A continuous sync finds runs that start later, and sessions that they continue with."""
    runs = Runs(tmp_path)
    assert runs.home_of(f"{SESSION}1") is None
    folder = named(tmp_path, "aaaa")
    run = described(folder)

    assert runs.home_of(f"{SESSION}1") == ("work-12345678", "ada")
    run.sessions.append(f"{SESSION}2")
    folder.write(run)
    assert runs.home_of(f"{SESSION}2") == ("work-12345678", "ada")


def test_what_is_forgotten_leaves_no_words_behind(tmp_path):
    described(named(tmp_path, "aaaa"), 1, title="my secret")
    described(named(tmp_path, "bbbb"), 2)

    Runs(tmp_path).forget({f"{SESSION}1"})

    assert [run.id for _, run in Runs(tmp_path)] == ["bbbb"]
    assert not any(b"my secret" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


@pytest.mark.skipif(sys.platform == "win32", reason="this system has no such special files")
def test_what_is_no_file_is_no_run_and_holds_nobody_up(tmp_path):
    """A pipe in place of a run's file is no run, and reading it does not wait for a writer."""
    folder = named(tmp_path, "abc")
    folder.path.mkdir(parents=True)
    os.mkfifo(folder.path / "run.json")
    os.mkfifo(folder.path / "lock")
    found = []
    looking = threading.Thread(target=lambda: found.append((list(Runs(tmp_path)), folder.is_held())), daemon=True)
    looking.start()
    looking.join(10)

    assert found == [([], False)]


@pytest.mark.parametrize(
    "lie",
    [
        {"id": "bbbb"},
        {"workspace": "../../elsewhere"},
        {"agent": ".."},
        {"agent": "x.jsonl"},
        {"sessions": ["../x"]},
        {"sessions": [f"{SESSION}1", ""]},
    ],
)
def test_what_could_not_be_a_run_is_passed_over(tmp_path, lie):
    """A description with an invalid name, which an agent can write, is skipped; no run can pretend to be another."""
    folder = named(tmp_path, "aaaa")
    described(folder)
    path = folder.path / "run.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **lie}))

    assert folder.read() is None
    assert list(Runs(tmp_path)) == []
    assert Runs(tmp_path).home_of(f"{SESSION}1") is None


def test_a_session_that_lies_about_its_run_is_kept_all_the_same(tmp_path):
    """A malformed description of a run does not stop a sync, and the session is stored."""
    from tests.cli.commands import run as command

    session = tmp_path / ".claude" / "projects" / "-work" / f"{SESSION}1.jsonl"
    session.parent.mkdir(parents=True)
    session.write_text(
        json.dumps({"type": "user", "sessionId": f"{SESSION}1", "cwd": "/work", "message": {"content": "hi"}}) + "\n"
    )
    home = tmp_path / "home"
    folder = named(home, "aaaa")
    described(folder)
    path = folder.path / "run.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "workspace": "../../elsewhere"}))

    done = command("sync", tmp_path / ".claude", "--vault", home)

    assert done.exit_code == 0, done.output
    assert list((home / "conversations").rglob(f"{SESSION}1.jsonl"))


def test_runs_that_were_over_long_ago_are_removed(tmp_path):
    """Folders of runs that ended, were lost or never began are removed after 30 days; living runs and others stay."""
    runs = Runs(tmp_path)
    ending = Ending(at="2026-01-01T00:00:00.000Z")
    for name, more in (
        ("aa11", {"ending": ending}),
        ("aa22", {"holder": 1}),
        ("aa33", {}),
        ("bb11", {"ending": ending}),
    ):
        described(named(tmp_path, name), 1, **more)
    (tmp_path / "runs" / "cc11").mkdir()
    held = named(tmp_path, "dd11")
    described(held, 1, holder=1)
    lock = held.hold()
    now_s = 2_000_000_000
    for name, days in (("aa11", 31), ("aa22", 31), ("aa33", 31), ("bb11", 29), ("cc11", 31), ("dd11", 31)):
        os.utime(tmp_path / "runs" / name, (now_s - days * 86_400,) * 2)

    assert runs.prune(now_s) == 3
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == ["bb11", "cc11", "dd11"]
    assert lock is not None and runs.prune(now_s) == 0
