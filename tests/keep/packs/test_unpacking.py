"""Tests unpacking: where files go, what is rewritten in them, and what may be replaced."""

import json

import pytest

from chorus.errors import ChorusError
from chorus.keep.packs.rewriting import Rewriter
from chorus.keep.sources.layout import project_key
from tests.keep.packs.packs import OLD, OLD_CLIENT, OLD_SESSIONS, line, packed, usual
from tests.support.keeping import AGENT, SESSION, files


def unpacked_lines(machine, *lines, **options):
    """Returns the records of a session file with these lines, after it was unpacked."""
    given = {**usual(), f"project/{SESSION}.jsonl": b"".join(lines)}
    machine.unpack(packed(given), **options)
    (path,) = machine.client.glob(f"projects/*/{SESSION}.jsonl")
    return [json.loads(each) for each in path.read_bytes().splitlines()]


def test_files_go_to_their_places(machine):
    """Each file is where the client looks for it, under the key of the new folder, readable by its owner only."""
    done = machine.unpack()

    project = f"projects/{project_key(str(machine.work))}"
    assert sorted(path.relative_to(machine.client).as_posix() for path in files(machine.client)) == sorted(
        name.replace("project/", f"{project}/").removeprefix("client/") for name in usual()
    )
    assert [file.outcome for file in done.files] == ["written"] * 6
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in files(machine.client))
    assert (machine.root / "precious.txt").read_bytes() == b"precious"


def test_bytes_that_the_client_does_not_follow_stay(machine):
    """Side files and all messages are byte for byte as before, and the working folder is the new one."""
    machine.unpack()

    (session,) = machine.client.glob(f"projects/*/{SESSION}.jsonl")
    assert session.read_bytes() == usual()[f"project/{SESSION}.jsonl"].replace(
        f'"cwd":"{OLD}"'.encode(), f'"cwd":"{machine.work}"'.encode()
    )
    assert f"see {OLD}/x".encode() in session.read_bytes()
    (output,) = machine.client.rglob("b1.txt")
    assert output.read_bytes() == usual()[f"project/{SESSION}/tool-results/b1.txt"]
    (agent,) = machine.client.rglob(f"{AGENT}.jsonl")
    assert json.loads(agent.read_bytes())["cwd"] == f"{machine.work}/sub"


def test_stored_outputs_are_found_again(machine):
    """The path of a long output leads to the new place, in the record and in the text for the model."""
    old = f"{OLD_SESSIONS}/{SESSION}/tool-results/b1.txt"
    told = f"<persisted-output>\nOutput too large. Full output saved to: {old}\n\nPreview: {OLD}/x"
    printed = f"cat says: Full output saved to: {old}"
    (first, second) = unpacked_lines(
        machine,
        line(
            type="user",
            message={"role": "user", "content": [{"type": "tool_result", "content": told}]},
            toolUseResult={"stdout": printed, "persistedOutputPath": old},
        ),
        line(type="user", message={"role": "user", "content": [{"type": "tool_result", "content": printed}]}),
    )

    (new,) = machine.client.rglob("b1.txt")
    assert first["toolUseResult"] == {"stdout": printed, "persistedOutputPath": str(new)}
    assert first["message"]["content"][0]["content"] == told.replace(old, str(new))
    assert second["message"]["content"][0]["content"] == printed


def test_inputs_of_tools_are_never_rewritten(machine):
    """A key of the same name inside a message is content, and is not rewritten."""
    inner = {"cwd": OLD, "relocatedCwd": OLD, "attachment": {"planFilePath": OLD}, "text": json.dumps({"cwd": OLD})}
    (record,) = unpacked_lines(
        machine, line(type="assistant", cwd=OLD, message={"content": [{"type": "tool_use", "input": inner}]})
    )

    assert record["message"]["content"][0]["input"] == inner
    assert record["cwd"] == str(machine.work)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (OLD, "{work}"),
        (f"{OLD}/a/b", "{work}/a/b"),
        (f"{OLD}-other", f"{OLD}-other"),
        (f"{OLD}/../../etc", f"{OLD}/../../etc"),
        ("/elsewhere", "/elsewhere"),
        (f"{OLD_CLIENT}/plans/p.md", "{client}/plans/p.md"),
        (f"{OLD_SESSIONS}/memory", "{client}/projects/{key}/memory"),
    ],
)
def test_paths_move_with_their_folder(machine, old, new):
    """A path in the project, in the client's folder or in the project's sessions moves. Any other path stays."""
    (record,) = unpacked_lines(machine, line(type="user", cwd=old))

    places = {"work": machine.work, "client": machine.client, "key": project_key(str(machine.work))}
    assert record["cwd"] == new.format(**places)


def test_paths_written_with_escapes_move(machine):
    """A path is recognised in any spelling of its JSON, and the rest of the line keeps its spelling."""
    escaped = json.dumps(OLD).replace("/", "\\/").encode()
    raw = (
        b'{"sessionId": "' + SESSION.encode() + b'" ,"type":"user","a":"\\u00e9\\/ \xff", "cwd" : ' + escaped + b"}\r\n"
    )
    machine.unpack(packed({**usual(), f"project/{SESSION}.jsonl": raw}))

    (session,) = machine.client.glob(f"projects/*/{SESSION}.jsonl")
    assert session.read_bytes() == raw.replace(escaped, json.dumps(str(machine.work)).encode())


def test_paths_of_windows_move(machine):
    """Folders of a Windows machine become folders of this one."""
    from chorus.keep.packs.moves import Move

    move = Move(
        SESSION,
        "C:\\Users\\ann\\app",
        "/home/bo/app",
        "C:\\Users\\ann\\.claude",
        "/home/bo/.claude",
        "C--Users-ann-app",
    )
    assert move.path("C:\\Users\\ann\\app\\src\\a.py") == "/home/bo/app/src/a.py"
    assert move.path("C:\\Users\\ann\\app2") is None
    assert move.text("at `C:\\Users\\ann\\.claude\\projects\\C--Users-ann-app\\memory`") == (
        "at `/home/bo/.claude/projects/-home-bo-app/memory`"
    )


def backup(**more):
    return {"backupFileName": "0123456789abcdef@v1", "version": 1, **more}


@pytest.mark.parametrize(
    ("path", "more", "new"),
    [
        ("a.py", {"realParentDir": OLD}, "a.py"),
        (f"{OLD}/sub/a.py", {"realParentDir": f"{OLD}/sub"}, "{work}/sub/a.py"),
        ("a.py", {}, "a.py"),
        ("/home/bo/.bashrc", {"realParentDir": "/home/bo"}, None),
        ("/home/bo/.bashrc", {}, None),
        ("../../home/bo/.bashrc", {"realParentDir": OLD}, None),
        ("a/../../b", {"realParentDir": OLD}, None),
        ("a.py", {"realParentDir": "/home/bo"}, None),
        ("a.py", {"realParentDir": f"{OLD}/../bo"}, None),
        ("a.py", {"realParentDir": OLD, "backupFileName": "../../../etc/passwd"}, None),
        ("a.py", {"realParentDir": OLD, "backupFileName": 7}, None),
        (r"..\..\a.py", {"realParentDir": OLD}, None),
        (7, {"realParentDir": OLD}, None),
    ],
)
def test_a_rewind_cannot_leave_the_project(machine, path, more, new):
    """Backups of files of the project move with it. Backups of other files are left out, in both kinds of records."""
    (first, *rest) = unpacked_lines(
        machine,
        line(type="file-history-snapshot", snapshot={"trackedFileBackups": {str(path): backup(**more)}}),
        line(type="file-history-delta", trackingPath=path, backup=backup(**more)),
    )

    parent = {"realParentDir": str(machine.work / "sub" if "/sub" in str(path) else machine.work)}
    moved = {**backup(), **(parent if "realParentDir" in more else {})}
    path_now = new and new.format(work=machine.work)
    if path == 7:
        assert rest == []
        return
    assert first["snapshot"]["trackedFileBackups"] == ({path_now: moved} if new else {})
    assert [(each["trackingPath"], each["backup"]) for each in rest] == ([(path_now, moved)] if new else [])


def test_a_disguised_backup_is_found(machine):
    """Escapes, repeated keys, invalid bytes and odd numbers do not hide a record that the client follows."""
    tail = b'"trackingPath":"/home/bo/x","backup":{"backupFileName":null}}\n'
    found = unpacked_lines(
        machine,
        b'{"type":"file\\u002dhistory-delta",' + tail,
        b'{"type":"user","type":"file-history-delta",' + tail,
        b'{"type":"file-history-delta","a":"\xff",' + tail,
        b'{"type":"file-history-delta","sessionId":7,"n":1' + b"0" * 5000 + b"," + tail,
        b'{"ty\\u0070e":"file-history-delta",' + tail,
        line(type="user"),
    )

    assert [each["type"] for each in found] == ["user"]


DELTA = b'{"type":"file-history-delta","trackingPath":"/home/bo/.bashrc","backup":{"backupFileName":null}}'


@pytest.mark.parametrize(
    ("lines", "left", "unread"),
    [
        (DELTA + b" x\n", [], 1),
        (DELTA + b"\0\n", [], 1),
        (DELTA + b',{"type":"user"}\n', [], 1),
        (DELTA + b"\xc2\xa0\n", [], 1),
        (b"\xef\xbb\xbf" + DELTA + b"\n", [], 1),
        (DELTA.replace(b",", b",\n", 1) + b"\n", [], 2),
        (b"{\n" + DELTA[1:] + b"\n", [], 2),
        (DELTA.replace(b",", b",\r", 1) + b"\n", [], 0),
        (b'{"x":"\n' + DELTA + b"\n", [], 1),
        (b'{"type":"user"} ' + DELTA + b"\n", ["user"], 1),
        (b"\0" + DELTA + b"\n", [], 1),
        (b'\n \n{"type":"user"}\n', ["user"], 0),
    ],
)
def test_a_record_that_is_no_line_is_found(machine, lines, left, unread):
    """The client also reads records over several lines, after a byte order mark and before other text; none is left."""
    name = f"project/{SESSION}.jsonl"
    done = machine.unpack(packed({**usual(), name: lines}))
    (path,) = machine.client.glob(f"projects/*/{SESSION}.jsonl")

    assert [json.loads(each)["type"] for each in path.read_bytes().splitlines() if each.strip()] == left
    assert done.unread == ({name: unread} if unread else {})


@pytest.mark.parametrize("data", [b'\xef\xbb\xbf{"worktreePath":"/home/bo"}', b'{"worktreePath":"/home/bo"} x', b"[]"])
def test_a_sidecar_that_is_no_object_is_emptied(machine, data):
    """Of a sidecar that the client might read in another way, nothing is left."""
    sidecar = f"project/{SESSION}/subagents/{AGENT}.meta.json"
    done = machine.unpack(packed({**usual(), sidecar: data}))

    (path,) = machine.client.rglob("*.meta.json")
    assert path.read_bytes() == b"" and done.unread == {sidecar: 1}


def test_a_worktree_elsewhere_is_not_entered(machine):
    """A worktree of the project moves with it, and the client is not led into any other folder."""
    inside = {"worktreePath": f"{OLD}/.claude/worktrees/x", "originalCwd": OLD, "worktreeName": "x"}
    found = unpacked_lines(
        machine,
        line(type="worktree-state", worktreeSession=inside),
        line(type="worktree-state", worktreeSession={**inside, "worktreePath": "/home/bo/secret"}),
        line(type="worktree-state", worktreeSession={**inside, "worktreePath": ["/home/bo/secret"]}),
        line(type="worktree-state", worktreeSession=None),
    )

    assert [each["worktreeSession"] for each in found] == [
        {"worktreePath": f"{machine.work}/.claude/worktrees/x", "originalCwd": str(machine.work), "worktreeName": "x"},
        None,
    ]


def test_a_sidecar_leads_nowhere_else(machine):
    """A sub-agent is not resumed in a worktree outside of the project."""
    sidecar = f"project/{SESSION}/subagents/{AGENT}.meta.json"
    machine.unpack(packed({**usual(), sidecar: b'{"agentType":"x","worktreePath":"/home/bo/secret"}'}))

    (path,) = machine.client.rglob("*.meta.json")
    assert path.read_bytes() == b'{"agentType":"x"}'


def test_unpacking_again_changes_nothing(machine):
    """The same pack gives the same files, which are then reported as identical."""
    machine.unpack()
    before = machine.everything()

    assert [file.outcome for file in machine.unpack().files] == ["identical"] * 6
    assert machine.everything() == before


@pytest.mark.parametrize("which", range(6))
def test_nothing_is_replaced_without_force(machine, which):
    """If any file exists and differs, none is written. With --force it is replaced, and the others stay."""
    path = machine.root / machine.unpack(is_dry_run=True).files[which].path
    path.parent.mkdir(parents=True)
    path.write_bytes(b"mine")
    before = machine.everything()

    with pytest.raises(ChorusError, match="exists already and differs; nothing was written"):
        machine.unpack()
    assert machine.everything() == before

    assert [file.outcome for file in machine.unpack(is_forced=True).files].count("replaced") == 1
    assert path.read_bytes() != b"mine" and len(files(machine.client)) == 6


@pytest.mark.parametrize("is_forced", [False, True])
def test_what_is_no_file_is_never_replaced(machine, is_forced):
    """A link or a folder in the place of a file, or a link in the place of a folder, is refused."""
    places = [machine.root / file.path for file in machine.unpack(is_dry_run=True).files]
    target = machine.root / "precious.txt"
    for place, make in [(places[0], "link"), (places[3], "folder"), (places[4].parent, "link to a folder")]:
        place.parent.mkdir(parents=True, exist_ok=True)
        if make == "folder":
            place.mkdir()
        else:
            place.symlink_to(target if make == "link" else machine.work)
        with pytest.raises(ChorusError):
            machine.unpack(is_forced=is_forced)
        assert target.read_bytes() == b"precious" and not list(machine.work.iterdir())
        place.rmdir() if make == "folder" else place.unlink()


def test_a_dry_run_writes_nothing(machine):
    """A dry run says what it would write, and does not even create the client's folder."""
    done = machine.unpack(is_dry_run=True)

    assert [file.outcome for file in done.files] == ["written"] * 6 and done.rewritten == {"working folder": 2}
    assert machine.is_untouched() and not machine.client.exists()


def test_the_same_session_elsewhere_is_reported(machine):
    """A session file with the same id in another project stays, and is named."""
    other = machine.client / "projects" / "-other" / f"{SESSION}.jsonl"
    other.parent.mkdir(parents=True)
    other.write_bytes(b"")

    assert machine.unpack().elsewhere == [str(other)]


def test_a_long_folder_has_the_name_that_the_client_gives_it():
    """The client shortens a name of over 200 characters and adds a digest, as the tests with the real client show."""
    folder = "/home/ann/" + "x" * 120 + "/" + "y" * 120

    assert project_key(folder)[200:] == "-c6a7uo" and len(project_key(folder)) == 207
    assert project_key("/home/ann/my app_1") == "-home-ann-my-app-1"


def test_a_line_is_rewritten_in_linear_time():
    """A string with many escapes is read once, and the stack does not grow with it."""
    from chorus.keep.packs.moves import Move

    rewriter = Rewriter(Move(SESSION, OLD, "/new", OLD_CLIENT, "/newer", "-k"), allows_other_sessions=False)
    long = line(type="user", cwd=OLD, message={"content": '\n\t"' * 2_000_000})

    assert rewriter.line(long) == long.replace(f'"cwd":"{OLD}"'.encode(), b'"cwd":"/new"')
