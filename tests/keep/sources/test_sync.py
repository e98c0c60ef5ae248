"""Tests that sources are recorded incrementally, and that recorded data is never lost."""

import json
import os
from datetime import datetime
from pathlib import Path

import pytest

import chorus
from chorus.keep.archive.listing import conversations
from chorus.keep.archive.opening import open_kept
from chorus.keep.sources.sync import Sync
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.line import StoredLine
from chorus.keep.vault.port import contents
from chorus.keep.vault.records import stored_records
from chorus.testing.builders import Layout, Run, Session, lay_out, tool_use
from chorus.testing.builders.lines import Ids
from tests.keep.sources.keeping import NOW, Keeper

SHARED = Path(__file__).parents[3].parent / "shared"


def _session(words: int = 3) -> Session:
    session = Session()
    for n in range(words):
        session.user(f"prompt {n}")
        session.assistant(f"answer {n}", stop="end_turn")
    return session


def _write(folder: Path, session: Session) -> Path:
    path = folder / "projects" / "-home-dev-work" / f"{session.id}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes(session))
    return path


def test_a_session_is_kept_byte_for_byte(tmp_path: Path) -> None:
    """After a pass the vault has the bytes of the source, and a second pass has nothing to do."""
    session = _session()
    path = _write(tmp_path / "claude", session)
    keeper = Keeper(tmp_path / "vault")

    first, second = keeper.sync(tmp_path / "claude"), keeper.sync(tmp_path / "claude")

    assert keeper.kept(f"{session.id}/session") == path.read_bytes()
    assert (first.new, first.kept_bytes) == (1, path.stat().st_size)
    assert (second.new, second.grown, second.kept_bytes) == (0, 0, 0)


def test_the_workspace_is_the_first_working_folder(tmp_path: Path) -> None:
    """The path in the vault names the workspace of the first working folder, the agent and the conversation."""
    session = _session()
    _write(tmp_path / "claude", session)
    keeper = Keeper(tmp_path / "vault")
    keeper.sync(tmp_path / "claude")

    (key,) = [key for name, key in keeper.streams().items() if name.endswith("/session")]

    assert key.workspace.startswith("work-")
    assert (key.agent, key.conversation) == ("main", session.id)
    assert (tmp_path / "vault" / "conversations" / key.workspace / "main" / f"{session.id}.jsonl").is_file()


def test_what_grows_is_appended(tmp_path: Path) -> None:
    """Only the new bytes are read and recorded, however often the source grows."""
    session = _session(1)
    path = _write(tmp_path / "claude", session)
    keeper = Keeper(tmp_path / "vault")
    keeper.sync(tmp_path / "claude")
    for n in range(3):
        before = path.stat().st_size
        session.user(f"more {n}")
        path.write_bytes(bytes(session))
        os.utime(path, ns=(n, n))
        report = keeper.sync(tmp_path / "claude")
        assert (report.grown, report.revised, report.kept_bytes) == (1, 0, path.stat().st_size - before)

    assert keeper.kept(f"{session.id}/session") == bytes(session)


def test_half_a_line_waits_for_its_end(tmp_path: Path) -> None:
    """While a client is writing, its file is recorded up to the last whole line."""
    session = _session(1)
    path = _write(tmp_path / "claude", session)
    whole = path.read_bytes()
    path.write_bytes(whole[:-30])
    keeper = Keeper(tmp_path / "vault")
    keeper.sync(tmp_path / "claude")
    half = keeper.kept(f"{session.id}/session")
    path.write_bytes(whole)
    keeper.sync(tmp_path / "claude")

    assert half == whole[: whole.rfind(b"\n", 0, -30) + 1]
    assert keeper.kept(f"{session.id}/session") == whole


def test_a_last_line_without_newline_is_kept_when_it_is_whole(tmp_path: Path) -> None:
    """A whole last line without a newline is recorded, and a newline that comes later is recorded too."""
    session = _session(1)
    path = _write(tmp_path / "claude", session)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    keeper = Keeper(tmp_path / "vault")
    keeper.sync(tmp_path / "claude")
    short = keeper.kept(f"{session.id}/session")
    session.user("more")
    path.write_bytes(bytes(session))
    keeper.sync(tmp_path / "claude")

    assert short == whole[:-1]
    assert keeper.kept(f"{session.id}/session") == bytes(session)


def test_a_rewritten_source_becomes_a_revision(tmp_path: Path) -> None:
    """Both states of a rewritten source can be read, and the conversation shows each message once."""
    session = _session(2)
    path = _write(tmp_path / "claude", session)
    keeper = Keeper(tmp_path / "vault")
    keeper.sync(tmp_path / "claude")
    old = path.read_bytes()
    del session.lines[3]
    session.user("after the rewrite")
    path.write_bytes(bytes(session))
    report = keeper.sync(tmp_path / "claude")

    name = f"{session.id}/session"
    assert report.revised == 1
    assert (keeper.kept(name, 0), keeper.kept(name)) == (old, bytes(session))
    vault = FileVault(tmp_path / "vault")
    (talk,) = chorus.fold(stored_records(vault, keeper.streams()[name]))
    assert [talk.text(message) for message in talk.messages] == [
        "prompt 0",
        "answer 0",
        "prompt 1",
        "answer 1",
        "after the rewrite",
    ]


def test_a_truncated_source_takes_nothing_away(tmp_path: Path) -> None:
    """The recorded bytes of a truncated source stay, and its later content becomes a revision."""
    session = _session(3)
    path = _write(tmp_path / "claude", session)
    whole = path.read_bytes()
    keeper = Keeper(tmp_path / "vault")
    keeper.sync(tmp_path / "claude")
    path.write_bytes(whole[: whole.find(b"\n") + 1])
    report = keeper.sync(tmp_path / "claude")
    assert report.revised == 1
    assert keeper.kept(f"{session.id}/session", 0) == whole
    assert keeper.kept(f"{session.id}/session") == path.read_bytes()
    assert keeper.sync(tmp_path / "claude").revised == 0

    again = whole[: whole.find(b"\n") + 1] + b'{"type":"mode","mode":"new"}\n'
    path.write_bytes(again)
    keeper.sync(tmp_path / "claude")

    assert keeper.kept(f"{session.id}/session", 0) == whole
    assert keeper.kept(f"{session.id}/session") == again


def test_a_deleted_source_stays_kept(tmp_path: Path) -> None:
    """The client deletes old sessions, and the vault keeps them."""
    session = _session()
    path = _write(tmp_path / "claude", session)
    whole = path.read_bytes()
    keeper = Keeper(tmp_path / "vault")
    keeper.sync(tmp_path / "claude")
    path.unlink()
    keeper.sync(tmp_path / "claude")

    assert keeper.kept(f"{session.id}/session") == whole


def test_without_its_notes_a_pass_compares_and_goes_on(tmp_path: Path) -> None:
    """If the notes are lost, or older than the vault after a crash, nothing is recorded twice."""
    session = _session(2)
    path = _write(tmp_path / "claude", session)
    keeper = Keeper(tmp_path / "vault")
    keeper.sync(tmp_path / "claude")
    (tmp_path / "vault" / "state" / "sources.jsonl").unlink()
    session.user("more")
    path.write_bytes(bytes(session))
    report = keeper.sync(tmp_path / "claude")

    assert report.revised == 0
    assert keeper.kept(f"{session.id}/session") == bytes(session)


def test_a_copy_elsewhere_is_a_stream_of_its_own(tmp_path: Path) -> None:
    """A backup of the client's folder makes no revisions of the recorded streams."""
    session = _session(2)
    _write(tmp_path / "claude", session)
    short = Session()
    short.user("an older state")
    _write(tmp_path / "backup", short)
    keeper = Keeper(tmp_path / "vault")
    reports = [keeper.sync(tmp_path / "claude", tmp_path / "backup") for _ in range(2)]

    assert [report.revised for report in reports] == [0, 0]
    assert keeper.kept(f"{session.id}/session") == bytes(session)
    (copy,) = [name for name in keeper.streams() if "/copy-" in name]
    assert keeper.kept(copy) == bytes(short)


@pytest.mark.parametrize("layout", [Layout.BESIDE, Layout.BELOW])
def test_agents_and_side_files_are_kept_with_their_conversation(tmp_path: Path, layout: Layout) -> None:
    """Sub-agent files are streams of the conversation. Outputs and plans are blobs that its manifest names."""
    session = Session(slug="quiet-fox")
    session.user("go")
    session.assistant(tool_use("Task", {"prompt": "look"}, id="t1"))
    agent = session.agent("a1", "t1")
    agent.user("look")
    path = lay_out(tmp_path / "claude", session, layout)
    output = path.with_suffix("") / "tool-results" / "b1.txt"
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text("long output")
    plan = path.parents[2] / "plans" / "quiet-fox.md"
    plan.parent.mkdir(parents=True, exist_ok=True)
    plan.write_text("# Plan")
    keeper = Keeper(tmp_path / "vault")
    keeper.sync(tmp_path / "claude")

    assert keeper.kept(f"{session.id}/agent-a1") == bytes(agent)
    manifest = keeper.kept(f"{session.id}/manifest").decode()
    assert '"tool-results/b1.txt"' in manifest
    assert '"plans/quiet-fox.md"' in manifest
    assert keeper.sync(tmp_path / "claude").side_files == 0


def test_prompts_of_deleted_sessions_come_as_stubs(tmp_path: Path) -> None:
    """The prompts of sessions that are gone come from the prompt history."""
    session = _session(1)
    path = _write(tmp_path / "claude", session)
    gone = "99999999-0000-4000-8000-000000000000"
    line = '{"display":"%s","pastedContents":{},"timestamp":1767603600000,"project":"/home/dev/old","sessionId":"%s"}\n'
    history = line % ("what was lost", gone) + line % ("prompt 0", session.id)
    (tmp_path / "claude" / "history.jsonl").write_text(history)
    keeper = Keeper(tmp_path / "vault")
    first, second = keeper.sync(tmp_path / "claude"), keeper.sync(tmp_path / "claude")

    assert path.exists()
    assert (first.stubs, second.stubs) == (1, 0)
    assert keeper.kept(f"{gone}/history").decode() == line % ("what was lost", gone)
    assert keeper.kept(f"{session.id}/history").decode() == line % ("prompt 0", session.id)
    with (tmp_path / "claude" / "history.jsonl").open("a") as file:
        file.write(line % ("and more", session.id))
    assert keeper.sync(tmp_path / "claude").stubs == 0
    assert keeper.kept(f"{session.id}/history").decode().count("\n") == 2


def test_logs_are_kept_the_same_way(tmp_path: Path) -> None:
    """A log is recorded with the conversation that most of its records belong to."""
    run = Run()
    run.init()
    run.assistant("hi")
    log = tmp_path / "run.log.jsonl"
    log.write_bytes(b"$ claude -p hi\n" + bytes(run))
    keeper = Keeper(tmp_path / "vault")
    keeper.sync(log)

    assert keeper.kept(f"{run.id}/session") == log.read_bytes()


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ("2025-11-03T10:00:00Z", "2025-11-03T10:00:00.000Z"),
        ("1970-01-01T00:00:00Z", NOW),
        ("2200-01-01T00:00:00Z", NOW),
    ],
)
def test_an_old_log_without_times_is_as_old_as_its_file(tmp_path: Path, changed: str, expected: str) -> None:
    """Lines that state no time were written before their file was changed last, unless that time is not credible."""
    log = tmp_path / "run.log.jsonl"
    run = Run()
    run.init()
    run.assistant("hi")
    log.write_bytes(bytes(run))
    os.utime(log, (datetime.fromisoformat(changed).timestamp(),) * 2)
    keeper = Keeper(tmp_path / "vault")
    keeper.sync(log)

    (key,) = [key for name, key in keeper.streams().items() if name == f"{run.id}/session"]
    times = {
        line.head.timestamp
        for line in FileVault(keeper.root).lines(key)
        if isinstance(line, StoredLine) and line.head.seen
    }

    assert times == {expected}


def test_a_log_of_several_sessions_gives_each_its_part(tmp_path: Path) -> None:
    """The whole log is recorded with the session of most of its lines, and each other session has its own lines."""
    long, short = Run(), Run("22222222-0000-4000-8000-000000000000", ids=Ids("short"))
    for run, number in ((long, 5), (short, 1)):
        run.init()
        for n in range(number):
            run.assistant(f"answer {n}")
    log = tmp_path / "tee.jsonl"
    log.write_bytes(bytes(short) + bytes(long))
    keeper = Keeper(tmp_path / "vault")
    keeper.sync(log)
    short.assistant("one more")
    log.write_bytes(log.read_bytes() + bytes(short).splitlines(keepends=True)[-1])
    keeper.sync(log)

    (part,) = [name for name in keeper.streams() if "/log-part-" in name]
    assert keeper.kept(f"{long.id}/session") == log.read_bytes()
    assert part.startswith(short.id) and keeper.kept(part) == bytes(short)


def test_an_unreadable_source_does_not_stop_the_others(tmp_path: Path) -> None:
    """A source that cannot be read is named, and the others are recorded."""
    session = _session()
    _write(tmp_path / "claude", session)
    (tmp_path / "claude" / "projects" / "-x").mkdir()
    (tmp_path / "claude" / "projects" / "-x" / "dangling.jsonl").symlink_to(tmp_path / "nowhere")
    keeper = Keeper(tmp_path / "vault")
    report = keeper.sync(tmp_path / "claude", tmp_path / "gone.jsonl")

    assert [failure.split(": ")[0] for failure in report.failed] == [str(tmp_path / "gone.jsonl")]
    assert keeper.kept(f"{session.id}/session") == bytes(session)


def test_sub_agents_among_the_sessions_are_kept_right_after_their_own(tmp_path: Path) -> None:
    """A conversation is reported only when it is complete, and long before the end of the pass."""
    for n in range(250):
        session = Session(f"{n:08x}-0000-4000-8000-000000000000")
        session.user("go")
        if n == 0:
            session.agent("a1", "t1").user("look")
        lay_out(tmp_path / "claude", session, Layout.BESIDE)
    vault = FileVault(tmp_path / "vault")
    told: list[tuple[int, bool]] = []

    def settled(names: set[str]) -> None:
        streams = {key.stream for key in vault.keys() if key.conversation.startswith("00000000")}  # noqa: SIM118 - a method
        told.append((len(names), "agent-a1" in streams))

    report = Sync(vault, vault.root, lambda: NOW).run([tmp_path / "claude"], settled=settled)
    vault.close()

    assert report.sources == report.new == 251
    assert sum(count for count, _ in told) == 250
    assert all(is_whole for count, is_whole in told if count)
    assert len([count for count, _ in told if count]) > 1


@pytest.mark.skipif(not SHARED.is_dir(), reason="no recordings beside this clone (../shared)")
def test_recorded_states_of_growing_sessions_are_followed(tmp_path: Path) -> None:
    """Each recorded state of a growing session is recorded by appending."""
    for series in sorted((SHARED / "transcripts" / "growing").iterdir()):
        path = tmp_path / "claude" / "projects" / "-p" / f"{series.name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        keeper = Keeper(tmp_path / "vault")
        revised = 0
        for state in sorted(series.glob("*.jsonl")):
            path.write_bytes(state.read_bytes())
            revised += keeper.sync(tmp_path / "claude").revised
            assert keeper.kept(f"{series.name}/session") == state.read_bytes()
        assert revised == 0


@pytest.mark.skipif(not SHARED.is_dir(), reason="no recordings beside this clone (../shared)")
def test_every_recorded_session_is_kept_byte_for_byte(tmp_path: Path) -> None:
    """One pass over all recordings gives each of them back byte for byte."""
    folders = sorted((SHARED / "captures").glob("*/home/.claude"))
    keeper = Keeper(tmp_path / "vault")
    report = keeper.sync(*folders)
    manifests = [name for name in keeper.streams() if name.endswith("/manifest")]

    assert report.failed == []
    sources = {path.stem: path for folder in folders for path in folder.glob("projects/*/*.jsonl")}
    assert len(manifests) == len(sources)
    for stem, path in sources.items():
        if path.stat().st_size:
            assert keeper.kept(f"{stem}/session") == path.read_bytes(), path


@pytest.mark.parametrize("slug", ["a\x00b", "\ud800", "../../etc/passwd", "x" * 5_000, ".", ""])
def test_a_slug_that_names_no_file_is_no_reason_to_stop(tmp_path: Path, slug: str) -> None:
    """A session with any name for its plan is recorded, and so are the sessions beside it."""
    for session in (Session(slug="SLUG"), Session("5e551011-0000-4000-8000-00000000000e")):
        session.user("a word")
        path = _write(tmp_path / "claude", session)
        path.write_bytes(path.read_bytes().replace(b'"SLUG"', json.dumps(slug).encode()))
    keeper = Keeper(tmp_path / "vault")

    report = keeper.sync(tmp_path / "claude")

    assert (report.new, report.failed) == (2, [])
    assert open_kept_titles(tmp_path / "vault") == ["a word", "a word"]


def open_kept_titles(root: Path) -> list[str | None]:
    vault = FileVault(root)
    return [open_kept(vault, kept).title for kept in conversations(vault)]


def test_a_session_that_a_run_began_is_kept_with_the_run(tmp_path: Path) -> None:
    """The session file of a run belongs to the agent of the run, also if a sync ran before the file existed."""
    source, vault = tmp_path / "client", FileVault(tmp_path / "vault")
    begun: dict[str, tuple[str, str]] = {}
    syncing = Sync(vault, vault.root, lambda: NOW, begun=begun.get)
    syncing.run([source])
    session = _session()
    begun[session.id] = ("work-12345678", "ada")

    _write(source, session)
    syncing.run([source])

    (kept,) = conversations(vault)
    assert (kept.workspace, kept.agent) == ("work-12345678", "ada")


def test_the_streams_of_runs_are_packed_with_their_conversation(tmp_path: Path) -> None:
    """Sealing an idle conversation also seals the streams of its runs."""
    vault = FileVault(tmp_path / "vault")
    syncing = Sync(vault, vault.root, lambda: NOW)
    syncing.run([_write(tmp_path / "client", _session()).parents[2]])
    (kept,) = conversations(vault)
    key = StreamKey(kept.workspace, kept.agent, kept.id, "run-abc-out")
    vault.append(key, b'{"type":"system"}\n', seen_at=NOW)
    vault.flush()

    syncing.seal_idle(2**63)

    assert vault.packed_end(key) is not None
    assert contents(vault, key) == b'{"type":"system"}\n'


def test_a_line_that_is_too_long_is_kept_in_pieces(tmp_path, monkeypatch):
    """A line that is too long is recorded in pieces and comes back byte for byte. A lost piece is recorded again."""
    monkeypatch.setattr("chorus.keep.sources.stream.MAX_RECORD_BYTES", 10_000)
    monkeypatch.setattr("chorus.keep.sources.stream._CHUNK_BYTES", 4_000)
    session = Session()
    session.user("before")
    path = lay_out(tmp_path / "c", session)
    keeper, name = Keeper(tmp_path / "v"), f"{session.id}/session"
    data = path.read_bytes()
    for more in (b"x" * 5_000, b"y" * 5_001, b"z" * 30_000 + b"\n", bytes(session)):
        data += more
        path.write_bytes(data)
        keeper.sync(tmp_path / "c")
    stored = keeper.streams()[name]
    vault = FileVault(tmp_path / "v")
    lines = [line for line in vault.lines(stored) if isinstance(line, StoredLine)]
    assert max(len(line.bytes) for line in lines) <= 10_000
    assert keeper.kept(name) == data and sum(line.head.revision for line in lines) == 0

    kept = vault.path(stored)
    vault.close()
    damaged = kept.read_bytes().splitlines(keepends=True)
    del damaged[3]
    kept.write_bytes(b"".join(damaged))
    vault = FileVault(tmp_path / "v")
    healed = Sync(vault, tmp_path / "v", lambda: NOW).heal([tmp_path / "c"])
    vault.close()
    assert healed.mended and not healed.lost
    assert keeper.kept(name) == data


@pytest.mark.parametrize("was_there", [True, False])
def test_a_sidecar_that_changes_last_is_kept(tmp_path: Path, *, was_there: bool) -> None:
    """The sidecar of a sub-agent is kept when it is written after everything else, as when the agent finishes."""
    session = Session()
    session.user("go")
    session.assistant(tool_use("Agent", {"prompt": "look"}, id="t1"))
    session.agent("a1", "t1").user("look")
    lay_out(tmp_path / "claude", session, Layout.BELOW)
    (sidecar,) = (tmp_path / "claude").rglob("agent-a1.meta.json")
    text = sidecar.read_text()
    if not was_there:
        sidecar.unlink()
    keeper = Keeper(tmp_path / "vault")
    keeper.sync(tmp_path / "claude")

    sidecar.write_text(text.replace("{", '{"finished": true, ', 1))
    report = keeper.sync(tmp_path / "claude")

    assert report.side_files == 1 and [name.rpartition("/")[2] for name in report.conversations] == [session.id]
    assert keeper.sync(tmp_path / "claude").side_files == 0
