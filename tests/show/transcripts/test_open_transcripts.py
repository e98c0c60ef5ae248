"""Tests conversations that are opened once and kept up to date."""

import threading
from concurrent.futures import ThreadPoolExecutor

from hypothesis import given, settings
from hypothesis import strategies as st

from chorus.find.costs.conversation_costs import Costs
from chorus.find.index.sqlite.index import SqliteIndex
from chorus.find.indexing.index_keeper import FOLDER, IndexKeeper
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.memory import MemoryVault
from chorus.show.transcripts.open_transcripts import OpenTranscripts
from chorus.show.transcripts.page import page
from chorus.show.transcripts.sketch_list import SketchList
from chorus.testing.builders import Session, tool_use
from chorus.testing.indexes import keep, name_of
from chorus.testing.work import returns_of, steps
from tests.core.conversation.talks import Talk
from tests.find.indexing.growing import grow, pieces_of
from tests.show.transcripts.reading import CONVERSATION, Read, read


def known(opened):
    """Returns everything that an open conversation knows."""
    return (
        {
            name: (*sketch.key, sketch.flags, sketch.link, sorted(sketch.calls), sketch.heads, sketch.thread)
            for name, sketch in opened.sketches.items()
        },
        [sketch.id for sketch in opened.all],
        {
            name: ([row.id for row in thread.rows], [row.id for row in thread.internal])
            for name, thread in opened._list.threads.items()
            if thread.rows or thread.internal
        },
        [sketch.id for sketch in opened.separate_agents()],
        opened.links.agents,
        opened.branching.points,
        {turn: opened.links.cost_of(turn, ()) for turn in opened.sketches},
        {call: opened.links.permission_of(call.removeprefix("call:")) for call in opened.sketches},
    )


@given(st.integers(0, 2**32), st.integers(5, 40))
@settings(max_examples=50)
def test_kept_up_to_date_is_opened_anew(tmp_path_factory, seed, count):
    """However a conversation grew since it was opened, its state equals that of a newly opened one."""
    talk = Talk(seed, count)
    pieces = pieces_of(talk, CONVERSATION)
    vault = MemoryVault()
    assert grow(vault, pieces, talk.random)
    found = Read(vault, tmp_path_factory.getbasetemp())
    assert found.opened
    while grow(vault, pieces, talk.random):
        found.catch_up()
        now = found.opened
        fresh = OpenTranscripts(vault, now.costs).of(found.index, found.kept.name)

        assert fresh is not None
        assert known(now) == known(fresh)


def test_one_line_is_no_more_work_in_a_long_conversation(tmp_path):
    """Reading one new line costs the same in a long conversation as in a short one."""
    work = []
    for length in (100, 1000):
        talk = Session()
        for number in range(length):
            talk.user(f"{number}")
            talk.assistant("x", tool_use("Bash", {"command": "ls"}, id=f"c{number}"))
        found = read(tmp_path, talk)
        assert found.opened
        talk.user("one more")
        keep(found.vault, talk)
        found.catch_up()
        work.append(steps(lambda found=found: found.opened, package="chorus/pages"))

    assert work[1] <= work[0] * 1.1


def test_only_what_changed_is_read(tmp_path):
    """After a new line only this line is read, and all entries are read only when a conversation is opened."""
    talk = Session()
    talk.user("one")
    found = read(tmp_path, talk)
    assert returns_of(SketchList.fill, lambda: found.opened) == 1
    talk.user("two")
    keep(found.vault, talk)
    found.catch_up()

    assert returns_of(SketchList.fill, lambda: found.opened) == 0
    assert len(found.opened.all) == 2


def test_the_least_recently_read_is_let_go_of(tmp_path):
    """Only a few conversations stay open, and one that was closed is opened again."""
    vault = FileVault(tmp_path / "vault")
    talks = [Session(f"5e55101{number}-0000-4000-8000-000000000001") for number in range(3)]
    for number, talk in enumerate(talks):
        talk.user(f"hello {number}")
        keep(vault, talk)
    keeper = IndexKeeper(vault, saved_since="9999")
    keeper.catch_up()
    keeper.close()
    index = SqliteIndex(vault.root / FOLDER)
    transcripts = OpenTranscripts(vault, Costs(tmp_path), most=2)
    first = transcripts.of(index, name_of(talks[0]))
    assert transcripts.of(index, name_of(talks[0])) is first
    for talk in talks:
        assert transcripts.of(index, name_of(talk)) is not None

    again = transcripts.of(index, name_of(talks[0]))

    assert again is not first and again is not None and len(again.all) == 1
    index.close()


def test_an_index_that_was_made_anew(tmp_path):
    """When the index begins a new epoch, conversations are opened again."""
    vault = FileVault(tmp_path / "vault")
    talk = Session()
    talk.user("hello")
    keep(vault, talk)
    keeper = IndexKeeper(vault, saved_since="9999")
    keeper.catch_up()
    transcripts = OpenTranscripts(vault, Costs(tmp_path))
    first = transcripts.of(keeper.index, name_of(talk))
    talk.user("and more")
    keep(vault, talk)
    keeper.rebuild()

    again = transcripts.of(keeper.index, name_of(talk))

    assert first is not None and again is not None
    assert (len(again.all), again.epoch) == (2, keeper.index.epoch)
    keeper.close()


def test_threads_read_while_it_grows(tmp_path):
    """Several threads read pages while lines are added, each with its own index.

    None fails, and none sees fewer rows.
    """
    vault = FileVault(tmp_path / "vault")
    talk = Session()
    talk.user("0")
    keep(vault, talk)
    keeper = IndexKeeper(vault, saved_since="2026")
    keeper.catch_up()
    transcripts = OpenTranscripts(vault, Costs(tmp_path))
    name = name_of(talk)
    done = threading.Event()

    def look():
        index = SqliteIndex(vault.root / FOLDER)
        seen = 0
        try:
            while not done.is_set():
                opened = transcripts.of(index, name)
                shown = page(opened, index, limit=200) if opened else None
                assert shown is not None and len(shown.rows) >= seen
                seen = len(shown.rows)
        finally:
            index.close()
        return seen

    with ThreadPoolExecutor(3) as pool:
        readers = [pool.submit(look) for _ in range(3)]
        for number in range(1, 60):
            talk.user(f"{number}")
            keep(vault, talk)
            keeper.take([name])
        done.set()
        assert all(reader.result(60) > 0 for reader in readers)
    opened = transcripts.of(keeper.index, name)
    assert opened is not None and len(opened.all) == 60
    keeper.close()


def test_much_that_changed_is_read_at_once(tmp_path):
    """Many new lines that are next to each other are read by pages and not one by one."""
    talk = Session()
    talk.user("one")
    found = read(tmp_path, talk)
    assert found.opened
    for number in range(150):
        talk.user(f"{number}")
    keep(found.vault, talk)
    found.catch_up()

    pages = returns_of(type(found.index).page, lambda: found.opened)

    assert pages <= 3
    assert len(found.opened.all) == 151
