"""Tests of a recording that is played with another session id."""

from chorus.lab.fake_claude.lines import read_all
from chorus.lab.fake_claude.naming import Naming, with_request_id, with_string
from chorus.testing.builders import Run

NEW = "99999999-9999-4999-8999-999999999999"


def test_ids_are_replaced_and_nothing_else():
    """The session id in every spelling and the lines' uuids change; the same text inside a message does not."""
    run = Run()
    run.assistant(f'I said "session_id":"{run.id}" and {run.id}')
    run.add({"type": "user", "sessionId": run.id, "uuid": "not a uuid", "parentUuid": run.lines[0]["uuid"]})
    before = [line.value for line in read_all(bytes(run))]
    naming = Naming(run.id, NEW, [line["uuid"] for line in before], "salt")

    after = [line.value for line in read_all(naming.rename(bytes(run)))]

    assert after[0]["session_id"] == after[1]["sessionId"] == NEW
    assert after[0]["message"] == before[0]["message"]
    assert after[1]["parentUuid"] == after[0]["uuid"] != before[0]["uuid"]
    assert len(after[0]["uuid"]) == 36


def test_another_process_has_other_uuids():
    """Two runs with the same new session id share no uuid."""
    run = Run()
    run.init()
    uuids = [line["uuid"] for line in run.lines]

    first, second = (Naming(run.id, NEW, uuids, salt).rename(bytes(run)) for salt in ("one", "two"))

    assert first != second


def test_under_its_own_id_a_recording_is_verbatim():
    """With its own session id, a recording does not change."""
    run = Run()
    run.init()

    assert Naming(run.id, run.id, [run.lines[0]["uuid"]], "salt").rename(bytes(run)) == bytes(run)


def test_a_request_id_is_replaced_in_its_place():
    """Only the id of the answered request is replaced, and any new id is escaped."""
    raw = b'{"response":{"request_id" : "a","response":{"x":"a"}}}'

    assert with_request_id(raw, "a", 'b"\\') == b'{"response":{"request_id" : "b\\"\\\\","response":{"x":"a"}}}'
    assert with_request_id(raw, "a", "a") == raw
    assert with_string(b'{"uuid":"u","text":"u v"}', "u", "w") == b'{"uuid":"w","text":"u v"}'
