"""One entry of the registry: what it says, and that nothing in it raises."""

import json

from hypothesis import given
from hypothesis import strategies as st

from chorus.steer.clients.registry_entry import LONGEST_TEXT, read_entry
from tests.steer.clients.entries import SESSION, entry

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
FIELDS = ("pid", "sessionId", "status", "waitingFor", "cwd", "startedAt", "procStart", "pidDomain", "name")


def tried(made, pid=7):
    return read_entry(json.dumps(made).encode(), pid)


def read(made):
    found = tried(made)
    assert found is not None
    return found


def test_what_a_client_says():
    """An entry tells the session, where it works, and what it waits for."""
    found = read(entry(7, status="waiting", waitingFor="permission prompt"))

    assert (found.session, found.pid, found.cwd, found.version) == (SESSION, 7, "/home/dev/harbour", "2.1.325")
    assert (found.status, found.waiting_for) == ("waiting", "permission prompt")
    assert (found.started_at_ms, found.entrypoint) == (1794705719927, "cli")


def test_only_who_waits_waits_for_something():
    """What is left of an earlier question is nothing once the client is at work."""
    assert read(entry(7, status="busy", waitingFor="permission prompt")).waiting_for is None


def test_a_status_that_nobody_knows_is_idle():
    """A word of a later client, or something that is no word, alarms nobody."""
    assert [read(entry(7, status=each)).status for each in ("dancing", 3, ["waiting"])] == ["idle"] * 3


def test_an_entry_of_another_process_is_none():
    """The name of the file and the entry must agree; a session has an id of the client's form."""
    assert tried(entry(8)) is None
    assert tried(entry(7, sessionId="../../etc/passwd")) is None
    assert tried({"pid": True, "sessionId": SESSION}, 1) is None


def test_long_texts_are_cut():
    """Whatever a client is called, its name stays short enough to be told."""
    assert read(entry(7, name="x" * 60_000)).name == "x" * LONGEST_TEXT


@given(st.binary(max_size=200))
def test_no_bytes_raise(data):
    """Garbage is no entry."""
    assert read_entry(data, 7) is None


@given(st.dictionaries(st.sampled_from(FIELDS), anything))
def test_no_values_raise(changes):
    """Fields of any shape give an entry or none."""
    tried({**entry(7), **changes})


def test_depth_does_not_raise():
    """Nesting beyond any limit is no entry."""
    assert read_entry(b'{"pid":7,"sessionId":' + b"[" * 100_000, 7) is None
