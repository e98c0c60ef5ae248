"""Tests that each message gets the same owner in any order of reading."""

import random

from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from chorus.core.conversation.tokens import Tokens
from chorus.core.spending.ownership import Account, assign_owners, forks, merge_copies, spent
from chorus.core.spending.rows import Usage
from chorus.core.spending.sums import prompt_over
from chorus.testing.builders import Session
from chorus.testing.builders.lines import Clock, usage
from tests.core.spending.books import books_of

usages = st.builds(
    Usage,
    message=st.sampled_from(["m1", "m2", "m3", "m4"]),
    thread=st.sampled_from(["", "a1", "call:t"]),
    at=st.sampled_from([None, "2026-01-05T09:00:00.000Z", "2026-01-06T10:20:00.000Z"]),
    model=st.sampled_from([None, "claude-opus-5", "claude-sonnet-5"]),
    tier=st.sampled_from([None, "standard", "batch"]),
    tokens=st.builds(Tokens, *[st.integers(0, 300_000)] * 4, *[st.integers(0, 9)] * 4),
    is_lower_bound=st.booleans(),
    start_digest=st.sampled_from([0, 1, 2]),
)
accounts = st.lists(
    st.builds(
        Account,
        conversation=st.sampled_from(["c1", "c2", "c3"]),
        started_at=st.sampled_from([None, "2026-01-05T08:00:00.000Z", "2026-01-05T09:00:00.000Z"]),
        usages=st.lists(usages, max_size=5),
    ),
    max_size=6,
)


@given(accounts, st.randoms(use_true_random=False))
def test_any_order_of_accounts_gives_the_same_rows(found: list[Account], chance: random.Random) -> None:
    """Reading conversations and their messages in any order gives the same rows."""
    shuffled = [
        Account(each.conversation, each.started_at, chance.sample(each.usages, len(each.usages))) for each in found
    ]
    chance.shuffle(shuffled)

    assert spent(assign_owners(shuffled).values()) == spent(assign_owners(found).values())


@given(accounts)
def test_an_account_in_two_parts_is_the_same_account(found: list[Account]) -> None:
    """Reading a conversation in several parts gives the same rows as reading it at once."""
    parts = [Account(each.conversation, each.started_at, [usage]) for each in found for usage in each.usages]

    assert spent(assign_owners(parts).values()) == spent(assign_owners(found).values())


@given(accounts, accounts)
def test_another_conversation_changes_no_sum_by_saying_something_else(
    found: list[Account], others: list[Account]
) -> None:
    """A conversation with other text under the same message id is counted separately and changes no other sum.

    This is true for any usage and any start time.
    """
    forged = [
        Account(
            "forged",
            each.started_at,
            [structs.replace(usage, start_digest=usage.start_digest + 100) for usage in each.usages],
        )
        for each in others
    ]

    rows = [row for row in spent(assign_owners([*forged, *found]).values()) if row.conversation != "forged"]

    assert rows == spent(assign_owners(found).values())


@given(accounts)
def test_another_conversation_raises_no_figure_that_is_final(found: list[Account]) -> None:
    """A final figure counts unchanged, in its own conversation or in another one that reports the same message."""
    settled = assign_owners(found)
    told: dict[tuple[str, str], list[Usage]] = {}
    for account in found:
        for each in account.usages:
            told.setdefault((account.conversation, each.message), []).append(each)
    for (conversation, message), copies in told.items():
        own = [Account(conversation, None, copies)]
        counted = settled.of(conversation, message)
        assert counted is not None
        if not all(each.is_lower_bound for each in copies):
            (alone,) = assign_owners(own).values()
            assert counted.usage.tokens == alone.usage.tokens


@given(accounts)
def test_the_owner_is_the_first_to_start(found: list[Account]) -> None:
    """The owner is the conversation that started first, then the first by name; one without a time comes last."""
    settled = assign_owners(found)
    holders: dict[int, list[Account]] = {}
    for account in found:
        for message in {each.message for each in account.usages}:
            holders.setdefault(id(settled.of(account.conversation, message)), []).append(account)
    for each in settled.values():
        first = min(holders[id(each)], key=lambda a: (a.started_at or "~", a.conversation))
        assert each.conversation == first.conversation


def fork_of(source: Session, session_id: str) -> Session:
    """Builds a fork as clients write it: all lines are copied, with the same ids and times, to another session."""
    fork = Session(session_id, clock=Clock("2026-01-05T12:00:00.000Z"))
    for line in source.lines:
        fork.add({**line, "sessionId": fork.id})
    return fork


def test_a_fork_spends_only_what_is_its_own():
    """What a fork copied belongs to the conversation from which it was forked."""
    source = Session()
    source.user("go")
    source.assistant("done", message_id="m1", tokens=usage(said=30))
    fork = fork_of(source, "f0")
    fork.assistant("more", message_id="m2", tokens=usage(said=5))
    one, two = "w/main/a", "w/main/b"

    books = books_of({one: source, two: fork})

    assert {row.conversation: row.tokens.output for row in books.spent} == {one: 30, two: 5}
    assert [name for name, facts in books.facts.items() if facts.is_fork] == [two]


def test_a_copy_that_knows_more_raises_the_owners_count():
    """A copy with the final figure replaces the placeholder of the owner.

    A fork made by a newer client may contain such a copy.
    """
    one = Account("a", "2026-01-01T00:00:00.000Z", [Usage("m", "", None, None, None, Tokens(output=1), True)])
    two = Account("b", "2026-01-02T00:00:00.000Z", [Usage("m", "", None, "claude-x", None, Tokens(output=9))])

    (row,) = spent(assign_owners([two, one]).values())

    assert (row.conversation, row.tokens.output, row.model, row.lower_bounds) == ("a", 9, "claude-x", 0)


def test_a_copy_that_says_something_else_is_another_message():
    """A message with the same id but other content does not change what the other conversation used.

    Neither an earlier start nor a larger figure makes a difference.
    """
    when = "2026-01-02T00:00:00.000Z"
    honest = Account("a", when, [Usage("m", "", when, "claude-x", None, Tokens(output=9), start_digest=1)])
    words = Account(
        "b", "2025-01-01T00:00:00.000Z", [Usage("m", "", when, "claude-x", None, Tokens(output=9), start_digest=2)]
    )
    figure = Account(
        "c", "2025-01-01T00:00:00.000Z", [Usage("m", "", when, "claude-x", None, Tokens(output=10**6), start_digest=1)]
    )

    settled = assign_owners([words, figure, honest])

    assert {row.conversation: row.tokens.output for row in spent(settled.values())} == {"a": 9, "b": 9, "c": 10**6}
    assert forks([honest, words, figure], settled) == frozenset()


def test_copies_within_one_conversation_make_no_fork():
    """Two streams of one conversation with the same message are not a fork."""
    both = [Account("a", None, [Usage("m", "", None, None, None, Tokens())])] * 2

    assert forks(both, assign_owners(both)) == frozenset()


def test_rows_are_distinguished_by_all_that_a_price_or_report_needs():
    """Rows differ by time, thread, model, tier, prompt length, and whether the usage comes from turns."""
    base = Usage("m", "", "2026-01-05T09:14:59.999Z", "x", None, Tokens(input=1))
    others = [
        Usage("m1", "", "2026-01-05T09:00:00.000Z", "x", None, Tokens(input=1)),
        Usage("m2", "", "2026-01-05T09:15:00.000Z", "x", None, Tokens(input=1)),
        Usage("m3", "a1", "2026-01-05T09:14:00.000Z", "x", None, Tokens(input=1)),
        Usage("m4", "", "2026-01-05T09:14:00.000Z", "y", None, Tokens(input=1)),
        Usage("m5", "", "2026-01-05T09:14:00.000Z", "x", "batch", Tokens(input=1)),
        Usage("m6", "", "2026-01-05T09:14:00.000Z", "x", None, Tokens(input=100_001)),
        Usage("m7", "", "2026-01-05T09:14:00.000Z", "x", None, Tokens(input=1), is_per_turn=True),
        Usage("m8", "", None, "x", None, Tokens(input=1)),
    ]

    rows = spent(assign_owners([Account("c", None, [base, *others])]).values())

    assert sorted(row.messages for row in rows) == [1] * 7 + [2]
    assert {row.quarter for row in rows} == {"", "2026-01-05T09:00", "2026-01-05T09:15"}


def test_the_length_of_a_prompt_is_all_that_the_model_was_given():
    """The length of a prompt is the sum of input, cache reads and cache writes.

    A turn reports many prompts, so it has no prompt length.
    """
    assert prompt_over(Tokens(input=100_000)) == 0
    assert prompt_over(Tokens(input=1, cache_read=100_000)) == 100_000
    assert prompt_over(Tokens(input=1, cache_read=100_000, cache_creation=100_000)) == 200_000
    turn = Usage("t", "", None, None, None, Tokens(input=900_000), is_per_turn=True)
    assert [row.prompt_over for row in spent([merge_copies([("", "c", turn)])])] == [0]
