"""Tests that tokens are counted once, and that the cost of a turn is an increment."""

import pytest

import chorus
from chorus.testing.builders import Flat, Run, Session
from chorus.testing.builders.lines import Ids, usage
from tests.core.conversation.reading import conversation, conversations


def test_usage_counts_once_per_message_at_its_maximum() -> None:
    """The usage that every line of a message repeats is counted once; if lines differ, the highest number counts."""
    session = Session()
    session.assistant("a", "b", message_id="m", tokens=usage(given=100, said=1, cache_read=7))
    session.assistant("c", message_id="m", tokens=usage(given=100, said=50, cache_read=7))

    tokens = conversation(session).tokens

    assert (tokens.input, tokens.output, tokens.cache_read) == (100, 50, 7)


def test_synthetic_messages_used_no_tokens() -> None:
    """Text that the client made up counts no tokens, and its model is not listed."""
    session = Session(model="<synthetic>")
    session.assistant("API Error", tokens=usage(given=9, said=9))

    talk = conversation(session)

    assert talk.tokens == chorus.Tokens()
    assert talk.session.models == ()


def test_cache_writes_and_server_tools_are_kept_apart() -> None:
    """The two lifetimes of cache writes and the tools of the server are counted separately."""
    session = Session()
    more = {
        "cache_creation": {"ephemeral_5m_input_tokens": 3, "ephemeral_1h_input_tokens": 4},
        "server_tool_use": {"web_search_requests": 2, "web_fetch_requests": 1},
    }
    session.assistant("a", tokens={**usage(cache_creation=7), **more})

    tokens = conversation(session).tokens

    assert (tokens.cache_creation, tokens.cache_creation_5m, tokens.cache_creation_1h) == (7, 3, 4)
    assert (tokens.web_searches, tokens.web_fetches) == (2, 1)


def test_without_usage_on_messages_the_turns_are_counted() -> None:
    """If only turns have tokens, as in flat events, the turns are counted, and the conversation says so."""
    flat = Flat()
    flat.start("s")
    flat.text("hi")
    flat.result("s", given=15, said=8)
    flat.text("again")
    flat.result("s", given=5, said=2)

    talk = conversation(flat)

    assert talk.is_per_turn
    assert (talk.tokens.input, talk.tokens.output) == (20, 10)


def test_turn_figures_are_never_added_to_message_figures() -> None:
    """Tokens of turns are not added to tokens of messages, because both describe the same work."""
    run = Run()
    run.init()
    run.assistant("hi", tokens=usage(given=10, said=1))
    run.result("hi", usage=usage(given=10, said=42))

    talk = conversation(run)

    assert not talk.is_per_turn
    assert talk.tokens.output == 1
    assert talk.session.turn_tokens.output == 42


def test_a_turn_costs_what_it_added() -> None:
    """The reported total continues over turns and resumes, and the cost of a turn is the difference."""
    first, resumed = Run(), Run(ids=Ids("resumed"))
    for run, totals in ((first, (0.25, 0.75)), (resumed, (1.0,))):
        run.init()
        for total in totals:
            run.assistant("hi", timestamp=f"2026-01-05T09:00:0{int(total * 4)}.000Z")
            run.result("hi", cost=total)

    talk = conversation(first, resumed=resumed)

    assert [talk.cost_of(turn) for turn in talk.turns] == [0.25, 0.5, 0.25]
    assert talk.reported_cost_usd == 1.0


def test_the_increment_a_client_states_is_believed() -> None:
    """If the client states an increment, this is the cost, because the first total of a fork includes its source."""
    run = Run()
    run.init()
    run.result("hi", cost=4.0, model_usage_since_last_result={"claude-test-1": {"costUSD": 0.5}})

    talk = conversation(run)

    assert talk.cost_of(talk.turns[0]) == 0.5


def test_a_total_that_falls_starts_a_new_count() -> None:
    """If the total falls, a new count starts, because clients up to 2.1.150 count per process."""
    run = Run()
    run.init(claude_code_version="2.1.50")
    run.result("hi", cost=0.5)
    run.result("hi", cost=0.2)

    assert conversation(run).reported_cost_usd == pytest.approx(0.7)


def test_a_fork_repeats_messages_under_another_session() -> None:
    """A fork has copies of messages with the same ids; a count over both conversations counts them once."""
    source = Session()
    source.user("go")
    source.assistant("done", tokens=usage(said=30))
    fork = Session("f0f0f0f0-0000-4000-8000-000000000002")
    for line in source.lines:
        fork.add({**line, "sessionId": fork.id})
    fork.assistant("more", tokens=usage(said=5))

    one, two = conversations({"a.jsonl": source, "b.jsonl": fork})
    counted = chorus.count([one, two])

    assert (one.tokens.output, two.tokens.output) == (30, 35)
    assert counted.output == 35


@pytest.mark.parametrize(
    ("name", "figure", "field"),
    [
        ("input_tokens", 11, "input"),
        ("output_tokens", 21, "output"),
        ("cache_read_input_tokens", 6, "cache_read"),
        ("cache_creation_input_tokens", 9, "cache_creation"),
        ("cache_creation", {"ephemeral_5m_input_tokens": 4}, "cache_creation_5m"),
        ("server_tool_use", {"web_search_requests": 3}, "web_searches"),
    ],
)
def test_a_figure_that_only_one_line_carries_is_counted(name: str, figure: object, field: str) -> None:
    """Each field counts at its maximum, also if only one line has a higher value in only one field."""
    session = Session()
    session.assistant("a", message_id="m", tokens=usage(cache_read=5, cache_creation=4))
    session.assistant("b", message_id="m", tokens={**usage(cache_read=5, cache_creation=4), name: figure})
    expected = next(iter(figure.values())) if isinstance(figure, dict) else figure

    assert getattr(conversation(session).tokens, field) == expected


def test_a_copy_that_is_not_shown_counts_at_its_maximum() -> None:
    """If stdout has more tokens than the line of the file, the shown message has the higher number."""
    session, run = Session(), Run()
    (line,) = session.assistant("hi", tokens=usage(said=1))
    run.line("assistant", uuid=line["uuid"], message={**line["message"], "usage": usage(said=9)})

    talk = conversation(session, run=run)

    assert talk.tokens.output == 9
    assert [message.tokens.output for message in talk.messages if message.tokens] == [9]


def test_the_tokens_of_a_turn_are_its_own() -> None:
    """A turn has the tokens that it used, and the reason why it stopped."""
    run, flat = Run(), Flat()
    run.result("hi", usage=usage(given=10, said=42), stop_reason="end_turn", terminal_reason="completed")
    flat.start("s")
    flat.result("s", stop="max_tokens", given=3, said=4)

    (turn,), (told,) = conversation(run).turns, conversation(flat).turns

    assert turn.tokens is not None and told.tokens is not None
    assert (turn.tokens.output, turn.stop_reason, turn.terminal_reason) == (42, "end_turn", "completed")
    assert (told.tokens.input, told.tokens.output, told.stop_reason) == (3, 4, "max_tokens")


def _costs(version: str | None, *totals: float) -> list[float | None]:
    """Returns the costs of turns, each of which another process of the client reported."""
    runs: dict[str, Run] = {}
    for n, total in enumerate(totals):
        run = runs[f"run{n}"] = Run(ids=Ids(f"{n}"))
        if version:
            run.init(claude_code_version=version)
        run.assistant("hi", timestamp=f"2026-01-05T09:00:0{n}.000Z")
        run.result("hi", cost=total)
    talk = conversation(runs.pop("run0"), **runs)
    return [talk.cost_of(turn) for turn in talk.turns]


@pytest.mark.parametrize(
    ("version", "second"),
    [
        ("2.1.150", 0.75),
        ("2.1.151", 0.5),
        ("2.1.151-beta.1", 0.5),
        (None, 0.5),
        ("unknown", 0.75),
    ],
)
def test_clients_that_count_per_process_are_known_by_version(version: str | None, second: float) -> None:
    """Up to 2.1.150 another process starts a new count, even if its total is higher; later the total continues."""
    assert _costs(version, 0.25, 0.75) == [0.25, second]


def test_a_turn_without_a_cost_is_passed_over() -> None:
    """A turn without a total has no cost, and the next turn is compared with the last total."""
    run = Run()
    run.init()
    assert conversation(run).reported_cost_usd is None
    run.result("hi", cost=0.25)
    run.line("result", subtype="success", result="hi")
    run.result("hi", cost=0.75)

    talk = conversation(run)

    assert [talk.cost_of(turn) for turn in talk.turns] == [0.25, None, 0.5]


def test_the_stated_increment_is_the_sum_over_models() -> None:
    """The stated increment is the sum over all models; a value of another form states nothing."""
    run = Run()
    run.init()
    run.result("hi", cost=4.0, model_usage_since_last_result={"a": {"costUSD": 0.5}, "b": {"costUSD": 0.25}, "c": {}})
    run.result("hi", cost=5.0, model_usage_since_last_result="odd")

    talk = conversation(run)

    assert [talk.cost_of(turn) for turn in talk.turns] == [0.75, 1.0]


def test_counting_many_conversations_adds_what_only_turns_tell() -> None:
    """Conversations without usage on messages are counted by their turns; of copies, the highest number counts."""
    flat, one, two = Flat(), Session(), Session("f0f0f0f0-0000-4000-8000-000000000002")
    flat.start("s")
    flat.result("s", given=1, said=2)
    one.assistant("a", message_id="m", tokens=usage(said=5))
    two.assistant("a", message_id="m", tokens=usage(said=3))

    found = conversations({"flat.jsonl": flat, "one.jsonl": one, "two.jsonl": two})

    assert chorus.count(found).output == 7


def test_tokens_are_counted_by_message() -> None:
    """A fold gives the tokens of each message that has usage, for counts over many conversations."""
    session = Session()
    session.assistant("a", message_id="m", tokens=usage(said=5))
    (line,) = session.assistant("b", message_id="n")
    del line["message"]["usage"]
    fold = chorus.Fold(session.id)
    for record in chorus.read(bytes(session)):
        fold.feed(record)

    assert {name: tokens.output for name, tokens in fold.tokens_by_message.items()} == {"m": 5}
