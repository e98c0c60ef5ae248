"""Tests that new output of runs is noticed, whichever process stores it."""

import os

from chorus.core.protocol.launch import Launch
from chorus.keep.vault.files import FileVault
from chorus.show.recorder.run_growth import LIST_S, RunGrowth
from chorus.steer.runs.run_folders import Ending, Run, Runs

SESSION = "5e551011-0000-4000-8000-000000000001"
NAME = f"work-1/ada/{SESSION}"


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def begun(home) -> tuple[Run, int]:
    """Writes a run as its holder does, and returns it with the lock that a living holder has."""
    folder = Runs(home).new()
    run = Run(
        id=folder.path.name,
        started_at="2026-11-15T00:00:00.000Z",
        path="/home/dev/work",
        workspace="work-1",
        agent="ada",
        launch=Launch(session=SESSION),
        program="claude",
        vault=str(home),
        state=str(home / "state"),
    )
    folder.write(run)
    held = folder.hold()
    assert held is not None
    return run, held


def say(home, run: Run, words: bytes) -> None:
    vault = FileVault(home)
    vault.append(run.key("out"), words, seen_at="2026-11-15T00:00:00.000Z")
    vault.close()


def ended(home, run: Run, held: int) -> None:
    """Writes the end of a run and releases its lock, as its holder does."""
    run.ending = Ending(at="2026-11-15T00:00:01.000Z", words="done")
    Runs(home).find(run.id)[0].write(run)
    os.close(held)


def test_what_went_on_is_named_once(tmp_path):
    """A conversation is named once after new output of its run, and again only after more output."""
    run, _ = begun(tmp_path)
    growing = RunGrowth(FileVault(tmp_path), Runs(tmp_path), Clock())
    before = growing.look()
    say(tmp_path, run, b'{"type":"system"}\n')

    assert (before, growing.look(), growing.look()) == ([], [NAME], [])
    say(tmp_path, run, b'{"type":"result"}\n')
    assert growing.look() == [NAME]


def test_the_last_words_of_a_run_count(tmp_path):
    """Output right before the end of a run is noticed, although the run is no longer listed then."""
    clock = Clock()
    growing = RunGrowth(FileVault(tmp_path), Runs(tmp_path), clock)
    run, held = begun(tmp_path)
    assert growing.look() == []
    say(tmp_path, run, b'{"type":"result"}\n')
    os.close(held)
    clock.now += LIST_S

    assert growing.look() == [NAME]
    clock.now += LIST_S
    assert growing.look() == []


def test_a_run_that_begins_later_is_found(tmp_path):
    """The list of runs is read again after a while, so a later run is found."""
    clock = Clock()
    growing = RunGrowth(FileVault(tmp_path), Runs(tmp_path), clock)
    assert growing.look() == []
    run, _ = begun(tmp_path)
    say(tmp_path, run, b'{"type":"system"}\n')
    clock.now += LIST_S

    assert growing.look() == [NAME]


def test_a_run_that_was_over_before_it_was_listed_is_found(tmp_path):
    """A run that ended before it was listed is noticed too. One that had ended before the first look is not."""
    clock = Clock()
    old, held = begun(tmp_path)
    say(tmp_path, old, b'{"type":"system"}\n')
    ended(tmp_path, old, held)
    growing = RunGrowth(FileVault(tmp_path), Runs(tmp_path), clock)
    assert growing.look() == []
    run, held = begun(tmp_path)
    say(tmp_path, run, b'{"type":"system"}\n')
    ended(tmp_path, run, held)
    clock.now += LIST_S

    assert growing.look() == [NAME]
    clock.now += LIST_S
    assert growing.look() == []
