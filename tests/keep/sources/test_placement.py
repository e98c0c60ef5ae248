"""Tests that the first source of a conversation gets its main place, and that recorded streams never move."""

from pathlib import Path

import pytest

from chorus.keep.archive.listing import find
from chorus.keep.restore.all_copies import restore_all_versions
from chorus.keep.restore.restoring import restore
from chorus.keep.sources.sync import Sync
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.port import contents
from chorus.testing.builders import Flat, Run, Session
from tests.keep.sources.keeping import NOW, Keeper


def a_run() -> Run:
    run = Run()
    run.init()
    run.assistant("hi")
    run.result()
    return run


def a_session() -> Session:
    session = Session(Run().id)
    session.user("say hi")
    session.assistant("hi")
    return session


def places(vault: Path) -> list[str]:
    """Returns the files of all conversations, without workspace and agent."""
    top = vault / "conversations"
    return sorted("/".join(path.relative_to(top).parts[2:]) for path in top.rglob("*.jsonl"))


@pytest.mark.parametrize("dialect", ["stream-json", "flat", "nameless"])
def test_a_log_has_the_main_place_of_its_conversation(tmp_path, dialect):
    """A log without other sources is recorded in the conversation's own file, where a reader looks for it."""
    log = tmp_path / "out.jsonl"
    flat = Flat()
    if dialect == "flat":
        flat.start(Run().id)
    flat.user("hi")
    log.write_bytes(bytes(a_run()) if dialect == "stream-json" else bytes(flat))
    Keeper(tmp_path / "v").sync(log)

    (main,) = (name for name in places(tmp_path / "v") if "/" not in name)
    vault = FileVault(tmp_path / "v")
    (kept,) = find(vault, main.removesuffix(".jsonl"))
    (key,) = kept.content
    assert contents(vault, key) == log.read_bytes() and kept.is_log(key.stream) and kept.session_file is None


def test_a_log_that_was_empty_at_first_is_placed_by_what_it_holds(tmp_path):
    """A pass ignores an empty log, and places it later by its content."""
    log, keeper = tmp_path / "out.jsonl", Keeper(tmp_path / "v")
    log.touch()
    keeper.sync(log)
    log.write_bytes(bytes(a_run()))
    keeper.sync(log)

    assert places(keeper.root) == [f"{Run().id}.jsonl", f"{Run().id}/main-log.jsonl", f"{Run().id}/manifest.jsonl"]


@pytest.mark.parametrize("has_notes", [True, False], ids=["notes", "notes lost"])
@pytest.mark.parametrize("is_log_first", [True, False], ids=["log first", "file first"])
def test_each_source_keeps_its_stream(tmp_path, is_log_first, has_notes):
    """The first source has the main place forever. The other one has a stream beside it, also if all notes are lost."""
    run, session = a_run(), a_session()
    log, file = tmp_path / "out.jsonl", tmp_path / "claude" / "projects" / "-w" / f"{session.id}.jsonl"
    file.parent.mkdir(parents=True)
    log.write_bytes(bytes(run))
    file.write_bytes(bytes(session))
    keeper = Keeper(tmp_path / "v")
    order = [log, tmp_path / "claude"] if is_log_first else [tmp_path / "claude", log]
    for source in order:
        keeper.sync(source)
    before = places(keeper.root)
    if not has_notes:
        for note in (keeper.root / "state").glob("sources.jsonl*"):
            note.unlink()
    run.assistant("more")
    session.user("more")
    log.write_bytes(bytes(run))
    file.write_bytes(bytes(session))
    for source in reversed(order):
        assert keeper.sync(source).revised == 0

    assert places(keeper.root) == before
    assert keeper.kept(f"{run.id}/session") == (log if is_log_first else file).read_bytes()
    vault = FileVault(keeper.root)
    (kept,) = find(vault, run.id)
    assert kept.session_file and contents(vault, kept.session_file) == file.read_bytes()
    assert {kept.is_log(key.stream): contents(vault, key) for key in kept.content} == {
        True: log.read_bytes(),
        False: file.read_bytes(),
    }

    done = restore(vault, kept, to=tmp_path / "back", revision=None, is_forced=False)
    assert [Path(each.path).read_bytes() for each in done.files] == [file.read_bytes()]
    given, left_out = restore_all_versions(vault, kept, tmp_path / "all", is_forced=False)
    found = sorted(Path(each.path).read_bytes() for each in given)
    assert found == sorted([log.read_bytes(), file.read_bytes()]) and not left_out


def test_a_note_that_a_log_has_the_main_place_is_made_again(tmp_path):
    """A lost note that a log has the main place is written again, also if the log is gone."""
    log = tmp_path / "out.jsonl"
    log.write_bytes(bytes(a_run()))
    keeper = Keeper(tmp_path / "v")
    keeper.sync(log)
    (note,) = keeper.root.rglob("main-log.jsonl")
    note.unlink()
    log.unlink()
    vault = FileVault(keeper.root)
    healed = Sync(vault, keeper.root, lambda: NOW).heal()
    vault.close()

    assert len(healed.mended) == 1 and healed.lost == [] and note.exists()
