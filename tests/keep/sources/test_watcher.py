"""Tests `chorus sync` as a person runs it: once, twice at the same time, and watching."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from chorus.keep.sources.sync import Sync
from chorus.keep.sources.watcher import Pace, Stop, follow
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.keys import workspace_id
from chorus.testing.builders import Layout, Session, encode_all, lay_out, tool_use
from tests.keep.sources.keeping import NOW, Keeper
from tests.keep.sources.watching import session_file, until, watching


def _run(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "chorus", "sync", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, check=False, timeout=60)


def test_a_pass_reports_what_it_did(tmp_path: Path) -> None:
    """The report is one line or JSON. A missing source gives one clear line and exit code 2."""
    session = Session()
    session.user("hi")
    session_file(tmp_path / "c", session).write_bytes(bytes(session))
    done = _run("--vault", str(tmp_path / "v"), "--json", str(tmp_path / "c"))
    missing = _run("--vault", str(tmp_path / "v"), str(tmp_path / "nowhere"))

    report = json.loads(done.stdout)
    assert (done.returncode, report["new"], report["kept_bytes"]) == (0, 1, len(bytes(session)))
    assert missing.returncode == 2
    assert missing.stderr.count(b"\n") == 1


def test_workspaces_are_listed_with_their_folders(tmp_path: Path) -> None:
    """The settings name the folder of each workspace id, and a second pass lists nothing twice."""
    session = Session(cwd="/home/dev/parser")
    session.user("hi")
    session_file(tmp_path / "c", session).write_bytes(bytes(session))
    for _ in range(2):
        _run("--vault", str(tmp_path / "v"), str(tmp_path / "c"))

    settings = json.loads((tmp_path / "v" / "config.json").read_text())
    (workspace,) = settings["workspaces"]
    assert workspace["path"] == "/home/dev/parser"
    assert (tmp_path / "v" / "conversations" / workspace["id"]).is_dir()


def test_every_workspace_in_the_vault_is_listed(tmp_path: Path) -> None:
    """A workspace is also listed if its records name no folder, so that a project's or a log's folder names it."""
    for name in ("c/projects/-p/5e551014-0000-4000-8000-000000000001.jsonl", "logs/run.jsonl", "more/other.txt"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_bytes(b'{"type":"user","message":{"role":"user","content":"hi"}}\n')
    (tmp_path / "c" / "history.jsonl").write_text(
        '{"display":"x","project":"/gone","sessionId":"5e551014-0000-4000-8000-000000000009"}\n'
    )
    _run("--vault", str(tmp_path / "v"), str(tmp_path / "c"), str(tmp_path / "logs"), str(tmp_path / "more/other.txt"))
    listed = {each["id"] for each in json.loads((tmp_path / "v" / "config.json").read_text())["workspaces"]}

    assert listed == {path.name for path in (tmp_path / "v" / "conversations").iterdir()}
    assert len(listed) == 4


def test_nothing_is_missed_with_few_descriptors(tmp_path: Path) -> None:
    """A process that may open only 64 files records all of many sessions, and reports no failure."""
    for n in range(150):
        session = Session(f"{n:08x}-0000-4000-8000-000000000000")
        session.user("hi")
        session_file(tmp_path / "c", session).write_bytes(bytes(session))
    command = [sys.executable, "-m", "chorus", "sync", "--json", "--vault", str(tmp_path / "v"), str(tmp_path / "c")]
    few = ["sh", "-c", 'ulimit -n 64 && exec "$@"', "sh", *command]
    done = subprocess.run(few, capture_output=True, check=False, timeout=60)

    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["new"], report["failed"], report["skipped"]) == (150, [], [])


def test_a_log_through_a_pipe_is_kept(tmp_path: Path) -> None:
    """`… | chorus sync -` records its input byte for byte."""
    session = Session()
    session.user("through a pipe")
    data = b"noise\n" + bytes(session)
    done = _run("--vault", str(tmp_path / "v"), "-", stdin=data)
    keeper = Keeper(tmp_path / "v")

    assert done.returncode == 0
    assert keeper.kept(f"{session.id}/session") == data
    assert list((tmp_path / "v" / "stdin").iterdir()) == []


def test_a_watcher_keeps_what_is_written(tmp_path: Path) -> None:
    """New and growing files are recorded while the watcher runs, and the watcher ends on a signal."""
    session = Session()
    session.user("first")
    path = session_file(tmp_path / "c", session)
    path.write_bytes(bytes(session))
    keeper = Keeper(tmp_path / "v")
    name = f"{session.id}/session"
    with watching(tmp_path / "v", tmp_path / "c"):
        for n in range(3):
            session.user(f"more {n}")
            with path.open("ab") as file:
                file.write(bytes(session)[path.stat().st_size :])
            assert until(lambda: keeper.kept(name) == bytes(session))
        other = Session("77777777-0000-4000-8000-000000000000")
        other.user("another")
        session_file(tmp_path / "c", other).write_bytes(bytes(other))
        assert until(lambda: f"{other.id}/session" in keeper.streams())


def test_a_named_file_is_followed_whatever_it_is_called(tmp_path: Path) -> None:
    """A file without a known ending is recorded while it grows, and when another file replaces it."""
    session, path = Session(), tmp_path / "out.txt"
    session.user("first")
    path.write_bytes(bytes(session))
    keeper = Keeper(tmp_path / "v")

    def kept() -> list[bytes]:
        return [keeper.kept(name) for name in keeper.streams() if name.endswith("/session")]

    with watching(tmp_path / "v", path):
        session.user("second")
        with path.open("ab") as file:
            file.write(bytes(session)[path.stat().st_size :])
        assert until(lambda: kept() == [bytes(session)])
        session.user("third")
        (tmp_path / "half").write_bytes(bytes(session))
        (tmp_path / "half").replace(path)
        assert until(lambda: kept() == [bytes(session)])


def test_a_prompt_in_the_history_claims_no_session(tmp_path: Path) -> None:
    """The client writes the prompt history before the session file, and the session still gets its own workspace."""
    known, session = Session(), Session("77777777-0000-4000-8000-000000000000")
    path = session_file(tmp_path / "c", known)
    path.write_bytes(encode_all([known.user("first")]))
    session.user("typed")
    typed = {"display": "typed", "pastedContents": {}, "project": session.cwd, "sessionId": session.id}
    keeper = Keeper(tmp_path / "v")

    def is_seen() -> bool:
        return keeper.kept(f"{known.id}/session") == path.read_bytes()

    with watching(tmp_path / "v", tmp_path / "c"):
        for words in ("the watcher is there", "it came by the history"):
            with path.open("ab") as file:
                file.write(encode_all([known.user(words)]))
            assert until(is_seen)
            (tmp_path / "c" / "history.jsonl").write_text(json.dumps(typed) + "\n")
        with path.open("ab") as file:
            file.write(encode_all([known.user("and now")]))
        assert until(is_seen)
        session_file(tmp_path / "c", session).write_bytes(bytes(session))
        assert until(lambda: f"{session.id}/session" in keeper.streams())

    assert {key.workspace for key in keeper.streams().values()} == {workspace_id(session.cwd)}


def test_a_session_is_kept_where_it_works_though_its_file_begins_without_saying_so(tmp_path: Path) -> None:
    """A file that names no working folder is not recorded by a watcher until it does.

    A full pass records it as it is.
    """
    session = Session()
    mode = json.dumps({"type": "mode", "mode": "normal", "sessionId": session.id}).encode() + b"\n"
    path = session_file(tmp_path / "c", session)
    path.write_bytes(mode)
    vault = FileVault(tmp_path / "v")
    syncing = Sync(vault, tmp_path / "v", lambda: NOW)

    assert not syncing.look(path).conversations
    path.write_bytes(mode + encode_all([session.user("typed")]))
    assert syncing.look(path).new == 1
    vault.close()
    silent = Session("77777777-0000-4000-8000-000000000000")
    session_file(tmp_path / "c", silent).write_bytes(mode)
    keeper = Keeper(tmp_path / "v")
    keeper.sync(tmp_path / "c")

    assert keeper.streams()[f"{session.id}/session"].workspace == workspace_id(session.cwd)
    assert keeper.kept(f"{silent.id}/session") == mode


def test_a_second_sync_waits_and_says_for_whom(tmp_path: Path) -> None:
    """A second pass over one vault waits, and says for which process."""
    import fcntl

    (tmp_path / "c").mkdir()
    (tmp_path / "v").mkdir()
    lock = os.open(tmp_path / "v" / "sync.lock", os.O_RDWR | os.O_CREAT)
    os.write(lock, b"chorus sync (process 1, since 12:00:00)\n")
    fcntl.flock(lock, fcntl.LOCK_EX)
    command = [sys.executable, "-m", "chorus", "sync", "--vault", str(tmp_path / "v"), str(tmp_path / "c")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stderr is not None
    try:
        said = process.stderr.readline()
        is_waiting = process.poll() is None
    finally:
        os.close(lock)
        process.communicate(timeout=30)

    assert b"waiting for chorus sync (process 1, since 12:00:00)" in said
    assert is_waiting
    assert process.returncode == 0


def test_idle_conversations_are_sealed(tmp_path: Path) -> None:
    """A conversation without changes for a month is sealed, reads as before, and opens again when it grows."""
    session = Session()
    session.user("x" * 5000)
    path = session_file(tmp_path / "c", session)
    path.write_bytes(bytes(session))
    os.utime(path, (1_600_000_000, 1_600_000_000))
    keeper = Keeper(tmp_path / "v")
    _run("--vault", str(tmp_path / "v"), str(tmp_path / "c"))
    packed = list((tmp_path / "v" / "conversations").rglob("*.zst"))
    sealed = keeper.kept(f"{session.id}/session")
    session.user("back again")
    path.write_bytes(bytes(session))
    _run("--vault", str(tmp_path / "v"), str(tmp_path / "c"))

    assert len(packed) == 2
    assert sealed == bytes(session)[: len(sealed)]
    assert keeper.kept(f"{session.id}/session") == bytes(session)


def test_a_workspace_with_a_vault_of_its_own_keeps_its_sessions_there(tmp_path: Path) -> None:
    """A `.chorus` folder is used as a vault only after `chorus init`."""
    home, here = tmp_path / "home", tmp_path / "repo"
    (here / ".chorus").mkdir(parents=True)
    for n, cwd in enumerate((str(here), "/somewhere/else")):
        session = Session(f"{n}1111111-0000-4000-8000-000000000000", cwd=cwd)
        session.user("hi")
        session_file(home / ".claude", session).write_bytes(bytes(session))
    environment = {**os.environ, "HOME": str(home)}
    environment.pop("CHORUS_HOME", None)

    def chorus(*arguments: str) -> int:
        command = [sys.executable, "-m", "chorus", *arguments]
        return subprocess.run(
            command, cwd=here, env=environment, capture_output=True, check=False, timeout=60
        ).returncode

    assert chorus("sync") == 0
    assert not (here / ".chorus" / "conversations").exists()
    assert chorus("init", "--adopt") == 0
    assert chorus("sync") == 0
    own = {name.split("/")[0] for name in Keeper(here / ".chorus").streams()}
    assert own == {"01111111-0000-4000-8000-000000000000"}
    assert len({name.split("/")[0] for name in Keeper(home / ".chorus").streams()}) == 2


def test_sweeps_are_rare_while_nothing_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sweeps that find nothing become rarer. A change, or a sweep that finds something, makes them frequent again."""
    session_file = tmp_path / "one.jsonl"
    session_file.write_text("{}\n")
    told: list[set[Path] | None] = [set(), None] * 40
    monkeypatch.setattr("chorus.keep.sources.watcher.changes", lambda *_: iter(told))
    swept: list[bool] = []

    def sweep() -> bool:
        swept.append(True)
        return False

    follow([tmp_path], Stop(), look=lambda _: None, sweep=sweep, warn=print)
    quiet = len(swept)
    swept.clear()
    told[20:20] = [{session_file}]
    follow([tmp_path], Stop(), look=lambda _: None, sweep=sweep, warn=print)

    assert quiet == 7
    assert len(swept) > quiet
    swept.clear()
    follow([tmp_path], Stop(), look=lambda _: None, sweep=lambda: not sweep(), warn=print)
    assert len(swept) == 40
    swept.clear()
    # Without file watches, only sweeps find changes.

    def without_watches(_: object, __: object, says: Callable[[str], None], ___: object) -> Iterator[set[Path] | None]:
        says("no watches")
        yield from told

    monkeypatch.setattr("chorus.keep.sources.watcher.changes", without_watches)
    follow([tmp_path], Stop(), look=lambda _: None, sweep=sweep, warn=print)
    assert len(swept) == 40


def test_a_watcher_looks_less_often_the_longer_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    """The steps grow while nothing happens and are short after activity, so an idle server costs almost nothing."""
    now = 100.0
    monkeypatch.setattr("chorus.keep.sources.watcher.monotonic", lambda: now)
    pace = Pace()

    busy = pace.step_and_timeout_ms()
    now += 3
    quiet = pace.step_and_timeout_ms()
    now += 60
    idle = pace.step_and_timeout_ms()
    pace.note_activity()

    assert busy[0] < quiet[0] < idle[0]
    assert idle[1] > busy[1]
    assert pace.step_and_timeout_ms() == busy


def test_what_a_tick_finds_makes_the_watcher_look_often(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Activity that no file watch sees, such as the output of a run, has the same effect as a changed file."""
    stirs: list[bool] = []
    monkeypatch.setattr(Pace, "note_activity", lambda _: stirs.append(True))
    monkeypatch.setattr("chorus.keep.sources.watcher.changes", lambda *_: iter([set(), set(), set()]))
    finds = iter([False, True, False])

    follow([tmp_path], Stop(), look=lambda _: None, sweep=lambda: False, warn=print, tick=lambda: next(finds))

    assert len(stirs) == 1


def test_what_changed_together_is_kept_together(tmp_path: Path) -> None:
    """A look at many files makes their lines durable with one flush, and returns all their conversations."""
    sessions = [Session(f"5e551011-0000-4000-8000-{n:012d}") for n in range(5)]
    vault = FileVault(tmp_path / "vault")
    flushed: list[int] = []
    flush = vault.flush
    vault.flush = lambda: (flushed.append(1), flush())[1]  # type: ignore[method-assign]
    paths = [session_file(tmp_path, session) for session in sessions]
    for session, path in zip(sessions, paths, strict=True):
        session.user("a word")
        path.write_bytes(bytes(session))

    report = Sync(vault, tmp_path / "vault", lambda: NOW).look(*paths)

    assert (report.new, len(report.conversations), len(flushed)) == (5, 5, 1)


def test_a_sidecar_that_changes_last_is_kept_while_watching(tmp_path: Path) -> None:
    """A watcher keeps the sidecar of a sub-agent that is written after everything else."""
    session = Session()
    session.user("go")
    session.assistant(tool_use("Agent", {"prompt": "look"}, id="t1"))
    session.agent("a1", "t1").user("look")
    lay_out(tmp_path / "c", session, Layout.BELOW)
    (sidecar,) = (tmp_path / "c").rglob("agent-a1.meta.json")
    keeper = Keeper(tmp_path / "v")
    name = f"{session.id}/manifest"
    with watching(tmp_path / "v", tmp_path / "c"):
        assert until(lambda: name in keeper.streams() and keeper.kept(name).count(b"agent-a1.meta.json") == 1)
        sidecar.write_text(sidecar.read_text().replace("{", '{"finished": true, ', 1))
        assert until(lambda: keeper.kept(name).count(b"agent-a1.meta.json") == 2)
