"""Tests the messages that a phone gets about a conversation."""

import msgspec

from chorus.core.conversation.fold import Fold
from chorus.core.progress.model import ConversationProgress
from chorus.core.progress.parser import ProgressParser
from chorus.show.wire.mobile.encoder import MobileEncoder
from chorus.show.wire.mobile.progress import encoded_progress, is_over
from chorus.testing.builders import Run, tool_use
from tests.core.conversation.talks import read


def sent(run, conversation="sess_123"):
    """Returns the messages for the records of a run, as JSON texts."""
    fold, encoder, parser = Fold(conversation), MobileEncoder(conversation), ProgressParser()
    found, under_way = [], {}
    for record in read("out", bytes(run)):
        changes = fold.feed(record)
        parser.take(changes)
        found += encoder.take(changes)
        now = ConversationProgress(main=parser.progress, sub_agents=parser.monitor.at_work(None))
        for each in encoded_progress(now, under_way):
            if under_way.get(each.id) != each:
                found.append(each)
            under_way[each.id] = each
        under_way = {name: each for name, each in under_way.items() if not is_over(each)}
    return [msgspec.json.encode(each.message).decode() for each in found]


def test_the_example_of_the_sdk_schema_byte_for_byte():
    """The example of the SDK schema gives exactly its two messages: same keys, same order, same values."""
    run = Run("sess_123")
    run.add(
        {
            "type": "assistant",
            "message": {"content": [{"type": "text", "text": "I'll run the test suite now. Running test 5 of 20..."}]},
            "session_id": "sess_123",
        }
    )

    said = "I'll run the test suite now. Running test 5 of 20..."
    assert sent(run) == [
        f'{{"type":"claude_response","content":"{said}","conversationId":"sess_123"}}',
        '{"type":"progress_update","currentStep":"Running tests","completedSteps":5,"totalSteps":20,"percentage":25.0}',
    ]


def test_progress_is_sent_when_it_changes_and_the_end_of_the_turn_once():
    """Each change of the progress is sent once, what a person says is none, and the end of the turn ends it."""
    run = Run()
    run.init()
    run.user("Step 1 of 9: go")
    run.assistant("Step 1 of 2: read", tool_use("Read", {"file_path": "/a"}, id="r"))
    run.tool_result("r", "x")
    run.assistant("Step 2 of 2: write")
    run.result()

    kinds = [msgspec.json.decode(each) for each in sent(run)]

    assert [each["type"] for each in kinds] == [
        "user_message",
        "claude_response",
        "progress_update",
        "tool_activity",
        "tool_activity",
        "claude_response",
        "progress_update",
        "task_completion",
        "progress_update",
    ]
    shown = [(each["currentStep"], each["percentage"]) for each in kinds if each["type"] == "progress_update"]
    assert shown == [("Read", 50.0), ("Write", 100.0), ("", None)]
    assert (kinds[-2]["subtype"], kinds[-2]["isError"], kinds[-2]["numTurns"]) == ("success", False, 1)


def test_progress_that_goes_back_says_why_and_other_progress_has_no_such_key():
    """The keys are those of the SDK schema. `reason` is added while the progress is less than it was."""
    run = Run()
    run.init()
    run.assistant("Running test 12 of 20...")
    run.assistant("Running test 5 of 20...")

    shown = [each for each in map(msgspec.json.decode, sent(run)) if each["type"] == "progress_update"]

    keys = {"type", "currentStep", "completedSteps", "totalSteps", "percentage"}
    assert [set(each) - keys for each in shown] == [set(), {"reason"}]
    assert shown[1]["reason"] == "restarted run"


def test_a_sub_agent_is_sent():
    """A sub-agent that the client reports is sent, and again when it made more calls."""
    run = Run()
    run.init()
    run.assistant(tool_use("Agent", {"description": "Look", "prompt": "Look"}, id="a1"))
    run.task("started", "x1", "a1", description="Look", task_type="local_agent")
    for calls in (1, 1, 2):
        usage = {"total_tokens": 9, "tool_uses": calls, "duration_ms": 5}
        run.task("progress", "x1", "a1", description="Reading", last_tool_name="Read", usage=usage)

    agents = [each for each in map(msgspec.json.decode, sent(run)) if each["type"] == "sub_agent_progress"]

    assert [(each["currentStep"], each["calls"]) for each in agents] == [
        ("starting", 0),
        ("Reading", 1),
        ("Reading", 2),
    ]
    assert agents[-1]["percentage"] is None
