"""Sums: calls, waiting, turns, sub-agents and limits, each counted once."""

from chorus.core.conversation.items import Limit
from chorus.core.spending.rows import Spent
from chorus.find.index.activities import Done
from chorus.find.index.groups import MAIN_THREAD, Span
from chorus.find.index.port import Index
from chorus.testing.builders import Run, Session, tool_use
from chorus.testing.builders.lines import Clock, usage
from chorus.testing.index_contract.sessions import FIRST_ID, SECOND_ID, MakeIndex
from chorus.testing.indexes import name_of, run_writings, writings_of

_START = "2026-02-01T10:00:00.000Z"


def _origin(session_id: str = FIRST_ID) -> Session:
    session = Session(session_id, clock=Clock(_START))
    session.user("begin", uuid="11111111-0000-4000-8000-000000000001")
    calls = (tool_use("Bash", {}, id="toolu_1"), tool_use("Bash", {}, id="toolu_2"), tool_use("Read", {}, id="toolu_3"))
    session.assistant(*calls, message_id="msg_1", tokens=usage(said=10), stop="tool_use")
    session.tool_result("toolu_1", "fine")
    session.tool_result("toolu_2", "broken", is_error=True)
    session.tool_result("toolu_3", "The user doesn't want to proceed with this tool use.", is_error=True)
    return session


def _by_label(rows: list[Done]) -> dict[tuple[str, str, str], int]:
    found: dict[tuple[str, str, str], int] = {}
    for each in rows:
        key = (each.kind, each.name, each.outcome)
        found[key] = found.get(key, 0) + each.count
    return found


def activities_count_once(make_index: MakeIndex) -> None:
    """Calls and prompts that a fork copied count once, for the conversation that started first, in any order."""
    origin, fork = _origin(), _origin(SECOND_ID)
    fork.user("go on", uuid="11111111-0000-4000-8000-000000000002")
    fork.assistant(tool_use("Bash", {}, id="toolu_4"), message_id="msg_2", tokens=usage(said=7), stop="tool_use")
    expected = {
        ("call", "Bash", "done"): 1,
        ("call", "Bash", "failed"): 1,
        ("call", "Bash", "open"): 1,
        ("call", "Read", "refused"): 1,
        ("prompt", "", "done"): 2,
    }
    for order in ((origin, fork), (fork, origin)):
        index = _empty(make_index, origin, fork)
        for session in order:
            index.write(writings_of(session))
        assert _by_label(index.done()) == expected
        own = _by_label(index.done(names=[name_of(fork)]))
        assert own == {("call", "Bash", "open"): 1, ("prompt", "", "done"): 1}
        (call,) = index.done(label=("call", "Bash"), names=[name_of(fork)], is_by_conversation=True)
        assert (call.conversation, call.count) == (name_of(fork), 1)
    index.write([], gone=[name_of(origin)])
    assert _by_label(index.done()) == expected


def sums_are_limited_to_a_span(make_index: MakeIndex) -> None:
    """Sums of a span contain the quarters of an hour from its start, up to but without its end."""
    index = _empty(make_index, _origin())
    index.write(writings_of(_origin()))
    within, after = Span("2026-02-01T10:00", "2026-02-01T10:15"), Span("2026-02-01T10:15", "2027-01-01T00:00")
    assert _by_label(index.done(span=within)) == _by_label(index.done())
    assert index.used("model", span=within) == index.used("model")
    assert not index.done(span=after)
    assert not index.used("model", span=after)


def usage_is_grouped(make_index: MakeIndex) -> None:
    """Usage is grouped by period, workspace, agent, type of sub-agent and conversation, and by the turn it was in."""
    session = _origin()
    task = tool_use("Task", {"prompt": "look", "subagent_type": "Explore"}, id="toolu_task")
    session.assistant(task, message_id="msg_2", tokens=usage(said=20))
    helper = session.agent("a1", "toolu_task", kind="Explore")
    helper.assistant("found", message_id="msg_3", tokens=usage(said=40))
    session.tool_result("toolu_task", "found", toolUseResult={"agentId": "a1", "status": "completed"})
    session.user("more", uuid="11111111-0000-4000-8000-000000000002")
    session.assistant("done", message_id="msg_4", tokens=usage(said=80))
    index = _empty(make_index, session)
    index.write(writings_of(session))

    def outputs(found: dict[str, list[Spent]]) -> dict[str, int]:
        return {key: sum(each.tokens.output for each in rows) for key, rows in found.items()}

    assert outputs(index.used("period", period_of=lambda quarter: quarter[:7])) == {"2026-02": 150}
    assert outputs(index.used("workspace")) == {name_of(session).split("/", maxsplit=1)[0]: 150}
    assert outputs(index.used("agent")) == {"main": 110, "main/sub-agents": 40}
    assert outputs(index.used("subagent")) == {MAIN_THREAD: 110, "Explore": 40}
    assert outputs(index.used("conversation")) == {name_of(session): 150}
    turns = outputs(index.turn_sums(name_of(session)))
    assert {turn.partition(" ")[2]: output for turn, output in turns.items()} == {
        "11111111-0000-4000-8000-000000000001": 70,
        "11111111-0000-4000-8000-000000000002": 80,
    }


def waiting_and_limits_are_known(make_index: MakeIndex) -> None:
    """How long requests waited for a person is known, and the last state of each limit."""
    index = make_index()
    log = Run(FIRST_ID)
    log.user("begin")
    log.assistant(tool_use("Bash", {}, id="toolu_1"))
    log.line("control_request", request_id="r", timestamp="2026-02-01T10:00:00.000Z",
             request={"subtype": "can_use_tool", "tool_name": "Bash", "tool_use_id": "toolu_1"})  # fmt: skip
    log.line("control_response", timestamp="2026-02-01T10:00:08.000Z",
             response={"request_id": "r", "subtype": "success", "response": {"behavior": "allow"}})  # fmt: skip
    for used, time in ((0.5, "2026-02-01T10:00:09.000Z"), (0.75, "2026-02-01T10:00:10.000Z")):
        info = {"status": "allowed", "rateLimitType": "five_hour", "utilization": used, "resetsAt": 1_770_000_000}
        log.line("rate_limit_event", timestamp=time, rate_limit_info=info)
    index.write(run_writings(log))
    (wait,) = index.done(label=("wait", "permission"))
    assert (wait.count, wait.total_ms, wait.outcome) == (1, 8_000, "done")
    (limit,) = index.limits()
    assert limit == Limit(
        type="five_hour",
        status="allowed",
        utilization=0.75,
        resets_at_s=1_770_000_000,
        reported_at="2026-02-01T10:00:10.000Z",
    )


def _empty(make_index: MakeIndex, *sessions: Session) -> Index:
    index = make_index()
    index.write([], gone=[name_of(session) for session in sessions])
    return index
