"""Tests the replays of conversations in a vault, which are continued or built again when a conversation grows."""

from datetime import timedelta
from pathlib import Path

from chorus.core.replay.rows_as_of import RowsAsOf
from chorus.core.views.rows import MessageRow, ToolCall
from chorus.find.costs.conversation_costs import Costs
from chorus.keep.archive.opening import open_kept
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.memory import MemoryVault
from chorus.show.transcripts import replay_answers, replays
from chorus.show.transcripts.replays import Replays
from chorus.testing.builders import Session, encode_all, tool_use
from chorus.testing.indexes import SEEN_AT
from tests.show.transcripts.reading import Read

KEY = StreamKey("w-1", "main", "5e551011-0000-4000-8000-000000000001", "session")


def _session() -> Session:
    session = Session()
    session.user("look")
    session.assistant("I look.", tool_use("Read", {"file_path": "/w/a"}, id="t1"), stop="tool_use")
    session.tool_result("t1", "seen")
    session.assistant("Done.", stop="end_turn")
    return session


def _kept(vault: MemoryVault, session: Session, key: StreamKey = KEY) -> None:
    vault.append(key, bytes(session), seen_at=SEEN_AT)
    vault.flush()


def test_a_replay_goes_on_where_it_stopped(tmp_path: Path) -> None:
    """New lines get later ids, and the continued replay equals a replay from the start."""
    vault, session = MemoryVault(), _session()
    _kept(vault, session)
    found = Replays(vault, Costs(tmp_path))
    first = found.of(KEY.owner)
    assert first is not None
    before = list(first.ids)
    size = len(bytes(session))
    session.user("and now?")
    session.assistant("More.", stop="end_turn")
    vault.append(KEY, bytes(session)[size:], seen_at=SEEN_AT)
    vault.flush()
    again = found.of(KEY.owner)
    anew = Replays(vault, Costs(tmp_path)).of(KEY.owner)

    assert again is first and anew is not None
    assert again.ids[: len(before)] == before and len(again) > len(before)
    assert (again.ids, list(again.at_ms), again.version) == (anew.ids, list(anew.at_ms), anew.version)
    assert replay_answers.timeline(again) == replay_answers.timeline(anew)
    assert [again.state(number) for number in range(len(again))] == [anew.state(number) for number in range(len(anew))]


def test_a_stream_that_came_in_between_makes_a_new_replay(tmp_path: Path) -> None:
    """If lines of a sub-agent are found later, a new replay merges them by their times."""
    vault, session = MemoryVault(), Session()
    session.user("look")
    session.assistant(tool_use("Task", {"prompt": "look there"}, id="c1"), stop="tool_use")
    agent = session.agent("a1", "c1")
    agent.user("look there")
    agent.assistant("seen", stop="end_turn")
    session.tool_result("c1", "seen", structured={"agentId": "a1", "status": "completed"})
    _kept(vault, session)
    found = Replays(vault, Costs(tmp_path))
    first = found.of(KEY.owner)
    vault.append(KEY.sibling("agent-a1"), encode_all(agent.lines), seen_at=SEEN_AT)
    vault.flush()
    found._slots[KEY.owner].due = 0.0
    again = found.of(KEY.owner)

    assert first is not None and again is not None and again is not first
    assert set(first.ids) < set(again.ids) and again.ids == sorted(again.ids)
    assert [lane.kind for lane in again.lanes()[0]] == ["main", "agent", "person"]


def test_a_long_replay_is_kept_without_its_fold(tmp_path: Path, monkeypatch) -> None:
    """A long replay is cached without its fold.

    It gives the same answers, and is built again when the conversation grows.
    """
    vault, session = MemoryVault(), _session()
    _kept(vault, session)
    whole = Replays(vault, Costs(tmp_path)).of(KEY.owner)
    monkeypatch.setattr(replays, "_LARGE", 1)
    monkeypatch.setattr(replays, "_RECENT", timedelta(0))
    found = Replays(vault, Costs(tmp_path))
    small = found.of(KEY.owner)

    assert whole is not None and small is not None and small.is_finished and not whole.is_finished
    assert replay_answers.timeline(small) == replay_answers.timeline(whole)
    assert replay_answers.moments(small, 0) == replay_answers.moments(whole, 0)
    size = len(bytes(session))
    session.user("more")
    vault.append(KEY, bytes(session)[size:], seen_at=SEEN_AT)
    vault.flush()
    found._slots[KEY.owner].due = 0.0
    later = found.of(KEY.owner)
    assert later is not None and len(later) > len(small)


def test_rows_of_the_page_and_of_the_terminal_are_there_at_the_same_moments(tmp_path: Path) -> None:
    """At every moment, page and terminal show the same pieces of the same messages and the same open calls."""
    vault = MemoryVault()
    _kept(vault, _session())
    read = Read(vault, tmp_path)
    replay = Replays(vault, Costs(tmp_path)).of(KEY.owner)
    assert replay is not None
    rows = RowsAsOf(open_kept(vault, read.kept))
    page = read.page().rows
    for moment in map(replay.moment, range(len(replay))):
        on_page = {}
        for row in page:
            if row.moments.shown <= moment.id and isinstance(row.row, MessageRow):
                on_page[row.row.id] = [
                    isinstance(piece, ToolCall) and (when.ended is None or when.ended > moment.id)
                    for piece, when in zip(row.row.pieces, row.moments.pieces, strict=True)
                    if when.shown <= moment.id
                ]
        drawn = {
            row.id: [isinstance(piece, ToolCall) and piece.state == "pending" for piece in row.pieces]
            for row in rows.rows(moment.id, moment.at_ms)
            if isinstance(row, MessageRow)
        }
        assert on_page == drawn, moment


def test_an_unknown_conversation_has_no_replay(tmp_path: Path) -> None:
    """An unknown conversation has no replay, and nothing is cached for it."""
    found = Replays(MemoryVault(), Costs(tmp_path))

    assert found.of("a/b/c") is None and not found._slots


def test_a_conversation_of_which_nothing_can_be_played_has_an_empty_timeline(tmp_path: Path) -> None:
    """A conversation with only a summary has a timeline without moments, and this is not an error."""
    vault = MemoryVault()
    line = b'{"type":"summary","summary":"Only a title","leafUuid":"11111111-2222-4333-8444-555555555555"}\n'
    vault.append(KEY, line, seen_at=SEEN_AT)
    vault.flush()
    replay = Replays(vault, Costs(tmp_path)).of(KEY.owner)

    assert replay is not None
    assert replay_answers.timeline(replay).moments == 0
