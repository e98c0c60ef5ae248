"""Tests which message continues which one, and where a conversation has branches."""

import chorus
from chorus.testing.builders import Run, Session, tool_use
from tests.core.conversation.reading import conversation


def _heads(talk: chorus.Conversation) -> list[list[str]]:
    return [[talk.text(talk.items[head]) for head in branch.heads] for branch in chorus.branches(talk)]


def test_a_rewind_is_a_branch() -> None:
    """Two prompts that continue the same answer are two branches, and the newest one is the active thread."""
    session = Session()
    session.user("start")
    session.assistant("answer")
    back = session.leaf
    session.user("first try")
    session.assistant("went wrong")
    session.leaf = back
    session.user("second try")
    session.assistant("went well")

    talk = conversation(session)

    assert _heads(talk) == [["first try", "second try"]]
    assert [talk.text(message) for message in chorus.active_thread(talk)] == [
        "start",
        "answer",
        "second try",
        "went well",
    ]


def test_a_rewind_through_bookkeeping_lines_is_found() -> None:
    """A branch is found even if attachments and system lines are between a message and its continuation."""
    session = Session()
    session.user("start")
    session.assistant("answer")
    answered = session.leaf
    session.system("turn_duration", durationMs=1)
    session.attachment("skill_listing")
    session.user("first try")
    session.leaf = answered
    session.user("second try")

    assert _heads(conversation(session)) == [["first try", "second try"]]


def test_going_back_is_a_branch_before_anything_is_said() -> None:
    """After a person went back, the thread ends there, and what followed is a branch, even without a new prompt."""
    session = Session()
    session.user("start")
    session.assistant("answer")
    back = session.leaf
    session.user("first try")
    session.assistant("went wrong")
    session.fact("last-prompt", lastPrompt="first try", leafUuid=back, explicit=True)

    talk = conversation(session)

    assert _heads(talk) == [["first try", "Went back to here; nothing was said since."]]
    assert [talk.text(message) for message in chorus.active_thread(talk)][:2] == ["start", "answer"]
    assert "went wrong" not in [talk.text(message) for message in chorus.active_thread(talk)]

    session.leaf = back
    session.user("second try")

    assert _heads(conversation(session)) == [["first try", "second try"]]


def test_going_back_before_the_first_prompt_is_a_branch_before_anything_is_said() -> None:
    """After a person went back before the first prompt, all messages are a branch, and the next prompt starts again."""
    session = Session()
    session.user("first try")
    session.assistant("went wrong")
    session.fact("last-prompt", lastPrompt="first try", explicit=True)

    talk = conversation(session)

    assert _heads(talk) == [["first try", "Went back to here; nothing was said since."]]
    assert len(chorus.active_thread(talk)) == 1

    session.leaf = None
    session.user("second try")

    assert _heads(conversation(session)) == [["first try", "second try"]]


def test_going_back_several_times_counts_once() -> None:
    """Only the last return counts; a return to the last message and the client's own note make no branch."""
    session = Session()
    session.user("start")
    start = session.leaf
    session.assistant("answer")
    answer = session.leaf
    session.user("more")
    session.fact("last-prompt", leafUuid=answer, explicit=True)
    session.fact("last-prompt", leafUuid=start, explicit=True)

    assert _heads(conversation(session)) == [["answer", "Went back to here; nothing was said since."]]

    session.fact("last-prompt", leafUuid=session.leaf, explicit=True)
    session.fact("last-prompt", leafUuid=start)

    assert _heads(conversation(session)) == []


def test_parallel_calls_are_no_branches() -> None:
    """Results of parallel calls continue different lines of one message and are no branches."""
    session = Session()
    session.user("go")
    one, two = session.assistant(tool_use("Read", id="t1"), tool_use("Read", id="t2"))
    session.leaf = two["uuid"]
    session.tool_result("t2", "b")
    session.leaf = one["uuid"]
    session.tool_result("t1", "a")
    session.assistant("both read")

    talk = conversation(session)

    assert _heads(talk) == []
    assert [message.parent for message in talk.messages[1:]] == [talk.messages[0].id, talk.messages[1].id]


def test_commands_and_made_up_answers_are_no_branches() -> None:
    """A local command and an answer that the client made up do not continue the conversation and are no branches."""
    session = Session()
    session.user("go")
    session.assistant("done")
    here = session.leaf
    session.user("<command-name>/exit</command-name>")
    session.leaf = here
    (line,) = session.assistant("No response requested.")
    line["message"]["model"] = "<synthetic>"
    session.user("and now?")

    assert _heads(conversation(session)) == []


def test_a_compaction_continues_the_thread() -> None:
    """The boundary of a compaction has no parent, but the thread continues across it."""
    session = Session()
    session.user("go")
    session.assistant("done")
    session.compact("what was said")
    session.user("more")

    talk = conversation(session)

    assert talk.messages[-1].parent == talk.messages[1].id
    (compaction,) = talk.all(chorus.Compaction)
    assert (compaction.trigger, compaction.pre_tokens) == ("auto", 150_000)


def test_parents_written_after_their_children_are_found() -> None:
    """A parent that is written after its child is found, and a parent that is never written gives none."""
    session = Session()
    first, second = session.user("one"), session.user("two")
    session.lines[:] = [second, first]
    session.leaf = "never-written"
    session.user("three")

    talk = conversation(session)
    by_text = {talk.text(message): message for message in talk.messages}

    assert by_text["two"].parent == by_text["one"].id
    assert by_text["three"].parent is None


def test_what_continues_an_abandoned_message_is_abandoned() -> None:
    """All messages of an abandoned branch are left out of the active thread, not only the first one."""
    session = Session()
    session.user("start")
    back = session.leaf
    session.user("first try")
    deeper = session.leaf
    session.user("one")
    session.leaf = deeper
    session.user("two")
    session.leaf = back
    session.user("second try")

    talk = conversation(session)

    assert [talk.text(message) for message in chorus.active_thread(talk)] == ["start", "second try"]


def test_lines_without_a_parent_begin_a_thread() -> None:
    """A message whose chain of lines ends without a parent continues no message."""
    session = Session()
    session.system("informational", content="hello")
    session.user("go")
    session.leaf = None
    session.compact("said")
    session.user("more")

    assert [message.parent for message in conversation(session).messages] == [None, None, None]


def test_a_chain_read_backwards_is_joined() -> None:
    """Two messages are linked even if the lines between them are read in reverse order."""
    session = Session()
    lines = [session.user("one"), session.attachment("skill_listing"), session.system("turn_duration")]
    lines += [session.tool_result("t1", "x"), session.user("two")]
    session.lines[:] = reversed(lines)

    talk = conversation(session)
    by_text = {talk.text(message): message for message in talk.messages}

    assert by_text["two"].parent == by_text["one"].id


def test_a_message_continues_what_its_first_line_hangs_on() -> None:
    """The parent of a message follows from its first line and not from its later lines."""
    session = Session()
    session.user("go")
    session.assistant(tool_use("Read", id="t1"), message_id="m")
    session.tool_result("t1", "x")
    session.user("stop that")
    session.assistant("ok", message_id="m")

    talk = conversation(session)

    assert talk.messages[1].parent == talk.messages[0].id


def test_a_message_of_the_boundary_itself_finds_its_thread() -> None:
    """If a line has only a logical parent, that is its parent."""
    session = Session()
    first = session.user("go")
    session.leaf = None
    session.user("more", logicalParentUuid=first["uuid"])

    talk = conversation(session)

    assert talk.messages[1].parent == talk.messages[0].id


def test_compactions_say_what_they_did_in_both_spellings() -> None:
    """A compaction has its trigger and tokens in both spellings, and a copy on stdout adds no second one."""
    session, run = Session(), Run()
    facts = {"trigger": "manual", "preTokens": 9, "postTokens": 3}
    line = session.system("compact_boundary", compactMetadata=facts)
    run.system("compact_boundary", compact_metadata={"trigger": "auto", "pre_tokens": 8, "post_tokens": 2})
    run.line("system", subtype="compact_boundary")["uuid"] = line["uuid"]

    talk = conversation(session, run=run)
    found = {(item.trigger, item.pre_tokens, item.post_tokens) for item in talk.all(chorus.Compaction)}

    assert found == {("manual", 9, 3), ("auto", 8, 2)}
    assert [item for item in talk.thread() if isinstance(item, chorus.Compaction)] == talk.all(chorus.Compaction)
    assert {item.time for item in talk.all(chorus.Compaction)} == {line["timestamp"], None}


def test_a_message_does_not_continue_itself() -> None:
    """A message is not its own parent, in whatever order its lines are read."""
    session = Session()
    session.assistant("a", "b")
    there = conversation(session)
    session.lines.reverse()
    back = conversation(session)

    assert [talk.messages[0].parent for talk in (there, back)] == [None, None]
