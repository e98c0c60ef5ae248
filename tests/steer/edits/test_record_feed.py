"""Tests of snapshots of clients that report nothing: their edits are read in records, afterwards."""

import time
from datetime import UTC, datetime

import msgspec
import pytest

from chorus.base import config
from chorus.base.config import Workspace
from chorus.core.conversation.fold import Fold
from chorus.core.file_versions.recorded_edits import BEFORE_AS_TEXT
from chorus.core.records.place import StreamId
from chorus.core.records.times import wire_time
from chorus.keep.archive.listing import MANIFEST_STREAM, Kept
from chorus.keep.archive.manifest import CONFIG_BASE, SideFile
from chorus.keep.snapshots.commits import Feed, SnapshotKind
from chorus.keep.snapshots.edits import edits_of
from chorus.keep.snapshots.repository import SnapshotRepository
from chorus.keep.snapshots.snapshots import snapshots_of
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.keys import LOG_NOTE, MAIN_STREAM, StreamKey
from chorus.steer.edits.events import EditEvent, Stage
from chorus.steer.edits.record_feed import RecordFeed
from chorus.steer.edits.reports_file import ReportsFile
from chorus.steer.edits.snapshot_queue import SnapshotQueue
from chorus.testing.builders import Flat, Session
from chorus.testing.builders.blocks import tool_use
from chorus.testing.builders.lines import Clock
from chorus.testing.reading import records

WORKSPACE = "work-0123abcd"
LONG_AGO = "2020-01-01T00:00:00.000Z"
SESSION = "11111111-2222-4333-8444-555555555555"


def now() -> str:
    return wire_time(datetime.now(UTC))


class Following:
    """A workspace, and a conversation in it that Chorus reads while it is written."""

    def __init__(self, root) -> None:
        self.home = root / "home"
        self.folder = root / "work"
        self.folder.mkdir()
        with config.edit(self.home) as settings:
            settings.workspaces.append(Workspace(id=WORKSPACE, path=str(self.folder), is_named=True))
        self.warned: list[str] = []
        self.feed = self.follow()
        self.session = Session(SESSION, cwd=str(self.folder), version="2.1.200", clock=Clock(now(), step_ms=0))
        self.folds: dict[str, Fold] = {}
        self._read = 0

    def follow(self, began: str = LONG_AGO) -> RecordFeed:
        return RecordFeed(self.home, FileVault(self.home), began, self.warned.append)

    def write(self, name: str, data: bytes) -> str:
        (self.folder / name).write_bytes(data)
        return str(self.folder / name)

    def read(self, script=None, *, conversation: str = SESSION, is_log: bool = False) -> None:
        """Reads the new lines of the session, or all lines of another script."""
        lines = records(bytes(script or self.session))
        if script is None:
            lines, self._read = lines[self._read :], len(lines)
        streams = (MAIN_STREAM, LOG_NOTE if is_log else MANIFEST_STREAM)
        keys = tuple(StreamKey(WORKSPACE, "main", conversation, each) for each in streams)
        kept = Kept(conversation, WORKSPACE, "main", keys, (0,) * len(keys))
        fold = self.folds.setdefault(conversation, Fold(conversation))
        for record in lines:
            record.stream = StreamId(keys[0].stream)
            record.seen_at = now()
            self.feed.hear(kept, fold, record, fold.feed(record))

    def prompt(self, words: str = "Change it.", name: str = "p1") -> None:
        self.session.clock = Clock(now(), step_ms=0)
        self.session.user(words, promptId=name)
        self.read()
        # What changes now is not from before the prompt.
        time.sleep(0.03)

    def ask(self, name: str, call: str = "toolu_1", **given) -> None:
        """The model calls a tool, and Chorus reads that."""
        self.session.clock = Clock(now(), step_ms=0)
        self.session.assistant(tool_use(name, given, id=call), stop="tool_use")
        self.read()

    def answer(self, call: str = "toolu_1", structured=None, content: str = "ok", prompt: str = "p1", **more) -> None:
        """The tool has run, and Chorus reads that."""
        self.session.clock = Clock(now(), step_ms=0)
        self.session.tool_result(call, content, structured=structured, promptId=prompt, **more)
        self.read()

    def say(self, words: str = "Done.") -> None:
        self.session.clock = Clock(now(), step_ms=0)
        self.session.assistant(words, stop="end_turn")
        self.read()

    def edit(self, path: str, old: str, new: str, call: str = "toolu_1", *, is_late: bool = False, **more) -> None:
        """Edits a file as the client does. If `is_late`, Chorus reads the beginning of the call only at its end."""
        place = self.folder / path
        before = place.read_bytes().decode().replace("\r\n", "\n")
        given = {"file_path": str(place), "old_string": old, "new_string": new}
        if not is_late:
            self.ask("Edit", call, **given)
        place.write_bytes(place.read_bytes().replace(old.encode(), new.encode(), 1))
        if is_late:
            self.ask("Edit", call, **given)
        at = before[: before.index(old)].count("\n")
        lines = before.split("\n")[at], before.replace(old, new, 1).split("\n")[at]
        hunk = {"oldStart": at + 1, "oldLines": 1, "newStart": at + 1, "newLines": 1,
                "lines": [f"-{lines[0]}", f"+{lines[1]}"]}  # fmt: skip
        result = {"filePath": str(place), "oldString": old, "newString": new, "originalFile": before,
                  "structuredPatch": [hunk], "userModified": False, "replaceAll": False}  # fmt: skip
        self.answer(call, result, **more)

    @property
    def store(self) -> SnapshotRepository:
        return SnapshotRepository(self.home, WORKSPACE)

    def edits(self, conversation: str | None = SESSION) -> list[tuple]:
        """Returns what agents changed: path, content before and after, call."""
        self.feed.close()
        store = self.store
        return [
            (
                edit.path.decode(),
                *(store.reader.read(each.id, "blob") if each else None for each in (edit.old, edit.new)),
                edit.commit.facts.call,
            )
            for edit in (edits_of(store, conversation) if store.exists else ())
        ]

    def facts(self, kind: SnapshotKind = SnapshotKind.AFTER):
        return [each.facts for each in snapshots_of(self.store, SESSION) if each.facts.kind is kind]


@pytest.fixture
def work(tmp_path):
    return Following(tmp_path)


def test_an_edit_has_its_bytes_before_and_after(work):
    """A file that was read when its call began is the exact state before; turn, prompt, model and feed are noted."""
    work.write("a.txt", b"one\r\ntwo\r\n")
    work.prompt()
    work.edit("a.txt", "one", "uno")

    assert work.edits() == [("a.txt", b"one\r\ntwo\r\n", b"uno\r\ntwo\r\n", "toolu_1")]
    (facts,) = work.facts()
    assert (facts.feed, facts.prompt, facts.turn, facts.rebuilt) == (Feed.FILE, "p1", 1, ())
    assert facts.model == work.session.model


def test_an_edit_that_is_read_too_late_is_still_only_the_recorded_patch(work):
    """If the file was changed before Chorus read the call, the text of the record is before, and that is noted."""
    work.write("a.txt", b"one\ntwo\nmany other lines\n")
    work.edit("a.txt", "one", "uno", is_late=True)

    assert work.edits() == [("a.txt", b"one\ntwo\nmany other lines\n", b"uno\ntwo\nmany other lines\n", "toolu_1")]
    assert work.facts()[0].rebuilt == (f"a.txt: {BEFORE_AS_TEXT}",)


def test_edits_that_are_read_together_stay_apart(work):
    """Two edits of one file that are read in one look are two edits, although the disk has only the second result."""
    place = work.folder / "a.txt"
    work.write("a.txt", b"one\ntwo\n")
    unread, work.read = work.read, lambda: None
    work.edit("a.txt", "one", "uno", "toolu_1")
    work.edit("a.txt", "two", "due", "toolu_2")
    work.read = unread
    work.read()

    assert place.read_bytes() == b"uno\ndue\n"
    assert work.edits() == [
        ("a.txt", b"one\ntwo\n", b"uno\ntwo\n", "toolu_1"),
        ("a.txt", b"uno\ntwo\n", b"uno\ndue\n", "toolu_2"),
    ]


def test_what_a_person_changed_between_two_edits_is_not_the_agents(work):
    """A change that the next call found in the file belongs to no agent."""
    work.write("a.txt", b"one\ntwo\n")
    work.edit("a.txt", "one", "uno", "toolu_1")
    work.write("a.txt", b"uno\ntwo\nby a person\n")
    work.edit("a.txt", "two", "due", "toolu_2")

    assert work.edits()[1] == ("a.txt", b"uno\ntwo\nby a person\n", b"uno\ndue\nby a person\n", "toolu_2")


def test_a_write_without_its_original_claims_nothing(work):
    """If nothing says what a file was before, its state is stored, but as nobody's change, and that is noted."""
    path = work.write("a.txt", b"old\n")
    work.write("a.txt", b"new\n")
    work.ask("Write", file_path=path, content="new\n")
    work.answer(content="The file has been updated.")

    assert work.edits() == []
    (facts,) = work.facts(SnapshotKind.BEFORE)
    assert facts.skipped == ("a.txt: what it was before is not known",)


def test_the_backup_of_the_client_is_the_file_before(work):
    """Where the client saved the file before it changed it, these bytes are the state before."""
    vault = FileVault(work.home)
    key = StreamKey(WORKSPACE, "main", SESSION, "manifest")
    blob = vault.put_blob(b"one\r\ntwo\n")
    side = SideFile(path=f"file-history/{SESSION}/abc@v1", base=CONFIG_BASE, blob=blob, size=9)
    vault.append(key, msgspec.json.encode(side) + b"\n", seen_at=now())
    vault.flush()
    work.write("a.txt", b"one\r\ntwo\n")
    work.prompt()
    backup = {"backupFileName": "abc@v1", "version": 1, "backupTime": now()}
    work.session.snapshot({str(work.folder / "a.txt"): backup}, is_update=True)
    work.edit("a.txt", "one", "uno", is_late=True)

    assert work.edits() == [("a.txt", b"one\r\ntwo\n", b"uno\r\ntwo\n", "toolu_1")]
    assert work.facts()[0].rebuilt == ()


def test_a_command_owns_what_changed_while_it_ran(work):
    """Changes before a command, and after its result, are not its changes, however late they are looked at."""
    work.write("before.txt", b"1\n")
    work.prompt()
    work.write("before.txt", b"by a person\n")
    time.sleep(0.05)
    work.ask("Bash", command="make")
    work.write("made.txt", b"by the command\n")
    work.answer(structured={"stdout": "", "stderr": "", "interrupted": False})
    time.sleep(0.1)
    work.write("later.txt", b"by a person\n")

    assert work.edits() == [("made.txt", None, b"by the command\n", "toolu_1")]


def test_the_end_of_a_turn_finds_the_rest(work):
    """What changed in a turn without a call that names it is stored at the end of the turn."""
    work.write("a.txt", b"1\n")
    work.prompt()
    work.ask("Bash", command="make &")
    work.answer(structured={"stdout": "", "stderr": "", "backgroundTaskId": "b1"})
    time.sleep(0.1)
    work.write("late.txt", b"in the background\n")
    work.say()

    assert work.edits() == [("late.txt", None, b"in the background\n", "")]
    assert [facts.feed for facts in work.facts(SnapshotKind.TURN)] == [Feed.FILE]


def test_without_a_look_before_nothing_is_the_agents(work):
    """If following begins in the middle of a turn, its end does not claim what changed in the days before."""
    work.write("a.txt", b"1\n")
    work.prompt()
    work.feed.close()
    work.feed = work.follow()
    work.write("a.txt", b"by a person, days later\n")
    work.ask("Edit", file_path="b.txt", old_string="", new_string="x")
    work.answer(is_error=True, content="<tool_use_error>no</tool_use_error>")
    work.ask("Write", "toolu_2", file_path=str(work.folder / "b.txt"), content="b\n")
    work.write("b.txt", b"b\n")
    work.answer("toolu_2", {"type": "create", "filePath": str(work.folder / "b.txt"), "content": "b\n"})
    work.say()

    assert work.edits() == [("b.txt", None, b"b\n", "toolu_2")]


def test_history_is_not_stored_as_if_it_happened_now(work):
    """Calls from before following began are left alone: the files are not what they were then."""
    work.feed = work.follow(began=now())
    work.session.clock = Clock("2026-01-01T00:00:00.000Z")
    path = work.write("a.txt", b"new\n")
    work.session.user("Go on.", promptId="p1")
    work.session.assistant(tool_use("Write", {"file_path": path, "content": "new\n"}), stop="tool_use")
    work.session.tool_result("toolu_1", structured={"type": "create", "filePath": path, "content": "new\n"})
    work.session.assistant("Done.", stop="end_turn")
    work.read()

    assert work.edits() == []
    assert not work.store.exists


@pytest.mark.parametrize("feed", [Feed.CONTROL, Feed.HOOK])
def test_what_another_feed_reported_is_left_to_it(work, feed):
    """A call, a prompt and the end of a turn that were reported before they happened are not stored again."""
    work.write("a.txt", b"one\n")
    direct = SnapshotQueue(work.home, WORKSPACE, work.folder, feed)

    def report(stage, **more):
        direct.put(EditEvent(stage=stage, session=SESSION, prompt="p1", **more))

    report(Stage.PROMPT)
    work.prompt()
    report(Stage.BEFORE, call="toolu_1", tool="Edit", paths=("a.txt",))
    work.edit("a.txt", "one", "uno")
    report(Stage.AFTER, call="toolu_1", tool="Edit", paths=("a.txt",))
    report(Stage.BEFORE, call="toolu_2", tool="Bash")
    work.ask("Bash", "toolu_2", command="make")
    work.write("made.txt", b"1\n")
    work.answer("toolu_2")
    report(Stage.AFTER, call="toolu_2", tool="Bash")
    work.say()
    report(Stage.END)
    direct.close()

    assert [(each[0], each[3]) for each in work.edits()] == [("a.txt", "toolu_1"), ("made.txt", "toolu_2")]
    assert {each.facts.feed for each in snapshots_of(work.store, SESSION)} == {feed}


def test_a_fork_does_not_repeat_the_edits_that_it_copied(work):
    """A fork contains the calls of the conversation before it; they stay edits of that one."""
    work.write("a.txt", b"one\n")
    work.edit("a.txt", "one", "uno")
    copy = bytes(work.session).replace(SESSION.encode(), SESSION.replace("1", "9").encode())
    work.read(copy, conversation=SESSION.replace("1", "9"))

    assert [each[3] for each in work.edits(None)] == ["toolu_1"]


def test_sub_agents_in_one_file_have_threads_of_their_own(work):
    """Edits of a sub-agent are in its own thread, and the main agent does not own them."""
    work.write("a.txt", b"one\ntwo\n")
    work.edit("a.txt", "one", "uno", "toolu_1")
    lines = Session(SESSION, cwd=str(work.folder), version="2.1.200", clock=Clock(now(), step_ms=0))
    place = work.folder / "a.txt"
    lines.assistant(
        tool_use("Edit", {"file_path": str(place), "old_string": "two", "new_string": "due"}, id="toolu_2"),
        stop="tool_use", isSidechain=True, agentId="a1",
    )  # fmt: skip
    place.write_bytes(b"uno\ndue\n")
    hunk = {"oldStart": 2, "oldLines": 1, "newStart": 2, "newLines": 1, "lines": ["-two", "+due"]}
    result = {"filePath": str(place), "oldString": "two", "newString": "due", "originalFile": "uno\ntwo\n",
              "structuredPatch": [hunk]}  # fmt: skip
    lines.tool_result("toolu_2", structured=result, isSidechain=True, agentId="a1")
    work.read(lines)

    assert work.edits() == [
        ("a.txt", b"one\ntwo\n", b"uno\ntwo\n", "toolu_1"),
        ("a.txt", b"uno\ntwo\n", b"uno\ndue\n", "toolu_2"),
    ]
    assert [facts.agent for facts in work.facts()] == ["a1", ""]


def test_workspaces_that_nobody_named_have_no_snapshots(work):
    """Without a person's word, or with snapshots switched off, nothing is read and stored."""
    with config.edit(work.home) as settings:
        settings.workspaces[0].is_named = False
    work.write("a.txt", b"one\n")
    work.edit("a.txt", "one", "uno")
    with config.edit(work.home) as settings:
        settings.workspaces[0].is_named = True
        settings.workspaces[0].snapshots = "off"
    work.edit("a.txt", "uno", "eins", "toolu_2")

    assert work.edits() == []
    assert not work.store.exists


def test_flat_events_are_paired_and_marked(work):
    """An edit in a stream of flat events is stored with what the stream tells, and marked as seen in a stream."""
    path = work.write("a.txt", b"one\r\ntwo\r\n")
    log = Flat()
    log.start(SESSION)
    log.user("Change it.")
    log.tool_use("toolu_1", "Edit", {"file_path": path, "old_string": "one", "new_string": "uno"})
    work.read(log, is_log=True)
    work.write("a.txt", b"uno\r\ntwo\r\n")
    log.tool_result("toolu_1", "The file has been updated.")
    # A log is read from its start each time it grows.
    for _ in range(2):
        work.folds.clear()
        work.read(log, is_log=True)

    assert work.edits() == [("a.txt", b"one\r\ntwo\r\n", b"uno\r\ntwo\r\n", "toolu_1")]
    assert [facts.feed for facts in work.facts()] == [Feed.STREAM]


def test_a_flat_event_about_a_change_that_did_not_happen_claims_nothing(work):
    """A stream is no proof: the file must be as the call would have left it."""
    path = work.write("a.txt", b"one\n")
    log = Flat()
    log.start(SESSION)
    log.tool_use("toolu_1", "Edit", {"file_path": path, "old_string": "one", "new_string": "uno"})
    log.tool_result("toolu_1", "The file has been updated.")
    work.read(log, is_log=True)

    assert work.edits() == []


def test_forgetting_removes_the_reports_of_a_conversation(work):
    """The file that says which feed saw what has nothing about a forgotten conversation."""
    work.write("a.txt", b"one\n")
    work.edit("a.txt", "one", "uno")
    work.feed.close()
    place = work.home / "git" / f"{WORKSPACE}.reports.jsonl"
    assert SESSION in place.read_text()
    ReportsFile(work.home, WORKSPACE).forget(SESSION)

    assert place.read_text() == ""


def test_nothing_of_a_workspace_is_written_and_secrets_are_left_out(work):
    """A hostile record can name any path: files outside, secrets and links are not stored."""
    (work.folder.parent / "outside.txt").write_bytes(b"one\n")
    work.write(".env", b"one\n")
    (work.folder / "link.txt").symlink_to(work.folder.parent / "outside.txt")
    for number, name in enumerate(("../outside.txt", ".env", "link.txt", ".git/config", "a\0b")):
        path = f"{work.folder}/{name}"
        work.ask("Edit", f"toolu_{number}", file_path=path, old_string="zero", new_string="one")
        result = {"filePath": path, "oldString": "zero", "newString": "one", "originalFile": "zero\n"}
        work.answer(f"toolu_{number}", result)

    assert work.edits() == []
    assert sorted(each.name for each in work.folder.iterdir()) == [".env", "link.txt"]
