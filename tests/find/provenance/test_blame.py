"""Tests that each line leads to the call that wrote it, and that lines of others lead to no call."""

import pytest
from msgspec import structs

from chorus.core.blame.origins import Certainty
from chorus.errors import ChorusError
from chorus.find.provenance.commit_origins import commit_origins
from chorus.find.provenance.file_blame import blame_file
from chorus.keep.snapshots.commits import Feed, SnapshotKind

BASE = [f"def function_{number}():\n    return {number}\n\n\n" for number in range(12)]


def calls(workspace, path: str, revision: str | None = None) -> dict[str, str | None]:
    """Returns the text of each line → the call that wrote it."""
    found = blame_file(workspace.store, workspace.folder, path.encode(), revision)
    return {
        line: origin.edit.call if origin else None
        for line, origin in zip(found.lines, found.origins, strict=True)
        if line
    }


def commit(workspace, message: str) -> str:
    workspace.git("add", "--all")
    workspace.git("commit", "--quiet", "--allow-empty", "--message", message)
    return workspace.git("rev-parse", "HEAD").strip()


@pytest.fixture
def edited(repository):
    """A file of a person in which an agent changed one function and added another one."""
    repository.write("code.py", "".join(BASE))
    commit(repository, "base")
    text = "".join(BASE).replace("return 3", "return 33") + "def by_agent():\n    return 'agent'\n"
    repository.edit("code.py", text, call="c1")
    return repository


def test_only_lines_of_the_agent_have_its_call(edited):
    """Lines that the agent wrote lead to its call. All other lines have no origin."""
    found = calls(edited, "code.py")

    assert {line for line, call in found.items() if call} == {"    return 33", "def by_agent():", "    return 'agent'"}
    assert set(found.values()) == {None, "c1"}


def test_later_human_edits_are_nobodys(edited):
    """Lines that a person adds or changes after the agent have no origin; the rest keeps its own."""
    text = (edited.folder / "code.py").read_text()
    edited.write("code.py", "# by a person\n" + text.replace("return 'agent'", "return 'person'"))
    found = calls(edited, "code.py")

    assert found["# by a person"] is None
    assert found["    return 'person'"] is None
    assert found["    return 33"] == "c1"


@pytest.mark.parametrize("how", ["commit", "amend", "squash", "rebase", "cherry-pick"])
def test_blame_survives_what_git_does_to_commits(edited, how):
    """The content decides: lines have the same origin in every kind of commit."""
    commit(edited, "with the agent's lines")
    if how == "amend":
        edited.git("commit", "--quiet", "--amend", "--message", "other words")
    elif how == "squash":
        edited.write("other.txt", "x")
        commit(edited, "more")
        edited.git("reset", "--quiet", "--soft", "HEAD~2")
        edited.git("commit", "--quiet", "--message", "squashed")
    elif how in ("rebase", "cherry-pick"):
        name = edited.git("rev-parse", "HEAD").strip()
        edited.git("checkout", "--quiet", "-b", "side", "HEAD~1")
        edited.write("other.txt", "x")
        commit(edited, "before")
        edited.git("cherry-pick", name)
    found = calls(edited, "code.py", "HEAD")

    assert {line for line, call in found.items() if call == "c1"} == {
        "    return 33",
        "def by_agent():",
        "    return 'agent'",
    }


def test_a_renamed_file_keeps_its_origins(edited):
    """A file that a person renamed in a commit is followed to its old name."""
    commit(edited, "agent")
    (edited.folder / "lib").mkdir()
    edited.git("mv", "code.py", "lib/renamed.py")
    commit(edited, "renamed")

    assert calls(edited, "lib/renamed.py")["    return 33"] == "c1"
    assert calls(edited, "lib/renamed.py", "HEAD")["def by_agent():"] == "c1"


def test_a_reformatted_file_keeps_likely_origins(edited):
    """If a person's formatter changes only blanks, the lines remain the agent's, as likely."""
    text = (edited.folder / "code.py").read_text().replace("    return", "\treturn")
    edited.write("code.py", text)
    found = blame_file(edited.store, edited.folder, b"code.py")
    likely = {
        line
        for line, origin in zip(found.lines, found.origins, strict=True)
        if origin and origin.certainty is Certainty.LIKELY
    }

    assert likely == {"\treturn 33", "\treturn 'agent'"}


def test_two_agents_in_one_file_are_distinguished(edited):
    """Each of two conversations that edit one file in turn has its own lines."""
    text = (edited.folder / "code.py").read_text()
    edited.edit("code.py", text + "SECOND = 2\n", call="c2", turn=2)
    found = calls(edited, "code.py")

    assert (found["SECOND = 2"], found["def by_agent():"]) == ("c2", "c1")


def test_copied_code_is_not_the_agents(edited):
    """A copy of the agent's function that a person pastes into another file has no origin."""
    edited.write("copy.py", "def by_agent():\n    return 'agent'\n")

    assert set(calls(edited, "copy.py").values()) == {None}


@pytest.mark.parametrize("name", ["a_copy.py", "z_copy.py"])
def test_a_copy_is_not_the_agents_if_the_file_was_renamed_in_the_same_commit(edited, name):
    """Which of two equal files is the renamed one is not known, so that the lines of neither have an origin."""
    commit(edited, "agent")
    edited.write(name, (edited.folder / "code.py").read_text())
    edited.git("mv", "code.py", "renamed.py")
    commit(edited, "copied and renamed")

    for path in (name, "renamed.py"):
        assert set(calls(edited, path).values()) == {None}


def test_commits_of_bots_have_no_origin(edited):
    """A commit that no conversation wrote has no share, however close in time it is."""
    commit(edited, "agent")
    edited.write("generated.txt", "bot\n" * 50)
    bot = commit(edited, "bot")

    assert commit_origins(edited.store, edited.folder, bot).shares == []


def test_a_commit_names_the_turns_that_wrote_it(edited):
    """The lines that a commit added are counted by conversation and turn; what a person added is not counted."""
    text = (edited.folder / "code.py").read_text()
    edited.write("code.py", text + "# by a person\n")
    made = commit(edited, "mixed")
    found = commit_origins(edited.store, edited.folder, made)

    assert (found.added, found.known) == (4, 3)
    assert [(share.turn, share.lines) for share in found.shares] == [(1, 3)]


def test_a_file_or_revision_that_is_not_there_is_named(edited):
    """A missing file, commit or repository is an error of one line."""
    for path, revision in (("nothing.py", None), ("code.py", "no-such"), ("gone.py", "HEAD"), ("code.py", "--help")):
        with pytest.raises(ChorusError):
            blame_file(edited.store, edited.folder, path.encode(), revision)


def test_a_conversation_that_looks_later_takes_no_lines_away(edited):
    """A second conversation that sees the file only later takes no lines from the first one."""
    text = (edited.folder / "code.py").read_text()
    for number, data in enumerate((text + "# person\n", text + "# person\nSECOND = 2\n")):
        kind = SnapshotKind.AFTER if number else SnapshotKind.BEFORE
        edited.write("code.py", data)
        facts = structs.replace(edited.facts(kind, call="c2", feed=Feed.CONTROL), conversation="second")
        edited.snapshots.take_files(["code.py"], facts, "second")
    found = calls(edited, "code.py")

    assert (found["    return 33"], found["SECOND = 2"], found["# person"]) == ("c1", "c2", None)


def shell(workspace, call: str, work) -> None:
    """Does what a shell command of an agent does, with a look before and after it."""
    workspace.snapshots.take_changes(workspace.facts(SnapshotKind.BEFORE, call=call, tool="Bash"), "before")
    work()
    workspace.snapshots.take_changes(
        workspace.facts(SnapshotKind.AFTER, call=call, tool="Bash", feed=Feed.CONTROL), "after"
    )


def test_lines_end_where_git_and_editors_end_them(repository):
    """A form feed, a line separator and their like are part of a line, so that numbers of lines mean the same."""
    lines = [f"human {sign} {number}" for number, sign in enumerate("\f\v\x1c\x1d\x1e\x85\u2028\u2029")]
    repository.write("odd.txt", "".join(f"{line}\n" for line in lines))
    commit(repository, "odd")
    repository.edit("odd.txt", "".join(f"{line}\n" for line in [*lines, "by the agent"]), call="c1")
    made = commit(repository, "agent")
    found = blame_file(repository.store, repository.folder, b"odd.txt", "HEAD")

    assert found.lines == [*lines, "by the agent"]
    assert [origin.edit.call if origin else None for origin in found.origins] == [None] * len(lines) + ["c1"]
    assert [share.lines for share in commit_origins(repository.store, repository.folder, made).shares] == [1]


def test_bytes_that_are_no_text_stay_different(repository):
    """In a file that is not UTF-8, a line in which a person changed one such byte is not the agent's any more."""
    repository.edit("latin.txt", b"caf\xe9 one\ncaf\xe9 two\n", call="c1")
    repository.write("latin.txt", b"caf\xe9 one\ncaf\xe8 two\n")
    found = blame_file(repository.store, repository.folder, b"latin.txt")

    assert [origin.edit.call if origin else None for origin in found.origins] == ["c1", None]


def test_a_file_that_an_agent_renames_keeps_its_origins(edited):
    """A command that moves a file, and changes a little of it, did not write its lines."""

    def work():
        edited.git("mv", "code.py", "moved.py")
        text = (edited.folder / "moved.py").read_text()
        edited.write("moved.py", text.replace("return 5", "return 55"))

    shell(edited, "c2", work)
    commit(edited, "moved")
    for revision in (None, "HEAD"):
        found = calls(edited, "moved.py", revision)
        assert {line for line, call in found.items() if call == "c2"} == {"    return 55"}
        assert found["    return 33"] == "c1" and found["def function_1():"] is None


def test_a_file_that_is_moved_back_and_forth_has_one_history(edited):
    """However often a command renames a file, no line changes its author, and the answer comes at once."""
    for number in range(30):
        names = ("code.py", "other.py") if number % 2 == 0 else ("other.py", "code.py")
        shell(edited, f"move{number}", lambda names=names: (edited.folder / names[0]).rename(edited.folder / names[1]))

    assert {call for call in calls(edited, "code.py").values() if call} <= {"c1"}


@pytest.mark.parametrize("way", ["checkout", "stash"])
def test_what_a_command_brings_back_is_not_its_own(edited, way):
    """A command that brings lines of a person back did not write them."""
    commit(edited, "base with agent")
    edited.edit("code.py", "all gone\n", call="c2")
    shell(edited, "c3", lambda: edited.git(*(["stash"] if way == "stash" else ["checkout", "--", "code.py"])))
    found = calls(edited, "code.py")

    assert found["def function_1():"] is None
    assert {call for call in found.values() if call} == {"c1"}


def test_a_formatter_that_an_agent_runs_writes_no_lines(edited):
    """Lines of which a command of the agent changed only blanks stay whose they were."""
    text = (edited.folder / "code.py").read_text().replace("    return", "\treturn")
    shell(edited, "format", lambda: edited.write("code.py", text))
    found = calls(edited, "code.py")

    assert found["\treturn 4"] is None
    assert found["\treturn 33"] == "c1"


def test_an_undo_that_is_undone_gives_lines_back_to_their_call(edited):
    """What Chorus puts back belongs to whom it belonged before."""
    with_agent = (edited.folder / "code.py").read_text()
    for content in ("".join(BASE), with_agent):
        edited.write("code.py", content)
        edited.snapshots.take_files(["code.py"], edited.facts(SnapshotKind.UNDO, turn=0), "Undo")

    assert calls(edited, "code.py")["    return 33"] == "c1"


@pytest.mark.parametrize("name", ['q"uote.py', "new\nline.py", "back\\slash.py", "tab\t.py", "-x", "ünï.py", " b/ .py"])
def test_a_commit_names_files_of_any_name(repository, name):
    """Lines of files whose names git writes in quotes are counted like all others."""
    repository.edit(name, "by the agent\n", call="c1")
    made = commit(repository, "odd name")

    assert commit_origins(repository.store, repository.folder, made).known == 1


def test_settings_of_the_repository_do_not_change_what_a_commit_added(edited):
    """Settings that change how git shows differences and texts change no count."""
    settings = {
        "diff.interHunkContext": "10", "diff.context": "9", "diff.relative": "true", "diff.mnemonicPrefix": "true",
        "diff.noprefix": "true", "diff.submodule": "diff", "diff.suppressBlankEmpty": "true", "color.ui": "always",
        "i18n.logOutputEncoding": "UTF-16", "diff.renames": "copies", "core.quotePath": "true", "log.decorate": "full",
    }  # fmt: skip
    edited.write("z.txt", "by a person\n")
    made = commit(edited, "a söbject")
    before = commit_origins(edited.store, edited.folder, made)
    for name, value in settings.items():
        edited.git("config", name, value)

    assert (before.added, before.known, before.subject) == (4, 3, "a söbject")
    assert commit_origins(edited.store, edited.folder, made) == before


def test_the_first_commit_of_a_repository_with_long_ids(workspace):
    """A repository with sha256 has an empty tree of another name: its first commit is counted, too."""
    workspace.git("init", "-q", "--object-format=sha256")
    workspace.edit("a.txt", "by the agent\n", call="c1")
    made = commit(workspace, "first")

    assert commit_origins(workspace.store, workspace.folder, made).known == 1
