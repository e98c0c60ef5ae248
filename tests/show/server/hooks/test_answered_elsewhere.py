"""Tests what the registry entry of a client says about a request that the client also shows in its terminal."""

from chorus.show.server.hooks.answered_elsewhere import ELSEWHERE, ENDED, TerminalSigns
from chorus.steer.clients.registry_entry import Running

ASKED = 1_000


def client(status, since=None):
    return Running(pid=7, session="s", status=status, status_since_ms=since)


def seen(*looks):
    signs = TerminalSigns(ASKED)
    return [signs.see(look) for look in looks][-1]


def test_a_client_that_waited_and_goes_on_was_answered():
    """A request was answered elsewhere if its client waited and then did not wait in two looks in a row.

    One look is not enough, because the client may work for a moment between two prompts.
    """
    waits, works = client("waiting"), client("busy", 900)
    assert seen(waits, works) is None
    assert seen(waits, works, works) == ELSEWHERE
    assert seen(waits, works, waits, works) is None
    assert seen(waits, client("idle"), client("idle")) == ELSEWHERE


def test_a_client_that_was_answered_between_two_looks():
    """A client that became busy after the request was made had waited for it, so the request was answered."""
    works = client("busy", ASKED + 1)
    assert seen(works, works) == ELSEWHERE


def test_a_client_without_a_prompt_says_nothing():
    """A client that was busy before the request and still is says nothing about the request."""
    works = client("busy", ASKED - 1)
    assert seen(works, works, works, works) is None
    assert seen(client("busy"), client("busy"), client("busy")) is None


def test_a_sub_agent_has_no_prompt_yet():
    """While a sub-agent asks, its client waits for another prompt, so only the end of the client says something."""
    signs = TerminalSigns(ASKED, has_prompt=False)
    assert [signs.see(client(each, ASKED + 1)) for each in ("waiting", "busy", "busy", "busy")] == [None] * 4
    assert [signs.see(None), signs.see(None)] == [None, ENDED]


def test_a_client_that_is_gone():
    """When a client disappears, its requests end. A client that was never listed says nothing."""
    assert seen(client("busy"), None) is None
    assert seen(client("busy"), None, None) == ENDED
    assert seen(None, None, None) is None
