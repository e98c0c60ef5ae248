"""Tests that the index follows the vault, whatever happens to either of them."""

import os
import shutil
import threading
from datetime import UTC, datetime
from multiprocessing import active_children

import pytest

from chorus.core.query.parse import parse
from chorus.errors import IndexDamaged
from chorus.find.index.sqlite.index import SqliteIndex
from chorus.find.indexing.index_keeper import FOLDER, IndexKeeper
from chorus.find.indexing.writer import index_writer
from chorus.keep.archive.listing import conversations
from chorus.keep.sources.sync import Sync
from chorus.keep.vault.files import FileVault
from chorus.testing.builders import Layout, Session, lay_out, tool_use
from chorus.testing.builders.lines import Clock
from chorus.testing.indexes import keep, name_of
from tests.find.index.talking import sessions
from tests.find.indexing.vaults import SAVED, filled_vault, kept_up, rows

NOW = datetime(2026, 1, 5, tzinfo=UTC)


@pytest.fixture
def vault(tmp_path):
    return filled_vault(tmp_path / "home")


def numbers(index, text):
    return [hit.number for hit in index.search(parse(text, now=NOW), limit=100).hits]


def test_made_twice_is_made_the_same(vault):
    """A rebuild gives the same rows as before, also after the files of the index were deleted."""
    assert kept_up(vault) == 6
    first = rows(vault)
    keeper = IndexKeeper(vault, saved_since=SAVED)
    keeper.rebuild()
    keeper.close()
    assert rows(vault) == first
    shutil.rmtree(vault.root / FOLDER)
    assert kept_up(vault) == 6
    assert rows(vault) == first


def test_nothing_new_is_nothing_to_do(vault):
    """An indexed conversation is not read again, also after it was sealed."""
    kept_up(vault)
    first = rows(vault)
    assert kept_up(vault) == 0
    for kept in conversations(vault):
        for key in kept.keys:
            vault.seal(key)

    assert kept_up(vault) == 0
    assert kept_up(vault) == 0
    assert rows(vault) == first


@pytest.mark.parametrize("seed", range(10))
def test_kept_in_any_steps_it_ends_the_same(tmp_path, seed):
    """Sessions that grow from pass to pass, in either order, give the same rows as a rebuild."""
    talks = sessions(seed)
    outcomes = []
    for name, order in (("forth", talks), ("back", talks[::-1])):
        vault = FileVault(tmp_path / name)
        for talk in order:
            whole, agents = list(talk.lines), list(talk.agents)
            for cut in (len(whole) // 3, 2 * len(whole) // 3, len(whole)):
                talk.lines, talk.agents = whole[:cut], agents if cut == len(whole) else []
                keep(vault, talk)
                kept_up(vault)
            talk.lines, talk.agents = whole, agents
        outcomes.append(rows(vault))
        keeper = IndexKeeper(vault, saved_since=SAVED)
        keeper.rebuild()
        keeper.close()
        outcomes.append(rows(vault))

    assert outcomes[0] == outcomes[1] == outcomes[2] == outcomes[3]


def test_packed_conversations_go_on(vault):
    """A sealed conversation that continues is found with its new entries."""
    kept_up(vault)
    talk = sessions(1)[0]
    for kept in conversations(vault):
        for key in kept.keys:
            vault.seal(key)
    kept_up(vault)
    talk.user("after the packing")
    keep(vault, talk, workspace="w0-00000000")

    assert kept_up(vault) == 1
    index = SqliteIndex(vault.root / FOLDER)
    assert len(numbers(index, "packing")) == 1
    index.close()


@pytest.mark.parametrize("goes_on", [True, False])
def test_a_rewritten_note_beside_a_sub_agent_counts(tmp_path, goes_on):
    """A rewritten sidecar of a sub-agent gives the same rows as a rebuild, whether or not the session continued."""
    session = Session("00000001-0000-4000-8000-000000000000", clock=Clock("2026-01-02T10:00:00.000Z"))
    session.user("begin")
    session.assistant(tool_use("Task", {"prompt": "look"}, id="toolu_1"))
    agent = session.agent("a1", "toolu_1", description="First words")
    agent.user("look")
    agent.assistant("found")
    config, vault = tmp_path / "claude", FileVault(tmp_path / "home")

    def keep_all():
        path = lay_out(config, session, Layout.BELOW)
        os.utime(path)
        Sync(vault, vault.root, lambda: "2026-01-02T12:00:00.000Z").run([config])
        vault.flush()
        kept_up(vault)
        return rows(vault)

    first = keep_all()
    agent.description = "Other words"
    if goes_on:
        session.user("go on")
    grown = keep_all()
    keeper = IndexKeeper(vault, saved_since=SAVED)
    keeper.rebuild()
    keeper.close()

    assert "First words" in str(first) and "Other words" in str(grown)
    assert grown == rows(vault)


def test_what_left_the_vault_leaves_the_index(vault):
    """A conversation that was removed from the vault is no longer found or counted."""
    kept_up(vault)
    gone = next(conversations(vault))
    for key in gone.keys:
        vault.forget(key)

    assert kept_up(vault) == 1
    assert gone.name not in rows(vault)


def test_a_long_conversation_is_written_in_parts(tmp_path, monkeypatch):
    """A conversation with more text than fits into memory at once gives the same rows."""
    vault = filled_vault(tmp_path / "home", count=2)
    kept_up(vault)
    at_once = rows(vault)
    monkeypatch.setattr("chorus.find.indexing.open_conversation.MAX_CHARS", 40)
    keeper = IndexKeeper(vault, saved_since=SAVED)
    keeper.rebuild()
    found = numbers(keeper.index, "gamma")
    keeper.close()

    assert rows(vault) == at_once
    monkeypatch.undo()
    keeper = IndexKeeper(vault, saved_since=SAVED)
    keeper.rebuild()
    assert len(numbers(keeper.index, "gamma")) == len(found) > 0
    keeper.close()


def test_there_is_one_writer(vault):
    """A second writer is refused, and a later one can write after the first has ended."""
    with index_writer(vault, NOW) as first:
        assert first is not None
        with index_writer(vault, NOW) as second:
            assert second is None
    with index_writer(vault, NOW) as third:
        assert third is not None


def test_without_an_index_readers_get_an_error(tmp_path):
    """A reader neither builds an index nor reads an unfinished one."""
    with pytest.raises(IndexDamaged, match="no index yet"):
        SqliteIndex(tmp_path)
    half = SqliteIndex.build(tmp_path)
    with pytest.raises(IndexDamaged, match="no index yet"):
        SqliteIndex(tmp_path)
    half.close()


def test_readers_see_whole_writings(tmp_path):
    """While a conversation grows, every reader finds each prompt with its answer."""
    vault = FileVault(tmp_path / "home")
    talk = Session("00000001-0000-4000-8000-000000000000", clock=Clock("2026-01-01T10:00:00.000Z"))
    talk.user("prompt begins")
    talk.assistant("answer begins")
    keep(vault, talk)
    kept_up(vault)
    done, wrong, looks = threading.Event(), [], []

    def look():
        while not done.is_set():
            index = SqliteIndex(vault.root / FOLDER)
            try:
                prompts, answers = len(numbers(index, "prompt")), len(numbers(index, "answer"))
                entries = len(list(index.all_entries(f"work-12345678/main/{talk.id}")))
            finally:
                index.close()
            looks.append(prompts)
            # A write may come between the two queries, so there are never fewer answers than prompts.
            if not prompts <= answers <= entries - answers + 1:
                wrong.append((prompts, answers, entries))

    reader = threading.Thread(target=look)
    reader.start()
    keeper = IndexKeeper(vault, saved_since=SAVED)
    for n in range(60):
        talk.user(f"prompt {n}")
        talk.assistant(f"answer {n}")
        keep(vault, talk)
        keeper.take([name_of(talk)])
    done.set()
    reader.join()
    keeper.close()

    assert wrong == []
    assert len(looks) > 3


def test_what_is_taken_is_found_at_once(vault):
    """A recorded line is found as soon as it was indexed, also by readers that were open before."""
    kept_up(vault)
    reader = SqliteIndex(vault.root / FOLDER)
    keeper = IndexKeeper(vault, saved_since=SAVED)
    talk = sessions(1)[0]
    for n in range(5):
        talk.user(f"needle{n}")
        keep(vault, talk, workspace="w0-00000000")
        keeper.take([name_of(talk, "w0-00000000")])
        assert len(numbers(reader, f"needle{n}")) == 1
    keeper.close()
    reader.close()


def test_what_is_held_ready_goes_on_the_same(tmp_path):
    """A conversation that was opened in advance gives the rows of a rebuild.

    An inactive one is not opened in advance.
    """
    vault = FileVault(tmp_path / "home")
    talk = Session()
    quiet = Session("5e551011-0000-4000-8000-000000000001", clock=Clock("2025-01-01T00:00:00.000Z"))
    talk.user("an early word")
    talk.assistant("an answer")
    quiet.user("long ago")
    keep(vault, talk)
    keep(vault, quiet)
    kept_up(vault)
    talk.user("the next word")
    talk.assistant("one more answer")
    keep(vault, talk)
    keeper = IndexKeeper(vault, saved_since=SAVED)

    assert keeper.make_ready("2025-06-01") == [name_of(talk)]
    keeper.take([name_of(talk)])

    assert len(numbers(keeper.index, "answer")) == 2
    gone_on = rows(vault)
    keeper.rebuild()
    keeper.close()
    assert rows(vault) == gone_on


def test_a_hundred_live_conversations_are_each_opened_once(tmp_path, monkeypatch):
    """Lines that come to a hundred conversations in turn load the saved state of each of them at most once."""
    vault = FileVault(tmp_path / "home")
    talks = [Session(f"5e551011-0000-4000-8000-{n:012d}") for n in range(100)]
    for talk in talks:
        talk.user("the first word")
        keep(vault, talk)
    kept_up(vault)
    loaded = []
    state = SqliteIndex.state
    monkeypatch.setattr(SqliteIndex, "state", lambda index, name: [loaded.append(name), state(index, name)][1])
    keeper = IndexKeeper(vault, saved_since=SAVED)
    for n in range(3):
        for talk in talks:
            talk.user(f"needle{n}")
            keep(vault, talk)
            keeper.take([name_of(talk)])

    assert max(map(loaded.count, loaded)) == 1
    assert keeper.index.conversation(name_of(talks[0])) is not None
    assert len(numbers(keeper.index, "needle2")) == 100
    keeper.close()


def test_what_is_held_is_bounded(tmp_path, monkeypatch):
    """Above the limit, the conversations that were idle longest leave memory first, and they can still continue."""
    monkeypatch.setattr("chorus.find.indexing.index_keeper._MAX_HELD", 40)
    vault = FileVault(tmp_path / "home")
    talks = [Session(f"5e551011-0000-4000-8000-{n:012d}") for n in range(4)]
    keeper = IndexKeeper(vault, saved_since=SAVED)
    for n in range(3):
        for talk in talks:
            talk.user(f"needle{n}")
            keep(vault, talk)
            keeper.take([name_of(talk)])
            assert sum(opened.values_in_memory for opened in keeper._open.values()) <= 40
    gone_on = rows(vault)
    keeper.rebuild()
    keeper.close()
    assert rows(vault) == gone_on


def test_more_numbers_than_are_remembered(tmp_path, monkeypatch):
    """A new index with more entries than fit into memory has the same rows, and no number is given twice."""
    vault = FileVault(tmp_path / "home")
    for n in range(6):
        talk = Session(f"5e551011-0000-4000-8000-{n:012d}", clock=Clock(f"2026-01-05T09:0{n // 2}:00.000Z"))
        talk.user(f"words of talk {n}")
        keep(vault, talk)
    kept_up(vault)
    expected = rows(vault)
    shutil.rmtree(vault.root / FOLDER)
    monkeypatch.setattr("chorus.find.index.sqlite.words._MAX_KNOWN", 3)
    monkeypatch.setattr("chorus.find.indexing.index_keeper._BATCH_WRITINGS", 1)

    assert kept_up(vault) == 6
    assert rows(vault) == expected


def test_this_process_does_the_jobs_that_no_worker_has_begun(tmp_path, monkeypatch):
    """Whoever does the jobs of a pass, this process or a worker, the rows are the same."""
    monkeypatch.setattr("chorus.find.indexing.index_keeper._WORTH_BEGINNING_BYTES", 0)
    monkeypatch.setattr("chorus.find.indexing.workers._JOB_BYTES", 1)
    talks = [Session(f"5e550000-0000-4000-8000-{n:012x}") for n in range(24)]
    vault, expected = FileVault(tmp_path / "vault"), FileVault(tmp_path / "expected")
    for talk in talks:
        talk.user(f"the question of {talk.id}")
        keep(vault, talk)
        keep(expected, talk)
    kept_up(expected)
    keeper = IndexKeeper(vault, saved_since=SAVED)

    keeper.begin(map(name_of, talks))
    keeper.begin([])
    keeper.catch_up()
    keeper.close()

    assert rows(vault) == rows(expected)


def test_little_starts_no_worker(tmp_path):
    """A pass with little to index starts no other process."""
    talk = Session()
    talk.user("hello")
    vault = FileVault(tmp_path)
    keep(vault, talk)
    keeper = IndexKeeper(vault, saved_since=SAVED)

    keeper.begin([name_of(talk)])
    keeper.begin([])
    started = active_children()
    keeper.catch_up()
    found = keeper.index.conversation(name_of(talk))
    keeper.close()

    assert started == [] and found


@pytest.mark.parametrize("is_own", [True, False])
def test_checksums_are_compared_unless_the_lines_were_just_written(tmp_path, monkeypatch, is_own):
    """A pass does not compare the checksums of lines that it has just written, but always compares lines of others."""
    monkeypatch.setattr("chorus.find.indexing.index_keeper._WORTH_BEGINNING_BYTES", 0)
    talk = Session()
    talk.user("the harbour lights blink")
    talk.assistant("they do")
    vault = FileVault(tmp_path)
    keep(vault, talk)
    path = next((tmp_path / "conversations").rglob("*.jsonl"))
    path.write_bytes(path.read_bytes().replace(b"harbour", b"harbors"))
    keeper = IndexKeeper(vault if is_own else FileVault(tmp_path), saved_since=SAVED)

    keeper.begin([name_of(talk)])
    keeper.begin([])
    keeper.catch_up()
    row = keeper.index.conversation(name_of(talk))
    keeper.close()

    assert row and row.damaged == (0 if is_own else 1)


def test_a_stream_whose_lines_are_all_damaged_was_begun_by_another(tmp_path):
    """A writer that appends to a file without any good line does not treat the stream as its own."""
    talk = Session()
    talk.user("one")
    keep(FileVault(tmp_path), talk)
    path = next((tmp_path / "conversations").rglob("*.jsonl"))
    path.write_bytes(path.read_bytes().replace(b"one", b"two"))
    vault = FileVault(tmp_path)
    talk.user("three")
    keep(vault, talk)

    assert not any(vault.has_begun(key) for key in vault.keys())  # noqa: SIM118 - no mapping


class _ReadAgain(FileVault):
    """A vault that counts the lines that are read one by one."""

    lines_read = 0

    def line_at(self, key, at):
        self.lines_read += 1
        return super().line_at(key, at)


def test_a_line_more_of_a_long_message_reads_none_of_its_lines_again(tmp_path):
    """A new line of a long message reads none of its earlier lines again, and the rows are those of a rebuild."""
    vault = _ReadAgain(tmp_path / "home")
    session = Session()
    session.user("go on")
    session.assistant(*(f"part {number} of the answer" for number in range(300)))
    whole = list(session.lines)
    keeper = IndexKeeper(vault, saved_since=SAVED)
    for count in range(100, len(whole) + 1):
        session.lines = whole[:count]
        keep(vault, session)
        keeper.take([name_of(session)])
    grown = rows(vault)
    found = numbers(keeper.index, '"part 299 of the answer"')
    keeper.rebuild()
    keeper.close()

    assert found
    assert vault.lines_read == 0
    assert rows(vault) == grown
