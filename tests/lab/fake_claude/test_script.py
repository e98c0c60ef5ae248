"""Tests of recordings as scripts: where turns begin, which steps wait for the caller, and which lines are replies."""

from hypothesis import given
from hypothesis import strategies as st

from chorus.lab.fake_claude.script import Need, write_script
from chorus.testing.builders import Run
from tests.lab.fake_claude.calling import prompt, request
from tests.lab.fake_claude.plays import recording
from tests.lab.fake_claude.strange import ANYTHING


def needs(script):
    return [(place, step.need) for place, step in enumerate(script.steps) if step.need is not Need.NOTHING]


def test_what_ends_a_turn_does_not_wait_for_the_next_prompt():
    """Lines that end a turn follow its result at once, and the next turn begins with its own first line."""
    run = Run()
    run.init()
    run.result()
    run.system("session_state_changed", state="idle")
    run.system("session_state_changed", state="running")
    run.init()
    run.result()

    assert needs(write_script(recording(run.lines))) == [(0, Need.PROMPT), (3, Need.PROMPT)]


def test_a_hook_on_the_prompt_waits_for_the_prompt():
    """A callback with the prompt belongs to the turn, and one at the start of a session does not."""
    run = Run()
    for event in ("SessionStart", "UserPromptSubmit"):
        payload = {"subtype": "hook_callback", "input": {"hook_event_name": event}}
        run.add({"type": "control_request", "request_id": event, "request": payload})
    run.init()
    run.result()

    assert needs(write_script(recording(run.lines))) == [(1, Need.PROMPT)]


def test_what_comes_before_the_handshake_needs_no_prompt():
    """Hooks that run when a session starts are reported before any prompt."""
    run = Run()
    run.system("hook_started")
    run.add({"type": "control_response", "response": {"request_id": "i", "response": {"commands": []}}})
    run.system("hook_started")
    run.init()
    run.result()

    script = write_script(recording(run.lines, sent=[request("initialize", name="i"), prompt()]))

    assert needs(script) == [(1, Need.PROMPT)]
    assert [reply.subtype for reply in script.replies] == ["initialize"]


def test_messages_taken_up_by_a_running_turn_begin_none():
    """Messages that were sent during a turn and repeated by it belong to that turn, and have no turns of their own."""
    run = Run()
    run.init()
    run.user("one", isReplay=True)
    run.result()
    run.init()
    for words in ("two", "three", "four"):
        run.user(words, isReplay=True)
    run.result()

    script = write_script(recording(run.lines, sent=[prompt(words) for words in ("one", "two", "three", "four")]))

    assert script.absorbed == [0, 2]
    assert len(needs(script)) == 2


def test_replies_are_distinguished_without_the_input_of_the_host():
    """If only standard output was recorded, the kind of a request is found from its reply."""
    run = Run()
    for body in ({"commands": []}, {"mcpServers": []}, {"mode": "plan"}, {"surprise": 1}):
        run.add({"type": "control_response", "response": {"subtype": "success", "request_id": "x", "response": body}})
    error = {"subtype": "error", "request_id": "x", "error": "Unsupported control request subtype: fly"}
    run.add({"type": "control_response", "response": error})

    subtypes = [reply.subtype for reply in write_script(recording(run.lines)).replies]

    assert subtypes == ["initialize", "mcp_status", "set_permission_mode", "", "fly"]


@given(st.lists(ANYTHING, max_size=12), st.lists(ANYTHING, max_size=4))
def test_every_line_has_its_place(lines, sent):
    """Every line of any recording is a step or belongs to a reply, and steps keep their order."""
    told = recording(lines, sent=sent)
    script = write_script(told)

    steps = [step.line for step in script.steps if step.reply is None]
    pending = [step.reply for step in script.steps if step.reply is not None]
    replies = [line for reply in (*script.replies, *pending) for line in (*reply.before, reply.line, *reply.after)]
    assert sorted(line.raw for line in (*steps, *replies)) == sorted(line.raw for line in told.lines)
    places = [next(n for n, line in enumerate(told.lines) if line is step) for step in steps]
    assert places == sorted(places)
