"""Facts about the whole session: titles, folder, versions, modes, tools, queue, what is hidden and what is shown."""

import chorus
from chorus.testing.builders import Run, Session
from tests.conversation.reading import conversation, conversations, words


def test_the_best_title_wins() -> None:
    """Custom, then ai, then summary, then the first human prompt."""
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


def test_a_summary_titles_the_conversation_its_leaf_is_in() -> None:
    """Old clients wrote the title of one session into the file of the next."""
    old, new = Session(), Session("22222222-0000-4000-8000-000000000000")
    old.user("about login")
    new.summary("Debug login", leaf=old.leaf)
    new.user("about search")

    titles = {talk.id: talk.title for talk in conversations({"old.jsonl": old, "new.jsonl": new})}

    assert titles == {old.id: "Debug login", new.id: "about search"}


def test_session_facts_are_collected() -> None:
    """Folder, branch, tools, servers with their status, key source, versions, models, start and end."""
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


def test_permission_modes_and_their_changes() -> None:
    """The mode is the last one stated; a thread shows where it changes."""
    session = Session()
    for mode in ("default", "default", "plan", "acceptEdits"):
        session.user("go", permissionMode=mode)

    talk = conversation(session)

    assert talk.session.permission_mode == "acceptEdits"
    assert [item.mode for item in talk.thread() if isinstance(item, chorus.ModeChange)] == ["plan", "acceptEdits"]


def test_queued_input_is_shown_as_what_the_person_typed() -> None:
    """Waiting input is shown as such; taken, it is the prompt; absorbed mid-turn, it is a message of the person."""
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
    """A type that nobody knows yet is a card with its JSON; bookkeeping is kept out of sight."""
    session = Session()
    session.fact("brand-new", depth={"a": [1, 2]})
    session.fact("mode", mode="normal")
    session.system("brand_new_subtype", content="hear me")

    talk = conversation(session)
    shown = [(notice.type, notice.kind, notice.text) for notice in talk.notices if not notice.is_internal]

    assert shown == [("brand-new", "", None), ("system", "brand_new_subtype", "hear me")]
    assert b'"depth":{"a":[1,2]}' in bytes(talk.notices[0].body)
    assert len(talk.thread(internal=True)) == 3


def test_unusable_timestamps_are_no_times() -> None:
    """Times in other forms are understood, nonsense is left aside."""
    session = Session()
    session.user("a", timestamp="2026-01-05T10:00:00+01:00")
    session.user("b", timestamp="soon")

    talk = conversation(session)

    assert [message.started_at for message in talk.messages] == ["2026-01-05T09:00:00.000Z", None]
