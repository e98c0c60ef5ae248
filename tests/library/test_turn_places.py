"""Tests that the ends of turns are where they happened, although old clients printed no times."""

import pytest

import chorus
from chorus.core.conversation.items import Message, Turn
from chorus.keep.sources.sync import Sync
from chorus.keep.vault.files import FileVault
from chorus.testing.builders import Run, Session, encode_all, lay_out
from chorus.testing.builders.lines import Ids

SEEN = "2026-11-16T00:00:00.000Z"


def _source(root):
    """Writes a session of two turns as the client does, and what each of its two runs printed, without any time."""
    session, first, second = Session(), Run(ids=Ids("first")), Run(ids=Ids("second"))
    for run, words in ((first, "one"), (second, "two")):
        session.user(f"Say {words}")
        run.init()
        for line in session.assistant(words, stop="end_turn"):
            run.line("assistant", message=line["message"], parent_tool_use_id=None, uuid=line["uuid"])
        run.result(words)
    lay_out(root / "home" / ".claude", session)
    (root / "first.jsonl").write_bytes(encode_all(first.lines))
    (root / "second.jsonl").write_bytes(encode_all(second.lines))
    return session.id


def _told(conversation):
    items = [*conversation.all(Message), *conversation.all(Turn)]
    return [
        "turn" if isinstance(item, Turn) else conversation.text(item)
        for item in sorted(items, key=lambda item: item.order)
    ]


@pytest.mark.parametrize("logs_first", [True, False])
def test_a_turn_of_a_log_without_times_ends_after_its_answer(tmp_path, logs_first):
    """In files and in the vault, the end of a turn follows its answer, and the day of the import is not its time."""
    source, home = tmp_path / "source", tmp_path / "vault"
    source.mkdir()
    session = _source(source)
    parts = [[source / "first.jsonl", source / "second.jsonl"], [source / "home" / ".claude"]]
    for part in parts if logs_first else reversed(parts):
        Sync(FileVault(home), home, lambda: SEEN).run(part)
    expected = ["Say one", "one", "turn", "Say two", "two", "turn"]

    for conversation in (chorus.open(source), chorus.vault(home).open(session)):
        assert _told(conversation) == expected
        assert [turn.ended_at for turn in conversation.turns] == [None, None]
        assert (conversation.session.ended_at or "") < SEEN
