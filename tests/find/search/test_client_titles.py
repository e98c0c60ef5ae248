"""Tests that conversations are found by the titles that clients wrote."""

import pytest

from chorus.find.search.query_forms import conversations
from tests.find.search.asking import asked, found, query, session, vault_of

TITLE = "Fix the flaky payment test"


def titled(number, words=TITLE, *, kind="ai"):
    """Returns a session that says nothing of its title."""
    talk = session(number, start=f"2026-01-0{number}T09:00:00.000Z")
    talk.user("Have a look, please.")
    talk.assistant("Done.", stop="end_turn")
    match kind:
        case "ai":
            talk.fact("ai-title", aiTitle=words)
        case "custom":
            talk.title(words)
        case "summary":
            talk.summary(words)
    return talk


def listed(vault, text, *, limit=9, start=0):
    """Returns the numbers of the sessions that a list shows, and whether there are more."""
    found_rows, has_more = asked(
        vault, lambda index: conversations(index, vault, query(text), limit=limit, start=start)
    )
    return [int(row.id[7]) for row in found_rows], has_more


@pytest.mark.parametrize("kind", ["ai", "custom", "summary"])
def test_a_title_of_a_client_is_found_by_its_words(tmp_path, kind):
    """List and search find the words of a title in any order and case, and with other fields."""
    vault = vault_of(tmp_path, titled(1, kind=kind), titled(2, "Paint the shed", kind=kind))

    for text in ("fix", "Payment flaky", '"flaky payment"', "fla*", "fix workspace:*", "shedd OR fix", "fix -paint"):
        assert listed(vault, text) == ([1], False), text
        assert [row.title for row in found(vault, text).described] == [TITLE], text
    for text in ("fi", "fix shed", "fix workspace:other", "fix tool:Bash", "-fix zebra", "zebra"):
        assert listed(vault, text) == ([], False), text
        assert found(vault, text).described == [], text


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Überprüfe parseURL 🚀", "uberprufe"),
        ("Überprüfe parseURL 🚀", "url"),
        ("Ship it 🚀", "🚀"),
        ("支付测试", "测试"),
    ],
)
def test_titles_follow_the_rule_for_words(tmp_path, title, text):
    """Accents, parts of identifiers, signs and scripts without spaces match in titles as they do in texts."""
    assert listed(vault_of(tmp_path, titled(1, title)), text) == ([1], False)


def test_titles_come_first_and_page_by_page(tmp_path):
    """Conversations found by their titles come before those found by what was said; no page repeats or loses one."""
    said = session(9, start="2026-01-09T09:00:00.000Z")
    said.user("Fix it.")
    vault = vault_of(tmp_path, said, titled(1), titled(2), titled(3))

    assert listed(vault, "fix") == ([3, 2, 1, 9], False)
    pages = [listed(vault, "fix", limit=1, start=start) for start in range(4)]
    assert pages == [([3], True), ([2], True), ([1], True), ([9], False)]
    assert listed(vault, "fix", limit=2, start=1) == ([2, 1], True)


def test_a_conversation_is_not_named_twice(tmp_path):
    """A search does not name a conversation by the title of a client if it has hits in it."""
    both = titled(1)
    both.user("Fix the other one, too.")
    vault = vault_of(tmp_path, both, titled(2))

    answer = found(vault, "fix")

    assert [each.conversation.id for each in answer.found] == [both.id]
    assert [int(row.id[7]) for row in answer.described] == [2]


def test_words_of_a_prompt_are_no_title(tmp_path):
    """A conversation that is called after its first prompt is found by the prompt alone."""
    talk = session(1)
    talk.user("Fix it.")
    vault = vault_of(tmp_path, talk)

    assert listed(vault, "fix") == ([1], False)
    assert found(vault, "fix role:assistant").described == found(vault, "fix").described == []
