"""Tests what the tiles of the board say, and that only conversations that changed are read again."""

from datetime import timedelta

from chorus.core.board.board import MAX_TILES, needing_you
from chorus.core.board.columns import Column
from chorus.keep.archive.annotations import Change, annotations_of
from chorus.show.board.live_state import live_state
from chorus.testing.builders import tool_use
from chorus.testing.builders.lines import usage
from chorus.testing.indexes import WORKSPACE, name_of
from tests.show.board.boards import NOW, Board, client, made, request, run

OLD = "2026-01-05T09:00:00.000Z"


def test_what_an_agent_does_now(tmp_path):
    """The tile of a working conversation says which calls are open, in words, with context, branch and sub-agents."""
    session = made(1, branch="topic", model="claude-opus-4-6")
    session.user("Build it.")
    session.assistant(
        "I build it.",
        tool_use("Bash", {"command": "make all\n", "description": "Build everything"}, id="c1"),
        tool_use("Bash", {"command": "./check  --all\nexit"}, id="c2"),
        tool_use("Agent", {"prompt": "look", "description": "Find the tests", "subagent_type": "Explore"}, id="c3"),
        tokens=usage(cache_read=50_000),
    )
    session.agent("a1", "c3").user("look")
    board = Board(tmp_path)
    board.keep(session)

    tile = board.tile(session)

    assert (tile.column, tile.branch, tile.workspace, tile.reasons) == (Column.WORKING, "topic", WORKSPACE, ())
    assert [(call.tool, call.text) for call in tile.calls] == [
        ("Bash", "Build everything"),
        ("Bash", "./check --all"),
        ("Agent", "Explore: Find the tests"),
    ]
    assert (tile.sub_agents, tile.sub_agents_at_work) == (1, 1)
    assert tile.context and (tile.context.tokens, tile.context.window) == (50_030, 200_000)
    assert tile.last_at and tile.last_at > (tile.started_at or "")


def test_why_it_needs_a_person(tmp_path):
    """A request names its tool and id, a question its call, and a client says in its own words what it waits for."""
    asking, questioning, prompting, running, planning = made(1), made(2), made(3), made(4), made(5)
    for session in (asking, prompting, running, planning):
        session.user("Go.")
        session.assistant(tool_use("Bash", {"command": "make"}, id=f"c{session.id[-1]}"))
    questioning.user("Go.")
    questioning.assistant(tool_use("AskUserQuestion", {"questions": []}, id="q1"))
    board = Board(tmp_path)
    board.keep(asking, questioning, prompting, running, planning)
    live = live_state(
        [client(prompting, "waiting", "permission prompt")],
        [run(running, "waiting")],
        [request(asking, "Bash", 9), request(planning, "ExitPlanMode", 10)],
    )

    state = board.look(live)

    tiles = needing_you(state.tiles.values())
    assert {tile.column for tile in tiles} == {Column.NEEDS_YOU} and len(tiles) == 5
    by_name = {tile.name: tile.reasons[0] for tile in tiles}
    assert by_name[name_of(asking)].text == "asks for permission: Bash"
    assert by_name[name_of(asking)].request == f"{9:032x}"
    assert (by_name[name_of(questioning)].kind, by_name[name_of(questioning)].call) == ("question", "q1")
    assert by_name[name_of(planning)].text == "shows a plan" and by_name[name_of(planning)].request
    assert not any(call.tool == "AskUserQuestion" for tile in tiles for call in tile.calls)
    assert by_name[name_of(prompting)].text == "waits: permission prompt"
    assert by_name[name_of(running)].text == "waits for you"
    assert [(each.column, each.count) for each in state.counts][:2] == [(Column.NEEDS_YOU, 5), (Column.WORKING, 0)]
    assert [(each.workspace, each.needs_you) for each in state.workspaces] == [(WORKSPACE, 5)]


def test_who_waits_longest_comes_first(tmp_path):
    """A person is led first to the conversation that has been waiting longest."""
    sessions = [made(number) for number in range(1, 4)]
    for session in sessions:
        session.user("Go.")
    board = Board(tmp_path)
    board.keep(*sessions)
    times = ("2026-01-05T09:03:00.000Z", "2026-01-05T09:01:00.000Z", "2026-01-05T09:02:00.000Z")
    rows = [
        request(session, number=number, at=at) for number, (session, at) in enumerate(zip(sessions, times, strict=True))
    ]

    tiles = needing_you(board.look(live_state((), (), rows)).tiles.values())

    assert [tile.id[-1] for tile in tiles] == ["2", "3", "1"]


def test_only_what_changed_is_read_again(tmp_path):
    """A second look reads nothing, and a look after one conversation grew reads that one."""
    sessions = [made(number) for number in range(1, 6)]
    for session in sessions:
        session.user("Go.")
        session.assistant("Done.", stop="end_turn")
    board = Board(tmp_path)
    board.keep(*sessions)
    first = board.look()
    assert board.reader.read_conversations == 5

    assert board.look() == first
    assert board.reader.read_conversations == 5
    sessions[2].user("More.")
    board.keep(sessions[2])

    again = board.look()

    assert board.reader.read_conversations == 6
    assert [name for name in again.tiles if again.tiles[name] != first.tiles[name]] == [name_of(sessions[2])]


def test_a_long_column_is_counted_and_cut(tmp_path):
    """A column shows its newest conversations and counts all of them, but all that need a person are shown."""
    sessions = [made(number) for number in range(1, MAX_TILES + 11)]
    for session in sessions:
        session.user("Go.")
        session.assistant("Done.", stop="end_turn")
    board = Board(tmp_path)
    board.keep(*sessions)

    state = board.look()
    waiting = board.look(live_state((), (), [request(each, number=n) for n, each in enumerate(sessions)]))

    counts = {each.column: each.count for each in state.counts}
    assert counts[Column.DONE] == MAX_TILES + 10 and len(state.tiles) == MAX_TILES
    assert len(needing_you(waiting.tiles.values())) == MAX_TILES + 10


def test_archived_conversations(tmp_path):
    """An archived conversation is not on the board, unless it needs a person or a client has it open."""
    quiet, asking = made(1), made(2)
    for session in (quiet, asking):
        session.user("Go.")
        session.assistant("Done.", stop="end_turn")
    board = Board(tmp_path)
    board.keep(quiet, asking)
    for session in (quiet, asking):
        annotations_of(tmp_path).change(name_of(session), Change(is_archived=True, title="Old"), time=OLD)

    state = board.look(live_state((), (), [request(asking)]))

    assert list(state.tiles) == [name_of(asking)]
    assert state.tiles[name_of(asking)].title == "Old"


def test_a_loop_and_silence(tmp_path):
    """Alerts name the records that show them; silence counts only while a client is known to work."""
    session = made(1)
    session.user("Go.")
    for number in range(3):
        session.assistant(tool_use("Bash", {"command": "make"}, id=f"c{number}"), stop="tool_use")
        session.tool_result(f"c{number}", "Exit code 2", is_error=True)
    session.assistant(tool_use("Bash", {"command": "make slow"}, id="c9"), stop="tool_use")
    board = Board(tmp_path)
    board.keep(session)
    later = NOW + timedelta(minutes=30)

    (loop,) = board.tile(session).alerts
    busy = board.tile(session, live_state([client(session, "busy")], (), ()), later)
    closed = board.tile(session, None, later)

    assert (loop.kind, [each.item for each in loop.evidence]) == ("loop", ["c0", "c1", "c2"])
    assert [alert.kind for alert in busy.alerts] == ["loop", "silence"]
    assert [each.item for each in busy.alerts[1].evidence] == ["c9"]
    assert (closed.column, closed.alerts, closed.calls) == (Column.IDLE, (), ())


def test_a_run_without_records(tmp_path):
    """A run whose client has written nothing is on the board under its title."""
    session = made(1)
    state = Board(tmp_path).look(live_state((), [run(session, "starting")], [request(session)]))

    (tile,) = state.tiles.values()

    assert (tile.title, tile.column, tile.run and tile.run.state) == ("A run", Column.NEEDS_YOU, "starting")
    assert state.counts[0].count == 1
