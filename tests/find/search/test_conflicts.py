"""Tests that what a file says twice under one id is found, also while the file grows."""

from chorus.find.costs.conversation_costs import Costs
from chorus.find.index.memory import MemoryIndex
from chorus.find.index.sqlite.index import SqliteIndex
from chorus.find.indexing.open_conversation import OpenConversation
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.memory import MemoryVault
from chorus.testing.builders import tool_use
from chorus.testing.builders.lines import usage
from chorus.testing.indexes import SEEN_AT, WORKSPACE, name_of, snapshot, whole
from tests.find.indexing.growing import the_only
from tests.find.search.asking import asked, found, query, session, vault_of


def contradicting():
    talk = session()
    talk.model = "claude-opus-4-1"
    talk.user("go")
    talk.assistant(tool_use("Bash", {"command": "ls"}, id="t1"), message_id="m1", tokens=usage(given=1_000_000, said=0))
    talk.tool_result("t1", "the harbour")
    talk.tool_result("t1", "the lighthouse")
    (line,) = talk.assistant("honest words", message_id="m2", tokens=usage(given=1_000_000, said=0), stop="end_turn")
    forged = [{"type": "text", "text": "forged words"}]
    talk.add({**line, "message": {**line["message"], "content": forged, "usage": usage(given=9_000_000, said=0)}})
    return talk


def hits(vault, text):
    return len(found(vault, text).found)


def test_a_contradiction_within_a_file_is_found_and_adds_no_cost(tmp_path):
    """`is:conflict` finds the second result of a call and the second line of an id; neither adds to the cost."""
    talk = contradicting()
    vault = vault_of(tmp_path, talk)

    assert hits(vault, "is:conflict") == 2
    asked_for = ("is:conflict lighthouse", "is:conflict forged", "is:conflict harbour", "is:conflict honest")
    assert [hits(vault, query) for query in asked_for] == [1, 1, 0, 0]
    assert [hits(vault, word) for word in ("harbour", "honest")] == [1, 1]
    name = name_of(talk)
    figures = asked(vault, lambda index: Costs(vault.root).figures(index, [index.conversation(name)]))[name]
    assert figures.cost_usd == 30.0


def test_it_is_found_when_the_file_grows_line_by_line(tmp_path, monkeypatch):
    """If another process reads each line of a growing file, it finds the same contradictions as a reader of all."""
    monkeypatch.setattr("chorus.find.indexing.open_conversation.SAVE_EVERY", 1)
    talk = contradicting()
    vault, index = MemoryVault(), SqliteIndex.build(tmp_path)
    key = StreamKey(WORKSPACE, "main", talk.id, "session")
    counted, resumed = [], 0
    for line in bytes(talk).splitlines(keepends=True):
        vault.append(key, line, seen_at=SEEN_AT)
        vault.flush()
        kept = the_only(vault)
        opened = OpenConversation.resume(vault, kept, index.state(kept.name), index.all_entries(kept.name))
        resumed += opened is not None
        index.write((opened or OpenConversation(vault, kept)).writings(kept, saved_since=""))
        counted.append(len(index.search(query("is:conflict"), limit=9).hits))
    whole_index = MemoryIndex()
    whole_index.write(whole(vault))

    assert counted == [0, 0, 0, 1, 1, 2]
    assert resumed == 5
    assert snapshot(index, [kept.name]) == snapshot(whole_index, [kept.name])
    index.close()
