"""Tests that lines lead to recorded edits where there are no snapshots, and to nobody where that is not certain."""

from datetime import UTC, datetime, timedelta

import pytest

from chorus.core.blame.origins import Certainty, Evidence
from chorus.core.file_versions.files import files_of
from chorus.errors import GitFailed
from chorus.find.provenance.blamed_commits import blamed_commits
from chorus.find.provenance.file_blame import blame_file
from chorus.find.provenance.recorded_edits import recorded_file
from chorus.keep.snapshots.persons_repository import find_repository
from chorus.library.files import fold
from chorus.testing.builders import Session, tool_use
from chorus.testing.reading import records

BASE = "".join(f"def function_{number}():\n    return {number}\n\n\n" for number in range(6))
HUNK = [
    {"oldStart": 1, "oldLines": 3, "newStart": 1, "newLines": 4,
     "lines": [" def function_0():", "-    return 0", "+    return 'agent'", "+    # by the agent", " ", " "]}
]  # fmt: skip


class Recorded:
    """A workspace in which a client worked without Chorus, and its session."""

    def __init__(self, workspace):
        self.workspace = workspace
        self.session = Session(version="2.1.325", cwd=str(workspace.folder))
        self.session.user("Begin")
        self.number = 0

    def write(self, name, text, *, kind="update", before=None, **more):
        """Does what the tool Write does."""
        self.workspace.write(name, text)
        result = {"type": kind, "content": text, "originalFile": before, "structuredPatch": [], **more}
        return self._call("Write", name, {"content": text}, result)

    def edit(self, name, old, new, *, has_original=True, patch=None, **more):
        """Does what the tool Edit does."""
        before = (self.workspace.folder / name).read_text()
        self.workspace.write(name, before.replace(old, new, 1))
        result = {"oldString": old, "newString": new, "structuredPatch": patch, **more}
        result["originalFile"] = before if has_original else None
        return self._call("Edit", name, {"old_string": old, "new_string": new}, result)

    def _call(self, tool, name, asked, result):
        self.number += 1
        call, path = f"toolu_{self.number}", str(self.workspace.folder / name)
        self.session.assistant(tool_use(tool, {"file_path": path, **asked}, id=call))
        self.session.tool_result(call, "done", structured={"filePath": path, "userModified": False, **result})
        return call

    def find(self, path):
        conversation = list(fold(records(bytes(self.session))))
        return recorded_file(conversation, files_of(conversation), path)

    def blame(self, name, revision=None):
        found = blame_file(self.workspace.store, self.workspace.folder, name.encode(), revision, self.find)
        return {line: origin for line, origin in zip(found.lines, found.origins, strict=True) if line}

    def calls(self, name, revision=None):
        return {line: origin.edit.call for line, origin in self.blame(name, revision).items() if origin}


@pytest.fixture
def recorded(repository):
    return Recorded(repository)


def test_recorded_edits_are_likely(recorded):
    """A line of a recorded edit leads to its call, turn and model, as likely, and other lines lead to nobody."""
    recorded.workspace.write("code.py", BASE)
    recorded.session.user("Go on")
    call = recorded.edit("code.py", "return 3", "return 'three'")
    found = recorded.blame("code.py")
    origin = found.pop("    return 'three'")

    assert (origin.edit.call, origin.edit.turn, origin.edit.model) == (call, 2, recorded.session.model)
    assert (origin.certainty, origin.evidence) == (Certainty.LIKELY, Evidence.RECORDS)
    assert set(found.values()) == {None}


@pytest.mark.parametrize("version", ["2.1.325", "2.0.76"])
def test_a_file_that_a_call_created_is_its_own(recorded, version):
    """All lines of a file that Write created lead to it; a file that it replaced unseen is nobody's."""
    recorded.session.version = version
    call = recorded.write("new.py", "first = 1\nsecond = 2\n", kind="create")
    recorded.workspace.write("old.py", BASE)
    recorded.write("old.py", BASE + "third = 3\n", kind="update")

    assert recorded.calls("new.py") == {"first = 1": call, "second = 2": call}
    assert recorded.calls("old.py") == {}


def test_lines_that_others_wrote_in_between_are_nobodys(recorded):
    """What a person changed between two calls, or after them, has no origin, and later edits do not take it."""
    call = recorded.write("new.py", "first = 1\nsecond = 2\n", kind="create")
    recorded.workspace.write("new.py", "first = 1\nsecond = 2\nperson = 3\n")
    later = recorded.edit("new.py", "second = 2", "second = 22")
    recorded.workspace.write("new.py", "# on top\nfirst = 1\nsecond = 22\nperson = 3\n")

    assert recorded.calls("new.py") == {"first = 1": call, "second = 22": later}


def test_a_patch_alone_is_found_where_it_stands_once(recorded):
    """Without the text before it, the lines of a patch are found by their surroundings, unless they stand twice."""
    recorded.workspace.write("code.py", BASE)
    call = recorded.edit(
        "code.py", "    return 0\n", "    return 'agent'\n    # by the agent\n", has_original=False, patch=HUNK
    )

    assert recorded.calls("code.py") == {"    return 'agent'": call, "    # by the agent": call}
    text = (recorded.workspace.folder / "code.py").read_text()
    recorded.workspace.write("code.py", text + text)
    assert recorded.calls("code.py") == {}


def test_what_a_person_changed_before_it_was_written_is_nobodys(recorded):
    """An edit that the client marks as changed by a person gives no origin."""
    recorded.workspace.write("code.py", BASE)
    recorded.edit("code.py", "return 3", "return 'three'", userModified=True)

    assert recorded.calls("code.py") == {}


def test_a_line_that_was_committed_before_the_edit_is_not_the_edits(recorded, monkeypatch):
    """`git blame` says that a line is older than the edit, so the edit cannot have written it."""
    recorded.workspace.write("code.py", BASE)
    recorded.edit("code.py", "return 3", "return 'three'")
    recorded.workspace.git("add", "--all")
    recorded.workspace.git("commit", "--quiet", "--allow-empty", "--message", "lines")
    time = datetime.fromisoformat(recorded.session.lines[-1]["timestamp"])
    for late, expected in ((timedelta(days=-1), 0), (timedelta(days=1), 1)):
        at = (time + late).astimezone(UTC).isoformat()
        monkeypatch.setenv("GIT_COMMITTER_DATE", at)
        recorded.workspace.git("commit", "--quiet", "--amend", "--no-edit")
        assert len(recorded.calls("code.py", "HEAD")) == expected
        assert len(recorded.calls("code.py")) == expected


def test_a_list_of_ignored_commits_is_not_read(recorded, monkeypatch, tmp_path):
    """A list of commits that `git blame` passes over counts for nothing, whatever file the repository names for it."""
    recorded.workspace.write("code.py", BASE)
    recorded.edit("code.py", "return 3", "return 'three'")
    recorded.workspace.git("add", "--all")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2001-01-01T00:00:00Z")
    recorded.workspace.git("commit", "--quiet", "--message", "lines")
    repository = find_repository(recorded.workspace.folder)
    assert repository is not None
    (tmp_path / "private").write_text("a secret of somebody\n")
    (tmp_path / "ignored").write_text(recorded.workspace.git("rev-parse", "HEAD"))
    expected = blamed_commits(repository, "HEAD", "code.py")
    for place in (tmp_path / "private", tmp_path / "missing", tmp_path / "ignored"):
        recorded.workspace.git("config", "--replace-all", "blame.ignoreRevsFile", str(place))
        assert blamed_commits(repository, "HEAD", "code.py") == expected
        assert recorded.calls("code.py") == {}


def test_lines_are_nobodys_if_git_cannot_say_when_they_were_committed(recorded):
    """In a repository that git refuses to read, no line has a recorded origin; one without a commit is no obstacle."""
    recorded.workspace.write("code.py", BASE)
    recorded.edit("code.py", "return 3", "return 'three'")
    recorded.workspace.git("update-ref", "-d", "HEAD")
    assert len(recorded.calls("code.py")) == 1
    recorded.workspace.git("commit", "--quiet", "--message", "again")
    assert len(recorded.calls("code.py")) == 1
    recorded.workspace.git("config", "core.filemode", "rubbish")

    assert recorded.calls("code.py") == {}
    with pytest.raises(GitFailed, match="rubbish"):
        recorded.calls("code.py", "HEAD")


def test_records_count_before_the_first_snapshot(recorded):
    """Lines from before the first snapshot keep their recorded origin, and later ones come from snapshots."""
    call = recorded.write("new.py", "first = 1\nsecond = 2\n", kind="create")
    recorded.workspace.edit("new.py", "first = 1\nsecond = 2\nthird = 3\n", call="c9")
    found = recorded.blame("new.py")

    assert (found["first = 1"].edit.call, found["first = 1"].certainty) == (call, Certainty.LIKELY)
    assert (found["third = 3"].edit.call, found["third = 3"].evidence) == ("c9", Evidence.SNAPSHOTS)
