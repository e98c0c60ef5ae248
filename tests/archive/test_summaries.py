"""Summaries of kept conversations, remembered between runs."""

import json

from chorus.archive.kept import conversations
from chorus.archive.summaries import Summaries
from chorus.store.files import FileVault
from tests.archive.vaults import client, keep, talk


def kept_talk(tmp_path, **facts):
    client(tmp_path / "claude", talk(**facts))
    vault = FileVault(tmp_path / "vault")
    keep(vault, tmp_path / "vault", tmp_path / "claude")
    (kept,) = conversations(vault)
    return vault, kept


def test_a_summary_says_what_the_conversation_says(tmp_path):
    """Title, status, messages and tokens are those of the folded conversation."""
    vault, kept = kept_talk(tmp_path)

    summary = Summaries(vault, tmp_path / "vault").summary(kept)

    assert (summary.title, summary.messages, summary.cwd) == ("A talk", 3, "/home/dev/work")
    assert summary.tokens.output > 0 and summary.started_at == "2026-01-05T09:00:00.000Z"


def test_a_summary_is_remembered_until_its_streams_change(tmp_path):
    """What was summed up once is not folded again; one more line makes it anew."""
    vault, kept = kept_talk(tmp_path)
    first = Summaries(vault, tmp_path / "vault")
    assert not first.is_known(kept)
    said = first.summary(kept)
    first.save()

    again = Summaries(vault, tmp_path / "vault")
    assert again.is_known(kept) and again.summary(kept) == said

    path = next((tmp_path / "claude" / "projects").glob("*/*.jsonl"))
    with path.open("ab") as file:
        file.write(b'{"type":"custom-title","customTitle":"Another","sessionId":"%s"}\n' % kept.id.encode())
    keep(vault, tmp_path / "vault", tmp_path / "claude")
    (grown,) = conversations(vault)
    assert not Summaries(vault, tmp_path / "vault").is_known(grown)
    assert Summaries(vault, tmp_path / "vault").summary(grown).title == "Another"


def test_the_cache_is_never_required(tmp_path):
    """A cache that is damaged, of another version or cannot be written changes no answer."""
    vault, kept = kept_talk(tmp_path)
    first = Summaries(vault, tmp_path / "vault")
    said = first.summary(kept)
    first.save()
    file = tmp_path / "vault" / "cache" / "summaries.json"
    assert file.stat().st_mode & 0o777 == 0o600

    older = json.loads(file.read_text()) | {"version": 0}
    older["entries"][kept.name]["summary"]["title"] = "As an older version said it"
    for content in (b"", b"[]", b"\xff", json.dumps(older).encode()):
        file.write_bytes(content)
        assert Summaries(vault, tmp_path / "vault").summary(kept) == said

    file.unlink()
    file.parent.rmdir()
    file.parent.write_text("in the way")
    blocked = Summaries(vault, tmp_path / "vault")
    assert blocked.summary(kept) == said
    blocked.save()


def test_a_damaged_conversation_has_a_summary(tmp_path):
    """A conversation of which nothing can be read is listed as damaged."""
    vault, kept = kept_talk(tmp_path)
    for key in kept.keys:
        vault.path(key).write_bytes(b"damage\n")

    assert Summaries(vault, tmp_path / "vault").summary(kept).status == "damaged"
