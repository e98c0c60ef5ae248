"""Tests which parts of the board a phone is sent, and when."""

import pytest

from chorus.core.board.columns import Column
from chorus.find.costs.conversation_costs import Costs
from chorus.keep.vault.files import FileVault
from chorus.show.board.live_state import live_state
from chorus.show.server.live.phone_board import MAX_OTHERS, PhoneBoard
from chorus.show.server.live.phone_feed import PhoneFeed
from chorus.show.transcripts.summary import Summaries
from chorus.show.wire.mobile.board import MobileBoard, MobileTile
from chorus.testing.builders import tool_use
from chorus.testing.indexes import name_of
from tests.show.board.boards import Board, client, made


@pytest.fixture
def feed(tmp_path):
    return PhoneFeed(FileVault(tmp_path), Summaries(Costs(tmp_path)), {})


def bodies(sent):
    return [each.message for each in sent]


def test_progress_and_sub_agents_with_their_source(tmp_path, feed):
    """A tile says how far its conversation and its sub-agents are in figures, and where that comes from."""
    session = made(1)
    session.user("Go.")
    session.assistant("Running test 12 of 20...", tool_use("Agent", {"prompt": "x", "description": "Look"}, id="c1"))
    session.agent("a1", "c1").user("x")
    board = Board(tmp_path)
    board.keep(session)

    tile, columns = bodies(PhoneBoard().news(board.look(), feed))

    assert isinstance(tile, MobileTile) and tile.progress
    assert (tile.progress.completed_steps, tile.progress.total_steps, tile.progress.percentage) == (12, 20, 60.0)
    assert (tile.progress.current_step, tile.progress.source) == ("Running tests", "prose")
    assert [(each.description, each.source) for each in tile.sub_agents] == [("Look", "task")]
    assert isinstance(columns, MobileBoard)
    assert {each.column: each.conversations for each in columns.columns if each.count} == {
        Column.WORKING: (name_of(session),)
    }


def test_a_line_changes_a_tile_and_moves_nothing(tmp_path, feed):
    """A new line sends its tile alone; a conversation that comes to need a person moves, and the order is sent."""
    sessions = [made(number) for number in (1, 2)]
    for session in sessions:
        session.user("Go.")
    board, phone = Board(tmp_path), PhoneBoard()
    board.keep(*sessions)
    phone.news(board.look(), feed)
    assert phone.news(board.look(), feed) == []

    sessions[1].assistant("I go.", stop="tool_use")
    board.keep(sessions[1])
    (tile,) = bodies(phone.news(board.look(), feed))
    assert tile.conversation == name_of(sessions[1])

    waiting = live_state([client(sessions[0], "waiting", "input")], (), ())
    tile, columns = bodies(phone.news(board.look(waiting), feed))
    assert [each.text for each in tile.reasons] == ["waits: input"]
    assert columns.columns[0].conversations == (name_of(sessions[0]),)


def test_the_newest_of_what_is_over(tmp_path, feed):
    """Of conversations that are over only the newest are sent, and all are counted."""
    sessions = [made(number) for number in range(1, MAX_OTHERS + 4)]
    for session in sessions:
        session.user("Go.")
        session.assistant("Done.", stop="end_turn")
    board = Board(tmp_path)
    board.keep(*sessions)

    sent = bodies(PhoneBoard().news(board.look(), feed))

    (shown,) = [each for each in sent[-1].columns if each.conversations]
    assert (shown.count, len(shown.conversations), len(sent) - 1) == (len(sessions), MAX_OTHERS, MAX_OTHERS)
