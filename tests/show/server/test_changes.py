"""Tests the routes for changes of files: turns, differences, and undoing exactly what was previewed."""

import os
from urllib.parse import quote

import pytest

from chorus.base import config
from chorus.base.config import Workspace as Known
from chorus.keep.snapshots.commits import Feed, SnapshotFacts, SnapshotKind
from chorus.keep.snapshots.snapshots import Snapshots
from chorus.testing.builders import Session, tool_use
from tests.show.server.serving import serving, until

OTHER = "99999999-2222-4333-8444-555555555555"
EVERYTHING = {"commit": None, "turn": None, "files": None}


class Work:
    """A conversation that changed files in a workspace that a person named, and a browser that looks at it."""

    def __init__(self, folder, *, is_named=True):
        self.folder = folder / "project"
        self.folder.mkdir()
        self.vault = folder / "vault"
        self.is_named = is_named
        self.session = Session(cwd=str(self.folder))
        self.time_ms = 1_790_000_000_000

    def begin(self, server):
        self.server = server
        self.browser = server.browser()
        found = until(lambda: self.browser.get("/api/conversations").json.get("conversations"))
        self.name = found[0]["name"]
        workspace = self.name.partition("/")[0]
        # The recorder lists the workspace as well, at any moment: only an edit keeps what the other one wrote.
        with config.edit(self.vault) as settings:
            settings.workspaces = [Known(id=workspace, path=str(self.folder), is_named=self.is_named)]
        self.snapshots = Snapshots(self.vault, workspace, self.folder)

    def facts(self, kind, **more):
        self.time_ms += 1000
        more.setdefault("conversation", self.session.id)
        return SnapshotFacts(kind=kind, time_ms=self.time_ms, feed=Feed.CONTROL, **more)

    def edit(self, path, data, *, call, turn, **more):
        """Does what an editing tool does, with a snapshot before and after it."""
        place = self.folder / path
        self.snapshots.take_files([str(place)], self.facts(SnapshotKind.BEFORE, call=call, turn=turn, **more), "Before")
        if data is None:
            place.unlink()
        else:
            place.write_bytes(data)
        after = self.facts(SnapshotKind.AFTER, call=call, turn=turn, tool="Edit", **more)
        return self.snapshots.take_files([str(place)], after, "Edit")

    def get(self, what=""):
        return self.browser.get(f"/api/conversations/{self.name}/changes{what}")

    def post(self, what, value, **headers):
        return self.browser.post(f"/api/conversations/{self.name}/changes/undo{what}", value, **headers)

    def preview(self, **asked):
        answer = self.post("/preview", {**EVERYTHING, **asked})
        assert answer.status == 200, answer
        return answer.json

    def undo(self, seen, *, choose=None, **asked):
        offered = [each["key"] for each in seen["files"] if each["outcome"] in ("restored", "deleted", "merged")]
        chosen = offered if choose is None else choose
        return self.post("", {"asked": {**EVERYTHING, **asked}, "digest": seen["digest"], "files": chosen})


def session_of_two_turns(work):
    """Writes the session of two turns with one call each."""
    work.session.user("Please greet the world")
    work.session.assistant(tool_use("Edit", {"file_path": str(work.folder / "a.txt")}, id="toolu_a"))
    work.session.tool_result("toolu_a", "done")
    work.session.user("Now the other file")
    work.session.assistant(tool_use("Edit", {"file_path": str(work.folder / "a.txt")}, id="toolu_b"))
    work.session.tool_result("toolu_b", "done")


@pytest.fixture
def work(tmp_path):
    """A workspace with two turns.

    The first changed a file and created another, the second changed the first file again.
    """
    made = Work(tmp_path)
    session_of_two_turns(made)
    (made.folder / "a.txt").write_bytes(b"one\ntwo\nthree\nfour\nfive\nsix\nseven\n")
    with serving(made.vault, tmp_path / "client") as server:
        server.write(made.session)
        made.begin(server)
        made.edit("a.txt", b"ONE\ntwo\nthree\nfour\nfive\nsix\nseven\n", call="toolu_a", turn=1)
        made.edit("new.txt", b"hello\n", call="toolu_c", turn=1)
        made.edit("a.txt", b"ONE\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n", call="toolu_b", turn=2)
        yield made
        made.snapshots.close()


def test_turns_with_their_calls_and_files(work):
    """Every turn comes with its prompt, its calls, and the lines that each file gained and lost."""
    found = work.get().json
    assert found["hint"] == "" and found["folder"] == str(work.folder)
    assert [(each["turn"], each["prompt"], each["is_undo"]) for each in found["turns"]] == [
        (1, "Please greet the world", False),
        (2, "Now the other file", False),
    ]
    first, second = found["turns"][0]["edits"]
    assert (first["call"], first["kind"], first["feed"]) == ("toolu_a", "call", "control")
    assert [(each["path"], each["change"], each["added"], each["removed"]) for each in first["files"]] == [
        ("a.txt", "changed", 1, 1)
    ]
    assert [(each["path"], each["change"], each["added"], each["removed"]) for each in second["files"]] == [
        ("new.txt", "created", 1, 0)
    ]
    diff = work.get(f"/diff?commit={first['commit']}&file=a.txt").json
    assert diff["diff"]["hunks"][0]["lines"] == ["-one", "+ONE", " two", " three", " four"]


def test_one_turn_is_undone_without_what_a_person_did_since(work):
    """Undoing a turn restores its lines, keeps later ones, shows this in the preview, and can be undone itself."""
    seen = work.preview(turn=1)
    outcomes = {each["path"]: each["outcome"] for each in seen["files"]}
    assert outcomes == {"a.txt": "merged", "new.txt": "deleted"}
    assert "-ONE" in seen["files"][0]["diff"]["hunks"][0]["lines"]
    done = work.undo(seen, turn=1)
    assert done.status == 200 and [each["outcome"] for each in done.json["files"]] == ["merged", "deleted"]
    assert (work.folder / "a.txt").read_bytes() == b"one\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n"
    assert not (work.folder / "new.txt").exists()
    last = work.get().json["turns"][-1]
    assert last["is_undo"] and {each["path"] for each in last["edits"][0]["files"]} == {"a.txt", "new.txt"}
    commit = last["edits"][0]["commit"]
    again = work.undo(work.preview(commit=commit), commit=commit)
    assert again.status == 200
    assert (work.folder / "a.txt").read_bytes() == b"ONE\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n"
    assert (work.folder / "new.txt").read_bytes() == b"hello\n"


def test_one_call_or_some_files(work):
    """One call alone is undone, or only the files that the person chose."""
    commit = work.get().json["turns"][1]["edits"][0]["commit"]
    seen = work.preview(commit=commit)
    assert [(each["path"], each["outcome"]) for each in seen["files"]] == [("a.txt", "restored")]
    work.undo(seen, commit=commit)
    assert (work.folder / "a.txt").read_bytes() == b"ONE\ntwo\nthree\nfour\nfive\nsix\nseven\n"
    seen = work.preview(files=["a.txt"])
    assert [each["path"] for each in seen["files"]] == ["a.txt"]
    seen = work.preview()
    assert len(seen["files"]) == 2
    assert work.undo(seen, choose=["new.txt"]).status == 200
    assert not (work.folder / "new.txt").exists() and (work.folder / "a.txt").read_bytes().startswith(b"ONE")


def test_a_file_that_changed_after_the_preview_stops_the_undo(work):
    """If a file changed after the preview, nothing is undone, and the person must preview again."""
    seen = work.preview()
    (work.folder / "a.txt").write_bytes(b"mine\n")
    answer = work.undo(seen)
    assert (answer.status, answer.kind) == (409, "changed")
    assert (work.folder / "a.txt").read_bytes() == b"mine\n" and (work.folder / "new.txt").exists()
    conflict = work.preview(files=["a.txt"])
    assert [(each["outcome"], each["reason"]) for each in conflict["files"]] == [
        ("conflict", "later changes touch the same lines")
    ]
    refused = work.undo(conflict, choose=["a.txt"], files=["a.txt"])
    assert refused.status == 400 and (work.folder / "a.txt").read_bytes() == b"mine\n"


def test_only_pages_of_this_server_can_undo(work):
    """Without a login, from another origin, without the header of the page, or inside a run, nothing is undone."""
    seen = work.preview()
    body = {"asked": EVERYTHING, "digest": seen["digest"], "files": ["a.txt"]}
    assert work.post("", body, Origin="http://evil.example").status == 403
    assert work.post("", body, X_Chorus=None).status == 403
    work.browser.cookie, cookie = None, work.browser.cookie
    assert work.post("", body).status == 401 and work.post("/preview", EVERYTHING).status == 401
    work.browser.cookie = cookie
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHORUS_RUN", "a-run")
        answer = work.post("", body)
    assert (answer.status, answer.kind) == (403, "not_allowed")
    assert (work.folder / "a.txt").read_bytes().startswith(b"ONE")


def test_names_that_lead_elsewhere_are_refused(work):
    """Objects that are not a change of this conversation, and paths that no change contains, are not found."""
    commit = work.get().json["turns"][0]["edits"][0]["commit"]
    before = work.snapshots.store.commit(commit).parents[0]
    other = work.edit("other.txt", b"theirs\n", call="toolu_x", turn=1, conversation=OTHER).id
    for bad in (before, other, "f" * 40, "HEAD", "--output=x", work.snapshots.store.commit(commit).tree):
        assert work.get(f"/diff?commit={quote(bad)}&file=a.txt").status == 404
        assert work.post("/preview", {**EVERYTHING, "commit": bad}).status == 404
    for path in ("..%2Fa.txt", "%2Fetc%2Fpasswd", "new.txt", ""):
        assert work.get(f"/diff?commit={commit}&file={quote(path)}").status in (400, 404)
    assert work.preview(files=["../secret", "/etc/passwd"])["files"] == []
    seen = work.preview()
    assert work.undo(seen, choose=["../a.txt"]).status == 400
    assert work.undo(seen, choose=[]).status == 400
    assert work.post("/preview", {**EVERYTHING, "commit": commit, "turn": 1}).status == 400


def test_names_that_are_no_text_and_files_that_are_no_text(work):
    """A path of any bytes can be read and undone, and the answer for a binary file says how large it was."""
    odd = os.fsdecode(b"\xff -x\n<b>.bin")
    work.edit(odd, b"\0\1\2", call="toolu_d", turn=3)
    (file,) = work.get().json["turns"][-1]["edits"][0]["files"]
    assert (file["change"], file["added"]) == ("created", None)
    commit = work.get().json["turns"][-1]["edits"][0]["commit"]
    diff = work.get(f"/diff?commit={commit}&file={quote(file['key'])}").json
    assert diff["notes"] == ["It is no text: 0 bytes before, 3 bytes after."] and diff["diff"]["hunks"] == []
    assert work.undo(work.preview(turn=3), turn=3).status == 200
    assert not (work.folder / odd).exists()


def test_without_snapshots_the_page_says_how_to_get_them(tmp_path):
    """The snapshots of a workspace that no person named do not count, even if a repository exists."""
    made = Work(tmp_path, is_named=False)
    session_of_two_turns(made)
    with serving(made.vault, tmp_path / "client") as server:
        server.write(made.session)
        made.begin(server)
        made.edit("a.txt", b"x\n", call="toolu_a", turn=1)
        found = made.get().json
        assert found["turns"] == [] and "chorus workspace add FOLDER" in found["hint"]
        assert made.post("/preview", EVERYTHING).status == 404
        made.snapshots.close()


def test_very_many_files_at_once(work):
    """Only the first files of a large change are listed, the rest is counted, and its undo is left to the terminal."""
    paths = []
    for number in range(2_001):
        place = work.folder / f"{number:04}.txt"
        place.write_bytes(b"x\n")
        paths.append(str(place))
    work.snapshots.take_files(paths, work.facts(SnapshotKind.AFTER, call="toolu_m", turn=3, tool="Bash"), "Bash")
    edit = work.get().json["turns"][-1]["edits"][0]
    assert (len(edit["files"]), edit["more"]) == (300, 1_701)
    answer = work.post("/preview", {**EVERYTHING, "turn": 3})
    assert answer.status == 400 and "2,001 files" in answer.json["message"]
    assert len(work.preview(turn=3, files=["0000.txt"])["files"]) == 1
