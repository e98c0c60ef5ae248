"""Tests of one entry of the registry: its fields are read, and no content raises an error."""

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
    """An entry gives the session, its folder and what it waits for."""
    found = read(entry(7, status="waiting", waitingFor="permission prompt"))

    assert (found.session, found.pid, found.cwd, found.version) == (SESSION, 7, "/home/dev/harbour", "2.1.325")
    assert (found.status, found.waiting_for) == ("waiting", "permission prompt")
    assert (found.started_at_ms, found.entrypoint) == (1794705719927, "cli")


def test_only_who_waits_waits_for_something():
    """The question of an earlier wait is ignored while the client is busy."""
    assert read(entry(7, status="busy", waitingFor="permission prompt")).waiting_for is None


def test_a_status_that_nobody_knows_is_idle():
    """An unknown status, or one that is no text, counts as idle."""
    assert [read(entry(7, status=each)).status for each in ("dancing", 3, ["waiting"])] == ["idle"] * 3


def test_an_entry_of_another_process_is_none():
    """The pid in the entry must match the file name, and the session id must have the client's form."""
    assert tried(entry(8)) is None
    assert tried(entry(7, sessionId="../../etc/passwd")) is None
    assert tried({"pid": True, "sessionId": SESSION}, 1) is None


def test_long_texts_are_cut():
    """A long name is cut to the maximum length."""
    assert read(entry(7, name="x" * 60_000)).name == "x" * LONGEST_TEXT


@given(st.binary(max_size=200))
def test_no_bytes_raise(data):
    """Random bytes give no entry."""
    assert read_entry(data, 7) is None


@given(st.dictionaries(st.sampled_from(FIELDS), anything))
def test_no_values_raise(changes):
    """Fields of any shape give an entry or none."""
    tried({**entry(7), **changes})


def test_depth_does_not_raise():
    """Extreme nesting gives no entry and raises no error."""
    assert read_entry(b'{"pid":7,"sessionId":' + b"[" * 100_000, 7) is None
