"""Tests that no label of a row shows JSON, a name that only programs use, or the id of an agent."""

import json
import re
from pathlib import Path

import pytest

from chorus.core.views import blocks, figures
from chorus.core.views import rows as kinds
from chorus.core.views.transcript import rows
from chorus.library import files
from chorus.testing.builders import Session, tool_use
from tests.cli.commands import SHARED, below
from tests.core.views.talks import folded

SMALL = 100_000
MACHINE = re.compile(r"\b[a-z0-9]+_[a-z0-9_]+\b|\b[a-z]+(?:[A-Z][a-z]+)+\b|^\s*[\[{]\s*[\"{\[]")
HEX = re.compile(r"\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b")


def labels(row):
    """Yields all short texts of a row that Chorus writes, but not messages, input or output."""
    match row:
        case kinds.TurnRow():
            yield row.outcome
            yield figures.in_words(row.stop_reason or "")
        case kinds.CompactionRow():
            yield figures.in_words(row.trigger or "")
        case kinds.ModeRow():
            yield row.mode
        case kinds.NoticeRow():
            yield row.title
        case kinds.QueuedRow():
            yield from (each.text for each in row.blocks if isinstance(each, blocks.Note))
            yield from ("{" for each in row.blocks if isinstance(each, blocks.Prose) and is_json(each.markdown))
        case kinds.MessageRow():
            yield figures.in_words(row.stop_reason or "")
            for piece in row.pieces:
                if isinstance(piece, kinds.ToolCall):
                    yield from of_call(piece)
        case kinds.OrphanRow():
            yield from of_call(row.call)
        case kinds.AgentRow():
            yield from of_agent(row.agent)


def of_call(call):
    yield call.state
    yield call.permission or ""
    yield from ("{" for _ in range(is_json(call.title)))
    if call.agent:
        yield from of_agent(call.agent)
    for block in call.given:
        if isinstance(block, blocks.Note) and not block.is_bulk and len(block.text) < 60:
            yield from HEX.findall(block.text)


def of_agent(agent):
    yield agent.status or ""
    yield from HEX.findall(figures.agent_name(agent.kind, agent.description))
    for row in agent.rows:
        yield from labels(row)


def is_json(text):
    try:
        return isinstance(json.loads(text), dict | list)
    except ValueError:
        return False


def leaks(talk):
    """Returns labels that only programs understand, and ids of agents.

    Other ids are allowed: a background command has no other name than its id.
    """
    agents = {each.agent[:7] for each in talk.agents}
    return [
        label
        for row in rows(talk, internal=True)
        for label in labels(row)
        if label and (MACHINE.search(label) or (HEX.fullmatch(label) and label[:7] in agents))
    ]


TASK = {"id": "b5f3a9c2", "task_type": "local_bash", "description": "Run the tests", "status": "in_progress"}
WORDS = ["async_launched", "max_turns", "in_progress", "error_during_execution", "acceptEdits", "some_new_state"]


def built():
    """Builds a session with everything that the client describes in names of its own."""
    session = Session()
    session.user("Go")
    session.add(
        {
            "type": "queue-operation",
            "operation": "enqueue",
            "content": json.dumps(TASK),
            "timestamp": "2026-01-01T00:00:01.000Z",
        }
    )
    session.add(
        {
            "type": "queue-operation",
            "operation": "enqueue",
            "content": '[{"a_b": 1}]',
            "timestamp": "2026-01-01T00:00:02.000Z",
        }
    )
    session.assistant(
        tool_use("Agent", {"description": "Look around", "prompt": "Look.", "subagent_type": "Explore"}, id="toolu_a")
    )
    session.tool_result(
        "toolu_a",
        "Async agent launched successfully.",
        structured={"isAsync": True, "status": "async_launched", "agentId": "a1b2c3d4e5"},
    )
    session.agent("a1b2c3d4e5", "toolu_a", description="Look around").user("Look.")
    session.assistant(tool_use("TaskOutput", {"task_id": "a1b2c3d4e5"}, id="toolu_t"))
    session.tool_result(
        "toolu_t",
        "x",
        structured={"retrieval_status": "not_ready", "task": {"task_id": "a1b2c3d4e5", "status": "in_progress"}},
    )
    session.assistant(tool_use("SendMessage", {"to": "a1b2c3d4e5", "message": "Hurry."}, id="toolu_s"))
    session.tool_result("toolu_s", "x", structured={"message": "sent"})
    for word in WORDS:
        session.add({"type": "system", "subtype": word, "content": "x"})
        session.add({"type": "attachment", "attachment": {"type": word}})
        session.add({"type": "permission-mode", "permissionMode": word})
    return session


def test_nothing_of_a_built_session_shows_the_words_of_programs():
    """Queued tasks, background agents, states, modes and records of the client are described in plain words."""
    talk = folded(built())
    assert leaks(talk) == []
    said = [each for row in rows(talk, internal=True) for each in labels(row)]
    assert "background command: Run the tests (at work)" in said
    titles = [
        piece.title
        for row in rows(talk)
        if isinstance(row, kinds.MessageRow)
        for piece in row.pieces
        if isinstance(piece, kinds.ToolCall)
    ]
    assert not [title for title in titles if HEX.search(title)] and "to Explore: Look around" in titles


def test_every_small_recording_is_described_in_words():
    """Every small recording beside the clone is described in plain words."""
    names = [name for name in (below(SHARED) if SHARED.is_dir() else []) if Path(name).stat().st_size <= SMALL]
    if not names:
        pytest.skip("no recordings beside this clone (../shared)")
    assert {name: found for name in names for talk in files.open_all(name) if (found := leaks(talk))} == {}


@pytest.mark.long
def test_every_long_recording_is_described_in_words():
    """Every long recording beside the clone is described in plain words."""
    names = [name for name in (below(SHARED) if SHARED.is_dir() else []) if Path(name).stat().st_size > SMALL]
    assert {name: found for name in names for talk in files.open_all(name) if (found := leaks(talk))} == {}


@pytest.mark.parametrize(
    "text", ["Only names like my_function stay in sentences", "src/a_b.py", "", "plain", "A_B", "two words"]
)
def test_what_is_no_machine_word_stays(text):
    """Sentences, paths and names are not changed."""
    assert figures.in_words(text) == text
