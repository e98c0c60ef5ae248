"""Tests the comparison of two conversations: the steps that both have, and the place where they diverge."""

from chorus import fold, read
from chorus.core.comparisons.comparison import compare
from chorus.core.comparisons.steps import steps
from chorus.testing.builders import Session, tool_use
from chorus.testing.builders.lines import Clock, Ids

OTHER = "5e551012-0000-4000-8000-000000000002"
LATER = "2026-02-04T09:00:00.000Z"


def steps_of(*sessions):
    return [steps(fold(read(b"".join(map(bytes, [each, *each.agents]))))[0]) for each in sessions]


def compared(*sessions):
    return compare(*steps_of(*sessions))


def relations(found):
    return [pair.relation for pair in found.pairs]


def edited(session, call, path, new="b"):
    session.assistant(tool_use("Edit", {"file_path": path, "old_string": "a", "new_string": new}, id=call))
    session.tool_result(call, "ok")


def run_of(session_id=None, *, answer="Done.", new="b", cwd="/home/dev/work"):
    session = Session(session_id, ids=Ids("other"), clock=Clock(LATER), cwd=cwd) if session_id else Session(cwd=cwd)
    session.user("Fix the parser")
    session.assistant("I look first.")
    name = "t" if session_id is None else "o"
    session.assistant(tool_use("Bash", {"command": "make test"}, id=f"{name}1"))
    session.tool_result(f"{name}1", "2 failed")
    edited(session, f"{name}2", f"{cwd}/parser.py", new)
    session.assistant(answer, stop="end_turn")
    return session


def fork_of(source, *words):
    fork = Session(OTHER, clock=Clock(LATER), ids=Ids("fork"))
    for line in source.lines:
        fork.add({**line, "sessionId": fork.id})
    for word in words:
        fork.user(word)
        fork.assistant(f"{word}: done", stop="end_turn")
    return fork


def test_a_fork_shares_its_history_and_parts_after_it():
    """The copied history of a fork is its stem, and the first prompt of its own comes after the stem."""
    source = run_of()
    fork = fork_of(source, "Now in Rust")
    source.user("Now in Go")
    source.assistant("Go it is", stop="end_turn")
    found = compared(source, fork)

    assert found.is_fork and found.stem == 5
    assert relations(found) == ["shared"] * 5 + ["different"] * 2
    assert found.last_in_both is not None and found.last_in_both.words == "Done."
    assert (found.a_after.prompts, found.b_after.prompts, found.a.prompts) == (1, 1, 2)


def test_a_row_that_was_not_copied_does_not_end_the_stem():
    """A row that only the source of a fork has can be inside the stem."""
    source = run_of()
    fork = fork_of(source, "Go on")
    source.lines.insert(1, Session(clock=Clock("2026-01-05T09:00:01.500Z"), ids=Ids("x")).user("typed and rewound"))
    found = compared(source, fork)

    assert "only" in relations(found)[: found.stem]
    assert relations(found)[found.stem :] == ["only", "only"]


def test_two_runs_of_one_prompt_are_paired_by_what_they_did():
    """Without a common record, equal prompts and calls of two conversations are paired."""
    found = compared(run_of(), run_of(OTHER, answer="All tests pass.", new="c"))

    assert not found.is_fork
    assert relations(found) == ["same", "same", "same", "different", "different"]
    assert found.stem == 3
    assert [(each.path, each.a, each.b, each.in_both) for each in found.files] == [("parser.py", 1, 1, 0)]


def test_the_same_work_in_another_folder_is_the_same():
    """Paths below the folder of a conversation are compared without it."""
    found = compared(run_of(), run_of(OTHER, cwd="/tmp/worktree"))

    assert found.is_equal and not found.is_fork


def test_a_call_with_another_result_is_marked():
    """The same command with another result is the same step, with a mark."""
    one, other = run_of(), run_of(OTHER)
    other.lines[3]["message"]["content"][0]["content"] = "all passed"
    found = compared(one, other)

    assert [pair.has_other_result for pair in found.pairs] == [False, False, True, False, False]
    assert found.is_equal


def test_a_prompt_is_not_paired_across_another_prompt():
    """Equal calls in different turns do not prevent that equal prompts are paired."""
    one, other = Session(), Session(OTHER, ids=Ids("o"), clock=Clock(LATER))
    for session, order in ((one, "ab"), (other, "ba")):
        for prompt, call in zip(("first", "second"), order, strict=True):
            session.user(prompt)
            session.assistant(tool_use("Bash", {"command": call}, id=f"{session.id[-1]}{call}"))
    found = compared(one, other)

    assert [pair.relation for pair in found.pairs if pair.a and pair.a.kind == "prompt"] == ["same", "same"]


def test_the_same_id_with_another_content_is_not_the_same_record():
    """Two unrelated conversations with equal ids share no record, because an id is only a claim of the data."""
    one, other = Session(), Session(OTHER)
    one.user("Water the garden", uuid="u1")
    other.user("Rename the harbour", uuid="u1")
    found = compared(one, other)

    assert not found.is_fork and relations(found) == ["different"]


def test_the_steps_of_a_sub_agent_follow_its_call():
    """The steps of a sub-agent follow its call and have the name and the depth of the sub-agent."""
    session = Session()
    session.user("Look around")
    session.assistant(tool_use("Agent", {"prompt": "Dig", "description": "Dig"}, id="t1"))
    agent = session.agent("a1b2c3", "t1", description="Dig")
    agent.user("Dig")
    agent.assistant("Found it.", stop="end_turn")
    session.tool_result("t1", "Found it.", structured={"agentId": "a1b2c3", "status": "completed"})
    (found,) = steps_of(session)

    assert [(step.kind, step.depth) for step in found] == [("prompt", 0), ("call", 0), ("answer", 1)]
    assert "Dig" in found[2].agent


def test_nothing_can_be_compared_with_nothing():
    """Two conversations without steps are equal and have no common last step."""
    found = compare([], [])

    assert found.is_equal and found.stem == 0 and found.last_in_both is None


def test_the_effort_grows_as_the_conversations_do():
    """A hundred thousand steps with few different keys are aligned without comparing every pair of steps."""
    (one,) = steps_of(run_of())
    found = compare(one * 20_000, one * 19_999)

    assert len(found.pairs) >= 100_000
