"""Tests of the way from a number to the lines that it came from."""

import pytest

from chorus.core.conversation.tokens import Tokens
from chorus.core.spending.books import Books
from chorus.core.spending.counting import usages_of
from chorus.core.spending.evidence import gather
from chorus.core.spending.explain import as_json, explain, parts
from chorus.core.spending.ownership import Account, Owned, assign_owners, spent
from chorus.core.spending.rates import Prices
from chorus.core.spending.report import report
from chorus.core.spending.reported import reported_of
from chorus.core.spending.rows import Usage
from chorus.testing.builders import Flat, Run, Session, tool_use
from chorus.testing.builders.lines import SESSION_ID, encode, usage
from tests.core.conversation.talks import Talk, read

PRICES = Prices.load()
MODEL = "claude-opus-5-5"


def evidence_of(**streams):
    records = [record for name, data in streams.items() for record in read(f"{name}.jsonl", bytes(data))]
    found = gather(records).get(SESSION_ID)
    assert found is not None
    return found


def explanation_of(owner=lambda message: None, *, is_fork=False, **streams):
    return explain(evidence_of(**streams), "c", PRICES, owner, is_fork=is_fork)


def test_each_message_leads_to_its_lines():
    """A message leads to all lines that repeat its usage, by stream and offset."""
    session = Session(model=MODEL)
    prompt = session.user("go")
    first, second = session.assistant("a", "b", message_id="m", tokens=usage(given=12, said=42))

    (charge,) = explanation_of(main=session).charges

    start = len(encode(prompt))
    assert [(place.stream, place.offset) for place in charge.places] == [
        ("main.jsonl", start),
        ("main.jsonl", start + len(encode(first))),
    ]
    assert [place.length + 1 for place in charge.places] == [len(encode(first)), len(encode(second))]


def test_a_cost_is_shown_as_a_sum():
    """A cost is shown as the number of tokens of each kind and their rate, without kinds that have no tokens."""
    session = Session(model=MODEL)
    session.assistant(
        "a", tokens={**usage(given=12, said=42, cache_read=2000), "server_tool_use": {"web_search_requests": 1}}
    )

    (charge,) = explanation_of(main=session).charges

    assert parts(charge) == [
        ("input", 12, 4.0),
        ("output", 42, 20.0),
        ("cache_read", 2000, pytest.approx(0.2)),
        ("web_search", 1, 10_000.0),
    ]
    assert charge.cost_usd == pytest.approx(sum(count * rate for _, count, rate in parts(charge)) / 1e6)


def test_every_way_in_which_usage_is_reported_is_found():
    """Usage is found in progress records, mirrored lines and stream events, and on lines without a message id."""
    session, run = Session(model=MODEL), Run(model=MODEL)
    session.assistant(tool_use("Agent", {}, id="t1"), message_id="own")
    agent = Session(model=MODEL)
    (inner,) = agent.assistant("x", message_id="inner")
    session.progress_agent("a1", "t1", inner)
    (nameless,) = session.assistant("y")
    del nameless["message"]["id"]
    run.streamed("hel", message_id="streamed")
    run.event("message_delta", delta={"stop_reason": "end_turn"}, usage={"output_tokens": 9})
    (mirrored,) = Session(model=MODEL).assistant("z", message_id="mirrored", uuid="u-mirrored")
    run.line("transcript_mirror", filePath="x.jsonl", entries=[mirrored])

    found = {charge.usage.message: len(charge.places) for charge in explanation_of(main=session, run=run).charges}

    assert found == {"own": 1, "inner": 1, f"c/{nameless['uuid']}": 1, "streamed": 2, "mirrored": 1}


def test_turns_lead_to_their_results():
    """If only turns report usage, each turn is a line of its own."""
    flat = Flat()
    flat.start(SESSION_ID)
    flat.result(SESSION_ID, given=15, said=8)

    (charge,) = explanation_of(flat=flat).charges

    assert charge.usage.is_per_turn and charge.why_unknown == "no model is named"
    assert [place.offset for place in charge.places] == [len(encode(flat.lines[0]))]


def test_reported_figures_lead_to_their_lines():
    """Every reported figure leads to its line and says whether it counts."""
    session, run = Session(model=MODEL), Run(model=MODEL)
    session.assistant("a", message_id="m", costUSD=0.25)
    session.fact("cost-state", totalCostUSD=0.5)
    session.fact("cost-state", totalCostUSD=0.75)
    run.init()
    run.result("hi", cost=0.6)
    run.result("hi", cost=0.8)

    found = explanation_of(main=session, run=run)

    assert [(each.source, pytest.approx(each.usd), each.counts, len(each.places)) for each in found.figures] == [
        ("first-turn", 0.6, True, 1),
        ("turns", 0.2, True, 1),
        ("cost-state", 0.75, False, 1),
        ("messages", 0.25, False, 1),
    ]
    assert found.reported_usd == pytest.approx(0.8)
    state = next(each for each in found.figures if each.source == "cost-state")
    assert state.places[0].offset == len(bytes(session)) - len(encode(session.lines[-1]))


def test_what_a_fork_carries_over_does_not_count():
    """A total that a fork took over from its source is shown and marked as not counted."""
    session = Session()
    session.fact("cost-state", totalCostUSD=0.5)

    found = explanation_of(main=session, is_fork=True)

    assert [each.counts for each in found.figures] == [False]
    assert found.reported_usd is None


def test_a_message_of_another_conversation_is_shown_and_not_added():
    """A message of another conversation is shown but not added.

    It is counted where it belongs, with the usage of all its copies.
    """
    session = Session(model=MODEL)
    session.assistant("a", message_id="shared", tokens=usage(said=1))
    session.assistant("b", message_id="own", tokens=usage(given=0, said=1_000_000))
    other = Owned("elsewhere", Usage("shared", "", None, MODEL, None, Tokens(output=7)))

    found = explanation_of(lambda message: other if message == "shared" else None, main=session)

    assert {each.usage.message: (each.owner, each.usage.tokens.output) for each in found.charges} == {
        "shared": ("elsewhere", 7),
        "own": (None, 1_000_000),
    }
    assert found.cost_usd == pytest.approx(20)


def test_it_adds_up_to_what_the_report_shows():
    """For conversations of all shapes, the explanation has the same cost and reported figure as the report."""
    for seed in range(30):
        streams = Talk(seed).streams()
        records = [record for stream in streams.values() for record in stream]
        evidence = gather(records).get(SESSION_ID)
        assert evidence is not None
        prices = PRICES.with_overrides(b'{"models":[{"names":["claude-test-1"],"rates":[{"input":5,"output":25}]}]}')
        account = Account("c", None, usages_of(evidence.fold, "c", evidence.turns.values()))
        settled = assign_owners([account])
        found = explain(evidence, "c", prices, settled.seen_by("c"), is_fork=False)
        reported = reported_of(evidence.fold, evidence.turns.values(), "c")
        total = report(Books(spent(settled.values()), reported, {}), prices, by="day").total

        assert found.cost_usd == (None if total.cost_usd is None else pytest.approx(total.cost_usd, abs=1e-12))
        assert found.reported_usd == (None if total.reported_usd is None else pytest.approx(total.reported_usd))
        assert all(charge.places for charge in found.charges)


def test_the_shape_is_fixed():
    """The keys that `--explain --json` prints are fixed."""
    session = Session(model=MODEL)
    session.assistant("a", message_id="m", tokens=usage(given=12, said=42))

    made = as_json(explanation_of(main=session), lambda place: 7)

    assert list(made) == ["conversation", "messages", "reported", "cost_usd", "reported_usd", "prices"]
    (message,) = made["messages"]
    assert message["lines"] == [{"stream": "main.jsonl", "line": 7, "offset": 0}]
    assert message["rates"] == {"input": 4, "output": 20, "cache_write_5m": 5, "cache_write_1h": 8, "cache_read": 0.2}
    assert message["counted_in"] == "c" and message["cost_usd"] == pytest.approx(0.000888)
