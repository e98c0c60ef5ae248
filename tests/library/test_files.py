"""Tests of the Python API: reading from every kind of source, folding into conversations, and opening files."""

import io
import json
import os
import subprocess
import sys
from typing import Any

import pytest

from chorus.core.conversation.items import Message, SideFile
from chorus.core.records.record import Unread
from chorus.errors import SourceUnreadable
from chorus.library import files as library
from chorus.testing.builders import Flat, Layout, Run, Session, corpus, encode_all, lay_out, tool_use

ONE, TWO = "0b0e0c1a-0000-4000-8000-000000000001", "0b0e0c1a-0000-4000-8000-000000000002"


def talk(session_id=ONE, words="Hello"):
    session = Session(session_id)
    session.user(words)
    session.assistant("Yes.", stop="end_turn")
    return session


def said(conversation, agent=""):
    """Returns the messages of a thread as the role and the block types of each message."""
    shown = [item for item in conversation.thread(agent) if isinstance(item, Message)]
    return [(message.role, [part.block.type for part in conversation.blocks(message)]) for message in shown]


def size(conversation):
    """Returns how many messages and notices a conversation has: one for each line that the tests below feed."""
    return len(conversation.messages) + len(conversation.notices)


def test_every_kind_of_source_reads_the_same(tmp_path, monkeypatch):
    """A path, a string, bytes, an open file, a folder and standard input give the same records."""
    path = tmp_path / "a.jsonl"
    data = bytes(talk()) + b"noise\n"
    path.write_bytes(data)
    expected = [(record.type, record.raw) for record in library.read(data)]
    with path.open("rb") as file:
        assert [(record.type, record.raw) for record in library.read(file)] == expected
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    for source in (path, str(path), io.BytesIO(data), tmp_path, "-"):
        assert [(record.type, record.raw) for record in library.read(source)] == expected
    assert isinstance(list(library.read(path))[-1], Unread)


def test_reading_is_lazy(tmp_path):
    """The first record of a file is available before the rest is read."""

    class Endless(io.BytesIO):
        def read(self, size=-1):
            return b'{"type":"user"}\n' * 1000

        read1 = read

    assert next(library.read(Endless())).type == "user"


def test_a_source_that_is_not_there(tmp_path):
    """A missing file is an error that names the file, and so is a folder without a conversation when one is needed."""
    for act in (library.open, library.open_all, lambda source: list(library.read(source))):
        with pytest.raises(SourceUnreadable, match="gone"):
            act(tmp_path / "gone.jsonl")
    with pytest.raises(SourceUnreadable, match="no conversation"):
        library.open(tmp_path)
    assert library.open_all(tmp_path) == []


def test_several_sessions_in_one_source():
    """Records of two sessions in one stream become two conversations, in the order of their start."""
    first, second = Session(ONE), Session(TWO)
    lines = [first.user("One"), second.user("Two"), *first.assistant("A"), *second.assistant("B")]
    found = library.fold(library.read(encode_all(lines)))

    assert [(conversation.id, len(conversation.messages)) for conversation in found] == [(ONE, 2), (TWO, 2)]


def test_several_runs_in_one_log():
    """A log to which several runs were appended gives one conversation for each session."""
    one, two = Run(ONE), Run(TWO)
    for run in (one, two):
        run.init()
        run.assistant("Hi")
        run.result()
    found = library.fold(library.read(bytes(one) + bytes(two) + bytes(one)))

    assert sorted(conversation.id for conversation in found) == [ONE, TWO]


def test_the_same_folded_twice_is_equal():
    """Equal records give equal conversations."""
    data = bytes(talk())

    assert library.fold(library.read(data)) == library.fold(library.read(data))
    assert library.fold([]) == []


SUMMARY = {"type": "summary", "summary": "A title"}


def test_records_without_id_follow_the_name_of_the_file(tmp_path):
    """In a file that is named after a session id, lines without an id belong to that session."""
    path = tmp_path / f"{ONE}.jsonl"
    path.write_bytes(encode_all([SUMMARY, {"type": "user", "message": {"content": "Hi"}}, *talk(TWO).lines, SUMMARY]))
    found = {conversation.id: conversation for conversation in library.open_all(path)}

    assert (found[ONE].title, size(found[ONE])) == ("A title", 3)
    assert size(found[TWO]) == 2


def test_records_without_id_follow_the_session_last_opened():
    """In a stream, lines without an id belong to the session that was opened last."""
    one, two, loose = Run(ONE), Run(TWO), {"type": "user", "message": {"content": "Hi"}}
    lines = [one.init(), loose, two.init(), loose, loose]
    found = {conversation.id: conversation for conversation in library.fold(library.read(encode_all(lines)))}

    assert (len(found[ONE].messages), len(found[TWO].messages)) == (1, 2)


def test_records_without_id_follow_the_majority():
    """If no session was opened, lines without an id belong to the session that most lines named so far."""
    one, two = Session(ONE), Session(TWO)
    lines = [one.user("a"), two.user("b"), two.user("c"), SUMMARY]
    found = {conversation.id: conversation for conversation in library.fold(library.read(encode_all(lines)))}

    assert (size(found[ONE]), size(found[TWO])) == (1, 3)


def test_records_before_any_id_wait_for_it():
    """Lines before the first id belong to the first session that is named."""
    (found,) = library.fold(library.read(b"noise\n" + encode_all([SUMMARY, *talk().lines])))

    assert (found.id, size(found), found.session.unread) == (ONE, 4, 1)


def test_a_stream_without_any_id_is_one_conversation(tmp_path):
    """A stream without any id is one conversation, named after the name and place of the stream."""
    path = tmp_path / "pane.jsonl"
    events = Flat()
    events.user("Hi")
    events.text("Yes")
    path.write_bytes(bytes(events))

    assert [conversation.id[:5] for conversation in library.open_all(path)] == ["pane-"]


def test_hooks_before_the_start_make_no_conversation():
    """Hook lines may have another id than the session that they start, and alone they are no session."""
    run, hook = Run(ONE), {"type": "system", "subtype": "hook_started", "session_id": TWO, "uuid": "h"}
    (found,) = library.fold(library.read(encode_all([hook, run.init(), *run.assistant("Hi")])))

    assert (found.id, size(found)) == (ONE, 3)


def test_clear_begins_another_conversation():
    """After a reset, lines without an id belong to the new conversation."""
    run, loose = Run(ONE), {"type": "user", "message": {"content": "Hi"}}
    lines = [run.init(), run.line("conversation_reset", new_conversation_id=TWO), loose]
    found = {conversation.id: conversation for conversation in library.fold(library.read(encode_all(lines)))}

    assert (size(found[ONE]), size(found[TWO])) == (2, 1)


def test_a_title_in_another_sessions_file(tmp_path):
    """A summary in the file of the next session is the title of the session that it describes."""
    first, second = talk(ONE), talk(TWO, "Next")
    second.lines.insert(0, {"type": "summary", "summary": "About the first", "leafUuid": first.leaf})
    lay_out(tmp_path, first)
    lay_out(tmp_path, second)
    found = {conversation.id: conversation.title for conversation in library.open_all(tmp_path)}

    assert found == {ONE: "About the first", TWO: "Next"}


def with_agents():
    session = Session(ONE)
    session.user("Look twice")
    errands = [{"description": f"Look {n}", "prompt": f"Please look {n}", "subagent_type": "Explore"} for n in (1, 2)]
    session.assistant(*(tool_use("Task", errand, id=f"toolu_{n}") for n, errand in enumerate(errands)))
    for n, errand in enumerate(errands):
        agent = session.agent(f"a{n}", f"toolu_{n}", kind="Explore", description=errand["description"])
        agent.user(errand["prompt"])
        agent.assistant(f"Looking {n}.", tool_use("Read", id=f"toolu_inside_{n}"))
        agent.tool_result(f"toolu_inside_{n}", "x")
        agent.assistant(f"Found {n}.", stop="end_turn")
        session.tool_result(f"toolu_{n}", f"Found {n}.", structured={"status": "completed", "agentId": f"a{n}"})
    session.assistant("Both found.", stop="end_turn")
    return session


@pytest.mark.parametrize("layout", list(Layout))
@pytest.mark.parametrize("of_folder", [False, True])
def test_three_layouts_give_the_same_threads(tmp_path, layout, of_folder):
    """In each of the three file layouts of sub-agents, a call leads to the same thread."""
    path = lay_out(tmp_path, with_agents(), layout)
    conversation: Any = library.open(path.parent if of_folder else path)

    assert [(agent.type, agent.description) for agent in conversation.agents] == [
        ("Explore", "Look 1"),
        ("Explore", "Look 2"),
    ]
    assert [role for role, _ in said(conversation)] == ["user", "assistant", "assistant"]
    for n in range(2):
        call = conversation.call(f"toolu_{n}")
        assert said(conversation, call.subagent) == [
            ("user", ["text"]),
            ("assistant", ["text", "tool_use"]),
            ("assistant", ["text"]),
        ]
        words = [conversation.text(item) for item in conversation.thread(call.subagent) if isinstance(item, Message)]
        assert words == [f"Please look {n + 1}", f"Looking {n}.", f"Found {n}."]
    assert {call.state.value for call in conversation.calls} == {"done"}


def test_progress_lines_show_a_sub_agent():
    """If a sub-agent is known only from progress lines in the main file, its thread is still shown."""
    session = with_agents()
    for agent in session.agents:
        for line in agent.lines:
            session.progress_agent(agent.agent_id, agent.call, line)
    (conversation,) = library.fold(library.read(bytes(session)))

    assert [said(conversation, call.subagent)[-1] for call in conversation.calls[:2]] == [("assistant", ["text"])] * 2


def test_agents_of_another_session_are_left_alone(tmp_path):
    """Sub-agent files beside a session that name another session are not opened with it."""
    path = lay_out(tmp_path, talk(TWO), Layout.BESIDE)
    lay_out(tmp_path, with_agents(), Layout.BESIDE)

    assert [conversation.id for conversation in library.open_all(path)] == [TWO]
    assert library.open(path).agents == []


def test_a_folder_is_opened_by_its_name_or_its_longest(tmp_path):
    """Of several conversations in a folder, the one with the name of the folder is opened, else the longest."""
    folder = tmp_path / TWO
    folder.mkdir()
    (folder / "a.jsonl").write_bytes(bytes(with_agents()))
    (folder / "b.jsonl").write_bytes(bytes(talk(TWO)))
    assert library.open(folder).id == TWO

    assert library.open(folder.rename(tmp_path / "other")).id == ONE


NAME = "b1a2.txt"
OUTSIDE = "../../../outside.txt"


def session_with(reference):
    session = Session(ONE)
    session.assistant(tool_use("Bash"))
    session.tool_result("toolu_1", reference)
    return session


def side_file(path) -> Any:
    return next(iter(library.open(path).side_files.values()), None)


@pytest.mark.parametrize(
    "reference",
    [
        f"tool-results/{OUTSIDE}",
        "tool-results/../../secret.txt",
        "/tool-results//etc/passwd.txt",
        "tool-results/..",
        "tool-results/.hidden.txt",
        "tool-results/a\0b.txt",
        "tool-results/" + "a" * 5000 + ".txt",
    ],
)
def test_a_reference_never_leaves_the_folder(tmp_path, reference):
    """References with parent folders, absolute paths, NULs or very long names find no file."""
    path = lay_out(tmp_path, session_with(reference))
    (tmp_path / "outside.txt").write_text("secret")
    (path.parent / "secret.txt").write_text("secret")
    found = side_file(path)

    assert found is None or found.size_bytes is None


def test_a_side_file_that_is_a_link_is_not_followed(tmp_path):
    """A link to a file and a file behind a linked folder are not side files."""
    path = lay_out(tmp_path, session_with(f"[stored in x/tool-results/{NAME}]"))
    secret = tmp_path / NAME
    secret.write_text("secret")
    folder = path.with_suffix("") / "tool-results"
    folder.mkdir(parents=True)
    (folder / NAME).symlink_to(secret)
    assert side_file(path).size_bytes is None

    (folder / NAME).unlink()
    folder.rmdir()
    folder.symlink_to(tmp_path, target_is_directory=True)
    assert side_file(path).size_bytes is None


def test_a_side_file_that_is_a_folder_is_none(tmp_path):
    """Only a regular file can be a side file."""
    path = lay_out(tmp_path, session_with(f"[stored in x/tool-results/{NAME}]"))
    (path.with_suffix("") / "tool-results" / NAME).mkdir(parents=True)

    assert side_file(path) == SideFile(NAME, str(path.with_suffix("") / "tool-results" / NAME), None)


def opened_apart(path):
    """Opens a folder in another process with a time limit; returns the ids of its conversations."""
    code = "import sys; from chorus.library import files; print(*(c.id for c in files.open_all(sys.argv[1])))"
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, timeout=10, check=False
    )
    assert done.returncode == 0, done.stderr[-500:]
    return done.stdout.split()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize(
    "name",
    [
        f"{ONE}/tool-results/{NAME}",
        f"{ONE}/subagents/agent-x.meta.json",
        f"{ONE}/subagents/agent-y.jsonl",
        "agent-z.jsonl",
        f"{TWO}.jsonl",
        "../../plans/quiet.md",
    ],
)
@pytest.mark.parametrize("of_folder", [False, True])
def test_a_pipe_does_not_hang_a_reader(tmp_path, name, of_folder):
    """A named pipe in place of a file is skipped."""
    session = session_with(f"[stored in x/tool-results/{NAME}]")
    session.slug = "quiet"
    agent = session.agent("x", "toolu_1")
    session.user("Go on")
    agent.user("Look")
    path = lay_out(tmp_path, session)
    pipe = path.parent / name
    pipe.parent.mkdir(parents=True, exist_ok=True)
    pipe.unlink(missing_ok=True)
    os.mkfifo(pipe)

    assert opened_apart(path.parent if of_folder else path) == [ONE]


@pytest.mark.parametrize("meta", [b"", b"{", b"[]", b'{"toolUseId":7}', b"\xff", b"[" * 100_000])
def test_a_broken_sidecar_is_no_harm(tmp_path, meta):
    """If a sidecar file cannot be read, only its own information is missing."""
    path = lay_out(tmp_path, with_agents())
    for sidecar in path.with_suffix("").rglob("*.meta.json"):
        sidecar.write_bytes(meta)

    assert len(library.open(path).agents) == 2


def test_a_made_up_corpus_is_read_whole(tmp_path):
    """Every session of a generated corpus is opened with nothing unread, and the same seed gives the same bytes."""
    files = corpus(tmp_path / "a", seed=7, megabytes=3)
    again = corpus(tmp_path / "b", seed=7, megabytes=3)
    found = library.open_all(tmp_path / "a")

    assert [path.read_bytes() for path in files] == [path.read_bytes() for path in again]
    assert {conversation.id for conversation in found} == {path.stem for path in files}
    assert sum(conversation.session.unread for conversation in found) == 0
    assert sum(path.stat().st_size for path in files) >= 2_000_000
    assert all(json.loads(line) for line in files[0].read_bytes().splitlines())


def test_bytes_may_end_without_a_line_end():
    """The last record is read with or without a newline after it."""
    data = bytes(talk())

    assert [record.raw for record in library.read(data.rstrip())] == [record.raw for record in library.read(data)]


def test_an_open_file_gives_its_name(tmp_path):
    """Records of an open file name the file as their stream, and a stream without a name is called `stream`."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(bytes(talk()))
    with path.open("rb") as file:
        assert {record.stream for record in library.read(file)} == {str(path)}

    assert {record.stream for record in library.read(io.BytesIO(bytes(talk())))} == {"stream"}


def test_conversations_come_in_the_order_of_their_start():
    """Conversations are sorted by their first time, then by their id."""
    late, early = talk(ONE), Session(TWO)
    early.user("Before", timestamp="2026-01-04T09:00:00.000Z")

    assert [found.id for found in library.fold(library.read(bytes(late) + bytes(early)))] == [TWO, ONE]


def test_a_sub_agent_file_is_opened_alone(tmp_path):
    """A sub-agent's file that is opened by its own name gives the thread of that agent.

    The other sub-agents beside it do not belong to it.
    """
    path = lay_out(tmp_path, with_agents(), Layout.BESIDE)
    found = library.open(path.parent / "agent-a0.jsonl")

    assert [agent.agent for agent in found.agents] == ["a0"]
    assert said(found) == []


def test_what_a_sidecar_says_is_known_from_the_first_line(tmp_path):
    """A sidecar file links a sub-agent to its call if nothing else does."""
    session = Session(ONE)
    session.assistant(tool_use("Task", {"prompt": "Something else"}, id="toolu_1"))
    session.agent("a1", "toolu_1", kind="Explore", description="From the sidecar").user("Look")
    (agent,) = library.open(lay_out(tmp_path, session)).agents

    assert (agent.call, agent.type, agent.description, agent.depth) == ("toolu_1", "Explore", "From the sidecar", 1)


def test_side_files_and_the_plan_are_found_on_disk(tmp_path):
    """When a session is opened, its side files are known with their sizes, and its plan with its text."""
    session = session_with(f"[stored in x/tool-results/{NAME}]")
    session.slug = "quiet"
    session.user("Go on")
    path = lay_out(tmp_path, session, side_files={NAME: "all of it"}, plan="# Plan")
    found = library.open(path)

    assert [(file.name, file.size_bytes) for file in found.side_files.values()] == [(NAME, 9)]
    assert found.plan_file == "# Plan"


def test_the_first_file_of_a_session_is_its_own(tmp_path):
    """A copy of a session elsewhere below the folder does not replace the first file."""
    session = session_with(f"[stored in x/tool-results/{NAME}]")
    path = lay_out(tmp_path, session, side_files={NAME: "all of it"})
    copy = tmp_path / "zz" / path.name
    copy.parent.mkdir()
    copy.write_bytes(path.read_bytes())

    assert side_file(tmp_path).size_bytes == 9


def test_an_error_names_the_folder_without_a_conversation(tmp_path):
    """The error names the folder without a conversation, so that a caller with several folders knows which it is."""
    with pytest.raises(SourceUnreadable, match=tmp_path.name):
        library.open(tmp_path)


def test_the_last_of_several_titles_in_another_file_holds(tmp_path):
    """Of several titles for one conversation in another file, the last one is its title."""
    first, second = talk(ONE), talk(TWO, "Next")
    titles = [{"type": "summary", "summary": name, "leafUuid": first.leaf} for name in ("older", "newer")]
    second.lines[:0] = titles
    lay_out(tmp_path, first)
    lay_out(tmp_path, second)

    assert {found.id: found.title for found in library.open_all(tmp_path)} == {ONE: "newer", TWO: "Next"}


def test_a_folder_is_read_whole(tmp_path):
    """Reading a folder gives the records of every file below it, in the order of the file names."""
    for name, session_id in (("a", ONE), ("b", TWO)):
        (tmp_path / f"{name}.jsonl").write_bytes(bytes(talk(session_id)))

    assert [record.value.sessionId for record in library.read(tmp_path)] == [ONE, ONE, TWO, TWO]
