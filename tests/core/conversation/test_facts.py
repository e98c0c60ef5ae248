"""Tests facts about the whole session: titles, folder, versions, modes, tools, queue, and which records are shown."""

from typing import Any

import pytest

import chorus
from chorus.core.conversation import naming
from chorus.core.records.times import canonical_time
from chorus.testing.builders import Flat, Run, Session, encode, text
from tests.core.conversation.reading import conversation, conversations, words
from tests.core.conversation.talks import read


def test_the_best_title_wins() -> None:
    """A custom title wins over an AI title, which wins over a summary, which wins over the first prompt of a person."""
    session = Session()
    session.user("<command-name>/init</command-name>")
    seen = [conversation(session).title]
    session.user("fix   the\nparser")
    seen.append(conversation(session).title)
    session.summary("old title")
    seen.append(conversation(session).title)
    session.fact("ai-title", aiTitle="ai title")
    seen.append(conversation(session).title)
    session.title("my title")
    session.title("my better title")
    seen.append(conversation(session).title)

    assert seen == [None, "fix the parser", "old title", "ai title", "my better title"]


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("Implement the following plan:\n\n# Plan: sign the releases\n\n## Context\nmuch", "Plan: sign the releases"),
        (
            "Implement the following plan:\n\nno heading, just words",
            "Implement the following plan: no heading, just words",
        ),
        ("Implement the following plan:\n\n#\n## ", "Implement the following plan: # ##"),
        ("# A heading of my own\nand words", "# A heading of my own and words"),
    ],
)
def test_a_plan_names_its_conversation(prompt: str, title: str) -> None:
    """The title of a prompt with an accepted plan is the heading of the plan; of any other prompt, it is its words."""
    session = Session()
    session.user(prompt)

    assert conversation(session).title == title


def test_a_blank_text_is_no_title() -> None:
    """A title of blanks alone does not replace a title that can be read, from any source."""
    session = Session()
    session.user("fix the parser")
    session.summary(" \n ")
    session.fact("ai-title", aiTitle="\u3000")
    session.title("   ")

    assert (conversation(session).title, conversation(session).session.title_source) == ("fix the parser", "prompt")


def test_a_summary_titles_the_conversation_its_leaf_is_in() -> None:
    """A summary in the file of the next session, as old clients wrote it, titles the conversation that has its leaf."""
    old, new = Session(), Session("22222222-0000-4000-8000-000000000000")
    old.user("about login")
    new.summary("Debug login", leaf=old.leaf)
    new.user("about search")

    titles = {talk.id: talk.title for talk in conversations({"old.jsonl": old, "new.jsonl": new})}

    assert titles == {old.id: "Debug login", new.id: "about search"}


def test_session_facts_are_collected() -> None:
    """A session has folder, branch, tools, servers with status, key source, versions, models, start and end."""
    session, run = Session(version="2.1.50"), Run()
    run.init(mcp_servers=[{"name": "box", "status": "connected"}, "plain"], tools=["Read", "Bash"], apiKeySource="env")
    session.user("go")
    session.branch = "feature"
    session.assistant("done")

    facts = conversation(run, session=session).session

    assert (facts.cwd, facts.git_branch, facts.api_key_source) == ("/home/dev/work", "feature", "env")
    assert facts.tools == ("Read", "Bash")
    assert [(server.name, server.status) for server in facts.mcp_servers] == [("box", "connected"), ("plain", None)]
    assert set(facts.versions) == {"2.1.50", "2.1.325"}
    assert facts.models == ("claude-test-1",)
    assert (facts.started_at, facts.ended_at) == ("2026-01-05T09:00:00.000Z", "2026-01-05T09:00:01.000Z")


@pytest.mark.parametrize(
    ("branches", "expected"),
    [
        (("HEAD",), None),
        (("HEAD", "main"), "main"),
        (("main", "HEAD"), None),
        (("head",), "head"),
        (("HEAD/x",), "HEAD/x"),
    ],
)
def test_head_is_no_branch(branches, expected) -> None:
    """Clients write `HEAD` where there is no git, and where no branch is checked out: then there is no branch."""
    session = Session()
    for branch in branches:
        session.branch = branch
        session.user("go")

    talk = conversation(session)

    assert talk.session.git_branch == expected


def test_permission_modes_and_their_changes() -> None:
    """The permission mode is the last one that was recorded, and the thread shows every change."""
    session = Session()
    for mode in ("default", "default", "plan", "acceptEdits"):
        session.user("go", permissionMode=mode)

    talk = conversation(session)

    assert talk.session.permission_mode == "acceptEdits"
    assert [item.mode for item in talk.thread() if isinstance(item, chorus.ModeChange)] == ["plan", "acceptEdits"]


def test_queued_input_is_shown_as_what_the_person_typed() -> None:
    """Queued input is shown as waiting; once it is taken or absorbed in a turn, it is a message of the person."""
    session = Session()
    session.queue("enqueue", "first")
    session.queue("dequeue")
    session.user("first")
    session.queue("enqueue", "by the way")
    session.queue("enqueue", "later")
    session.queue("remove", "by the way", reason="absorbed_mid_turn")
    session.attachment("queued_command", prompt="by the way", commandMode="prompt")

    talk = conversation(session)

    assert words(talk) == ["human: first", "human: by the way"]
    assert [message.is_queued for message in talk.messages] == [False, True]
    waiting = [talk.text(item) for item in talk.thread() if isinstance(item, chorus.Queued)]
    assert waiting == ["later"]


def test_unknown_records_are_shown_whole() -> None:
    """A record of an unknown type is shown with its JSON, and bookkeeping is hidden."""
    session = Session()
    session.fact("brand-new", depth={"a": [1, 2]})
    session.fact("mode", mode="normal")
    session.system("brand_new_subtype", content="hear me")

    talk = conversation(session)
    shown = [(notice.type, notice.kind, notice.text) for notice in talk.notices if not notice.is_internal]

    assert shown == [("brand-new", "", None), ("system", "brand_new_subtype", "hear me")]
    assert b'"depth":{"a":[1,2]}' in bytes(talk.notices[0].body)
    assert [len(talk.thread(internal=internal)) for internal in (False, True)] == [2, 3]


def test_unusable_timestamps_are_no_times() -> None:
    """A time in another form is converted, and a text that is no time is ignored."""
    session = Session()
    session.user("a", timestamp="2026-01-05T10:00:00+01:00")
    session.user("b", timestamp="soon")

    talk = conversation(session)

    assert [message.started_at for message in talk.messages] == ["2026-01-05T09:00:00.000Z", None]


def test_titles_are_short_and_the_latest_of_their_kind() -> None:
    """The first prompt, or the last title of the best kind, names the conversation, with at most 300 characters."""
    session = Session()
    session.user("first " + "x" * 400)
    session.user("second")
    prompt = conversation(session).session
    session.summary("older summary")
    session.summary("s" * 400)
    summary = conversation(session).session
    session.fact("ai-title", aiTitle="older")
    session.fact("ai-title", aiTitle="newer")

    assert (prompt.title, prompt.title_source) == ("first " + "x" * 294, "prompt")
    assert (summary.title, summary.title_source) == ("s" * 300, "summary")
    assert conversation(session).title == "newer"


@pytest.mark.parametrize(
    ("written", "title"),
    [
        ('{"title": "Fake title"}', "Fake title"),
        ('{ "title" : "A \\u00e9" }', "A é"),
        ('{"title": "%s"}' % ("s" * 400), "s" * 300),
        ('{"title": "a", "b": 1}', '{"title": "a", "b": 1}'),
        ('{"title": 7}', '{"title": 7}'),
        ("{title}", "{title}"),
        ("[" * 200, "[" * 200),
    ],
)
def test_a_title_in_json_is_read(written, title) -> None:
    """A summary or title that is a JSON object with nothing but a title gives that title; any other text stays."""
    summarised = Session()
    summarised.user("go")
    summarised.summary(written)
    named = Session()
    named.user("go")
    named.fact("ai-title", aiTitle=written)

    assert conversation(summarised).title == title
    assert conversation(named).title == title


def test_a_title_with_half_a_character_stays() -> None:
    """A title that cannot be encoded is not read as JSON, and nothing is raised."""
    assert naming.plain('{"title": "\ud800"}') == '{"title": "\ud800"}'


def test_stdout_tells_a_title_too() -> None:
    """A title that the client reports on stdout is the title of the conversation."""
    run = Run()
    run.system("session_title_changed", title="named")

    assert conversation(run).title == "named"


def test_a_summary_without_a_leaf_is_of_its_own_file() -> None:
    """A summary without a leaf titles its own conversation, as does one whose leaf is bookkeeping or a later line."""
    session = Session()
    session.user("go")
    session.add({"type": "summary", "summary": "no leaf", "sessionId": session.id})
    without = conversation(session).title
    session.attachment("skill_listing")
    session.summary("on bookkeeping")
    bookkeeping = conversation(session).title
    session.summary("on a later line", leaf="later")
    before = conversation(session).title
    session.user("go on", uuid="later")

    assert (without, bookkeeping, before) == ("no leaf", "on bookkeeping", "on bookkeeping")
    assert conversation(session).title == "on a later line"


def test_of_summaries_found_elsewhere_the_last_holds() -> None:
    """Of summaries in later sessions the newest one counts, and a better kind of title still wins."""
    old = Session()
    old.user("about login")
    files: dict[str, Session | bytes] = {"old.jsonl": old}
    for n in range(3):
        new = files[f"new{n}.jsonl"] = Session(f"2222222{n}-0000-4000-8000-000000000000")
        assert isinstance(new, Session)
        new.user(f"new {n}", timestamp=f"2026-01-06T09:00:0{(2, 3, 1)[n]}.000Z")
        new.summary(f"older {n}", leaf=old.leaf)
        new.summary(f"title {n}", leaf=old.leaf)

    assert conversations(files)[0].title == "title 1"
    old.title("mine")
    assert conversations(files)[0].title == "mine"


def test_the_folder_is_the_first_and_the_branch_the_last_of_the_main_thread() -> None:
    """The folder is the first and the branch the last of the main thread; folders of sub-agents do not count."""
    session = Session(cwd="/first", branch="one", slug="calm-lake")
    agent = session.agent("a1", "t1")
    agent.cwd, agent.branch = "/agents", "agents"
    agent.user("early")
    session.user("go")
    session.cwd, session.branch = "/second", "two"
    session.user("more")
    agent.user("look")

    for talk in (conversation(session, agent=agent), conversation(agent, session=session)):
        facts = talk.session
        assert (facts.cwd, facts.git_branch, facts.slug) == ("/first", "two", "calm-lake")


def test_versions_are_listed_as_first_used_and_models_by_their_work() -> None:
    """Versions are listed by first use and models by work, in any reading order; an `init` record lists its model."""
    late, early = Session(version="2.1.2", model="late"), Run(model="early")
    late.user("go", timestamp="2026-01-05T09:00:05.000Z")
    late.assistant("a", timestamp="2026-01-05T09:00:06.000Z")
    early.init(timestamp="2026-01-05T09:00:01.000Z", claude_code_version="2.1.1")
    late.version = "2.1.1"
    late.user("again")

    for talk in (conversation(late, early=early), conversation(early, late=late)):
        assert talk.session.versions == ("2.1.1", "2.1.2")
        assert talk.session.models == ("late", "early")


@pytest.mark.parametrize(
    ("said", "first"),
    [((2, 2, 9), "b"), ((9, 1, 7), "a"), ((5, 4, 5), "a"), ((1, 1, 2), "a")],
)
def test_the_model_that_did_most_is_named_first(said: tuple[int, int, int], first: str) -> None:
    """The model with the most output tokens comes first, then the one with more messages: `a` has two and `b` one."""
    session = Session()
    for model, tokens in zip("aab", said, strict=True):
        session.model = model
        session.assistant("x", "y", tokens={"input_tokens": 1, "output_tokens": tokens})

    assert conversation(session).session.models[0] == first


def test_the_latest_start_tells_the_tools() -> None:
    """The latest `init` record replaces tools, servers and key source."""
    run = Run()
    run.init(tools=["Read"], mcp_servers=["box"], apiKeySource="a")
    run.init(tools=["Bash"], mcp_servers=[], apiKeySource="b")

    facts = conversation(run).session

    assert (facts.tools, facts.mcp_servers, facts.api_key_source) == (("Bash",), (), "b")


@pytest.mark.parametrize("how", ["init", "status", "line", "prompt"])
def test_the_permission_mode_is_reported_in_several_ways(how: str) -> None:
    """An `init` record, a status record, a line of the file and a prompt each report the same change of mode."""
    session, run = Session(), Run()
    session.user("go", permissionMode="default")
    if how == "init":
        run.init(permissionMode="plan")
    elif how == "status":
        run.system("status", permissionMode="default")
        run.system("status", permissionMode="plan")
    elif how == "line":
        session.fact("permission-mode", permissionMode="plan")
    else:
        session.user("more", permissionMode="plan")

    talk = conversation(bytes(session) + bytes(run))

    assert talk.session.permission_mode == "plan"
    assert [item.mode for item in talk.thread() if isinstance(item, chorus.ModeChange)] == ["plan"]


def test_a_mode_reported_twice_is_one_change() -> None:
    """A prompt and its copy on stdout report one change of the mode."""
    session, run = Session(), Run()
    line = session.user("go", permissionMode="plan")
    session.user("more", permissionMode="plan")
    run.line("user", uuid=line["uuid"], message=line["message"], permissionMode="plan", timestamp=line["timestamp"])

    assert len(conversation(session, run=run).all(chorus.ModeChange)) == 1
    file, copy = read("a.jsonl", bytes(session)), read("b.jsonl", bytes(run))
    assert chorus.fold([*file, *copy]) == chorus.fold([*copy, *file])


def test_the_cost_in_the_file_is_the_last_one() -> None:
    """The last running total in the session file is the cost of the session."""
    session = Session()
    session.fact("cost-state", totalCostUSD=0.5)
    session.fact("cost-state", totalCostUSD=0.75)

    assert conversation(session).session.state_cost_usd == 0.75


def test_steps_of_the_queue() -> None:
    """The queue is first in, first out; a removal takes the input it names or the first one, and `popAll` takes all."""
    session = Session()
    for name in ("a", "b", "c", "d", "e"):
        session.queue("enqueue", [text(name)] if name == "c" else name)
    session.queue("dequeue")
    session.queue("remove", "c", reason="absorbed_mid_turn")
    session.queue("remove")
    before = conversation(session)
    session.queue("popAll")
    session.queue("dequeue")
    after = conversation(session)

    states = [[(talk.text(item), item.state) for item in talk.all(chorus.Queued)] for talk in (before, after)]

    assert states == [
        [("a", "taken"), ("b", "absorbed"), ("c", "absorbed"), ("d", "waiting"), ("e", "waiting")],
        [("a", "taken"), ("b", "absorbed"), ("c", "absorbed"), ("d", "removed"), ("e", "removed")],
    ]
    assert before.all(chorus.Queued)[0].time == session.lines[0]["timestamp"]


def test_the_same_words_queued_twice_are_two_inputs() -> None:
    """The same words queued twice are two inputs, but a copy of the record in another stream is the same input."""
    session, copy = Session(), Session()
    for _ in range(2):
        copy.add(session.queue("enqueue", "go on"))
    session.queue("dequeue")

    one, two = conversation(session, copy=copy), conversation(copy, session=session)

    for talk, first in ((one, "copy.jsonl"), (two, "main.jsonl")):
        assert [item.state for item in talk.all(chorus.Queued)] == ["taken", "waiting"]
        assert {item.place.stream for item in talk.all(chorus.Queued)} == {first}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"prompt": "hi", "commandMode": "prompt"}, ["human: hi"]),
        ({"prompt": "hi"}, ["human: hi"]),
        ({"prompt": [text("hi"), text("there")]}, ["human: hi\n\nthere"]),
        ({"prompt": "done", "commandMode": "task-notification"}, ["notification: done"]),
        ({"prompt": ""}, []),
        ({"prompt": 7}, []),
    ],
)
def test_queued_input_in_an_attachment(fields: dict[str, Any], said: list[str]) -> None:
    """Queued input in an attachment is a message of the person, unless its mode names another author."""
    session = Session()
    session.attachment("queued_command", **fields)

    assert words(conversation(session)) == said


def test_queued_input_replayed_on_stdout_is_shown_once() -> None:
    """Input in an attachment and its copy on stdout, a user line with the named uuid, are shown once."""
    session, run = Session(), Run()
    line = run.user("by the way", isReplay=True)
    session.attachment("queued_command", prompt="by the way", source_uuid=line["uuid"])

    for talk in (conversation(session, run=run), conversation(run, session=session)):
        assert words(talk) == ["human: by the way"]
    file, copy = read("a.jsonl", bytes(session)), read("b.jsonl", bytes(session))
    assert chorus.fold([*file, *copy]) == chorus.fold([*copy, *file])


def test_queued_input_of_an_agent_is_in_its_thread() -> None:
    """Queued input in the file of a sub-agent appears in the thread of that sub-agent."""
    session = Session()
    agent = session.agent("a1", "t1")
    agent.attachment("queued_command", prompt="hurry", source_uuid="u")
    session.attachment("queued_command", prompt="wait", source_uuid="u")

    talk = conversation(session, agent=agent)

    assert (words(talk), words(talk, "a1")) == (["human: wait"], ["human: hurry"])


INTERNAL = [
    "snapshot",
    "file-history-snapshot",
    "file-history-delta",
    "progress",
    "attachment",
    "mode",
    "permission-mode",
    "custom-title",
    "ai-title",
    "agent-name",
    "summary",
    "last-prompt",
    "cost-state",
    "tools-used",
    "atis-latch",
    "api-request",
    "api-request-blob",
    "api-request-shape",
    "queue-operation",
    "control_request",
    "control_response",
    "control_cancel_request",
    "transcript_mirror",
    "command_lifecycle",
    "keep_alive",
    "session_start",
    "system init",
    "system status",
    "system thinking_tokens",
    "system task_started",
    "system task_progress",
    "system task_updated",
    "system task_notification",
    "system background_tasks_changed",
    "system session_state_changed",
    "system session_title_changed",
    "system commands_changed",
    "system control_request_progress",
    "system hook_started",
    "system hook_progress",
    "system hook_response",
    "system stop_hook_summary",
]


@pytest.mark.parametrize("name", INTERNAL)
def test_bookkeeping_is_kept_out_of_sight(name: str) -> None:
    """Every record of the client's own bookkeeping is an internal notice, which is shown only on request."""
    kind, _, subtype = name.partition(" ")
    line = {
        "type": kind,
        "session_id": "s",
        "summary": "x",
        "content": "x",
        **({"subtype": subtype} if subtype else {}),
    }

    (notice,) = conversation(encode(line)).notices

    assert (notice.type, notice.is_internal, notice.text, bytes(notice.body)) == (kind, True, None, b"")


@pytest.mark.parametrize("mark", [{"hook_event_name": "Stop"}, {"display": "ls"}])
def test_payloads_of_other_programs_are_bookkeeping(mark: dict[str, Any]) -> None:
    """The payload of a hook and a line of the prompt history are internal notices."""
    (notice,) = conversation(encode({**mark, "session_id": "s"})).notices

    assert notice.is_internal


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ({"type": "system", "subtype": "informational", "content": "a", "summary": "b"}, "a"),
        ({"type": "system", "subtype": "api_retry", "message": "again"}, "again"),
        ({"type": "system", "subtype": "new", "summary": "in short"}, "in short"),
        ({"type": "system", "subtype": "api_error", "error": {"status": 529}}, '{"status":529}'),
        ({"type": "system", "subtype": "permission_denied", "tool_name": "Bash"}, "Bash"),
        ({"type": "system", "subtype": "informational", "content": "x" * 5000}, "x" * 4000),
        ({"type": "system", "subtype": "stop_hook_summary", "preventedContinuation": True, "content": "no"}, "no"),
        ({"type": "pr-link", "prUrl": "https://example.com/1"}, "https://example.com/1"),
        ({"type": "frame-link", "frameUrl": "https://example.com/2"}, "https://example.com/2"),
        ({"type": "conversation_reset", "new_conversation_id": "next"}, "next"),
        ({"type": "error", "error": "it broke"}, "it broke"),
    ],
)
def test_events_are_shown_with_their_words(line: dict[str, Any], shown: str) -> None:
    """A notice shows the text of its record, at most 4000 characters."""
    (notice,) = conversation(encode({**line, "session_id": "s", "timestamp": "2026-01-05T09:00:00.000Z"})).notices

    assert (notice.is_internal, notice.text, notice.time) == (False, shown, "2026-01-05T09:00:00.000Z")


def test_a_notice_is_shown_once() -> None:
    """Copies of a record in several streams become one notice."""
    session, run = Session(), Run()
    line = session.system("informational", content="hello")
    run.line("system", subtype="informational", content="hello")["uuid"] = line["uuid"]

    for talk in (conversation(session, run=run), conversation(run, session=session)):
        assert [notice.text for notice in talk.notices] == ["hello"]


def test_unread_bytes_are_shown_with_their_reason() -> None:
    """Unread bytes are shown with the reason, at most 4000 characters, and the session counts them."""
    run = Run()
    run.init()

    talk = conversation(bytes(run) + b"#" * 5000 + b"\n\xff\n")
    notices = [notice for notice in talk.notices if notice.type == "unread"]

    assert [(notice.text, notice.reason) for notice in notices] == [("#" * 4000, "not JSON"), ("\ufffd", "not JSON")]
    assert talk.session.unread == 2


def test_an_unknown_record_joined_from_rows_is_shown_as_its_json() -> None:
    """The notice of an unknown record that was joined from rows of a terminal has the JSON text of the record."""
    line = encode({"type": "brand-new", "session_id": "s", "words": "long enough to be cut"})

    (notice,) = conversation(line[:40] + b"\n" + line[40:]).notices

    assert bytes(notice.body) == line.rstrip()


@pytest.mark.parametrize(
    ("written", "time"),
    [
        ("2026-01-05T09:00:00.000Z", "2026-01-05T09:00:00.000Z"),
        ("2026-01-05T09:00:00Z", "2026-01-05T09:00:00.000Z"),
        ("2026-01-05T09:00:00.123456Z", "2026-01-05T09:00:00.123Z"),
        ("2026-01-05T10:30:00+01:30", "2026-01-05T09:00:00.000Z"),
        ("2026-01-05 09:00:00", "2026-01-05T09:00:00.000Z"),
        ("0001-01-01T00:00:00+12:00", None),
        ("now", None),
        (None, None),
    ],
)
def test_times_have_one_form(written: str | None, time: str | None) -> None:
    """All times get one form that sorts as text; a time without a zone is UTC, and any other text gives no time."""
    assert canonical_time(written) == time


def test_the_time_a_record_was_seen_stands_in_for_its_own() -> None:
    """A record without a time of its own gets the time at which Chorus saw it."""
    flat = Flat()
    flat.start("s")
    flat.text("hi")
    records = list(chorus.read(bytes(flat)))
    for record in records:
        record.seen_at = "2026-01-05T09:00:00.000Z"

    (talk,) = chorus.fold(records)

    assert [message.started_at for message in talk.messages] == ["2026-01-05T09:00:00.000Z"]
    assert talk.session.ended_at == "2026-01-05T09:00:00.000Z"


def test_start_and_end_are_the_earliest_and_the_latest_time() -> None:
    """Start and end of a session are the earliest and the latest time of all lines, in any order."""
    session = Session()
    for second in (5, 9, 1, 7):
        session.user("go", timestamp=f"2026-01-05T09:00:0{second}.000Z")

    facts = conversation(session).session

    assert (facts.started_at, facts.ended_at) == ("2026-01-05T09:00:01.000Z", "2026-01-05T09:00:09.000Z")


def test_a_line_with_an_earlier_time_stays_after_the_one_before() -> None:
    """Within a stream the order of the lines counts; times only order the streams among each other."""
    session, run = Session(), Run()
    for said, second in (("a", 5), ("b", 1), ("c", 6)):
        session.user(said, timestamp=f"2026-01-05T09:00:0{second}.000Z")
    run.user("at five", timestamp="2026-01-05T09:00:05.000Z")

    for talk in (conversation(session, run=run), conversation(run, session=session)):
        assert words(talk) == ["human: a", "human: b", "human: at five", "human: c"]


def test_a_conversation_says_what_it_is() -> None:
    """The short form of a conversation in Python has its id, title, number of messages and status."""
    session = Session()
    session.user("go")
    session.assistant("done")

    assert repr(conversation(session)) == f"<Conversation {session.id} 'go': 1 messages, done>"
