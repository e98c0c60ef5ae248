"""Tests how conversations of the vault are listed and found."""

import pytest

from chorus.keep.archive.listing import Kept, conversations, find
from chorus.keep.archive.stream_ends import ends
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.memory import MemoryVault
from chorus.library import files
from chorus.testing.builders.lines import SESSION_ID
from tests.keep.archive.vaults import OTHER_ID, client, forgetful, keep, talk


@pytest.fixture(params=["files", "memory"])
def vault(request, tmp_path):
    return FileVault(tmp_path / "vault") if request.param == "files" else MemoryVault()


def test_each_conversation_is_listed_once_with_all_its_streams(vault, tmp_path):
    """A conversation has its session, sub-agent and manifest streams, and its size is the sum of their sizes."""
    client(tmp_path / "claude", talk(), talk(OTHER_ID))
    keep(vault, tmp_path / "vault", tmp_path / "claude")

    first, second = conversations(vault)

    assert (first.id, second.id) == (SESSION_ID, OTHER_ID)
    assert [key.stream for key in first.keys] == ["agent-a1b2c3", "manifest", "session"]
    assert [key.stream for key in first.content] == ["agent-a1b2c3", "session"]
    assert first.workspace.startswith("work-") and first.agents == 1 and not first.is_stub
    assert all(first.sizes_bytes) and first.size_bytes == sum(first.sizes_bytes)


def test_the_beginning_of_an_id_finds_it(vault, tmp_path):
    """A prefix finds every id that begins with it, and a whole id finds its own, in upper or lower case."""
    client(tmp_path / "claude", talk(), talk(OTHER_ID))
    keep(vault, tmp_path / "vault", tmp_path / "claude")

    assert [kept.id for kept in find(vault, "5e551011")] == [SESSION_ID]
    assert [kept.id for kept in find(vault, "5E5510")] == [SESSION_ID, OTHER_ID]
    assert [kept.id for kept in find(vault, OTHER_ID.upper())] == [OTHER_ID]
    assert find(vault, "0badc0de") == []


def test_a_sealed_conversation_is_listed_alike(tmp_path):
    """Sealing changes only the sizes, and listing does not unpack."""
    vault = FileVault(tmp_path / "vault")
    client(tmp_path / "claude", talk())
    keep(vault, tmp_path / "vault", tmp_path / "claude")
    (before,) = conversations(vault)
    known = [ends(vault, key) for key in before.keys]
    for key in before.keys:
        vault.seal(key)

    (after,) = conversations(vault)

    assert after.keys == before.keys and after.size_bytes < before.size_bytes
    assert [ends(vault, key) for key in after.keys] == known
    assert not vault.path(after.keys[0]).exists()


def test_a_log_tells_its_sessions_itself():
    """A record without an id belongs to the conversation of its file.

    In a log it belongs to the session of the record before it, and a part belongs to one session.
    """
    named, nameless = Kept(SESSION_ID, "w", "main", (), ()), Kept("run", "w", "main", (), ())
    other, bare = b'{"type":"user","sessionId":"other"}\n', b'{"type":"summary"}\n'

    def sessions(kept, stream):
        router = kept.router(stream)
        routed = [pair for record in files.read(other + bare) for pair in router.route(record)]
        return [session for session, _ in routed + router.close()]

    for stream in ("session", "agent-a1#2", "copy-1"):
        assert sessions(named, f"{SESSION_ID}/{stream}") == ["other", SESSION_ID]
    assert sessions(named, f"{SESSION_ID}/log-1#2") == sessions(nameless, "run/log-1") == ["other", "other"]
    for stream in ("part-1", "log-part-1"):
        assert sessions(named, f"{SESSION_ID}/{stream}") == [SESSION_ID] * 2


def test_a_stub_is_marked(vault, tmp_path):
    """If the client deleted a session, only its prompts are recorded, and the conversation is marked as a stub."""
    forgetful(tmp_path / "claude", SESSION_ID, "First", "Second")
    keep(vault, tmp_path / "vault", tmp_path / "claude")

    (kept,) = conversations(vault)

    assert kept.is_stub and [key.stream for key in kept.content] == ["history"]
