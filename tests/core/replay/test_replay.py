"""Tests moments, marks, lanes and growing texts of built conversations."""

from random import Random

import pytest

from chorus.core.replay.finding import NoMoment, find, find_or_since
from chorus.core.replay.player import MARKS, Player
from chorus.core.replay.replay import Replay
from chorus.core.replay.steps import Step
from chorus.core.replay.track import CHUNK
from chorus.testing.builders import Run, Session, encode_all, tool_use
from chorus.testing.builders.lines import Clock
from tests.core.conversation.talks import read
from tests.core.replay.replaying import assert_states, replayed


def _session() -> Session:
    """Builds a session: a prompt, an edit, a command that fails, an answer, a long pause, and a second prompt."""
    clock = Clock("2026-03-01T10:00:00.000Z")
    session = Session(clock=clock)
    session.user("Please fix\nthe parser \x1b[31m" + "x" * 200)
    session.assistant("I will edit it.", tool_use("Edit", {"file_path": "/w/parser.py"}, id="t1"), stop="tool_use")
    session.tool_result("t1", "edited")
    session.assistant(tool_use("Bash", {"command": "make"}, id="t2"), stop="tool_use")
    session.tool_result("t2", "failed", is_error=True)
    session.assistant("Done.", stop="end_turn")
    session.user("Thanks", timestamp="2026-03-01T11:30:00.000Z")
    return session


@pytest.fixture(scope="module")
def replay() -> Replay:
    return replayed([read("main.jsonl", bytes(_session()))])[0]


def test_marks_have_a_short_label(replay: Replay) -> None:
    """A prompt, an edit and an error have a mark with a label of one line, which is cut to 80 characters."""
    assert [mark.kind for mark in replay.marks] == ["prompt", "edit", "error", "prompt"]
    assert replay.marks[0].label.startswith("Please fix the parser") and len(replay.marks[0].label) == 80
    assert [mark.label for mark in replay.marks[1:]] == ["Edit /w/parser.py", "Bash failed", "Thanks"]


def test_ids_and_times_rise_and_name_their_moment(replay: Replay) -> None:
    """Ids and times of moments increase, and a moment is found by its id, its time or the time since the start."""
    assert replay.ids == sorted(replay.ids) and list(replay.at_ms) == sorted(replay.at_ms)
    assert all(find(replay, moment).number == number for number, moment in enumerate(replay.ids))
    assert find(replay, "2026-03-01T11:00").number == len(replay) - 2
    assert find_or_since(replay, "1:00:00").number == len(replay) - 2
    assert find_or_since(replay, "0").number == replay.at(0).number  # type: ignore[union-attr] - there are moments


@pytest.mark.parametrize(
    "at", ["", "x", "2025-01-01", "99:00:00", "9999999999", "2026-03-01T11:00!0!other!000000000001"]
)
def test_a_moment_that_is_not_there_is_said_in_one_line(replay: Replay, at: str) -> None:
    """The error for an unknown moment is one line that gives the start and the end of the conversation."""
    with pytest.raises(NoMoment, match=r"^The conversation has no moment .*: it lasts from 2026-03-01T10:00.*\.$"):
        find_or_since(replay, at)


def test_lanes_show_who_worked_and_who_waited(replay: Replay) -> None:
    """The main agent works from the prompt to the answer; then the person is waited for until the next prompt."""
    (main, person), left_out = replay.lanes()
    (span,) = person.spans

    assert (main.kind, person.kind, left_out) == ("main", "person", 0)
    assert main.spans[0].from_ms == 0 and main.spans[0].to_ms == span.from_ms
    assert (span.kind, span.to_ms) == ("prompt", replay.duration_ms)


def test_a_sub_agent_has_a_lane_of_its_own() -> None:
    """A sub-agent has a lane of its own, and the conversation waits for the sub-agent while it works."""
    session = Session()
    session.user("look")
    session.assistant(tool_use("Task", {"prompt": "look there", "description": "Look"}, id="c1"), stop="tool_use")
    agent = session.agent("a1", "c1")
    agent.user("look there")
    agent.assistant("seen", stop="end_turn")
    session.tool_result("c1", "seen", structured={"agentId": "a1", "status": "completed"})
    session.assistant("Fine.", stop="end_turn")
    streams = [read("main.jsonl", bytes(session)), read("agent-a1.jsonl", encode_all(agent.lines))]
    replay, _ = replayed(streams)
    lanes = replay.lanes()[0]

    assert [(lane.kind, lane.thread) for lane in lanes] == [("main", ""), ("agent", "a1"), ("person", "")]
    assert "Look" in lanes[1].label
    working = [number for number in range(len(replay)) if replay.state(number).agents]
    assert working and replay.state(working[0]).waits[0].kind == "agent"
    assert assert_states(streams, 50, Random(3))


def test_a_request_for_permission_is_waited_for() -> None:
    """While a request is open, the panel shows which tool waits, and a mark shows the question."""
    run = Run()
    run.init()
    run.assistant(tool_use("Bash", {"command": "make"}, id="t1"))
    run.ask("t1", "Bash", request="r1")
    run.answer("allow", request="r1")
    run.tool_result("t1", "made")
    replay, _ = replayed([read("run.jsonl", bytes(run))])
    waits = [replay.state(number).waits for number in range(len(replay))]

    assert any(each and (each[0].kind, each[0].what, each[0].call) == ("permission", "Bash", "t1") for each in waits)
    assert "may it use Bash?" in [mark.label for mark in replay.marks if mark.kind == "question"]


def test_words_come_as_they_were_streamed() -> None:
    """If partial messages were recorded, a growth says how many characters the text had at each time."""
    run = Run()
    run.streamed("Wor", "ki😀ng", message_id="m")
    run.assistant("Worki😀ng", message_id="m")
    records = read("run.jsonl", bytes(run))
    for number, record in enumerate(records):
        record.seen_at = f"2026-03-01T10:00:0{number}.000Z"
    replay, _ = replayed([records])
    (growth,) = replay.growths

    assert (growth.item, growth.block, growth.chars[-1]) == ("m", 0, 9)
    assert growth.at_ms == sorted(growth.at_ms) and len(growth.at_ms) >= 2
    assert growth.moment in replay.ids


def test_records_without_times_are_half_a_second_apart() -> None:
    """A recording without times has no start, and it is played with half a second between two moments."""
    run = Run()
    run.assistant("one")
    run.assistant("two")
    records = read("run.jsonl", bytes(run))
    for record in records:
        record.value.timestamp = None
    replay, _ = replayed([records])

    assert replay.started_at is None
    assert list(replay.at_ms) == [500 * number for number in range(len(replay))]


def test_a_long_replay_is_kept_in_chunks() -> None:
    """In a long replay with several chunks, the state in a later chunk also equals the panel of the fold."""
    session = Session()
    for number in range(CHUNK // 2 + 300):
        session.user(f"prompt {number}")
        session.assistant(tool_use("Write", {"file_path": f"/w/{number % 7}"}, id=f"t{number}"), stop="tool_use")
        session.tool_result(f"t{number}", "written")
    streams = [read("main.jsonl", bytes(session))]
    replay, _ = replayed(streams)

    assert len(replay) > 2 * CHUNK
    assert sum(file.versions for file in replay.state(len(replay) - 1).files) == CHUNK // 2 + 300
    assert assert_states(streams, 40, Random(5), fresh=1) > 30


def test_a_player_shortens_pauses_steps_and_changes_speed(replay: Replay) -> None:
    """The player plays a pause of an hour as two seconds and knows its real length; a step stops the player."""
    player = Player(replay, idle_ms=2000)
    assert player.length_ms < 60_000 and replay.duration_ms > 3_600_000
    assert player.step(MARKS) and player.moment.number == replay.marks[1].moment and not player.is_playing
    assert player.step(Step.PROMPT) and player.moment.number == len(replay) - 1
    assert not player.step(Step.PROMPT)
    assert player.step(Step.ERROR, is_back=True)
    player.go_to_moment(len(replay) - 2)
    assert player.pause_ms is not None and player.pause_ms > 3_600_000
    player.toggle()
    player.advance(1.0)
    assert 0 < player.clock_ms - replay.at_ms[len(replay) - 2] < player.pause_ms
    player.play_faster()
    player.advance(0.6)
    assert player.is_at_end and not player.is_playing
    player.toggle()
    assert player.is_playing and player.moment.number == 0
    player.seek(10_000)
    assert player.is_at_end
    player.seek_share(0)
    assert player.moment.number == replay.position(replay.ids[0])
