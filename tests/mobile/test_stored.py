"""Tests what a client has after each frame, in memory and in a file."""

import json

import pytest

from chorus.mobile import Store, Stored
from chorus.mobile.frames import decode_frame
from chorus.mobile.store import NAME
from chorus.mobile.stored import MAX_KNOWN, OutOfStep


def frame(*messages, since=None, seq=None):
    return decode_frame(json.dumps({"since": since, "seq": seq, "messages": messages, "invented": 1}))


def sent(name, content, revision, conversation="w/a/s", **more):
    message = {"type": "claude_response", "content": content, "inventedField": [1]}
    address = {"conversation": conversation, "id": name, "revision": revision, "isPartial": False}
    return {**address, "message": message, **more}


def bare(**message):
    return {"conversation": None, "id": None, "revision": None, "isPartial": False, "message": message}


def hello(epoch="e1", seq=0, *, is_reset=False):
    return frame(bare(type="hello", epoch=epoch, seq=seq, isReset=is_reset))


def greeted(**more):
    stored = Stored()
    stored.take(hello(**more))
    return stored


def test_a_message_replaces_the_one_with_its_id():
    """A changed message is new, the same one is not, and what is only being written is not stored."""
    stored = greeted()
    first = stored.take(frame(sent("a", "one", "r1"), since=0, seq=3))
    same = stored.take(frame(sent("a", "one", "r1"), sent("b", "par", "r5", isPartial=True), since=3, seq=4))
    changed = stored.take(frame(sent("a", "two", "r2"), since=4, seq=9))

    assert [each.message["content"] for each in first + same + changed] == ["one", "par", "two"]
    assert [each.message["content"] for each in stored.of("w/a/s")] == ["two"]
    assert (stored.epoch, stored.seq, stored.known()) == ("e1", 9, {"w/a/s a": "r2"})
    assert stored.of("w/a/s")[0].message["inventedField"] == [1]


def test_a_step_that_does_not_fit_changes_nothing():
    """A step that begins elsewhere, or comes before any `hello`, is refused as a whole."""
    stored = greeted(seq=7)
    for target, step in [(stored, frame(sent("a", "x", "r"), since=6, seq=8)), (Stored(), frame(since=0, seq=1))]:
        with pytest.raises(OutOfStep):
            target.take(step)
    assert (stored.seq, stored.messages) == (7, {})


def test_after_a_reset_everything_is_asked_for_again():
    """A reset drops messages and lists, and notes whose messages are missing; a gap notes its conversation."""
    stored = greeted()
    row = {"conversation": "w/a/s", "title": "x"}
    stored.take(frame(sent("a", "one", "r1"), bare(type="session_list", sessions=[row], gone=[], isWhole=True)))
    stored.take(hello("e2", 40, is_reset=True))
    stored.take(frame(bare(type="gap", conversation="w/a/t")))

    assert (stored.messages, stored.sessions, stored.epoch, stored.seq) == ({}, {}, "e2", 40)
    assert stored.incomplete == {"w/a/s", "w/a/t"}


def test_the_list_of_conversations_is_kept_up_to_date():
    """A whole list replaces the one before; another one changes rows and removes those that are gone."""
    stored = greeted()
    rows = [{"conversation": name, "title": name} for name in ("a", "b")]
    stored.take(frame(bare(type="session_list", sessions=[{"conversation": "old"}], gone=[], isWhole=True)))
    stored.take(frame(bare(type="session_list", sessions=rows, gone=[], isWhole=True)))
    changed = [{"conversation": "b", "title": "B"}]
    stored.take(frame(bare(type="session_list", sessions=changed, gone=["a", "never"], isWhole=False)))

    assert stored.sessions == {"b": {"conversation": "b", "title": "B"}}


@pytest.mark.parametrize("length", [10, 300])
def test_the_known_revisions_fit_into_a_message(length):
    """Of many messages the last ones are named, in order: at most 300, and no more than a message has room for."""
    stored = greeted()
    names = [f"{n}{'x' * length}" for n in range(500)]
    stored.take(frame(*(sent(name, "x", "0123456789ab") for name in names)))

    known = list(stored.known())
    assert known == [f"w/a/s {name}" for name in names[-len(known) :]]
    assert len(known) <= MAX_KNOWN and len(json.dumps(stored.known())) < 30_000
    assert len(known) == MAX_KNOWN if length == 10 else len(known) > 50


def test_a_file_gives_back_what_was_stored(tmp_path):
    """After any number of frames, and with a last line that was cut off, a new store has what was confirmed."""
    store = Store(tmp_path / "phone")
    store.take(hello(seq=4))
    store.take(frame(sent("a", "one", "r1"), since=4, seq=5))
    store.note_incomplete({"w/a/t"})
    Store(tmp_path / "phone")
    store.take(frame(sent("b", "two", "r2"), since=5, seq=6))
    file = tmp_path / "phone" / NAME
    whole = file.read_bytes()
    store.take(frame(sent("c", "three", "r3"), since=6, seq=7))
    file.write_bytes(whole + file.read_bytes()[len(whole) :][:-9])

    again = Store(tmp_path / "phone").stored
    assert (again.seq, again.incomplete) == (6, {"w/a/t"})
    assert [each.message["content"] for each in again.of("w/a/s")] == ["one", "two"]
    assert file.stat().st_mode & 0o077 == 0


def test_a_file_does_not_grow_for_ever(tmp_path, monkeypatch):
    """A file with many changes of the same messages is written again from its state, and nothing is lost."""
    monkeypatch.setattr("chorus.mobile.store._COMPACT_BYTES", 2_000)
    store = Store(tmp_path)
    store.take(hello())
    for n in range(200):
        store.take(frame(sent("a", "x" * 50, f"r{n}"), since=n, seq=n + 1))

    assert (tmp_path / NAME).stat().st_size < 4_000
    assert (Store(tmp_path).stored.seq, Store(tmp_path).stored.known()) == (200, {"w/a/s a": "r199"})
