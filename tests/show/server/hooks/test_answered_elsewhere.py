"""What a client's own word says about a question that was asked elsewhere, too."""

from chorus.show.server.hooks.answered_elsewhere import ELSEWHERE, ENDED, TerminalSigns
from chorus.steer.clients.registry_entry import Running

ASKED = 1_000


def client(status, since=None):
    return Running(pid=7, session="s", status=status, status_since_ms=since)


def seen(*looks):
    signs = TerminalSigns(ASKED)
    return [signs.see(look) for look in looks][-1]


def test_a_client_that_waited_and_goes_on_was_answered():
    """Seen twice in a row: a moment of work between two prompts is not the end of them."""
    waits, works = client("waiting"), client("busy", 900)
    assert seen(waits, works) is None
    assert seen(waits, works, works) == ELSEWHERE
    assert seen(waits, works, waits, works) is None
    assert seen(waits, client("idle"), client("idle")) == ELSEWHERE


def test_a_client_that_was_answered_between_two_looks():
    """It became busy after the question was put, so it had waited for it."""
    works = client("busy", ASKED + 1)
    assert seen(works, works) == ELSEWHERE


def test_a_client_without_a_prompt_says_nothing():
    """It was at work before, and still is."""
    works = client("busy", ASKED - 1)
    assert seen(works, works, works, works) is None
    assert seen(client("busy"), client("busy"), client("busy")) is None


def test_a_sub_agent_has_no_prompt_yet():
    """What the client waits for meanwhile is another question; only its end says something."""
    signs = TerminalSigns(ASKED, has_prompt=False)
    assert [signs.see(client(each, ASKED + 1)) for each in ("waiting", "busy", "busy", "busy")] == [None] * 4
    assert [signs.see(None), signs.see(None)] == [None, ENDED]


def test_a_client_that_is_gone():
    """Its questions go with it; one that was never there tells nothing."""
    assert seen(client("busy"), None) is None
    assert seen(client("busy"), None, None) == ENDED
    assert seen(None, None, None) is None
