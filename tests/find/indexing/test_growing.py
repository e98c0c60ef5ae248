"""Tests that the index ends the same, however a conversation came into the vault and the index."""

from random import Random

import msgspec
import pytest

from chorus.find.index.memory import MemoryIndex
from chorus.find.index.rows import PARTIAL
from chorus.find.index.sqlite.index import SqliteIndex
from chorus.find.indexing.open_conversation import OpenConversation
from chorus.find.indexing.saved_conversation import VERSION, Saved
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.memory import MemoryVault
from chorus.testing.builders import Run, Session
from chorus.testing.indexes import NEVER, SEEN_AT, WORKSPACE, snapshot, whole
from tests.core.conversation.talks import Talk
from tests.find.indexing.growing import grow, pieces_of, the_only

SEEDS = range(60)


def reference(talk, session_id):
    """Returns the index of the whole conversation, which was indexed at once."""
    vault, index = MemoryVault(), MemoryIndex()
    for key, lines in pieces_of(talk, session_id).items():
        vault.append(key, b"".join(lines), seen_at="2026-03-01T12:00:00.000Z")
    index.write(whole(vault))
    return index


@pytest.mark.parametrize("seed", SEEDS)
def test_pieces_in_any_order_end_as_the_whole(seed):
    """Streams that grow a few lines at a time, in any order, give the same index as all lines at once."""
    talk, random = Talk(seed, steps=25), Random(seed)
    session_id = talk.file.id
    vault, index = MemoryVault(), MemoryIndex()
    pieces = pieces_of(talk, session_id)
    opened = None
    while grow(vault, pieces, random):
        kept = the_only(vault)
        opened = opened or OpenConversation(vault, kept)
        index.write(opened.writings(kept, saved_since=NEVER))
    name = the_only(vault).name

    assert snapshot(index, [name]) == snapshot(reference(talk, session_id), [name])


@pytest.mark.parametrize("seed", SEEDS)
def test_another_process_goes_on_from_what_was_saved(seed, tmp_path, monkeypatch):
    """A process that resumes from a saved state at any point, with the entries of the index, gives the same index."""
    talk, random = Talk(seed, steps=25), Random(seed)
    monkeypatch.setattr("chorus.find.indexing.open_conversation.SAVE_EVERY", random.choice((1, 5, 20)))
    session_id = talk.file.id
    vault, index = MemoryVault(), SqliteIndex.build(tmp_path)
    pieces = pieces_of(talk, session_id)
    opened = None
    resumed = 0
    while grow(vault, pieces, random):
        kept = the_only(vault)
        if opened is None or random.random() < 0.5:
            opened = OpenConversation.resume(vault, kept, index.state(kept.name), index.all_entries(kept.name))
            resumed += opened is not None
            opened = opened or OpenConversation(vault, kept)
        index.write(opened.writings(kept, saved_since=""))
    name = the_only(vault).name

    assert snapshot(index, [name]) == snapshot(reference(talk, session_id), [name])
    assert resumed or not talk.file.lines
    index.close()


def test_a_block_that_was_being_written_is_not_left_behind():
    """A resumed reader that finds the full line of an unfinished block replaces it, so only the full block remains."""
    session = Session()
    run = Run(ids=session.ids)
    vault, index = MemoryVault(), MemoryIndex()

    def kept_with(source, stream):
        vault.append(StreamKey(WORKSPACE, "main", session.id, stream), source, seen_at=SEEN_AT)
        vault.flush()
        return the_only(vault)

    def kinds():
        return sorted(part.kind for entry in index.all_entries(kept.name) for part in entry.parts)

    session.user("go")
    before = bytes(session)
    kept = kept_with(before, "session")
    opened = OpenConversation(vault, kept)
    index.write(opened.writings(kept, saved_since=""))
    message = session.ids.message()
    run.streamed("Wor", "king", message_id=message)
    kept = kept_with(bytes(run), "stdout")
    index.write(opened.writings(kept, saved_since=""))
    assert kinds() == [PARTIAL, "text"]

    session.assistant("Working", message_id=message, stop="end_turn")
    kept = kept_with(bytes(session)[len(before) :], "session")
    resumed = OpenConversation.resume(vault, kept, index.state(kept.name), index.all_entries(kept.name))
    assert resumed is not None
    index.write(resumed.writings(kept, saved_since=""))

    assert kinds() == ["text", "text"]


def test_a_state_of_another_version_is_not_gone_on_from():
    """A saved state that cannot be understood is ignored, and the conversation is read from its start."""
    talk = Talk(3, steps=25)
    vault = MemoryVault()
    for key, lines in pieces_of(talk, talk.file.id).items():
        vault.append(key, b"".join(lines), seen_at="2026-03-01T12:00:00.000Z")
    kept = the_only(vault)
    opened = OpenConversation(vault, kept)
    list(opened.writings(kept, saved_since=""))
    good = opened.save()
    assert good is not None and OpenConversation.resume(vault, kept, good, iter(())) is not None
    other = msgspec.structs.replace(msgspec.msgpack.decode(good, type=Saved), version=VERSION + 1)

    for saved in (None, b"", b"\xc1", b"\x94\x63\xc4\x00\x80\x90", good[:-1], msgspec.msgpack.encode(other)):
        assert OpenConversation.resume(vault, kept, saved, iter(())) is None
