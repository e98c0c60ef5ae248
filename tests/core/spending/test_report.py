"""Tests of the lines of a report and the definition of every number."""

from datetime import UTC, date, timedelta, timezone
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chorus.core.conversation.tokens import Tokens
from chorus.core.spending.books import Books, Facts
from chorus.core.spending.grouping import GROUPINGS
from chorus.core.spending.rates import Prices
from chorus.core.spending.report import report
from chorus.core.spending.rows import Reported, Spent

PRICES = Prices.load()
OPUS, SONNET = "claude-opus-5", "claude-sonnet-5"
MILLION = 1_000_000


def spent(
    conversation="w/main/a",
    *,
    model=OPUS,
    quarter="2026-02-03T04:15",
    tokens=None,
    thread="",
    is_per_turn=False,
    messages=1,
    lower_bounds=0,
):
    tokens = tokens or Tokens(input=MILLION)
    return Spent(conversation, thread, quarter, model, None, 0, is_per_turn, tokens, messages, lower_bounds)


def said(usd, conversation="w/main/a", *, quarter="2026-02-03T04:15", source="turns"):
    return Reported(conversation, quarter, usd, source)


def books(*rows, reported=(), forks=()):
    names = {row.conversation for row in (*rows, *reported)}
    facts = {
        name: Facts(
            name.split("/")[2],
            name.split("/")[0],
            name.split("/")[0].upper(),
            name.split("/")[1],
            f"Talk {name}",
            is_fork=name in forks,
        )
        for name in names
    }
    return Books(list(rows), list(reported), facts)


def lines(*rows, by="day", zone=UTC, reported=(), forks=(), **days):
    made = report(books(*rows, reported=reported, forks=forks), PRICES, by=by, zone=zone, **days)
    return {row.key: row for row in made.rows}, made.total


def test_the_shape_is_fixed():
    """The documented keys come first and in order, and more keys may follow."""
    made = report(books(spent(), reported=[said(4.0)]), PRICES, by="day", zone=UTC).as_json()
    (row,) = made["rows"]

    assert list(made)[:3] == ["rows", "total", "prices"]
    assert list(row)[:6] == ["key", "tokens", "cost_usd", "reported_usd", "messages", "notes"]
    assert row["tokens"] == {"input": MILLION, "output": 0, "cache_creation": 0, "cache_read": 0}
    assert (row["key"], row["cost_usd"], row["reported_usd"], row["messages"]) == ("2026-02-03", 5.0, 4.0, 1)
    assert list(made["total"])[:2] == ["tokens", "cost_usd"] and made["prices"]["dated"] == PRICES.dated


def test_days_are_those_of_the_reader():
    """A quarter hour before midnight in UTC belongs to the next day further east."""
    rows = (spent(quarter="2026-02-03T22:45"), spent(quarter="2026-02-03T23:45"))

    assert list(lines(*rows)[0]) == ["2026-02-03"]
    assert list(lines(*rows, zone=timezone(timedelta(hours=1)))[0]) == ["2026-02-03", "2026-02-04"]


@pytest.mark.parametrize(
    ("by", "keys"),
    [
        ("day", ["2026-01-31", "2026-02-01"]),
        ("week", ["2026-W05"]),
        ("month", ["2026-01", "2026-02"]),
        ("model", [OPUS, SONNET]),
        ("workspace", ["w"]),
        ("conversation", ["a", "b"]),
        ("agent", ["main", "main/sub-agents"]),
    ],
)
def test_every_grouping_has_its_keys(by, keys):
    """Periods are sorted by time and all other groups by cost, and sub-agents have a line beside their agent."""
    rows = (
        spent("w/main/a", quarter="2026-01-31T12:00", tokens=Tokens(input=3 * MILLION)),
        spent("w/main/b", quarter="2026-02-01T12:00", model=SONNET, thread="a1"),
    )

    found, total = lines(*rows, by=by)

    assert list(found) == keys
    assert sum(row.input for row in found.values()) == total.input == 4 * MILLION
    assert total.cost_usd == 15 + 2


def test_sub_agents_count_for_their_conversation():
    """Sub-agents count for their conversation in every grouping except the grouping by agent."""
    found, _ = lines(spent(), spent(thread="a1"), by="conversation")

    assert {key: row.cost_usd for key, row in found.items()} == {"a": 10}


def test_an_unknown_model_is_named_and_costs_nothing_known():
    """The cost of an unknown model is None, not 0.

    Together with priced models the cost is the sum of those, and a note says what is missing.
    """
    alone, total = lines(spent(model="claude-x"))
    both, _ = lines(spent(model="claude-x"), spent())

    assert alone["2026-02-03"].cost_usd is None and total.cost_usd is None
    assert alone["2026-02-03"].notes == ["no price for claude-x: 1 message not in the cost"]
    assert both["2026-02-03"].cost_usd == 5 and both["2026-02-03"].unpriced == {"no price for claude-x": 1}


def test_lower_bounds_are_counted():
    """A row says how many of its messages have no final output count."""
    found, _ = lines(spent(messages=9, lower_bounds=3))

    assert found["2026-02-03"].notes == ["3 messages with an output count that is a lower bound"]


def test_turns_are_no_messages():
    """Usage from turns is counted and noted, but not among the messages."""
    found, _ = lines(spent(is_per_turn=True, messages=2))

    assert (found["2026-02-03"].messages, found["2026-02-03"].input) == (0, MILLION)
    assert found["2026-02-03"].notes == ["2 turns counted from their results"]


def test_the_reported_figure_stands_beside_the_computed_one():
    """The reported cost is shown beside the computed cost, with its source and the difference."""
    found, total = lines(spent(), reported=[said(1.5), said(3.0)])

    row = found["2026-02-03"]
    assert (row.cost_usd, row.reported_usd, row.difference_usd) == (5, 4.5, 0.5)
    assert row.notes == ["reported by turns of 1 conversation"] == total.notes


def test_only_conversations_that_report_are_compared():
    """A conversation that reports no cost is not part of the difference."""
    found, _ = lines(spent("w/main/a"), spent("w/main/b"), reported=[said(4.0, "w/main/a")])

    row = found["2026-02-03"]
    assert (row.cost_usd, row.reported_usd, row.difference_usd) == (10, 4, 1)


def test_a_gap_in_the_prices_leaves_no_difference():
    """If a price is unknown, the difference is unknown too."""
    found, _ = lines(spent(), spent(model="claude-x"), reported=[said(4.0)])

    assert found["2026-02-03"].difference_usd is None


@pytest.mark.parametrize("by", ["model", "agent"])
def test_no_share_of_a_model_is_reported(by):
    """The client reports figures of whole conversations, so only the total has them, and not a model or an agent."""
    found, total = lines(spent(), reported=[said(4.0)], by=by)

    (row,) = found.values()
    assert row.reported_usd is None and row.difference_usd is None
    assert f"the client reports no share of one {by}" in row.notes
    assert (total.reported_usd, total.difference_usd) == (4.0, 1.0)


def test_a_forks_total_is_left_out_and_that_is_said():
    """The reported total of a fork is left out with a note, because it includes the cost of its source."""
    rows = (spent("w/main/a"), spent("w/main/b"))
    reported = [said(5.0, "w/main/a", source="cost-state"), said(10.0, "w/main/b", source="cost-state")]

    found, total = lines(*rows, reported=reported, forks=["w/main/b"], by="conversation")

    assert (total.reported_usd, total.difference_usd) == (5.0, 0.0)
    assert (found["b"].reported_usd, found["b"].difference_usd) == (None, None)
    assert found["b"].notes == ["1 fork: a reported total that includes its source's cost is left out"]


def test_a_fork_of_which_a_part_is_left_out_is_not_compared():
    """A fork with a partly excluded total is not compared, because its cost and its increments cover different work."""
    reported = [said(9.0, source="first-turn"), said(1.0)]

    _, total = lines(spent(), reported=reported, forks=["w/main/a"])

    assert (total.reported_usd, total.difference_usd) == (1.0, None)


def test_a_period_can_be_asked_for():
    """A period includes both its first and its last day, and excludes usage without a time."""
    rows = [spent(quarter=f"2026-02-0{day}T12:00") for day in range(1, 6)] + [spent(quarter="")]
    reported = [said(1.0, quarter="2026-02-03T12:00"), said(1.0, quarter="2026-02-05T12:00")]

    found, total = lines(*rows, reported=reported, since=date(2026, 2, 2), until=date(2026, 2, 4))

    assert list(found) == ["2026-02-02", "2026-02-03", "2026-02-04"]
    assert (total.cost_usd, total.reported_usd) == (15, 1.0)
    assert list(lines(*rows)[0])[-1] == "unknown"


def test_a_conversation_has_a_title():
    """The line of a conversation has its title, the id that other commands use, and its workspace."""
    (row,) = report(books(spent()), PRICES, by="conversation", zone=UTC).as_json()["rows"]

    assert (row["key"], row["title"], row["workspace"]) == ("a", "Talk w/main/a", "w")


def test_nothing_spent_is_an_empty_report():
    """A report without usage has no rows and no cost, but still the date of the prices."""
    made = report(Books([], [], {}), PRICES, by="day", zone=UTC).as_json()

    assert (made["rows"], made["total"]["cost_usd"], made["total"]["messages"]) == ([], None, 0)


rows_of_books = st.lists(
    st.builds(
        spent,
        st.sampled_from(["w/main/a", "w/main/b", "v/main/c"]),
        model=st.sampled_from([OPUS, SONNET, "claude-x", None]),
        quarter=st.sampled_from(["", "2026-02-03T04:15", "2026-02-03T23:45", "2026-03-01T00:00"]),
        tokens=st.builds(Tokens, *[st.integers(0, 10**7)] * 4),
        thread=st.sampled_from(["", "a1"]),
        lower_bounds=st.integers(0, 1),
    ),
    max_size=12,
)
figures_of_books = st.lists(
    st.builds(
        said,
        st.floats(0, 100),
        st.sampled_from(["w/main/a", "w/main/b"]),
        source=st.sampled_from(["turns", "first-turn", "cost-state", "messages"]),
    ),
    max_size=6,
)


@given(rows_of_books, figures_of_books, st.randoms(use_true_random=False))
def test_the_order_of_rows_makes_no_difference(rows, figures, chance):
    """Any order of the rows gives the same report to the last digit."""
    before = [report(books(*rows, reported=figures), PRICES, by=by, zone=UTC).as_json() for by in GROUPINGS]
    chance.shuffle(rows)
    chance.shuffle(figures)

    assert before == [report(books(*rows, reported=figures), PRICES, by=by, zone=UTC).as_json() for by in GROUPINGS]


def test_many_costs_are_added_exactly():
    """The sum of many costs does not depend on the order of addition, not even in its last digit."""
    chance = Random(7)
    rows = [spent(tokens=Tokens(*(chance.randrange(10**9) for _ in range(4)))) for _ in range(500)]
    totals = set()
    for _ in range(20):
        chance.shuffle(rows)
        totals.add(lines(*rows)[1].cost_usd)

    assert len(totals) == 1


@given(rows_of_books, figures_of_books)
def test_every_grouping_adds_up_to_the_same_total(rows, figures):
    """Every grouping adds up to the same total."""
    made = [report(books(*rows, reported=figures), PRICES, by=by, zone=UTC) for by in GROUPINGS]

    for each in made:
        assert each.total.figures() == made[0].total.figures()
        assert sum(row.output for row in each.rows) == each.total.output
        assert sum(row.cost_usd or 0 for row in each.rows) == pytest.approx(each.total.cost_usd or 0)
        if each.by not in ("model", "agent"):
            assert sum(row.reported_usd or 0 for row in each.rows) == pytest.approx(each.total.reported_usd or 0)
