"""Tests of what each message used, according to the fold."""

from chorus.core.conversation.tokens import Tokens
from chorus.core.spending.counting import usage_of, usages_of
from chorus.core.spending.rows import IMPOSSIBLE
from chorus.testing.builders import Flat, Run, Session, tool_use
from chorus.testing.builders.lines import usage
from tests.core.conversation.talks import Talk
from tests.core.spending.books import folded, used


def test_a_message_counts_once_at_its_maximum():
    """A message is counted once with its highest usage: every line repeats the usage, and only the last is final."""
    session = Session()
    session.assistant("a", "b", message_id="m", tokens=usage(given=3, said=1, cache_read=7))
    session.assistant("c", message_id="m", tokens=usage(given=3, said=50, cache_read=7), stop="end_turn")

    (only,) = used(session)

    assert (only.message, only.tokens) == ("m", Tokens(input=3, output=50, cache_read=7))
    assert (only.model, only.thread, only.at) == ("claude-test-1", "", "2026-01-05T09:00:00.000Z")


def test_a_message_whose_end_no_line_tells_is_a_lower_bound():
    """A message without a final line is a lower bound.

    Old clients left the placeholder of the message's start as its output count, and gave no stop reason.
    """
    session = Session()
    session.assistant("a", message_id="open")
    session.assistant("b", message_id="closed", stop=None)
    session.assistant("c", message_id="closed", stop="end_turn")

    assert {each.message: each.is_lower_bound for each in used(session)} == {"open": True, "closed": False}


def test_text_of_the_client_used_nothing():
    """Synthetic messages of the client cost nothing."""
    session = Session(model="<synthetic>")
    session.assistant("API Error", tokens=usage(given=9, said=9))

    assert used(session) == []


def test_the_tier_and_the_server_tools_are_counted():
    """Everything that a price depends on is counted."""
    session = Session()
    more = {
        "service_tier": "batch",
        "cache_creation": {"ephemeral_5m_input_tokens": 3, "ephemeral_1h_input_tokens": 4},
        "server_tool_use": {"web_search_requests": 2, "web_fetch_requests": 1},
    }
    session.assistant("a", tokens={**usage(cache_creation=7), **more})

    (only,) = used(session)

    assert only.tier == "batch"
    assert only.tokens == Tokens(10, 20, 7, 0, 3, 4, 2, 1)


def test_fast_mode_is_a_tier_of_its_own():
    """Fast mode, which the client reports beside the tier, is a tier with its own prices."""
    session = Session()
    session.assistant("a", tokens={**usage(), "service_tier": "standard", "speed": "fast"})
    session.assistant("b", tokens={**usage(), "service_tier": "standard", "speed": "standard"})

    assert [each.tier for each in used(session)] == ["fast", "standard"]


def test_a_message_without_an_id_is_nobody_elses():
    """A message without an id is named after its conversation, so that no other conversation can share it."""
    session = Session()
    (line,) = session.assistant("a")
    del line["message"]["id"]

    (only,) = used(session, "w/main/s")

    assert only.message == f"w/main/s/{line['uuid']}"


def test_sub_agents_are_recognised_by_their_thread():
    """The thread of a sub-agent's message is the best id of the agent, no matter which stream contains the message."""
    session = Session()
    session.assistant(tool_use("Agent", {"prompt": "dig"}, id="t1"), message_id="above")
    agent = session.agent("a1", "t1")
    (line,) = agent.assistant("found", message_id="below")
    run = Run()
    run.line("assistant", uuid=line["uuid"], parent_tool_use_id="t1", message=line["message"])

    threads = {each.message: each.thread for each in used(session, run=run, agent=bytes(agent))}

    assert threads == {"above": "", "below": "a1"}


def test_without_usage_on_messages_the_turns_count():
    """Flat events report tokens only per turn, and the model is that of the session, if it has one."""
    flat = Flat()
    flat.start("s")
    flat.text("hi")
    flat.result("s", given=15, said=8)

    (only,) = used(flat)

    assert only.is_per_turn and not only.is_lower_bound
    assert (only.tokens, only.model) == (Tokens(input=15, output=8), None)


def test_a_run_of_which_only_the_result_is_left_has_the_models_of_its_start():
    """The first line of a run names the model for a turn result without messages."""
    run = Run(model="claude-opus-5-5")
    run.init()
    run.result("hi", usage=usage(given=10, said=42))

    (only,) = used(run)

    assert (only.is_per_turn, only.model, only.tokens.output) == (True, "claude-opus-5-5", 42)


def test_turns_are_never_added_to_messages():
    """If both turns and messages report usage, only one is counted, because both describe the same work."""
    run = Run()
    run.init()
    run.assistant("hi", message_id="m", tokens=usage(given=10, said=1))
    run.result("hi", usage=usage(given=10, said=42))

    assert [(each.message, each.is_per_turn) for each in used(run)] == [("m", False)]


def test_impossible_counts_are_nothing_and_known():
    """If a usage has an impossible value, none of its fields is counted, and the price says why there is none."""
    session, run = Session(), Run()
    session.assistant("a", tokens=usage(given=-5, said=-7))
    run.result("hi", usage=usage(given=-5, said=3))

    for stream in (session, run):
        (only,) = used(stream)
        assert (only.tokens, only.tier, only.is_lower_bound) == (Tokens(), IMPOSSIBLE, False)


def test_possible_turns_count_for_impossible_messages():
    """If only the messages of a conversation have impossible counts, its turn results are what counts."""
    run = Run()
    run.init()
    run.assistant("hi", message_id="m", tokens=usage(given=-1))
    run.result("hi", usage=usage(given=10, said=42))

    assert [(each.is_per_turn, each.tokens.output, each.tier) for each in used(run)] == [(True, 42, None)]


def test_the_sum_is_the_sessions_own():
    """For conversations of all shapes, the tokens of the session are the sum over its messages."""
    for seed in range(40):
        records = [record for stream in Talk(seed).streams().values() for record in stream]
        fold, _ = folded(b"")
        for record in records:
            fold.feed(record)
        total = fold.state.session.tokens
        found = usages_of(fold, "c")

        if not any(each.is_per_turn for each in found):
            assert sum(each.tokens.output for each in found) == total.output
            assert sum(each.tokens.input for each in found) == total.input
        assert len({each.message for each in found}) == len(found)


def test_one_message_can_be_asked_for():
    """The usage of one message can be read alone, for readers that follow a conversation record by record."""
    session = Session()
    session.assistant("a", message_id="m")
    session.user("thanks")
    fold, _ = folded(session)

    assert usage_of(fold, "c", "m") == usages_of(fold, "c")[0]
    assert usage_of(fold, "c", "nobody") is None
