"""Tests the answers to queries as people see them."""

import pytest

from chorus.find.search.query_forms import looks_at_each
from chorus.testing.builders import thinking, tool_use
from tests.find.search.asking import bash, found, query, session, vault_of

HOSTILE = "\x1b]0;owned\x07\x1b[31m needle \u202egnp.exe\u202c\x9b2J"


@pytest.fixture
def vault(tmp_path):
    older = session(1, start="2026-01-05T09:00:00.000Z")
    older.title("Older")
    older.user("Where is the needle?")
    older.assistant("In the hay.", stop="end_turn")
    newer = session(2, start="2026-02-05T09:00:00.000Z", cwd="/home/dev/shop")
    newer.title("Newer")
    newer.user("Look for it")
    bash(newer, "t1", "grep needle -r .", "no such file", is_error=True)
    newer.assistant(tool_use("Agent", {"prompt": "Dig"}, id="t2"))
    agent = newer.agent("a1b2c3", "t2")
    agent.user("Dig")
    bash(agent, "t3", "ls", "x " * 3000 + "a needle at last " + "y " * 3000)
    newer.tool_result("t2", "done", structured={"agentId": "a1b2c3", "status": "completed"})
    newer.assistant(thinking("It was deep."), "Found it.", stop="end_turn")
    return vault_of(tmp_path, older, newer)


def test_newest_first_with_who_spoke_and_when(vault):
    """The newest hit comes first.

    Each hit has its conversation, its entry, its author, its time and the words around the match.
    """
    answers = found(vault, "needle")
    of_agent, of_call, of_person = answers.found

    assert (answers.next, answers.is_partial, answers.is_spread) == (None, False, False)
    assert (of_person.conversation.session.title, of_person.kind, of_person.role) == ("Older", "message", "user")
    assert (of_person.author, of_person.tool, of_person.thread) == ("human", None, "")
    assert of_person.time == "2026-01-05T09:00:00.000Z"
    assert (of_call.entry, of_call.kind, of_call.role, of_call.tool) == ("call:t1", "call", "tool", "Bash")
    assert of_call.is_failed and not of_agent.is_failed
    assert of_agent.thread == "a1b2c3" and of_agent.conversation.workspace


def test_a_call_s_snippet_shows_the_match_in_what_it_was_asked_or_gave(vault):
    """The snippet of a call shows the match in its command, or in the middle of its long output."""
    of_agent, of_call, _ = found(vault, "needle").found

    assert marked(of_call.snippet) == ["needle"] and of_call.snippet.text.startswith("grep needle -r .")
    assert marked(of_agent.snippet) == ["needle"] and "at last" in of_agent.snippet.text


def test_a_hit_tells_the_part_and_the_place_in_it(vault):
    """A hit names the block or result that matches and the range in it: in a command, in a long output, in a prompt."""
    of_agent, of_call, of_person = (each.stands for each in found(vault, "needle").found)

    assert (of_call.part.endswith(":0"), of_call.start, of_call.text) == (True, len("grep "), "needle")
    assert of_agent.part.startswith("result:") and of_agent.start == len("x " * 3000 + "a ")
    assert (of_person.start, of_person.end, of_person.text) == (13, 19, "needle")
    assert [each.stands.text for each in found(vault, r"regex:/needle at \w+/").found] == ["needle at last"]
    assert [each.stands for each in found(vault, "tool:Agent").found] == [None]


@pytest.mark.parametrize("sign", ["→", "\t"])
def test_the_numbers_in_front_of_a_file_s_lines_are_no_words_of_it(tmp_path, sign):
    """Line numbers in front of a file's lines are not searched.

    A phrase may span lines, and a number in the file is found.
    """
    talk = session()
    for call, lines in (("t1", ["def serve():", "    return 4711"]), ("t2", ["4712", "4713"])):
        talk.assistant(tool_use("Read", {"file_path": "/w/a.py"}, id=call))
        talk.tool_result(call, "\n".join(f"{n:6}{sign}{line}" for n, line in enumerate(lines, 4712)))
    vault = vault_of(tmp_path, talk)

    assert [each.entry for each in found(vault, '"serve return 4711"').found] == ["call:t1"]
    assert [each.entry for each in found(vault, "4712").found] == ["call:t2"]
    assert found(vault, "serve").found[0].snippet.text.endswith("def serve(): return 4711")


def test_numbers_that_do_not_count_lines_are_words(tmp_path):
    """A number at the start of a line is a word in a table, and in a single line."""
    talk = session()
    bash(talk, "t1", "gh pr list", "4711\tMend the door\n4698\tPaint it")
    bash(talk, "t2", "wc", "4711\tdoor.py")
    vault = vault_of(tmp_path, talk)

    assert [each.entry for each in found(vault, "4711").found] == ["call:t2", "call:t1"]


def marked(snippet):
    return [snippet.text[start:end] for start, end in snippet.marks]


def test_answers_go_on_where_the_last_one_ended(vault):
    """`next` leads to the following hits, and to none after the last one. Skipping hits gives the same."""
    every = [each.number for each in found(vault, "needle").found]
    first = found(vault, "needle", limit=2)
    rest = found(vault, "needle", limit=2, below=first.next)

    assert [each.number for each in first.found + rest.found] == every
    assert rest.next is None
    assert [each.number for each in found(vault, "needle", limit=2, skip=2).found] == every[2:]
    assert found(vault, "needle", limit=2, skip=4).found == []
    assert [each.number for each in found(vault, "needle", limit=1, skip=1).found] == every[1:2]


def test_ranked_answers_have_pages_too(vault):
    """The first page of a ranked answer has the best hits, and the next page has the next best."""
    every = [each.number for each in found(vault, "needle", is_ranked=True).found]

    assert len(every) == 3
    assert [each.number for each in found(vault, "needle", is_ranked=True, limit=2, skip=1).found] == every[1:]


def test_words_that_no_entry_has_together(vault):
    """If no entry has all words, the answer has the conversations that have each of them somewhere, and says so."""
    answers = found(vault, "needle deep")

    assert answers.is_spread and [each.conversation.session.title for each in answers.found] == ["Newer"]


def test_a_sequence_tells_what_led_to_its_last_call(vault):
    """A hit of a sequence names the calls before the last one by their ids."""
    (hit,) = found(vault, "tool:Bash is:error -> tool:Agent").found

    assert (hit.entry, hit.also) == ("call:t2", ("call:t1",))


def test_a_regex_is_asked_of_the_text_as_it_was_written(vault):
    """A regex matches the original text of commands, outputs and messages, with case and punctuation."""
    assert {each.entry for each in found(vault, "regex:/needle (-r|at)/").found} == {"call:t1", "call:t3"}
    assert [each.role for each in found(vault, r"regex:/needle\?$/").found] == ["user"]
    assert found(vault, "regex:/NEEDLE/").found == []


def test_what_takes_too_long_is_a_partial_answer(tmp_path):
    """A regex that runs out of time gives the hits so far and says that they are not all. A word query never does."""
    talk = session()
    for number in range(200):
        talk.user(f"line {number}")
    vault = vault_of(tmp_path, talk)
    late = found(vault, "regex:/line/", limit=1000, is_late=lambda: True)
    words = found(vault, "line", limit=1000, is_late=lambda: True)

    assert late.is_partial and 0 < len(late.found) < 200
    assert not words.is_partial and len(words.found) == 200


@pytest.mark.parametrize(
    ("text", "is_slow"),
    [
        ("a", False),
        ("tool:Bash cost>1", False),
        ("", False),
        ("regex:/a/", True),
        ("a OR -(b regex:/c/)", True),
        ("a -> b", True),
    ],
)
def test_only_patterns_and_sequences_look_at_each_entry(text, is_slow):
    """Only patterns and sequences read each entry, so only they get a deadline."""
    assert looks_at_each(query(text).root) is is_slow


def test_hostile_text_is_shown_without_its_power(tmp_path):
    """A snippet of hostile text has no escape sequence and no bidirectional control, and its marks fit."""
    talk = session()
    talk.user(HOSTILE)
    (hit,) = found(vault_of(tmp_path, talk), "needle").found

    assert marked(hit.snippet) == ["needle"]
    assert not set("\x1b\x07\x9b\u202e\u202c") & set(hit.snippet.text)


def test_a_hit_whose_line_is_lost_is_still_a_hit(vault):
    """A hit whose line is lost in the vault has no snippet, but is still in the answer."""
    found(vault, "needle")
    path = next(vault.root.rglob("5e551011*.jsonl"))
    path.write_bytes(b"lost\n" * 3)
    last = found(vault, "needle hay OR needle role:user").found[-1]

    assert last.conversation.session.title == "Older" and last.snippet.text == ""


def test_a_measure_of_cost_asks_the_prices(vault):
    """`cost>1` uses the given prices. Without prices, no conversation is known to cost so much."""
    by_tokens = found(vault, "cost>20 needle", cost_of=lambda spent: float(spent.tokens.output))

    assert {each.conversation.session.title for each in by_tokens.found} == {"Newer"}
    assert found(vault, "cost>0 needle").found == []
