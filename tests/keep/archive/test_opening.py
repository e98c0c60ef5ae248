"""Tests that a conversation from the vault is the same as from the live files."""

from pathlib import Path

import msgspec
import pytest

import chorus
from chorus.core.views.document import document
from chorus.errors import SourceUnreadable
from chorus.keep.archive.listing import conversations
from chorus.keep.archive.opening import open_kept, records_of
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.memory import MemoryVault
from chorus.testing.builders import Layout, Run, Session
from chorus.testing.builders.lines import SESSION_ID
from tests.keep.archive.vaults import NOW, OTHER_ID, client, forgetful, keep, talk


def plain(value):
    """Returns a struct as a dict, and verbatim JSON as its bytes."""
    if isinstance(value, msgspec.Struct):
        return {name: plain(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return bytes(value) if isinstance(value, msgspec.Raw) else value


def same_names(conversation, main):
    """Returns the whole conversation as text, with its streams named as in the vault."""
    text = "\n".join(repr(plain(each)) for each in (conversation.session, *conversation.items.values()))
    side = main.with_suffix("") / "subagents"
    for folder in (side, main.parent):
        text = text.replace(f"{folder}/agent-", f"{SESSION_ID}/agent-")
    text = text.replace(str(main), f"{SESSION_ID}/session")
    return sorted(text.replace("agent-a1b2c3.jsonl", "agent-a1b2c3").splitlines())


@pytest.mark.parametrize("layout", list(Layout))
def test_kept_and_live_are_the_same_conversation(tmp_path, layout):
    """A session of any layout gives the same conversation from the vault as from its files."""
    (path,) = client(tmp_path / "claude", talk(slug="a-plan"), layout=layout, plan="# Plan")
    vault = FileVault(tmp_path / "vault")
    keep(vault, tmp_path / "vault", tmp_path / "claude")
    (kept,) = conversations(vault)

    live, stored = chorus.open(path), open_kept(vault, kept)

    assert same_names(stored, path) == same_names(live, path)
    assert len(stored.agents) == 1 and stored.session.ended_at == live.session.ended_at
    assert stored.plan_file == live.plan_file == "# Plan"


def test_lines_without_an_id_belong_to_the_session_of_the_file(tmp_path):
    """A file that begins with copied lines of another session is split in the same way from the vault and live."""
    copied, own = Session(OTHER_ID), Session()
    copied.user("Said before")
    copied.user("And this")
    own.user("Said here")
    (path,) = client(tmp_path / "claude", own)
    path.write_bytes(bytes(copied) + b'{"type":"novelty","note":"no id"}\n' + bytes(own))
    vault = MemoryVault()
    keep(vault, tmp_path / "vault", path)
    kept, other = sorted(conversations(vault), key=lambda each: each.id != SESSION_ID)

    live, stored = chorus.open(path), open_kept(vault, kept)

    assert stored.id == live.id == SESSION_ID and open_kept(vault, other).id == OTHER_ID
    assert [notice.type for notice in stored.notices] == [notice.type for notice in live.notices] == ["novelty"]
    assert same_names(stored, path) == same_names(live, path)


def test_side_files_come_from_what_was_kept(tmp_path):
    """A long output has its size and can be read from the vault, although the client's own file is gone."""
    (path,) = client(tmp_path / "claude", talk())
    vault = FileVault(tmp_path / "vault")
    keep(vault, tmp_path / "vault", tmp_path / "claude")
    (kept,) = conversations(vault)
    (path.with_suffix("") / "tool-results" / "t1.txt").unlink()

    (side,) = open_kept(vault, kept).side_files.values()

    assert (side.name, side.size_bytes) == ("t1.txt", 3000)
    assert Path(side.path).read_bytes() == b"long " * 600


def test_a_side_file_that_is_gone_from_the_vault_has_no_size(tmp_path):
    """A side file that a manifest names and that is missing in the vault has no size."""
    client(tmp_path / "claude", talk())
    vault = FileVault(tmp_path / "vault")
    keep(vault, tmp_path / "vault", tmp_path / "claude")
    for blob in (tmp_path / "vault" / "blobs").rglob("*"):
        if blob.is_file():
            blob.unlink()
    (kept,) = conversations(vault)

    (side,) = open_kept(vault, kept).side_files.values()

    assert side.size_bytes is None


def test_a_rewritten_source_shows_each_message_once(tmp_path):
    """A session that was cut and continued differently shows the messages of both revisions, each once."""
    session = talk()
    (path,) = client(tmp_path / "claude", session)
    vault = FileVault(tmp_path / "vault")
    keep(vault, tmp_path / "vault", tmp_path / "claude")
    before = path.read_bytes().splitlines(keepends=True)
    session.user("Once more")
    path.write_bytes(b"".join(before[:-3]) + bytes(session).splitlines(keepends=True)[-1])
    keep(vault, tmp_path / "vault", tmp_path / "claude")
    (kept,) = conversations(vault)

    said = [message for message in open_kept(vault, kept).messages if message.role == "user"]

    texts = [open_kept(vault, kept).text(message) for message in said]
    assert texts.count("Look around") == 1 and texts.count("Once more") == 1


def test_prompts_of_a_deleted_session_are_prompts(tmp_path):
    """The prompts of a deleted session come from the prompt history, as messages of the person with their times."""
    forgetful(tmp_path / "claude", SESSION_ID, "First", "Second")
    vault = MemoryVault()
    keep(vault, tmp_path / "vault", tmp_path / "claude")
    (kept,) = conversations(vault)

    stub = open_kept(vault, kept)

    assert [stub.text(message) for message in stub.messages] == ["First", "Second"]
    assert stub.id == SESSION_ID and stub.session.cwd == "/p"
    assert stub.session.started_at == "2025-12-29T09:20:00.000Z"
    assert b"First" in "".join(document(stub)).encode()


def test_a_log_is_opened_by_what_it_says(tmp_path):
    """A `stream-json` log gives the conversation whose id its records have."""
    run = Run()
    run.init()
    run.assistant("Hello")
    run.result("Hello")
    (tmp_path / "run.jsonl").write_bytes(bytes(run))
    vault = MemoryVault()
    keep(vault, tmp_path / "vault", tmp_path / "run.jsonl")
    (kept,) = conversations(vault)

    opened = open_kept(vault, kept)

    assert opened.id == kept.id == chorus.open(tmp_path / "run.jsonl").id
    assert len(list(records_of(vault, kept))) == len(list(chorus.read(tmp_path / "run.jsonl")))


def test_a_log_without_any_id_bears_the_name_of_its_file(tmp_path):
    """A log without any id is named after its file, both from the vault and from the file."""
    (tmp_path / "notes.jsonl").write_bytes(b'{"type":"text","text":"Hello"}\n')
    vault = MemoryVault()
    keep(vault, tmp_path / "vault", tmp_path / "notes.jsonl")
    (kept,) = conversations(vault)

    assert kept.id == open_kept(vault, kept).id == chorus.open(tmp_path / "notes.jsonl").id
    assert kept.id.startswith("notes-")


def test_a_log_ends_when_its_records_say(tmp_path):
    """The time of the import is the end of a log only if none of its records has a time."""
    vault = MemoryVault()
    (tmp_path / "copy.jsonl").write_bytes(bytes(talk()))
    (tmp_path / "flat.jsonl").write_bytes(b'{"type":"text","text":"Hello","session_id":"%s"}\n' % OTHER_ID.encode())
    keep(vault, tmp_path / "vault", tmp_path / "copy.jsonl", tmp_path / "flat.jsonl")

    ended = {kept.id: open_kept(vault, kept).session.ended_at for kept in conversations(vault)}

    assert ended == {SESSION_ID: chorus.open(tmp_path / "copy.jsonl").session.ended_at, OTHER_ID: NOW}


def test_a_conversation_without_a_readable_line_says_so(tmp_path):
    """If every line is damaged, opening the conversation gives an error of one line."""
    client(tmp_path / "claude", talk(), layout=Layout.INLINE)
    vault = FileVault(tmp_path / "vault")
    keep(vault, tmp_path / "vault", tmp_path / "claude")
    (kept,) = conversations(vault)
    for key in kept.keys:
        vault.path(key).write_bytes(b"damage\n")

    with pytest.raises(SourceUnreadable):
        open_kept(vault, kept)
