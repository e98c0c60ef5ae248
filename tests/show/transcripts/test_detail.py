"""Tests what a page shows around a transcript: facts, threads and the outline."""

from datetime import UTC, datetime

from chorus.core.conversation.context_window import LARGE_WINDOW, WINDOW
from chorus.core.query.parse import parse
from chorus.find.costs.conversation_costs import Costs
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.memory import MemoryVault
from chorus.show.transcripts.detail import context, detail
from chorus.show.transcripts.outline import MAX_MARKS, outline
from chorus.show.transcripts.summary import Summaries
from chorus.testing.builders import Run, Session, tool_use
from chorus.testing.builders.lines import usage
from chorus.testing.indexes import SEEN_AT, keep
from tests.core.views.talks import tour
from tests.show.transcripts.reading import CONVERSATION, Read, read

NOW = datetime(2026, 1, 5, tzinfo=UTC)


def test_the_line_of_a_list(tmp_path):
    """A summary says what the conversation is, what it cost, and how many sub-agents it has."""
    talk, _ = tour()
    found = read(tmp_path, talk)

    (line,) = Summaries(Costs(tmp_path)).of(found.index, [found.opened.row])

    assert (line.title, line.folder, line.branch) == ("Rename the option", "/home/dev/work", "main")
    assert (line.sub_agents, line.sub_agents_at_work, line.calls) == (1, 0, 7)
    assert line.models == ("claude-test-1",) and line.cost_usd is None


def test_sub_agents_at_work(tmp_path):
    """A sub-agent is at work from its call to its result, and one in the background until its end is recorded."""
    talk = Session()
    talk.assistant(tool_use("Agent", {"prompt": "look", "description": "d"}, id="c1"))
    agent = talk.agent("a1", "c1")
    agent.user("look")
    found = read(tmp_path, talk)
    at_work = [found.opened.row.sub_agents_at_work]

    def go_on():
        keep(found.vault, talk)
        found.catch_up()
        at_work.append(found.opened.row.sub_agents_at_work)

    talk.tool_result("c1", "done", structured={"agentId": "a1", "status": "completed"})
    go_on()
    talk.assistant(tool_use("Agent", {"prompt": "more", "description": "d"}, id="c2"))
    talk.tool_result("c2", "started", structured={"agentId": "a2", "status": "async_launched", "isAsync": True})
    go_on()

    assert at_work == [1, 0, 1]


def test_the_facts_of_a_conversation(tmp_path):
    """The detail has the versions of the client, and each sub-agent's thread with the call that started it."""
    talk, _ = tour()
    found = read(tmp_path, talk)

    told = detail(found.opened, found.index)

    (thread,) = told.threads
    assert (thread.id, thread.kind, thread.call, thread.parent, thread.entries) == ("a1", "reader", "agent", "", 3)
    assert thread.started_at is not None and thread.started_at < (thread.ended_at or "")
    assert told.versions == ("2.1.150",) and told.summary.title == "Rename the option"
    assert (told.epoch, told.seq) == (found.index.epoch, found.opened.seq)


def read_run(tmp_path, run: Run) -> Read:
    """Returns a conversation of which only the client's standard output is stored."""
    vault = MemoryVault()
    vault.append(StreamKey("w-1", "main", CONVERSATION, "stdout"), bytes(run), seen_at=SEEN_AT)
    vault.flush()
    return Read(vault, tmp_path)


def test_the_facts_of_a_run(tmp_path):
    """The detail shows what a run reports when it starts: tools, servers and permission mode."""
    run = Run()
    run.init(mcp_servers=[{"name": "box", "status": "connected"}])
    run.assistant("hello")
    found = read_run(tmp_path, run)

    told = detail(found.opened, found.index)

    assert "Bash" in told.tools and told.permission_mode == "default" and told.api_key_source == "none"
    assert [(server.name, server.status) for server in told.mcp_servers] == [("box", "connected")]


def full(tmp_path, tokens, model="claude-test-1"):
    talk = Session(model=model)
    talk.assistant("small", tokens=usage(given=1, said=1))
    talk.assistant("large", tokens=tokens)
    talk.user("and now?")
    agent = talk.agent("a1", "x")
    agent.assistant("inner", tokens=usage(given=5, said=5))
    found = read(tmp_path, talk)
    return context(found.opened, found.index)


def test_how_full_the_window_is(tmp_path):
    """All tokens of the newest answer in the main thread count against the window of its model."""
    tokens = usage(given=10, said=20, cache_creation=300, cache_read=4_000)

    small = full(tmp_path, tokens)
    assert small is not None and (small.tokens, small.window) == (4_330, WINDOW)
    large = full(tmp_path, tokens, "claude-test-1[1m]")
    assert large is not None and large.window == LARGE_WINDOW
    larger = full(tmp_path, usage(given=300_000))
    assert larger is not None and larger.window == LARGE_WINDOW


def test_nobody_knows_how_full_it_is(tmp_path):
    """Without an answer there is no number for the window."""
    talk = Session()
    talk.user("hello")
    found = read(tmp_path, talk)

    assert context(found.opened, found.index) is None


def test_the_outline(tmp_path):
    """The outline lists prompts, plans, errors, turn ends and compactions in order, with first words and positions."""
    talk = Session()
    talk.user("first " + "word " * 100)
    talk.assistant(tool_use("ExitPlanMode", {"plan": "# Plan"}, id="plan"))
    talk.tool_result("plan", "ok")
    talk.system("api_error", content="overloaded")
    talk.system("turn_duration", durationMs=5)
    talk.compact("what was said")
    talk.user("second")
    found = read(tmp_path, talk)

    shown = outline(found.opened, found.index)

    assert [mark.kind for mark in shown.marks] == ["prompt", "plan", "error", "turn", "compaction", "prompt"]
    assert shown.marks[0].text.startswith("first word") and len(shown.marks[0].text) == 120
    assert shown.marks[-1].text == "second"
    assert [mark.at for mark in shown.marks] == sorted(mark.at for mark in shown.marks)
    assert shown.marks[0].at == 0 and all(mark.at < 1 for mark in shown.marks)
    rows = {row.row.id: row.key for row in found.forwards()}
    assert all(rows[mark.id] == mark.key for mark in shown.marks)
    assert shown.entries == len(rows)


def test_errors_of_the_api_in_the_outline(tmp_path):
    """The outline names API errors in words, and several in a row by the last one."""
    talk = Session()
    talk.user("go")
    talk.system("api_error", error={"status": 529, "message": "overloaded"}, retryAttempt=1, maxRetries=10)
    talk.system("api_error", error={"status": 500}, retryAttempt=2)
    talk.assistant("API Error: 529 overloaded", isApiErrorMessage=True)
    found = read(tmp_path, talk)

    said = [mark.text for mark in outline(found.opened, found.index).marks if mark.kind == "error"]

    assert said == ["500 · retrying 2", "API Error: 529 overloaded"]


def test_a_turn_that_a_person_ended_is_no_error_in_the_outline_or_to_a_search(tmp_path):
    """The client reports an interrupted turn as an error. The outline and the search treat it as interrupted."""
    run = Run()
    run.init()
    run.assistant("I begin.")
    run.result(None, subtype="error_during_execution", terminal_reason="aborted_streaming", errors=["stopped by hand"])
    run.assistant("I go on.")
    run.result(None, subtype="error_during_execution", terminal_reason="api_error", errors=["out of order"])
    found = read_run(tmp_path, run)

    marks = [(mark.kind, mark.text) for mark in outline(found.opened, found.index).marks]

    assert marks == [("turn", "interrupted"), ("error", "api_error")]
    hits = {
        text: len(found.index.search(parse(text, now=NOW), limit=9).hits) for text in ("is:error", "stopped", "order")
    }
    assert hits == {"is:error": 1, "stopped": 1, "order": 1}


def test_branches_in_the_outline(tmp_path):
    """The outline has each branch point with its continuations and marks the active one."""
    talk = Session()
    talk.user("root")
    at = talk.leaf
    left = talk.user("left")
    talk.leaf = at
    right = talk.user("right")
    found = read(tmp_path, talk)

    (point,) = outline(found.opened, found.index).branches

    assert point.at == at
    assert [(head.id, head.words, head.is_active) for head in point.heads] == [
        (left["uuid"], "left", False),
        (right["uuid"], "right", True),
    ]


def test_a_long_outline_is_thinned(tmp_path):
    """An outline with too many prompts is thinned at regular distances, beginning with the first prompt."""
    talk = Session()
    for number in range(MAX_MARKS + 500):
        talk.user(f"{number}")
    found = read(tmp_path, talk)

    shown = outline(found.opened, found.index)

    assert len(shown.marks) == MAX_MARKS and shown.entries == MAX_MARKS + 500
    assert shown.marks[0].text == "0"


def test_the_outline_of_a_sub_agent(tmp_path):
    """A sub-agent's thread has its own outline."""
    talk, _ = tour()
    found = read(tmp_path, talk)

    assert outline(found.opened, found.index, "a1").entries == 3
    assert outline(found.opened, found.index, "nobody").marks == ()
