"""Tests the calls without a result against a list that is searched completely."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from chorus.core.conversation.items import Order
from chorus.core.conversation.open_calls import OpenCalls

_ORDERS = st.integers(0, 6).map(lambda n: ("2026-01-05", n, "", 0, 0))
_CALLS = st.sampled_from("abcdefgh")
_STEPS = st.lists(
    st.tuples(st.just("add"), _CALLS, _ORDERS)
    | st.tuples(st.just("discard"), _CALLS, _ORDERS)
    | st.tuples(st.just("remove before"), _CALLS, _ORDERS)
)


def _taken(steps: list[tuple[str, str, Order]]) -> tuple[OpenCalls, list[tuple[Order, str]]]:
    calls, expected = OpenCalls(), []
    for step, call, order in steps:
        match step:
            case "add":
                calls.add(call, order)
                expected = [*(each for each in expected if each[1] != call), (order, call)]
            case "discard":
                calls.discard(call)
                expected = [each for each in expected if each[1] != call]
            case _:
                calls.remove_before(order)
                expected = [each for each in expected if each[0] >= order]
    return calls, sorted(expected, key=lambda each: each[0])


@given(_STEPS, _ORDERS, st.integers(0, 4))
def test_the_newest_and_the_first_calls(steps: list[tuple[str, str, Order]], start: Order, count: int) -> None:
    """After any additions and removals, and after the state was saved and loaded, the same calls are open."""
    calls, expected = _taken(steps)
    loaded = msgspec.msgpack.decode(msgspec.msgpack.encode(calls), type=OpenCalls)

    for each in (calls, loaded):
        assert each.first(count, start) == [call for order, call in expected if order >= start][:count]
        newest = [call for order, call in expected if order == expected[-1][0]]
        assert each.newest == (newest[0] if newest else None)
        assert bool(each) == bool(expected)


def test_the_calls_of_one_message_are_not_walked_over() -> None:
    """The first calls are found without looking at the others."""
    calls = OpenCalls()
    for number in range(1_000):
        calls.add(f"t{number}", ("", number // 500, "", 0, 0))

    assert calls.first(2, ("", 1, "", 0, 0)) == ["t500", "t501"]
    assert calls.newest == "t500"
