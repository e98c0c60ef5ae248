"""Tests which conversation a record belongs to."""

from chorus.core.conversation.route import Router
from chorus.library import files
from chorus.testing.builders import Flat, Run, Session, encode
from chorus.testing.builders.lines import Ids
from tests.core.conversation.reading import conversation, conversations, words

ONE, TWO = "11111111-0000-4000-8000-000000000000", "22222222-0000-4000-8000-000000000000"


def test_a_log_of_several_runs_gives_several_conversations() -> None:
    """A log that contains one run after the other, as `tee -a` writes it, gives several conversations."""
    log = b""
    for session_id in (ONE, TWO):
        run = Run(session_id)
        run.init()
        run.assistant(f"in {session_id[0]}")
        log += bytes(run)

    assert [(talk.id, words(talk)) for talk in conversations({"log.jsonl": log})] == [
        (ONE, ["model: in 1"]),
        (TWO, ["model: in 2"]),
    ]


def test_clearing_starts_another_conversation() -> None:
    """After `/clear`, the records of the stream have another id and belong to another conversation."""
    run = Run(ONE)
    run.init()
    run.assistant("before")
    run.line("conversation_reset", new_conversation_id=TWO, trigger="clear")
    after = Run(TWO)
    after.init()
    after.assistant("after")

    one, two = conversations({"log.jsonl": bytes(run) + bytes(after)})

    assert (words(one), words(two)) == (["model: before"], ["model: after"])


def test_hook_lines_under_another_id_make_no_conversation() -> None:
    """A start hook with an id that no other record has creates no conversation."""
    run = Run(ONE)
    run.add({"type": "system", "subtype": "hook_started", "session_id": TWO, "hook_name": "SessionStart"})
    run.init()
    run.assistant("hi")

    assert conversation(run).id == ONE


def test_records_without_an_id_follow_the_file_name() -> None:
    """A record without an id belongs to the session in the name of the session file."""
    session = Session(ONE)
    session.snapshot()
    session.user("hi")

    (talk,) = conversations({f"projects/x/{ONE}.jsonl": session})

    assert talk.id == ONE
    assert len(talk.notices) == 1


def test_records_before_the_first_id_wait_for_it() -> None:
    """If the file name is no session id, records before the first id belong to the session of that id."""
    session = Session(ONE)
    session.snapshot()
    session.add({"type": "summary", "summary": "t", "leafUuid": "elsewhere"})
    session.user("hi")

    talk = conversation(session)

    assert talk.id == ONE
    assert len(talk.notices) == 2


def test_without_any_id_the_file_name_is_the_name() -> None:
    """If no record has a session id, as in the oldest descriptions, the file name is the id of the conversation."""
    flat = Flat()
    flat.user("hi")

    (talk,) = conversations({"notes.jsonl": flat})

    assert talk.id == "notes"


def test_the_id_of_a_result_counts_when_nothing_else_has_one() -> None:
    """If only the turn result has a session id, as in some flat streams, the whole stream gets this id."""
    flat = Flat()
    flat.user("hi")
    flat.text("hello")
    flat.result("late-id")

    assert conversation(flat).id == "late-id"


def test_a_failed_resume_is_a_conversation_of_one_result() -> None:
    """A failed resume, which has no `init` record, gives a conversation with one failed turn and its errors."""
    run = Run(ONE)
    run.result(None, subtype="error_during_execution", errors=["No conversation found"])

    talk = conversation(run)

    assert talk.status.value == "failed"
    assert talk.turns[0].errors == ("No conversation found",)


def test_unread_lines_belong_to_the_conversation_around_them() -> None:
    """Unread bytes belong to the conversation of the records around them."""
    run = Run(ONE)
    run.init()
    broken = bytes(run) + b'{"type":"assistant","mess\n' + encode({"type": "result", "subtype": "success"})

    talk = conversation(broken)

    assert talk.session.unread == 1
    assert [notice.type for notice in talk.notices if notice.reason] == ["unread"]


def test_only_a_whole_file_name_names_a_session() -> None:
    """Only a file name that is exactly a session id names a session; folders of any operating system are ignored."""
    flat = Flat()
    flat.user("hi")

    names = [f"x\\{ONE}.jsonl", f"{ONE}.old.jsonl", f"a/{ONE}/b.jsonl", ""]

    found = [conversations({name: flat})[0].id for name in names]

    assert [found[0], found[1], found[3]] == [ONE, f"{ONE}.old", "stream"]
    assert found[2].startswith("b-")
    assert conversations({f"c/{ONE}/b.jsonl": flat})[0].id not in found


def test_a_record_belongs_to_the_home_of_its_stream() -> None:
    """A record belongs to the session of its own id, or else to the session that owns its stream."""
    records = list(files.read(b'{"type":"user","sessionId":"b"}\n{"type":"user"}\n{"type":"user","session_id":""}\n'))
    router = Router("agent-x.jsonl", home="a")

    assert [session for record in records for session, _ in router.route(record)] == ["b", "a", "a"]


def test_a_hook_alone_goes_by_its_own_id() -> None:
    """If a stream has only a hook record, the id of the hook is the id of the conversation."""
    run = Run(ONE)
    run.system("hook_started", hook_name="SessionStart")

    assert conversation(run).id == ONE


def test_hooks_of_a_known_session_are_its_own() -> None:
    """In a log of two runs, each hook record belongs to its own session."""
    one, two = Run(ONE), Run(TWO)
    one.init()
    two.init()
    late = Run(ONE, ids=Ids("late"))
    late.system("hook_started", hook_name="Stop")

    found = {talk.id: len(talk.notices) for talk in conversations({"log": bytes(one) + bytes(two) + bytes(late)})}

    assert found == {ONE: 2, TWO: 1}


def test_a_flat_start_opens_its_session() -> None:
    """Flat events without an id belong to the session that the last start event opened."""
    flat = Flat()
    for name in ("s1", "s2", "s2", "s1"):
        flat.start(name)
    flat.user("hi")

    found = {talk.id: words(talk) for talk in conversations({"log.jsonl": flat})}

    assert found == {"s1": ["human: hi"], "s2": []}


def test_what_waits_in_a_named_file_goes_by_its_name() -> None:
    """Unread bytes at the start of a session file belong to the session in its name, even if another id follows."""
    other = Session(TWO)
    other.user("hi")
    data = b"noise\n" + bytes(other)

    found = {talk.id: talk.session.unread for talk in conversations({f"{ONE}.jsonl": data})}

    assert found == {ONE: 1, TWO: 0}
