"""Tests of the player: when it sends each line, and how it continues when the caller differs from the recording."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chorus.lab.fake_claude.pending_requests import PATIENCE_S
from chorus.lab.fake_claude.synthesized import CLOSED, INVALID, REJECTED
from chorus.testing.builders import Run, encode_all, text, tool_use
from tests.lab.fake_claude.calling import answer, prompt, request
from tests.lab.fake_claude.plays import Play, asked_turn, kinds
from tests.lab.fake_claude.strange import ANYTHING

QUESTION = {"request_id": "request-1"}


def two_turns():
    run = Run()
    for words in ("One.", "Two."):
        run.init()
        run.assistant(words)
        run.result(words)
    return run


def result_of(lines, call="call-1"):
    """Returns the tool result for a call among lines."""
    found = [line for line in lines if line["type"] == "user"]
    blocks = [block for line in found for block in line["message"]["content"]]
    return next(block for block in blocks if block.get("tool_use_id") == call)


def test_each_prompt_starts_the_next_turn():
    """The player sends nothing before the first prompt, and then one turn for each prompt, byte for byte."""
    run = two_turns()
    play = Play(run.lines)

    assert play.raws == []
    assert [line.get("result") for line in play.hear(prompt())][-1] == "One."
    assert [line.get("result") for line in play.hear(prompt("another"))][-1] == "Two."
    assert b"".join(play.raws) == bytes(run)
    assert play.code is None
    assert play.close() == [] and play.code == 0


def test_a_prompt_too_many_is_answered_with_an_error():
    """A message after the last recorded turn gets an error result, and so does the next one."""
    play = Play(two_turns().lines)
    play.hear(prompt(), prompt())

    (first,) = play.hear(prompt("third"))
    (second,) = play.hear(prompt("fourth"))

    assert first["subtype"] == second["subtype"] == "error_during_execution"
    assert "no turn for this message; it holds 2" in first["errors"][0]
    assert first["uuid"] != second["uuid"]
    assert play.close() == [] and play.code == 1


def test_closing_input_ends_at_the_next_prompt():
    """A caller that closes its input after one prompt gets that turn and the exit code of its result."""
    play = Play(two_turns().lines)
    play.hear(prompt())

    play.close()

    assert play.code == 0 and b"Two." not in b"".join(play.raws)


def test_messages_that_a_turn_took_up_get_no_turn():
    """A message that was sent during the recorded turn and used by it is used by it again."""
    run = two_turns()
    play = Play(run.lines[:3], sent=[prompt("one"), prompt("two")])

    play.hear(prompt("one"), prompt("two"))

    assert b"".join(play.raws) == encode_all(run.lines[:3])


def test_a_turn_of_background_work_needs_no_prompt():
    """A turn that the client began itself follows without a prompt."""
    run = two_turns()
    run.lines[-1]["origin"] = {"kind": "task-notification"}
    play = Play(run.lines)

    play.hear(prompt())

    assert b"".join(play.raws) == bytes(run)


def test_a_question_waits_for_its_answer():
    """After a permission request nothing is sent until its answer comes; answers to other requests do not count."""
    run, sent = asked_turn()
    play = Play(run.lines, sent=sent)

    assert kinds(play.hear(prompt()))[-1] == "control_request"
    assert play.player.status == "waiting"
    assert play.go_on(3600) == []
    assert play.hear(answer({"request_id": "another"}, behavior="allow")) == []
    play.hear(answer(QUESTION, behavior="allow", updatedInput={"command": "touch a"}))
    assert b"".join(play.raws) == bytes(run)
    assert play.player.status == "idle"


def test_a_denied_call_does_not_show_its_recorded_success():
    """If a call was allowed in the recording and is denied now, its result is the denial, and the play continues."""
    run, sent = asked_turn()
    play = Play(run.lines, sent=sent)
    play.hear(prompt())

    lines = play.hear(answer(QUESTION, behavior="deny", message="not today"))

    assert result_of(lines)["content"] == "not today" and result_of(lines)["is_error"] is True
    assert b"made a file" not in b"".join(play.raws)
    assert kinds(lines) == ["user", "assistant", "result/success"]
    assert lines[-1]["permission_denials"] == [
        {"tool_name": "Bash", "tool_use_id": "call-1", "tool_input": {"command": "touch a"}}
    ]


def test_what_a_denied_call_did_is_left_out():
    """Lines about the work of a denied call, and lines of its sub-agents at any depth, are not sent."""
    run, _ = asked_turn()
    run.lines = run.lines[:3]
    run.task("started", "agent", "call-1")
    run.assistant({"type": "tool_use", "id": "inner", "name": "Agent", "input": {}}, parent_tool_use_id="call-1")
    run.assistant("deep", parent_tool_use_id="inner")
    run.ask("call-1", "Bash", request="hook")
    run.tool_result("call-1", "report")
    run.assistant("After.")
    run.result()
    play = Play(run.lines)

    assert kinds(play.hear(prompt()))[-1] == "control_request"
    assert kinds(play.hear(answer(QUESTION, behavior="deny", message="no"))) == ["user", "assistant", "result/success"]


def test_a_denial_keeps_its_own_words():
    """A recorded denial is played byte for byte only if the message is the same."""
    run, sent = asked_turn(behavior="deny", result="no")
    same, other = Play(run.lines, sent=sent), Play(run.lines, sent=sent)
    same.hear(prompt())
    other.hear(prompt())

    same.hear(answer(QUESTION, behavior="deny", message="no"))
    lines = other.hear(answer(QUESTION, behavior="deny", message="never"))

    assert b"".join(same.raws) == bytes(run)
    assert result_of(lines)["content"] == "never" and lines[-1]["permission_denials"] == []


def test_a_call_denied_then_and_allowed_now_says_that_nothing_is_known():
    """If a call was denied in the recording and is allowed now, its result says that there is no recorded output."""
    run, sent = asked_turn(behavior="deny", result="no")
    play = Play(run.lines, sent=sent)
    play.hear(prompt())

    lines = play.hear(answer(QUESTION, behavior="allow"))

    assert "denied when it was recorded" in result_of(lines)["content"]
    assert result_of(lines)["is_error"] is False


def test_without_the_hosts_side_the_result_tells_what_was_ruled():
    """A recording of standard output alone shows a denial by the result of the call."""
    run, _ = asked_turn(result="no")
    run.lines[3]["tool_use_result"] = "Error: no"
    run.lines[3]["tool_result_meta"] = [{"id": "call-1", "non_execution_kind": "permission-rule"}]
    play = Play(run.lines)
    play.hear(prompt())

    play.hear(answer(QUESTION, behavior="deny", message="no"))

    assert b"".join(play.raws) == bytes(run)


@pytest.mark.parametrize(
    ("response", "told"),
    [
        ({"subtype": "error", "error": "oh"}, "Tool permission request failed: Error: oh"),
        ({"subtype": "success", "response": {"behavior": "maybe"}}, INVALID),
        ({"subtype": "success", "response": {"behavior": "deny"}}, INVALID),
        ({"subtype": "success"}, INVALID),
    ],
)
def test_a_bad_answer_is_a_denial(response, told):
    """An error or an answer of unknown form denies the call, in the client's words."""
    run, _ = asked_turn()
    play = Play(run.lines)
    play.hear(prompt())

    lines = play.hear({"type": "control_response", "response": {"request_id": "request-1", **response}})

    assert result_of(lines)["content"] == told


def test_a_denial_with_interrupt_ends_the_turn():
    """The call is rejected, the interruption is reported, the turn ends with an error, and the next prompt works."""
    run, _ = asked_turn()
    run.init()
    run.assistant("Second turn.")
    run.result("Second turn.")
    play = Play(run.lines)
    play.hear(prompt())

    lines = play.hear(answer(QUESTION, behavior="deny", message="stop", interrupt=True))

    assert kinds(lines) == ["user", "user", "result/error_during_execution"]
    assert result_of(lines)["content"] == REJECTED
    assert lines[1]["message"]["content"] == [text("[Request interrupted by user for tool use]")]
    assert (lines[2]["is_error"], lines[2]["terminal_reason"]) == (True, "aborted_tools")
    assert "result" not in lines[2] and len(lines[2]["permission_denials"]) == 1
    assert play.hear(prompt())[-1]["result"] == "Second turn."


def test_closing_input_while_asked_is_a_denial():
    """If the input closes during a request, the call fails in the client's words and the turn is finished."""
    run, _ = asked_turn()
    play = Play(run.lines)
    play.hear(prompt())

    lines = play.close()

    assert result_of(lines)["content"] == CLOSED
    assert kinds(lines)[-1] == "result/success" and play.code == 0


def test_without_a_handler_nobody_is_asked():
    """A caller without a permission handler gets the denial at once, without a request."""
    run, _ = asked_turn()
    play = Play(run.lines, asks=False)

    lines = play.hear(prompt())

    assert "control_request" not in kinds(lines) and "system/permission_denied" in kinds(lines)
    assert result_of(lines)["is_error"] is True


def test_two_agents_may_ask_at_the_same_time():
    """A request blocks only the agent that asked; another agent can ask meanwhile, and answers may have any order."""
    run = Run()
    run.init()
    for agent in ("a", "b"):
        run.task("started", agent, f"call-{agent}", is_backgrounded=True)
    for agent in ("a", "b"):
        run.ask(f"tool-{agent}", "Bash", request=f"ask-{agent}")["request"]["agent_id"] = agent
    run.tool_result("tool-a", "ran", parent_tool_use_id="call-a")
    run.tool_result("tool-b", "ran", parent_tool_use_id="call-b")
    run.result()
    play = Play(run.lines)

    assert kinds(play.hear(prompt()))[-2:] == ["control_request", "control_request"]
    assert play.hear(answer({"request_id": "ask-b"}, behavior="allow")) == []
    play.hear(answer({"request_id": "ask-a"}, behavior="allow"))
    assert b"".join(play.raws) == bytes(run)


def test_a_question_the_client_took_back_is_taken_back_again():
    """A recorded cancellation is played if there was no answer, and left out after an answer."""
    run, _ = asked_turn()
    run.lines.insert(3, {"type": "control_cancel_request", "request_id": "request-1"})
    alone, answered = Play(run.lines, times=range(8), speed=1), Play(run.lines, times=range(8), speed=1)

    for play in (alone, answered):
        play.hear(prompt())
        play.go_on(1), play.go_on(1)
    answered.hear(answer(QUESTION, behavior="allow"))
    for play in (alone, answered):
        for _ in range(4):
            play.go_on(1)

    assert b"".join(alone.raws) == bytes(run)
    assert b"control_cancel_request" not in b"".join(answered.raws) and len(answered.raws) == 6


def test_a_hook_that_denies_now_stops_a_call_that_ran():
    """A PreToolUse callback decides about the call like a permission, with the message of a hook."""
    run, _ = asked_turn()
    payload = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "touch a"}}
    run.lines[2]["request"] = {"subtype": "hook_callback", "input": payload, "tool_use_id": "call-1"}
    play = Play(run.lines)
    play.hear(_registering(PreToolUse=("Bash", "hook_0")))
    play.hear(prompt())
    decision = {"permissionDecision": "deny", "permissionDecisionReason": "house rule"}

    lines = play.hear(answer(QUESTION, hookSpecificOutput=decision))

    assert result_of(lines)["content"] == "PreToolUse:Bash hook error: house rule"


def interrupted_turn():
    """Returns a turn that waits in a call until it is interrupted, followed by a turn that succeeds."""
    run = Run()
    run.init()
    run.assistant({"type": "tool_use", "id": "call-1", "name": "Bash", "input": {}})
    run.add({"type": "control_response", "response": {"subtype": "success", "request_id": "int", "response": {}}})
    run.tool_result("call-1", "stopped", is_error=True)
    run.result(None, subtype="error_during_execution")
    run.init()
    run.result("Next.")
    return run, [prompt(), request("interrupt", name="int"), prompt()]


def test_a_recorded_interrupt_is_waited_for():
    """A turn that ended by an interrupt waits for one, and then continues as recorded, with the caller's request id."""
    run, sent = interrupted_turn()
    play = Play(run.lines, sent=sent)
    play.hear(prompt())
    assert play.go_on(3600) == [] and play.player.status == "busy"

    lines = play.hear(request("interrupt", name="mine"))

    assert lines[0]["response"]["request_id"] == "mine"
    assert play.raws[3:5] == [encode_all(run.lines[3:4]), encode_all(run.lines[4:5])]
    assert play.hear(prompt())[-1]["result"] == "Next."


def test_questions_are_taken_back_by_the_interrupt_as_recorded():
    """The recorded cancellation and the reply both wait for the interrupt, in that order."""
    run, _ = asked_turn()
    run.lines[3:] = [
        {"type": "control_cancel_request", "request_id": "request-1"},
        {"type": "control_response", "response": {"subtype": "success", "request_id": "int", "response": {}}},
    ]
    run.result(None, subtype="error_during_execution")
    play = Play(run.lines, sent=[prompt(), request("interrupt", name="int")])

    assert kinds(play.hear(prompt()))[-1] == "control_request"
    play.hear(request("interrupt", name="int"))

    assert b"".join(play.raws) == bytes(run)


def test_an_interrupt_that_was_not_recorded_stops_the_turn():
    """Open requests are cancelled, the interrupt is answered, running calls are rejected, and the turn ends."""
    run, sent = asked_turn()
    play = Play(run.lines, sent=sent)
    play.hear(prompt())

    lines = play.hear(request("interrupt", name="mine"))

    assert kinds(lines) == [
        "control_cancel_request",
        "control_response",
        "user",
        "user",
        "result/error_during_execution",
    ]
    assert lines[1]["response"] == {"subtype": "success", "request_id": "mine", "response": {"still_queued": []}}
    assert play.close() == [] and play.code == 1


def test_an_interrupt_between_turns_is_only_answered():
    """An interrupt between turns is answered and stops nothing."""
    play = Play(two_turns().lines)
    play.hear(prompt())

    assert kinds(play.hear(request("interrupt"))) == ["control_response"]
    assert play.hear(prompt())[-1]["result"] == "Two."


def test_a_stop_from_outside_ends_with_a_clean_code():
    """SIGINT interrupts the turn; its error result is sent, and the exit code is 0."""
    run, _ = asked_turn()
    play = Play(run.lines)
    play.hear(prompt())

    play.player.stop()

    assert kinds(play.go_on())[-1] == "result/error_during_execution" and play.code == 0


def control(name, **response):
    return {"type": "control_response", "response": {"subtype": "success", "request_id": name, "response": response}}


def test_requests_are_answered_as_recorded():
    """A recorded reply has the caller's request id and is followed by the lines that it caused."""
    run = Run()
    run.add(control("i", commands=["/x"]))
    run.init()
    run.result("One.")
    run.add(control("m", mode="plan"))
    run.system("status", status=None, permissionMode="plan")
    sent = [
        request("initialize", name="i"),
        prompt(),
        request("set_permission_mode", name="m", mode="plan"),
    ]
    play = Play(run.lines, sent=sent)

    (first,) = play.hear(request("initialize", name="mine"))
    play.hear(prompt())
    lines = play.hear(request("set_permission_mode", name="m", mode="plan"))

    assert first["response"]["request_id"] == "mine" and first["response"]["response"] == {"commands": ["/x"]}
    assert encode_all(lines) == encode_all(run.lines[-2:])


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (request("no_such_thing"), "Unsupported control request subtype: no_such_thing"),
        (request("set_permission_mode", mode="bogus"), "Cannot set permission mode: must be one of acceptEdits, auto,"),
    ],
)
def test_a_request_the_client_refuses_is_refused(asked, told):
    """Unknown requests and modes get the client's own errors."""
    (line,) = Play([]).hear(asked)

    assert line["response"]["subtype"] == "error" and line["response"]["error"].startswith(told)


def test_a_known_request_that_was_not_recorded_succeeds():
    """A known request without a recorded reply gets a plain success, and a new mode is also reported."""
    play = Play([])

    (model,) = play.hear(request("set_model", name="a", model="m"))
    mode, status = play.hear(request("set_permission_mode", name="b", mode="plan"))

    assert model["response"] == {"subtype": "success", "request_id": "a", "response": {"model": "m"}}
    assert mode["response"]["response"] == {"mode": "plan"} and status["permissionMode"] == "plan"


def test_requests_sent_together_are_answered_in_the_recorded_order():
    """Replies come in the recorded order, but a caller that waits for only one reply gets it a moment later."""
    run = Run()
    run.init()
    run.result()
    run.add(control("late", model="m"))
    run.add(control("early", mcpServers=[]))
    sent = [prompt(), request("mcp_status", name="early"), request("set_model", name="late", model="m")]
    together, alone = Play(run.lines, sent=sent), Play(run.lines, sent=sent)
    together.hear(prompt())
    alone.hear(prompt())

    both = together.hear(request("mcp_status", name="1"), request("set_model", name="2", model="m"))

    assert [line["response"]["request_id"] for line in both] == ["2", "1"]
    assert alone.hear(request("mcp_status", name="1")) == []
    assert alone.wake == alone.now + PATIENCE_S
    assert [line["response"]["request_id"] for line in alone.go_on(PATIENCE_S)] == ["1"]


def test_lines_come_at_their_recorded_times():
    """Pauses are played as recorded, faster, shortened or not at all, and the player returns its next wake time."""
    run = two_turns()
    run.lines = run.lines[:3]
    times = [100.0, 102.0, 110.0]
    normal = Play(run.lines, times=times, speed=1)

    assert kinds(normal.hear(prompt())) == ["system/init"]
    assert normal.wake == normal.now + 2
    assert normal.go_on(1.5) == []
    assert kinds(normal.go_on(0.5)) == ["assistant"]
    assert kinds(normal.go_on(8)) == ["result/success"]

    def pauses(**manner):
        play = Play(run.lines, times=times, **manner)
        play.hear(prompt())
        waited = []
        while play.wake is not None:
            waited.append(play.wake - play.now)
            play.go_on(play.wake - play.now)
        assert len(play.raws) == 3
        return waited

    assert pauses(speed=2) == [1, 4]
    assert pauses(speed=1, longest_gap=3) == [2, 3]
    assert pauses(speed=0) == []


def test_times_that_go_back_or_are_missing_cost_no_time():
    """A clock that was set back, or lines without a time, cause no pause."""
    run = two_turns()
    play = Play(run.lines[:3], times=[100.0, 50.0, None], speed=1)

    play.hear(prompt())

    assert len(play.raws) == 3


def test_a_strict_play_compares_prompts():
    """With `is_strict`, a prompt that differs from the recorded one ends the run with code 2 and a message."""
    run = two_turns()
    sent = [prompt("first"), prompt("second")]
    play = Play(run.lines, sent=sent, is_strict=True)

    play.hear(prompt("first"))
    assert play.code is None
    assert play.hear(prompt("something else")) == []

    assert play.code == 2
    assert (
        "prompt 2 differs" in play.complaint and "'second'" in play.complaint and "'something else'" in play.complaint
    )


def test_a_line_that_is_no_json_ends_the_run():
    """A line that is no JSON ends the run with an error and code 1, as in the client; unknown types are ignored."""
    play = Play(two_turns().lines)

    assert play.hear({"type": "keep_alive"}, {"type": "weird", "x": 1}, b"\n") == []
    assert play.code is None
    assert play.hear(b"this is not json\n", prompt()) == []
    assert play.code == 1
    assert play.complaint == "Error parsing streaming input line (type=unknown, 16 chars): SyntaxError\n"


def test_messages_are_echoed_with_what_the_caller_sent():
    """With replay on, an echo has the caller's text and uuid, and echoes are added to a recording without them."""
    run = two_turns()
    run.lines.insert(1, {"type": "user", "message": {"role": "user", "content": "hi"}, "uuid": "u-1", "isReplay": True})
    run.lines.insert(0, {"type": "command_lifecycle", "command_uuid": "u-1", "state": "queued"})
    sent = [prompt("hi", uuid="u-1"), prompt("again")]
    same, other, silent = (Play(run.lines, sent=sent, replays=replays) for replays in (True, True, False))

    same.hear(prompt("hi", uuid="u-1"))
    lines = other.hear(prompt("hello", uuid="mine"))
    silent.hear(prompt("hello"))

    assert b"".join(same.raws) == encode_all(run.lines[:5])
    assert lines[0]["command_uuid"] == lines[2]["uuid"] == "mine" and lines[2]["message"]["content"] == "hello"
    assert kinds(other.hear(prompt("more"))) == ["system/init", "user", "assistant", "result/success"]
    assert b"u-1" not in b"".join(silent.raws)


def test_options_decide_which_lines_are_said():
    """Partial messages, hook events, the mirror and the text of sub-agents are sent only if options ask for them."""
    run = Run()
    run.init()
    run.streamed("a")
    run.system("hook_started")
    run.add({"type": "transcript_mirror", "entries": []})
    run.task("started", "agent", "call-1", is_backgrounded=False)
    run.assistant("inside", parent_tool_use_id="call-1")
    run.assistant({"type": "tool_use", "id": "t", "name": "Read", "input": {}}, parent_tool_use_id="call-1")
    run.result()

    everything, little = Play(run.lines), Play(run.lines, options=frozenset())
    everything.hear(prompt())

    assert b"".join(everything.raws) == bytes(run)
    assert kinds(little.hear(prompt())) == ["system/init", "system/task_started", "assistant", "result/success"]


def test_a_run_that_was_killed_ends_where_it_ended():
    """A recording without a result at its end stops after the last line with an error code."""
    play = Play(two_turns().lines[:5])

    play.hear(prompt(), prompt())

    assert play.code == 1


@given(st.lists(ANYTHING, max_size=12), st.lists(ANYTHING, max_size=4), st.lists(ANYTHING, max_size=8), st.booleans())
def test_no_recording_and_no_caller_makes_it_fail_or_hang(lines, sent, heard, asks):
    """With any recording and any caller, nothing raises an error, and the player ends after the end of input."""
    play = Play(lines, sent=sent, times=range(12), speed=1, longest_gap=1, asks=asks, replays=asks)
    for value in heard:
        play.hear(value)
        play.go_on(1)

    play.close()
    for _ in range(len(lines) + 2):
        play.go_on(1)

    assert play.code is not None


def _asked_by_hook(*, denied=False):
    """Returns a turn in which the recorded host had a hook, and the lines that the host sent."""
    run = Run()
    run.init()
    run.assistant(tool_use("Bash", {"command": "make"}, id="call-1"))
    given = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "make"}}
    request_ = {"subtype": "hook_callback", "callback_id": "hook_0", "input": given, "tool_use_id": "call-1"}
    run.add({"type": "control_request", "request_id": "request-1", "request": request_})
    run.tool_result("call-1", "made")
    run.result("Done.")
    hooks = {"PreToolUse": [{"matcher": "Bash", "hookCallbackIds": ["hook_0"]}]}
    return run, [request("initialize", hooks=hooks), answer(QUESTION)]


def _registering(**hooks):
    """Returns a caller's `initialize` request: event → the tool and the callback."""
    told = {event: [{"matcher": tool, "hookCallbackIds": [name]}] for event, (tool, name) in hooks.items()}
    return request("initialize", hooks=told)


def test_only_registered_hooks_are_called():
    """A caller that registered no hook gets no hook request, and the turn continues without waiting."""
    run, sent = _asked_by_hook()
    play = Play(run.lines, sent=sent)
    play.hear(_registering())

    assert kinds(play.hear(prompt()))[-2:] == ["user", "result/success"]


@pytest.mark.parametrize(
    ("hooks", "called"),
    [
        ({"PreToolUse": ("Bash", "mine")}, "mine"),
        ({"PreToolUse": ("", "hook_0")}, "hook_0"),
        ({"PreToolUse": ("Edit|Bash", "other")}, "other"),
        ({"PreToolUse": ("Edit", "mine")}, None),
        ({"PostToolUse": ("Bash", "hook_0")}, None),
    ],
)
def test_a_registered_hook_is_called_by_its_own_id(hooks, called):
    """The event and the tool select the hook, and not the recorded id."""
    run, sent = _asked_by_hook()
    play = Play(run.lines, sent=sent)
    play.hear(_registering(**hooks))
    asked = [line["request"]["callback_id"] for line in play.hear(prompt()) if line["type"] == "control_request"]

    assert asked == ([called] if called else [])


def test_a_local_command_costs_no_turn():
    """A local command is answered without a turn, and the next prompt gets the recorded turn."""
    play = Play(two_turns().lines)
    said = play.hear(prompt("/cost"))

    assert kinds(said) == ["assistant", "result/success"]
    assert (said[-1]["num_turns"], said[-1]["local_command"]) == (0, "cost")
    assert [line.get("result") for line in play.hear(prompt())][-1] == "One."
    assert play.hear(prompt("/context"))[-1]["num_turns"] == 0
    assert [line.get("result") for line in play.hear(prompt())][-1] == "Two."


def test_a_recorded_command_is_played_as_recorded():
    """A command that is in the recording gets its recorded answer."""
    run = two_turns()
    play = Play(run.lines, sent=[prompt("/cost"), prompt("go on")])

    assert [line.get("result") for line in play.hear(prompt("/cost"))][-1] == "One."
