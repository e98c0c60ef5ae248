"""Tests that pages of any size and direction together are the conversation, with every row once."""

from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from chorus.core.conversation import items
from chorus.core.conversation.branches import branches
from chorus.core.query.tree import Query
from chorus.core.views.blocks import Image, Output, Prose, Unread
from chorus.core.views.rows import AgentRow, BranchRow, MessageRow, NoticeRow, TurnRow
from chorus.errors import SourceUnreadable
from chorus.find.index.port import MAX_HITS
from chorus.keep.vault.keys import StreamKey, safe_name
from chorus.keep.vault.memory import MemoryVault
from chorus.show.transcripts.keys import BadCursor
from chorus.show.transcripts.page import page, whole_row
from chorus.testing.builders import Run, Session, image, text, thinking, tool_use
from chorus.testing.indexes import SEEN_AT, keep
from tests.cli.commands import SHARED, below
from tests.core.conversation.talks import Talk
from tests.find.indexing.growing import grow, pieces_of
from tests.show.transcripts.reading import CONVERSATION, Read, kept_talk, plain, read, shown

SMALL = 60_000
FILES = below(SHARED) if SHARED.is_dir() else []


def said(rows) -> list[str]:
    """Returns the words of messages."""
    messages: list[Any] = [row for row in rows if isinstance(row, MessageRow)]
    return [piece.markdown for row in messages for piece in row.pieces]


def assert_pages_are_the_conversation(found, random, *, chosen=()):
    """Checks that pages of any size, in both directions and of every thread, equal the rows of the fold."""
    talk = found.conversation
    for thread in ("", *(agent.agent for agent in talk.agents)):
        for internal in (False, True):
            asked = {"thread": thread, "internal": internal, "branches": tuple(chosen)}
            wanted = shown(talk, thread, internal=internal, chosen=chosen)
            forwards = found.forwards(random.randint(1, 30), **asked)
            assert plain(forwards) == wanted
            assert plain(found.backwards(random.randint(1, 30), **asked)) == wanted
            keys = [row.key for row in forwards]
            assert keys == sorted(keys) and len(set(keys)) == len(keys)
        calls = [call.tool_use_id for call in talk.all(items.Call) if thread and call.subagent == thread]
        below = [found.forwards(random.randint(1, 5), thread=thread, call=call) for call in calls]
        assert not calls or plain([row for rows in below for row in rows]) == shown(talk, thread)


@given(st.integers(0, 2**32), st.integers(5, 40))
@settings(max_examples=40)
def test_pages_are_the_conversation(tmp_path_factory, seed, steps):
    """The pages of a conversation with several streams together equal the rows of the whole."""
    talk = Talk(seed, steps)
    found = Read(kept_talk(talk), tmp_path_factory.getbasetemp())

    assert_pages_are_the_conversation(found, talk.random)


@given(st.integers(0, 2**32))
@settings(max_examples=20)
def test_any_branch_can_be_chosen(tmp_path_factory, seed):
    """A reader who chooses heads of branches sees these continuations and no others."""
    talk = Talk(seed, 40)
    found = Read(kept_talk(talk), tmp_path_factory.getbasetemp())
    heads = [head for branch in branches(found.conversation) for head in branch.heads]
    opened = found.opened
    chosen = talk.random.sample(heads, min(2, len(heads)))
    # Choosing a head also chooses the heads that lead to it.
    way = {head for each in chosen for head in opened.branching.leading_to(each)}
    at = [opened.branching.continues(head) for head in way]
    if len(set(at)) == len(at):
        assert_pages_are_the_conversation(found, talk.random, chosen=tuple(way))


@given(st.integers(0, 2**32))
@settings(max_examples=25)
def test_a_growing_conversation_is_read_as_one_that_is_there(tmp_path_factory, seed):
    """However streams grow, a conversation that was opened earlier has the same pages as one that is opened now."""
    talk = Talk(seed, 25)
    pieces = pieces_of(talk, CONVERSATION)
    vault = MemoryVault()
    assert grow(vault, pieces, talk.random)
    found = Read(vault, tmp_path_factory.getbasetemp())
    found.page()
    while grow(vault, pieces, talk.random):
        found.catch_up()
        found.page()

    assert_pages_are_the_conversation(found, talk.random)


def assert_hits_are_found(found: Read) -> None:
    """Checks that the page at every search hit has a row with this id."""
    lost = []
    hits = found.index.search(Query(None), limit=MAX_HITS).hits
    for entry in found.index.entries(hit.number for hit in hits).values():
        name = entry.item.id
        if isinstance(entry.item, items.Message | items.Queued) and whole_row(found.opened, found.index, name) is None:
            continue  # Messages without words and internal messages of the client have no row.
        there = found.page(at=name, internal=True)
        if not any(name == row.row.id or name in row.places for row in (there.rows if there else ())):
            lost.append(name)
    assert lost == []


def test_a_resumed_agent_is_read_below_each_call_that_led_to_it(tmp_path):
    """The first rows of a resumed sub-agent are below the call that started it.

    Later rows are below the call that resumed it.
    """
    talk = Session()
    talk.assistant(tool_use("Agent", {"prompt": "look"}, id="t1"))
    agent = talk.agent("a1", "t1")
    agent.user("look")
    agent.assistant("seen", stop="end_turn")
    talk.tool_result("t1", "report", structured={"agentId": "a1", "status": "completed"})
    talk.assistant(tool_use("SendMessage", {"to": "a1", "message": "again"}, id="t2"))
    talk.tool_result("t2", "Resuming", structured={"success": True, "resumedAgentId": "a1"})
    agent.user("again")
    agent.assistant("seen more", stop="end_turn")
    agent.assistant("and more", stop="end_turn")
    found = read(tmp_path, talk)

    def described(call):
        return said(row.row for row in found.forwards(1, thread="a1", call=call))

    assert described("t1") == ["look", "seen"]
    assert described("t2") == ["again", "seen more", "and more"]
    assert described("nobody") == described(None) == [*described("t1"), *described("t2")]
    cards = [piece.agent for row in found.page().rows for piece in getattr(row.row, "pieces", ())]
    assert [card.entries for card in cards if card] == [2, 3]


def test_what_a_search_finds_is_on_its_page(tmp_path):
    """A hit in a message, a call, a result without its call, a notice or a turn leads to the row that shows it."""
    talk = Session()
    talk.user("hello")
    talk.assistant("text", tool_use("Bash", {"command": "ls"}, id="call"))
    talk.tool_result("call", "files")
    talk.tool_result("nobody", "asked")
    talk.system("api_error", content="overloaded")
    found = read(tmp_path, talk)

    assert found.page(at="call:call") is not None
    assert_hits_are_found(found)


def assert_recording(tmp_path, name):
    vault = MemoryVault()
    stem = Path(name).stem
    stream = "session" if stem.count("-") == 4 else "log-a"
    vault.append(StreamKey("w-1", "main", safe_name(stem), stream), Path(name).read_bytes(), seen_at=SEEN_AT)
    vault.flush()
    found = Read(vault, tmp_path)
    try:
        assert_hits_are_found(found)
        assert_pages_are_the_conversation(found, Random(7))
    except SourceUnreadable:
        assert not found.page().rows


def test_small_recordings_by_pages(tmp_path):
    """Every small recording beside the clone has the same rows by pages as in the fold."""
    small = [name for name in FILES if 0 < Path(name).stat().st_size <= SMALL]
    if not small:
        pytest.skip("no recordings beside this clone (../shared)")
    for name in small:
        assert_recording(tmp_path, name)


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in FILES if Path(name).stat().st_size > SMALL])
def test_recordings_by_pages(tmp_path, name):
    """Every larger recording has the same rows by pages as in the fold."""
    assert_recording(tmp_path, name)


def test_the_end_comes_first(tmp_path):
    """A page without a cursor is the last one. Its cursors lead to earlier rows and show that nothing follows."""
    talk = Session()
    for number in range(10):
        talk.user(f"prompt {number}")
    found = read(tmp_path, talk)

    last = found.page(limit=3)

    assert said(plain(last.rows)) == ["prompt 7", "prompt 8", "prompt 9"]
    assert last.after is None
    assert said(plain(found.page(before=last.before, limit=3).rows)) == ["prompt 4", "prompt 5", "prompt 6"]
    assert said(plain(found.page(after="", limit=2).rows)) == ["prompt 0", "prompt 1"]
    assert found.page(after="", limit=2).before is None


def test_around_an_item(tmp_path):
    """A page around an item has the item in its middle, or near an end more rows of the other side."""
    talk = Session()
    lines = [talk.user(f"prompt {number}") for number in range(10)]
    found = read(tmp_path, talk)

    assert said(plain(found.page(at=lines[5]["uuid"], limit=4).rows)) == [f"prompt {number}" for number in (3, 4, 5, 6)]
    assert said(plain(found.page(at=lines[9]["uuid"], limit=4).rows)) == [f"prompt {number}" for number in (6, 7, 8, 9)]
    assert said(plain(found.page(at=lines[0]["uuid"], limit=1).rows)) == ["prompt 0"]
    assert said(plain(found.page(at=lines[5]["uuid"], limit=1).rows)) == ["prompt 5"]
    assert found.page(at="no such thing") is None
    cursor = msgspec.json.encode(found.page(at=lines[5]["uuid"], limit=1).rows[0].key).decode()
    assert said(plain(found.page(around=cursor, limit=2).rows)) == ["prompt 4", "prompt 5"]


def test_a_page_around_a_line_of_a_row(tmp_path):
    """Every line that a row shows leads to the row, even one with only a result, and the row names them all."""
    talk = Session()
    talk.user("go")
    first, second = talk.assistant("one", tool_use("Bash", {"command": "ls"}, id="ls"))
    for number in range(9):
        talk.user(f"meanwhile {number}")
    result = talk.tool_result("ls", "a b c")
    found = read(tmp_path, talk)
    for line in (first, second, result):
        (row,) = [row for row in found.page(at=line["uuid"], limit=3).rows if line["uuid"] in row.places]
        assert row.row.id == first["message"]["id"]
    assert row.places[result["uuid"]] == row.places["result:ls"]


@pytest.mark.parametrize("cursor", ["x", "[]", '["a",1,"b",2,3]', "{}", '["a","b","c","d","e","f"]', "[" * 5000])
def test_no_cursor(tmp_path, cursor):
    """An invalid cursor raises `BadCursor`."""
    talk = Session()
    talk.user("hello")
    found = read(tmp_path, talk)
    for name in ("after", "before", "around"):
        with pytest.raises(BadCursor):
            page(found.opened, found.index, **{name: cursor})


def test_a_message_comes_with_all_of_its_calls(tmp_path):
    """Calls, their late results and their sub-agents are in the row of their message and in no other row."""
    talk = Session()
    talk.user("go")
    talk.assistant(
        tool_use("Bash", {"command": "sleep 9"}, id="slow"),
        tool_use("Agent", {"prompt": "look", "description": "Look"}, id="agent"),
    )
    agent = talk.agent("a1", "agent")
    agent.user("look")
    for number in range(20):
        agent.assistant(f"seen {number}")
    for number in range(20):
        talk.user(f"meanwhile {number}")
    talk.tool_result("slow", "done at last")
    talk.tool_result("agent", "report", structured={"agentId": "a1", "status": "completed"})
    found = read(tmp_path, talk)

    first = found.page(after="", limit=2)

    (_, row) = first.rows
    slow, started = row.row.pieces
    assert slow.given == (Output(text="done at last"),)
    assert (started.agent.id, started.agent.entries, started.agent.rows) == ("a1", 21, ())
    assert {"slow", "result:slow", "agent", "result:agent", row.row.id} <= row.places.keys()
    rest = found.page(after=first.after, limit=200)
    assert said(plain(rest.rows)) == [f"meanwhile {number}" for number in range(20)]
    assert len(found.page(thread="a1", limit=200).rows) == 21


def test_agents_that_nobody_called_come_last(tmp_path):
    """A sub-agent whose call is not in the record appears once, at the end of the main thread."""
    talk = Session()
    talk.user("first")
    agent = talk.agent("a1", "nowhere")
    agent.user("look")
    talk.user("second")
    found = read(tmp_path, talk)

    *_, last = found.forwards(1)

    assert isinstance(last.row, AgentRow) and last.row.agent.entries == 1
    assert said(plain(found.page(thread="a1").rows)) == ["look"]


def test_the_turn_repeats_nothing(tmp_path):
    """The end of a turn shows its words only if the message before it, on any page, did not have them."""
    run = Run()
    run.init()
    run.assistant("All done.")
    for number in range(3):
        run.assistant(thinking(f"hm {number}"))
    run.result("All done.")
    run.result("And more.")
    vault = MemoryVault()
    vault.append(StreamKey("w-1", "main", CONVERSATION, "stdout"), bytes(run), seen_at=SEEN_AT)
    vault.flush()
    found = Read(vault, tmp_path)

    turns = [row for row in plain(found.forwards(1)) if isinstance(row, TurnRow)]

    assert [turn.blocks for turn in turns] == [(), (Prose(markdown="And more."),)]


def test_branches(tmp_path):
    """A page shows the active continuation and the branch point. Another continuation can be chosen and is found."""
    talk = Session()
    talk.user("root")
    talk.assistant("answer")
    at = talk.leaf
    left = talk.user("left")
    talk.assistant("said on the left")
    talk.system("turn_duration", durationMs=5)
    talk.leaf = at
    talk.user("right")
    found = read(tmp_path, talk)

    assert said(plain(found.forwards())) == ["root", "answer", "right"]
    (branch,) = [row for row in plain(found.forwards()) if isinstance(row, BranchRow)]
    assert (branch.words, branch.is_abandoned) == ("answer", False)
    chosen = found.forwards(branches=(left["uuid"],))
    assert said(plain(chosen)) == ["root", "answer", "left", "said on the left"]
    assert any(isinstance(row, TurnRow) for row in plain(chosen))
    assert not any(isinstance(row, TurnRow) for row in plain(found.forwards()))
    assert "left" in said(plain(found.page(at=left["uuid"]).rows))


def test_internal_records_on_demand(tmp_path):
    """Internal records of the client are shown only on demand."""
    talk = Session()
    talk.user("hello")
    talk.attachment("skill_listing", content="x")
    found = read(tmp_path, talk)

    assert not any(isinstance(row, NoticeRow) for row in plain(found.forwards()))
    (notice,) = [row for row in plain(found.forwards(internal=True)) if isinstance(row, NoticeRow)]
    assert notice.is_internal


def test_long_texts_are_cut_and_can_be_had_whole(tmp_path):
    """A page has the beginning of a long text, and for an output also the end, and says how much is missing.

    The row by itself has the whole text.
    """
    talk = Session()
    talk.user("x" * 100_000)
    line = talk.assistant(tool_use("Bash", {"command": "y" * 100_000}, id="call"))[0]
    talk.tool_result("call", "z" * 3_000_000)
    found = read(tmp_path, talk)

    prompt, answer = found.page().rows

    (words,) = prompt.row.pieces
    assert (len(words.markdown), words.cut_chars) == (65_536, 100_000 - 65_536)
    (call,) = answer.row.pieces
    (given,) = call.given
    assert (len(given.text) + len(given.tail), given.cut_chars) == (65_536, 3_000_000 - 65_536)
    whole: Any = whole_row(found.opened, found.index, line["message"]["id"])
    assert len(whole.row.pieces[0].given[0].text) == 3_000_000
    assert whole_row(found.opened, found.index, "call") == whole
    assert whole_row(found.opened, found.index, "no such row") is None


def test_a_page_of_long_rows_ends_early(tmp_path):
    """A page of long rows ends early, so that it can be sent, and the next page has the other rows."""
    talk = Session()
    for number in range(20):
        talk.user([text("x" * 60_000) for _ in range(15)] + [text(f"{number}")])
    found = read(tmp_path, talk)

    first = found.page(after="", limit=15)

    assert 0 < len(first.rows) < 15
    for rows in (found.forwards(15), found.backwards(15)):
        assert [row.row.pieces[-1].markdown for row in rows] == [str(number) for number in range(20)]


def test_pictures_are_numbered_within_their_records(tmp_path):
    """Each picture has its number within its record, because a record may have several."""
    talk = Session()
    talk.user([image(), text("and"), image()])
    talk.assistant(tool_use("Read", {"file_path": "a.png"}, id="read"))
    talk.tool_result("read", [image()])
    found = read(tmp_path, talk)

    prompt, answer = found.page().rows

    pictures = [piece for piece in prompt.row.pieces if isinstance(piece, Image)]
    assert [picture.nth for picture in pictures] == [0, 1]
    assert len({(prompt.places[picture.item].stream, prompt.places[picture.item].at) for picture in pictures}) == 1
    (given_back,) = answer.row.pieces[0].given
    assert given_back.item == "result:read" and given_back.item in answer.places


def test_what_the_vault_lost_is_shown_as_such(tmp_path):
    """A damaged line in the middle of a page is shown as unread, and all other rows are unchanged."""
    talk = Session()
    talk.user("before")
    talk.assistant("lost words", tool_use("Bash", {"command": "lost"}, id="call"))
    talk.tool_result("call", "lost result")
    talk.fact("never-seen-before", depth={"a": 1})
    talk.user("after")
    found = read(tmp_path, talk)
    before = found.forwards()
    _lose(found.vault, {1, 2, 3, 4})

    rows = found.forwards(2)

    assert [row.key for row in rows] == [row.key for row in before]
    assert said([rows[0].row, rows[-1].row]) == ["before", "after"]
    words, call = rows[1].row.pieces
    assert isinstance(words, Unread)
    assert [type(block) for block in (*call.asked, *call.given)] == [Unread, Unread]
    assert any(isinstance(block, Unread) for block in rows[2].row.blocks)


def test_a_damaged_stream_is_gone_through_once(tmp_path):
    """A damaged stream is searched once for all its lost lines, however often they are asked for."""
    talk = Session()
    for number in range(30):
        talk.user(f"{number}")
    found = read(tmp_path, talk)
    _lose(found.vault, set(range(5, 25)))
    lines, from_the_start = found.vault.lines, []

    def counted(key, start=0):
        from_the_start.append(start) if start == 0 else None
        return lines(key, start)

    found.page()
    found.vault.lines = counted
    for _ in range(3):
        assert sum(isinstance(row.row.pieces[0], Unread) for row in found.page().rows) == 20

    assert len(from_the_start) <= 3


def test_a_line_that_lies_elsewhere_now(tmp_path):
    """A line that was damaged and then stored again at another place is shown as before."""
    talk = Session()
    talk.user("one")
    talk.user("two")
    found = read(tmp_path, talk)
    before = found.page()
    line_at = found.vault.line_at
    (first, second) = found.vault.lines(next(iter(found.vault.keys())))
    moved = structs.replace(second, at=second.at + 10_000)
    found.vault.line_at = lambda key, at: moved if at == moved.at else None if at == second.at else line_at(key, at)
    found.vault.lines = lambda key, start=0: (line for line in (first, moved) if line.at >= start)

    assert found.page().rows == before.rows


def _lose(vault, numbers):
    """Makes lines of the only stream unreadable."""
    lines, line_at = vault.lines, vault.line_at
    gone = {line.at for number, line in enumerate(lines(next(iter(vault.keys())))) if number in numbers}
    vault.line_at = lambda key, at: None if at in gone else line_at(key, at)
    vault.lines = lambda key, start=0: (line for line in lines(key, start) if line.at not in gone)


def test_what_is_still_being_written(tmp_path):
    """A message that was cut off while it streamed is shown up to this point and marked as partial."""
    run = Run()
    run.init()
    run.streamed("Wor", "king on", message_id="msg_1")
    vault = MemoryVault()
    key = StreamKey("w-1", "main", CONVERSATION, "stdout")
    vault.append(key, bytes(run), seen_at=SEEN_AT)
    vault.flush()
    found = Read(vault, tmp_path)

    (row,) = [row for row in plain(found.page().rows) if isinstance(row, MessageRow)]
    assert (said([row]), row.is_partial) == (["Working on"], True)

    run.assistant("Working on it.", message_id="msg_1")
    vault.append(key, bytes(run)[vault.tail(key).offset :], seen_at=SEEN_AT)
    vault.flush()
    found.catch_up()
    (row,) = [row for row in plain(found.page().rows) if isinstance(row, MessageRow)]
    assert (said([row]), row.is_partial) == (["Working on it."], False)


def test_hostile_text_can_be_sent(tmp_path):
    """A row can be encoded even if its line has half characters, invalid times, or strange ids and names."""
    talk = Session()
    talk.user("begin")
    raw = bytes(talk)
    raw += (
        rb'{"type":"user","uuid":"\ud800x","message":{"content":"half \udc00 of"},"sessionId":"%s"}' % talk.id.encode()
    )
    raw += b"\n"
    raw += (
        rb'{"type":"assistant","uuid":"~\u0001b","message":{"id":"m\ud800","content":[{"type":"tool_use","id":"\ud83d",'
    )
    raw += rb'"name":"Ba\ud800sh","input":{"command":"\ud800"}}]},"timestamp":"2026-01-05T09\u0001:59.000Z"}' + b"\n"
    result = rb'{"type":"tool_result","tool_use_id":"\ud83d","content":"\udfff"}'
    raw += rb'{"type":"user","uuid":"r","message":{"content":[%s]}}' % result
    raw += b"\nno json at all \xff\xfe\n"
    vault = MemoryVault()
    vault.append(StreamKey("w-1", "main", talk.id, "session"), raw, seen_at=SEEN_AT)
    vault.flush()
    found = Read(vault, tmp_path)

    everything = found.forwards(1, internal=True)

    assert len(everything) >= 4
    for row in everything:
        msgspec.json.encode(row)
    assert plain(found.backwards(2, internal=True)) == plain(everything)


def test_a_conversation_that_is_gone(tmp_path):
    """A conversation that is not in the index cannot be opened."""
    talk = Session()
    talk.user("hello")
    found = read(tmp_path, talk)
    name = found.kept.name
    assert found.transcripts.of(found.index, name) is not None

    found.index.write([], gone=[name])

    assert found.transcripts.of(found.index, name) is None
    assert found.transcripts.of(found.index, "w-1/main/nothing") is None


def test_pages_follow_what_is_kept_in_vault_of_sessions(tmp_path):
    """A line that is written after a page was read is on the next page, which has a higher feed number."""
    talk = Session()
    talk.user("one")
    found = read(tmp_path, talk)
    first = found.page(after="")
    assert first.after is None

    talk.user("two")
    keep(found.vault, talk)
    found.catch_up()

    assert said(plain(found.page().rows)) == ["one", "two"]
    assert found.page().seq > first.seq


def test_a_page_names_the_way_to_what_was_asked_for(tmp_path):
    """A page around an item on an abandoned branch shows the item and names the chosen heads for the next pages."""
    talk = Session()
    talk.user("root")
    at = talk.leaf
    left = talk.user("left")
    deeper = talk.user("deeper")
    talk.leaf = at
    talk.user("right")
    vault = MemoryVault()
    keep(vault, talk)
    found = Read(vault, tmp_path)

    asked = page(found.opened, found.index, at=deeper["uuid"])
    assert asked is not None
    again = page(found.opened, found.index, branches=asked.branches)
    root = page(found.opened, found.index, at=at)
    assert again is not None and root is not None

    assert asked.branches == (left["uuid"],)
    assert again.branches == asked.branches
    assert [row.row.id for row in asked.rows] == [row.row.id for row in again.rows]
    assert root.branches == ()
