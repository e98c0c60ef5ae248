"""Tests of messages over many streams: they are counted once, merged in any order, and take little memory."""

import sys
import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from chorus.core.conversation.items import Tokens
from chorus.lab.census.messages import Messages, digest

NAMES = st.sampled_from(["m1", "m2", "m3"])
MODELS = st.sampled_from([None, "opus", "sonnet", "<synthetic>"])
COUNTS = st.integers(-5, 1 << 70)
EVENTS = st.lists(st.tuples(NAMES, st.one_of(MODELS, st.tuples(COUNTS, COUNTS, COUNTS, COUNTS))))


def messages_of(events):
    made = Messages()
    for name, event in events:
        made.used(name, Tokens(*event)) if isinstance(event, tuple) else made.saw(name, event)
    return made


def facts(messages):
    return len(messages), messages.models(), messages.tokens()


@given(EVENTS, EVENTS)
def test_merging_is_counting_in_any_order(first, second):
    """However the events are split between two counts, and in either order of merging, the numbers are the same."""
    forth, back = messages_of(first), messages_of(second)
    forth.merge(messages_of(second))
    back.merge(messages_of(first))

    assert facts(forth) == facts(back) == facts(messages_of([*first, *second]))


def test_only_tokens_make_no_message():
    """A sub-agent's message of which only the tokens are known is not counted until one of its lines is read."""
    messages = Messages()
    messages.used("m1", Tokens(1, 2, 3, 4))
    assert (len(messages), messages.tokens()) == (0, Tokens(1, 2, 3, 4))

    messages.saw("m1", None)
    assert (len(messages), messages.models()) == (1, {})


def test_a_digest_is_the_same_in_every_process():
    """Counts of several processes can be merged, because the key does not depend on the process."""
    assert digest("msg_1") == 0x9D6A8D272FD50644


def test_a_message_takes_less_than_200_bytes():
    """The memory for each message over all files stays small."""
    tracemalloc.start()
    messages = Messages()
    for n in range(20_000):
        messages.used(f"msg_{n}", Tokens(n, n, n, n))
        messages.saw(f"msg_{n}", "opus")
    kept = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()

    assert kept / 20_000 < 200, sys.version
