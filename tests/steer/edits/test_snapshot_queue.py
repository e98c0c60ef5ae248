"""Tests of the queue that takes snapshots in order, without delaying the agent, and continues after a problem."""

import os
import subprocess
import time

import msgspec
import pytest

from chorus.keep.snapshots import snapshots
from chorus.keep.snapshots.commits import Feed, SnapshotKind
from chorus.keep.snapshots.edits import edits_of
from chorus.keep.snapshots.repository import SnapshotRepository
from chorus.keep.snapshots.snapshots import Snapshots, snapshots_of
from chorus.keep.snapshots.trees import walk_tree
from chorus.steer.edits import open_calls
from chorus.steer.edits.events import EditEvent, Stage, read_event
from chorus.steer.edits.snapshot_queue import SnapshotQueue
from tests.support.running import until

SESSION = "11111111-2222-4333-8444-555555555555"


def event(stage: Stage, **more) -> EditEvent:
    return EditEvent(stage=stage, session=SESSION, **more)


@pytest.fixture
def work(tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def start(tmp_path, work):
    return lambda feed=Feed.CONTROL: SnapshotQueue(tmp_path / "home", "work-1", work, feed)


def write_call(queue: SnapshotQueue, place, data: str, call: str, **more) -> None:
    """Acts like a client: reports a call, changes the file at once and reports the end."""
    queue.put(event(Stage.BEFORE, tool="Write", call=call, paths=(str(place),), **more))
    place.write_text(data)
    queue.put(event(Stage.AFTER, tool="Write", call=call, paths=(str(place),), **more))


def test_files_are_read_before_the_call_changes_them(tmp_path, work, start):
    """A snapshot contains the file as it was when the call was reported, however late it is stored."""
    place = work / "file"
    place.write_text("0")
    queue = start()
    for number in range(1, 21):
        write_call(queue, place, str(number), f"call{number}")
    queue.close()
    store = SnapshotRepository(tmp_path / "home", "work-1")
    pairs = [(edit.old, edit.new) for edit in edits_of(store, SESSION)]
    contents = [tuple(store.reader.read(each.id, "blob") for each in pair if each) for pair in pairs]
    store.reader.close()

    assert contents == [(str(n).encode(), str(n + 1).encode()) for n in range(20)]


def test_a_call_that_two_feeds_report_is_one_edit(tmp_path, work, start):
    """If the control channel and an installed hook report the same call, it is stored once."""
    one, other = start(), start(Feed.HOOK)
    place = work / "file"
    for queue in (one, other):
        queue.put(event(Stage.BEFORE, tool="Write", call="c", paths=("file",)))
    place.write_text("new")
    for queue in (one, other):
        queue.put(event(Stage.AFTER, tool="Write", call="c", paths=("file",)))
    one.close()
    other.close()

    assert len(edits_of(SnapshotRepository(tmp_path / "home", "work-1"), SESSION)) == 1


def test_prompts_number_the_turns_over_several_runs(tmp_path, work, start):
    """Each prompt is a turn, and a resumed session continues the count."""
    for run, prompts in enumerate((["p1", "p2"], ["p3"])):
        queue = start()
        for prompt in prompts:
            write_call(queue, work / "file", f"{run} {prompt}", f"call {prompt}", prompt=prompt)
        queue.close()
    store = SnapshotRepository(tmp_path / "home", "work-1")

    assert [edit.commit.facts.turn for edit in edits_of(store, SESSION)] == [1, 2, 3]


def test_a_problem_is_named_once_and_stops_nobody(tmp_path, work, start):
    """If snapshots cannot be stored, the reason is reported once and the queue goes on."""
    (tmp_path / "home").write_text("a file where the home should be")
    queue = start()
    for number in range(3):
        write_call(queue, work / "file", str(number), str(number))
    queue.close()

    assert len(queue.problems()) == 1
    assert queue.problems() == []


def test_a_call_that_only_reads_takes_no_snapshot(tmp_path, work, start):
    """A call that only reads stores no snapshot."""
    queue = start()
    queue.put(event(Stage.BEFORE, tool="Read", call="c", paths=("file",)))
    queue.close()

    assert list(snapshots_of(SnapshotRepository(tmp_path / "home", "work-1"), SESSION)) == []


def test_a_command_that_is_faster_than_the_look_before_it_keeps_its_changes(tmp_path, work, start, monkeypatch):
    """However late the files are read, a command gets its own changes, and not changes from before it."""
    (work / "old").write_text("before")
    queue = start()
    queue.put(event(Stage.PROMPT, prompt="p1"))
    queue.close()
    (work / "person").write_text("by a person")
    time.sleep(0.1)
    late = start()
    slow = Snapshots.take_changes
    monkeypatch.setattr(Snapshots, "take_changes", lambda *given, **more: (time.sleep(0.2), slow(*given, **more))[1])
    late.put(event(Stage.BEFORE, tool="Bash", call="c", prompt="p1"))
    (work / "made").write_text("by the command")
    (work / "old").unlink()
    late.put(event(Stage.AFTER, tool="Bash", call="c", prompt="p1"))
    late.close()
    edits = edits_of(SnapshotRepository(tmp_path / "home", "work-1"), SESSION)
    found = {edit.path: edit.commit.facts.call for edit in edits}

    assert found == {b"made": "c", b"old": "c"}


def test_what_a_person_changed_before_a_fast_command_is_not_its_change(tmp_path, work, start):
    """A file that the session changed before is read when a command is reported, and not when there is time to look."""
    place = work / "file"
    place.write_text("one\ntwo\nthree\n")
    queue = start()
    queue.put(event(Stage.PROMPT, prompt="p"))
    until(lambda: (tmp_path / "home" / "git" / "work-1.git" / "workspace.index").exists())
    write_call(queue, place, "agent\ntwo\nthree\n", "c1")
    store = SnapshotRepository(tmp_path / "home", "work-1")
    until(lambda: edits_of(store, SESSION))
    with store.lock():
        place.write_text("agent\nperson\nthree\n")
        queue.put(event(Stage.BEFORE, tool="Bash", call="c2"))
        place.write_text("agent\nperson\ncommand\n")
        queue.put(event(Stage.AFTER, tool="Bash", call="c2"))
    queue.put(event(Stage.END))
    queue.close()
    contents = [tuple(store.reader.read(each.id, "blob") for each in (edit.old, edit.new) if each)
                for edit in edits_of(store, SESSION)]  # fmt: skip
    store.reader.close()

    assert contents[1:] == [(b"agent\nperson\nthree\n", b"agent\nperson\ncommand\n")]


def test_a_first_look_that_comes_late_does_not_take_the_changes_of_the_turn_as_known(tmp_path, work, start):
    """Files that a command wrote while the look at the prompt still waited are files of that command."""
    (work / "old.txt").write_text("from before")
    time.sleep(0.1)
    queue = start()
    with SnapshotRepository(tmp_path / "home", "work-1").lock():
        queue.put(event(Stage.PROMPT, prompt="p1"))
        time.sleep(0.1)
        queue.put(event(Stage.BEFORE, tool="Bash", call="c", prompt="p1"))
        (work / "new.txt").write_text("by the command")
        queue.put(event(Stage.AFTER, tool="Bash", call="c", prompt="p1"))
    queue.close()
    store = SnapshotRepository(tmp_path / "home", "work-1")
    found = [(edit.path, edit.commit.facts.call) for edit in edits_of(store, SESSION)]
    store.reader.close()

    assert found == [(b"new.txt", "c")]


def test_a_workspace_is_looked_at_before_the_first_prompt(tmp_path, work):
    """A first command that is faster than the look at its prompt does not make a file look new that it replaced."""
    place = work / "list.txt"
    place.write_text("one")
    time.sleep(0.1)
    queue = SnapshotQueue(tmp_path / "home", "work-1", work, Feed.CONTROL, is_early=True)
    store = SnapshotRepository(tmp_path / "home", "work-1")
    until(lambda: (store.git_dir / "workspace.index").exists())
    with store.lock():
        queue.put(event(Stage.PROMPT, prompt="p1"))
        time.sleep(0.1)
        queue.put(event(Stage.BEFORE, tool="Bash", call="c1"))
        (work / "half").write_text("uno")
        (work / "half").rename(place)
        queue.put(event(Stage.AFTER, tool="Bash", call="c1"))

    assert edits_after(tmp_path, queue) == [("c1", b"one", b"uno")]


def edits_after(tmp_path, queue):
    queue.close()
    store = SnapshotRepository(tmp_path / "home", "work-1")
    read = store.reader.read
    found = [
        (edit.commit.facts.call, read(edit.old.id, "blob") if edit.old else None, read(edit.new.id, "blob"))
        for edit in edits_of(store, SESSION)
        if edit.new
    ]
    store.reader.close()
    return found


def test_a_call_that_begins_does_not_hide_the_change_of_another_agent(tmp_path, work, start):
    """What an agent changed is its change, also if another agent's call begins before the end of the first is known."""
    place = work / "list.txt"
    place.write_text("one")
    queue = start()
    queue.put(event(Stage.PROMPT, prompt="p1"))
    time.sleep(0.2)
    queue.put(event(Stage.BEFORE, tool="Bash", call="c1", agent="a1"))
    time.sleep(0.05)
    place.write_text("uno")
    time.sleep(0.05)
    queue.put(event(Stage.BEFORE, tool="Bash", call="c2", agent="a2"))
    queue.put(event(Stage.AFTER, tool="Bash", call="c1", agent="a1"))
    queue.put(event(Stage.AFTER, tool="Bash", call="c2", agent="a2"))

    assert edits_after(tmp_path, queue) == [("c1", b"one", b"uno")]


def test_a_call_that_was_denied_claims_nothing_of_a_person(tmp_path, work, start):
    """The next call of the same agent ends it: what a person changed in between is not the agent's."""
    place = work / "list.txt"
    place.write_text("one")
    queue = start()
    queue.put(event(Stage.PROMPT, prompt="p1"))
    time.sleep(0.2)
    queue.put(event(Stage.BEFORE, tool="Bash", call="denied"))
    time.sleep(0.05)
    place.write_text("by a person")
    time.sleep(0.05)
    queue.put(event(Stage.BEFORE, tool="Bash", call="c2"))
    queue.put(event(Stage.AFTER, tool="Bash", call="c2"))

    assert edits_after(tmp_path, queue) == []


@pytest.mark.parametrize("stage", [Stage.PROMPT, Stage.END])
def test_a_sub_agent_works_on_while_the_main_thread_ends_and_hears_a_prompt(tmp_path, work, start, stage):
    """What a command of a sub-agent in the background changed is its change, whatever the main thread does."""
    place = work / "list.txt"
    place.write_text("one")
    queue = start()
    queue.put(event(Stage.PROMPT, prompt="p1"))
    time.sleep(0.2)
    queue.put(event(Stage.BEFORE, tool="Bash", call="c1", agent="a1", prompt="p1"))
    time.sleep(0.05)
    place.write_text("uno")
    time.sleep(0.05)
    queue.put(event(stage, prompt="p2"))
    queue.put(event(Stage.AFTER, tool="Bash", call="c1", agent="a1", prompt="p1"))

    assert edits_after(tmp_path, queue) == [("c1", b"one", b"uno")]


def test_a_change_during_the_calls_of_two_agents_says_so(tmp_path, work, start):
    """If another agent of the conversation had a call open, the snapshot names no single one for certain."""
    queue = start()
    queue.put(event(Stage.PROMPT, prompt="p1"))
    time.sleep(0.1)
    queue.put(event(Stage.BEFORE, tool="Bash", call="c1", agent="a1"))
    time.sleep(0.05)
    (work / "sure").write_text("by the first")
    queue.put(event(Stage.AFTER, tool="Bash", call="c1", agent="a1"))
    queue.put(event(Stage.BEFORE, tool="Bash", call="c2", agent="a1"))
    queue.put(event(Stage.BEFORE, tool="Bash", call="c3", agent="a2"))
    time.sleep(0.05)
    (work / "unsure").write_text("by one of them")
    queue.put(event(Stage.AFTER, tool="Bash", call="c2", agent="a1"))
    queue.put(event(Stage.AFTER, tool="Bash", call="c3", agent="a2"))
    queue.close()
    store = SnapshotRepository(tmp_path / "home", "work-1")
    found = {edit.path: edit.commit.facts.others for edit in edits_of(store, SESSION)}
    store.reader.close()

    assert found == {b"sure": (), b"unsure": (SESSION,)}


def test_nothing_is_lost_if_the_end_of_a_call_is_never_reported(tmp_path, work, start):
    """What was left to a sub-agent that was killed is stored when the run ends."""
    queue = start()
    queue.put(event(Stage.PROMPT, prompt="p1"))
    time.sleep(0.1)
    queue.put(event(Stage.BEFORE, tool="Bash", call="c1", agent="a1"))
    time.sleep(0.05)
    (work / "made").write_text("by the agent")
    queue.put(event(Stage.END))

    assert edits_after(tmp_path, queue) == [("", None, b"by the agent")]


def test_a_late_look_after_a_call_leaves_what_came_later(tmp_path, work, start):
    """If the look after a call comes when the next call has changed files already, these are files of the next call."""
    queue = start()
    queue.put(event(Stage.PROMPT, prompt="p1"))
    until(lambda: (tmp_path / "home/git/work-1.git/workspace.head").exists())
    with SnapshotRepository(tmp_path / "home", "work-1").lock():
        for call in ("c1", "c2"):
            queue.put(event(Stage.BEFORE, tool="Bash", call=call, prompt="p1"))
            time.sleep(0.1)
            (work / call).write_text(f"by {call}")
            queue.put(event(Stage.AFTER, tool="Bash", call=call, prompt="p1"))
            time.sleep(0.1)

    assert edits_after(tmp_path, queue) == [("c1", None, b"by c1"), ("c2", None, b"by c2")]


@pytest.mark.parametrize("is_late", [True, False])
def test_a_call_of_a_session_that_was_killed_is_over(tmp_path, work, start, is_late, monkeypatch):
    """When a session begins again, or long after, calls without an end claim nothing of a person."""
    monkeypatch.setattr(open_calls, "LONGEST_MS", 50 if is_late else 900_000)
    queue = start()
    queue.put(event(Stage.PROMPT, prompt="p1"))
    time.sleep(0.1)
    queue.put(event(Stage.BEFORE, tool="Bash", call="c1", agent="a1"))
    time.sleep(0.1)
    (work / "person").write_text("by a person")
    time.sleep(0.1)
    if not is_late:
        queue.put(event(Stage.START))
    queue.put(event(Stage.PROMPT, prompt="p2"))
    queue.put(event(Stage.END))

    assert edits_after(tmp_path, queue) == []


def test_a_first_look_that_failed_and_comes_late_loses_nothing(tmp_path, work, start):
    """If looks before a command failed, what it made is stored all the same, as nobody's: it may have been there."""
    (work / "old.txt").write_text("from before")
    time.sleep(0.1)
    obstacle = tmp_path / "home" / "git"
    obstacle.parent.mkdir()
    queue = start()
    obstacle.write_text("no folder")
    queue.put(event(Stage.PROMPT, prompt="p1"))
    until(lambda: queue.problems())
    queue.put(event(Stage.BEFORE, tool="Bash", call="c", prompt="p1"))
    time.sleep(0.1)
    (work / "new.txt").write_text("by the command")
    until(lambda: queue._tasks.empty())
    obstacle.unlink()
    queue.put(event(Stage.AFTER, tool="Bash", call="c", prompt="p1"))
    queue.close()
    store = SnapshotRepository(tmp_path / "home", "work-1")
    found = {path for path, _ in walk_tree(store.reader, next(snapshots_of(store, SESSION)).tree)}

    assert found == {b"new.txt"}
    assert edits_of(store, SESSION) == []
    store.reader.close()


def test_a_cache_that_is_damaged_hides_no_change(tmp_path, work, start):
    """If the list of known files is cut off during a command, what the command made is stored all the same."""
    queue = start()
    queue.put(event(Stage.PROMPT, prompt="p1"))
    store = SnapshotRepository(tmp_path / "home", "work-1")
    cache = store.git_dir / "workspace.index"
    until(cache.exists)
    time.sleep(0.2)
    with store.lock():
        known = cache.stat()
        cache.write_bytes(b"DIRC, cut off")
        os.utime(cache, ns=(known.st_atime_ns, known.st_mtime_ns))
    (work / "new.txt").write_text("by the command")
    queue.put(event(Stage.AFTER, tool="Bash", call="c", prompt="p1"))
    queue.close()

    assert {path for path, _ in walk_tree(store.reader, next(snapshots_of(store, SESSION)).tree)} == {b"new.txt"}
    store.reader.close()


def test_what_is_not_stored_in_time_is_reported(work, start, monkeypatch):
    """If the last look takes longer than the end may wait, the reason is told instead of nothing."""
    slow = Snapshots.take_changes
    monkeypatch.setattr(Snapshots, "take_changes", lambda *given, **more: (time.sleep(0.5), slow(*given, **more))[1])
    queue = start()
    queue.put(event(Stage.PROMPT, prompt="p1"))
    queue.close(0.01)

    assert "not stored in time" in " ".join(queue.problems())
    queue.close()


def turn(queue, *, command="make", response=None, between=lambda: None):
    """One turn with one command; `between` is what happens between the end of the command and that of the turn."""
    told = {"session_id": SESSION, "prompt_id": "p1"}
    call = {"tool_name": "Bash", "tool_use_id": "c", "tool_input": {"command": command}}
    for name, more in (
        ("UserPromptSubmit", {"prompt": "Go."}),
        ("PreToolUse", call),
        ("PostToolUse", {**call, "tool_response": response or {}}),
        ("Stop", {}),
    ):
        if name == "Stop":
            time.sleep(0.1)
            between()
            time.sleep(0.1)
        queue.put(read_event(msgspec.json.encode({"hook_event_name": name, **told, **more})))
    queue.close()


def claims(tmp_path):
    return {edit.path for edit in edits_of(SnapshotRepository(tmp_path / "home", "work-1"), SESSION)}


def kept(tmp_path):
    store = SnapshotRepository(tmp_path / "home", "work-1")
    found = {path for path, _ in walk_tree(store.reader, next(snapshots_of(store, SESSION)).tree)}
    store.reader.close()
    return found


def test_what_changes_outside_of_all_calls_is_stored_as_nobodys(tmp_path, work, start):
    """A person who works beside an agent in the middle of a turn keeps their changes when the turn is undone."""
    turn(start(), between=lambda: (work / "person").write_text("by a person"))

    assert (claims(tmp_path), kept(tmp_path)) == (set(), {b"person"})


@pytest.mark.parametrize(
    ("command", "response"),
    [
        ("sleep 1 && make &", None),
        ("nohup ./watch", None),
        ("make", {"backgroundTaskId": "b1"}),
    ],
)
def test_what_goes_on_in_the_background_is_the_turns(tmp_path, work, start, command, response):
    """If a command may have left a process, changes after it are changes of the turn."""
    turn(start(), command=command, response=response, between=lambda: (work / "late").write_text("later"))

    assert claims(tmp_path) == {b"late"}


@pytest.mark.parametrize("command", ["make 2>&1", "make && test", "make &> log", "cat <&3", "a | b", "make || true"])
def test_most_commands_end_when_they_end(tmp_path, work, start, command):
    """Redirections and lists of commands leave no process."""
    turn(start(), command=command, between=lambda: (work / "late").write_text("later"))

    assert claims(tmp_path) == set()


def test_a_formatter_that_runs_after_an_edit_belongs_to_the_turn(tmp_path, work, start):
    """A hook of the client that formats an edited file changes no more than a formatter does: undo takes it back."""
    place = work / "a.js"
    place.write_text("let a = 1\n")
    time.sleep(0.1)
    queue = start()
    queue.put(event(Stage.PROMPT, prompt="p1"))
    write_call(queue, place, "let a = 'x'\n", "c1")
    time.sleep(0.1)
    place.write_text('let a = "x";\n')
    time.sleep(0.1)
    queue.put(event(Stage.END))
    queue.close()
    edits = edits_of(SnapshotRepository(tmp_path / "home", "work-1"), SESSION)

    assert [(edit.path, edit.commit.facts.call) for edit in edits] == [(b"a.js", "c1"), (b"a.js", "")]


def test_a_call_without_a_reported_end_owns_what_changed_since_it_began(tmp_path, work, start):
    """If a command was interrupted, its end is not reported; the end of the turn stores what it did."""
    queue = start()
    queue.put(event(Stage.PROMPT, prompt="p1"))
    time.sleep(0.1)
    (work / "person").write_text("before the command")
    time.sleep(0.1)
    queue.put(event(Stage.BEFORE, tool="Bash", call="c"))
    (work / "made").write_text("by the command")
    time.sleep(0.1)
    queue.put(event(Stage.END))
    queue.close()

    assert claims(tmp_path) == {b"made"}


def test_a_tool_of_a_server_may_change_any_file(tmp_path, work, start):
    """What changes while a tool of a connected server runs is the change of this call."""
    queue = start()
    queue.put(event(Stage.PROMPT, prompt="p1"))
    time.sleep(0.1)
    queue.put(event(Stage.BEFORE, tool="mcp__files__write", call="c"))
    (work / "made").write_text("by the server")
    queue.put(event(Stage.AFTER, tool="mcp__files__write", call="c"))
    queue.close()
    edits = edits_of(SnapshotRepository(tmp_path / "home", "work-1"), SESSION)

    assert [(edit.path, edit.commit.facts.call) for edit in edits] == [(b"made", "c")]


def test_a_file_that_changes_while_it_is_read_is_left_for_the_next_look(tmp_path, work, start, monkeypatch):
    """What the next command does to a file while the look after this one reads it is not the change of this one."""
    place = work / "list"
    place.write_text("0")
    time.sleep(0.1)
    queue = start()
    queue.put(event(Stage.PROMPT, prompt="p1"))
    until(queue._tasks.empty)
    time.sleep(0.2)
    reading = snapshots.read_content

    def changed_meanwhile(folder, path):
        if place.read_text() == "1":
            time.sleep(0.1)
            place.write_text("2")
        return reading(folder, path)

    monkeypatch.setattr(snapshots, "read_content", changed_meanwhile)
    queue.put(event(Stage.BEFORE, tool="Bash", call="c1"))
    time.sleep(0.1)
    place.write_text("1")
    queue.put(event(Stage.AFTER, tool="Bash", call="c1"))
    until(lambda: place.read_text() == "2")
    queue.put(event(Stage.AFTER, tool="Bash", call="c2"))

    assert edits_after(tmp_path, queue) == [("c2", b"0", b"2")]


def test_a_switch_beside_an_agent_is_by_git(tmp_path, work, start):
    """If a person checks out another branch in the middle of a turn, git wrote these files, also with hooks."""
    person = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]

    def git(*arguments):
        subprocess.run(["git", *arguments], cwd=work, check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    (work / "a").write_text("one")
    git("add", "-A")
    git(*person, "commit", "-qm", "first")
    git("checkout", "-qb", "other")
    (work / "a").write_text("other")
    git(*person, "commit", "-qam", "second")
    git("checkout", "-q", "main")
    time.sleep(0.1)
    turn(start(), between=lambda: git("checkout", "-q", "other"))
    store = SnapshotRepository(tmp_path / "home", "work-1")

    assert SnapshotKind.SWITCH in {commit.facts.kind for commit in snapshots_of(store, SESSION)}
    assert claims(tmp_path) == set()
