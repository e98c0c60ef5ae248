"""Tests that every change of a file leads to its prompt: of a sub-agent, without a call, in a long conversation."""

import json
from urllib.parse import quote

import pytest

from chorus.keep.snapshots.commits import SnapshotKind
from chorus.show.transcripts.outline import MAX_MARKS
from chorus.testing.builders import tool_use
from tests.show.server.serving import serving
from tests.show.server.test_changes import Work

PROMPTS = MAX_MARKS + 50


@pytest.fixture
def work(tmp_path):
    """A long conversation: a sub-agent and a background command that outlive their turns, then very many prompts."""
    made = Work(tmp_path)
    (made.folder / "a.txt").write_bytes(b"start\n")
    session = made.session
    session.user("Let somebody else do it", promptId="p-1")
    session.assistant(tool_use("Agent", {"prompt": "Edit a.txt"}, id="toolu_agent"))
    session.tool_result("toolu_agent", "started")
    session.user("Start something slow", promptId="p-2")
    session.assistant(tool_use("Bash", {"command": "sleep 9 && make &"}, id="toolu_slow"))
    session.tool_result("toolu_slow", "")
    agent = session.agent("a1b2c3", "toolu_agent")
    agent.user("Edit a.txt")
    agent.assistant(tool_use("Edit", {"file_path": str(made.folder / "a.txt")}, id="toolu_inner"))
    agent.tool_result("toolu_inner", "done")
    for number in range(PROMPTS):
        session.user(f"Question {number}")
        session.assistant(f"Answer {number}")
    session.user("The last one")
    session.assistant(tool_use("Edit", {"file_path": str(made.folder / "a.txt")}, id="toolu_last"))
    session.tool_result("toolu_last", "done")
    with serving(made.vault, tmp_path / "client") as server:
        place = server.write(session).with_suffix("") / "subagents" / "agent-a1b2c3.jsonl"
        place.parent.mkdir(parents=True)
        place.write_bytes(bytes(agent))
        place.with_suffix(".meta.json").write_text(json.dumps(agent.meta))
        made.begin(server)
        made.edit("a.txt", b"start\nby the sub-agent\n", call="toolu_inner", turn=1, agent="a1b2c3", prompt="p-1")
        made.snapshots.take_changes(made.facts(SnapshotKind.BEFORE, turn=2), "look")
        (made.folder / "b.txt").write_bytes(b"by the command\n")
        made.snapshots.take_changes(made.facts(SnapshotKind.TURN, turn=2, prompt="p-2"), "end")
        last = b"start\nby the sub-agent\nby the last\n"
        made.edit("a.txt", last, call="toolu_last", turn=PROMPTS + 3)
        yield made
        made.snapshots.close()


def test_every_turn_has_its_prompt(work):
    """The list of changes names the prompt of a turn in which only a sub-agent, or no call, changed a file."""
    found = {each["turn"]: each["prompt"] for each in work.get().json["turns"]}

    assert found == {1: "Let somebody else do it", 2: "Start something slow", PROMPTS + 3: "The last one"}


def test_every_line_opens_its_prompt(work):
    """A line of a sub-agent leads to the prompt that started it, one without a call to the prompt of its turn."""
    workspace = work.name.partition("/")[0]
    prompts = {}
    for file in ("a.txt", "b.txt"):
        found = work.browser.get(f"/api/workspaces/{workspace}/blame?file={quote(file)}").json
        for each in found["stretches"]:
            origin = None if each["origin"] is None else found["origins"][each["origin"]]
            prompts |= dict.fromkeys(each["lines"], origin and origin["prompt"])
            if origin:
                shown = work.browser.get(f"/api/conversations/{work.name}/row?id={quote(origin['prompt_at'])}")
                assert origin["prompt"] in str(shown.json["row"]["pieces"][0])

    assert prompts == {
        "start": None,
        "by the sub-agent": "Let somebody else do it",
        "by the command": "Start something slow",
        "by the last": "The last one",
    }
