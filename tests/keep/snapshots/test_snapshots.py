"""Tests that snapshots store files byte for byte, and do not change the person's repository and folder."""

import os
import time

import pytest
from msgspec import structs

from chorus.keep.snapshots.commits import SnapshotKind
from chorus.keep.snapshots.edits import edits_of
from chorus.keep.snapshots.file_reading import MAX_BYTES, reason_to_skip
from chorus.keep.snapshots.snapshots import Snapshots, snapshots_of
from chorus.keep.snapshots.trees import TreeEntry, find_entry, walk_tree
from tests.keep.snapshots.conftest import CONVERSATION

AWKWARD = [
    b"",
    b"no newline",
    b"crlf\r\nlines\r\n",
    b"\xef\xbb\xbfwith a mark",
    b"\0\xff\xfe binary",
    b"$Id$ \t \n" * 3,
]


def content(workspace, commit, path: str) -> bytes | None:
    entry = find_entry(workspace.store.reader, commit.tree, path.encode())
    return workspace.store.reader.read(entry.id, "blob") if entry else None


def blob(workspace, entry: TreeEntry | None) -> bytes | None:
    return workspace.store.reader.read(entry.id, "blob") if entry else None


@pytest.mark.parametrize("data", AWKWARD)
def test_an_edit_is_stored_byte_for_byte(workspace, data):
    """The snapshots before and after an edit have exactly the bytes on disk, whatever the attributes say."""
    workspace.write(".gitattributes", "* text=auto eol=lf ident\n")
    workspace.write("file", b"before\r\n")
    taken = workspace.edit("file", data)
    before = workspace.store.commit(taken.parents[0])

    assert content(workspace, before, "file") == b"before\r\n"
    assert content(workspace, taken, "file") == data
    assert before.facts.kind is SnapshotKind.BEFORE


def test_a_snapshot_says_where_it_comes_from(workspace):
    """A snapshot names the conversation, call, turn, tool, model and feed, and git shows the model as its author."""
    taken = workspace.edit("file", "new", call="toolu_9", turn=3)

    assert (taken.facts.call, taken.facts.turn, taken.facts.conversation) == ("toolu_9", 3, CONVERSATION)
    assert workspace.own_git("log", "-1", "--format=%an", taken.id).strip() == "Claude (claude-opus-4-5)"
    assert workspace.store.check() == []


def test_modes_and_links_are_kept(workspace):
    """A program stays a program, and a link is stored as a link, wherever it leads."""
    workspace.write("tool.sh", "#!/bin/sh\n").chmod(0o755)
    (workspace.folder / "link").symlink_to("/etc/passwd")
    workspace.edit("tool.sh", "#!/bin/sh\ntrue\n")
    facts = workspace.facts(SnapshotKind.AFTER)
    taken = workspace.snapshots.take_files(["link"], facts, "link")
    entries = dict(walk_tree(workspace.store.reader, taken.tree))

    assert entries[b"tool.sh"].mode == "100755"
    assert entries[b"link"].mode == "120000"
    assert workspace.store.reader.read(entries[b"link"].id, "blob") == b"/etc/passwd"


def test_what_is_outside_secret_large_or_special_is_left_out_and_named(workspace, tmp_path):
    """Nothing outside of the workspace is read, nor secrets by name, large files, pipes, or files behind a link."""
    outside = tmp_path / "outside.txt"
    outside.write_text("not ours")
    (workspace.folder / "away").symlink_to(tmp_path)
    os.mkfifo(workspace.folder / "pipe")
    workspace.write(".env", "KEY=1")
    workspace.write("id_rsa", "key")
    workspace.write(".git/config", "[core]")
    workspace.write("large", b"\0" * (MAX_BYTES + 1))
    workspace.write("fine", "fine")
    named = [
        "../outside.txt",
        str(outside),
        "away/outside.txt",
        "pipe",
        ".env",
        "id_rsa",
        ".git/config",
        "large",
        "a\0b",
    ]
    taken = workspace.snapshots.take_files([*named, "fine"], workspace.facts(SnapshotKind.AFTER), "all")

    assert dict(walk_tree(workspace.store.reader, taken.tree)).keys() == {b"fine"}
    assert len(taken.facts.skipped) == len(named)


def test_the_end_of_a_turn_holds_what_a_shell_changed(repository):
    """A shell's changes are found at the end of the turn, and the old content comes from the person's repository."""
    repository.end_turn()
    repository.write("src/b.py", b"x\r\nz\r\n")
    repository.write("new.txt", "new")
    (repository.folder / "a.txt").unlink()
    taken = repository.end_turn()
    edits = {edit.path: edit for edit in edits_of(repository.store, CONVERSATION)}

    assert edits.keys() == {b"src/b.py", b"new.txt", b"a.txt"}
    assert blob(repository, edits[b"src/b.py"].old) == b"x\r\ny\r\n"
    assert content(repository, taken, "src/b.py") == b"x\r\nz\r\n"
    assert edits[b"a.txt"].new is None
    assert edits[b"new.txt"].old is None


def test_a_turn_without_changes_takes_no_snapshot(repository):
    """If nothing changed since the last check, there is no snapshot, even if files were touched."""
    repository.end_turn()
    os.utime(repository.folder / "a.txt", (time.time() + 5, time.time() + 5))

    assert repository.end_turn() is None


def test_files_that_the_person_ignores_are_left_out(repository, tmp_path, monkeypatch):
    """Ignore rules of the folder, of the repository and of the person count."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "config" / "git").mkdir(parents=True)
    (tmp_path / "config" / "git" / "ignore").write_text("*.mine\n")
    repository.write(".gitignore", "build/\n")
    (repository.folder / ".git" / "info").mkdir(exist_ok=True)
    repository.write(".git/info/exclude", "*.local\n")
    repository.end_turn()
    for name in ("build/out.o", "x.local", "x.mine", "seen.txt"):
        repository.write(name, "data")
    taken = repository.end_turn()

    assert dict(walk_tree(repository.store.reader, taken.tree)).keys() == {b"seen.txt"}


def test_a_workspace_inside_a_repository_honours_the_rules_above_it(repository):
    """The ignore rules of the folders above count for a workspace that is a folder of a repository."""
    repository.write(".gitignore", "*.log\n/src/gen/\n/other/\n")
    (repository.folder / "src" / "gen").mkdir()
    inner = Snapshots(repository.home, "src-1", repository.folder / "src")
    inner.take_changes(repository.facts(SnapshotKind.TURN), "first")
    for name in ("src/x.log", "src/gen/y", "src/kept"):
        repository.write(name, "data")
    taken = inner.take_changes(repository.facts(SnapshotKind.TURN), "second")

    assert taken is not None
    assert dict(walk_tree(inner.store.reader, taken.tree)).keys() == {b"kept"}
    inner.close()


def test_a_repository_in_the_workspace_is_left_out(repository):
    """A nested repository is not entered, and the snapshot names it."""
    repository.end_turn()
    repository.write("nested/.git/HEAD", "ref: refs/heads/main\n")
    repository.write("nested/.git/objects/x", "")
    repository.write("nested/.git/refs/x", "")
    repository.write("nested/file", "theirs")
    repository.write("seen", "ours")
    taken = repository.end_turn()

    assert dict(walk_tree(repository.store.reader, taken.tree)).keys() == {b"seen"}
    assert any("nested" in each for each in taken.facts.skipped)


def test_nothing_of_the_person_changes(repository):
    """Snapshots write nothing into the person's folder, index, refs, objects or configuration."""
    repository.write("untracked", "x")
    before = repository.state()
    repository.end_turn()
    repository.snapshots.take_files(["a.txt"], repository.facts(SnapshotKind.BEFORE), "look")
    repository.end_turn()

    assert repository.state() == before


def test_a_folder_without_a_repository_is_kept_too(workspace):
    """A workspace that is no git repository has snapshots with the content before each change."""
    workspace.write("notes.txt", "old")
    workspace.end_turn()
    workspace.write("notes.txt", "new")
    workspace.end_turn()
    (edit,) = edits_of(workspace.store, CONVERSATION)

    assert blob(workspace, edit.old) == b"old"


def test_what_others_did_is_not_the_agents(workspace):
    """A change of a person between two calls is in the snapshot before the call, and is no edit of the agent."""
    workspace.edit("file", "by the agent\n", call="one")
    workspace.write("file", "by the agent\nby a person\n")
    workspace.edit("file", "by the agent\nby a person\nagain the agent\n", call="two")
    edits = edits_of(workspace.store, CONVERSATION)

    assert [blob(workspace, edit.old) for edit in edits[1:]] == [b"by the agent\nby a person\n"]


def test_threads_of_a_conversation_are_straight_lines_of_their_own(workspace):
    """Sub-agents have refs of their own, and each ref is a line without merges."""
    workspace.edit("file", "main")
    facts = workspace.facts(SnapshotKind.AFTER, agent="a1")
    workspace.snapshots.take_files(["file"], facts, "sub-agent")

    assert len(workspace.store.refs(CONVERSATION)) == 2
    assert all(len(commit.parents) <= 1 for commit in snapshots_of(workspace.store, CONVERSATION))


def test_a_hostile_conversation_id_is_no_path(workspace):
    """An id with dots, slashes or control characters becomes a harmless ref."""
    from chorus.keep.snapshots.repository import ref_of

    workspace.store.create()
    for name in ("../../HEAD", "a/b", "x.lock", "-x", "", "a\nb", "@{0}", "~", "é" * 300):
        ref = ref_of(name, name)
        workspace.own_git("check-ref-format", ref)
        assert ref.count("/") == 3


def test_many_changes_at_once_are_one_snapshot(workspace):
    """A formatter that rewrites a thousand files makes one snapshot, and the repository stays sound."""
    for number in range(1000):
        workspace.write(f"many/{number % 7}/{number}.txt", f"{number}\n")
    workspace.end_turn()
    for number in range(1000):
        workspace.write(f"many/{number % 7}/{number}.txt", f"{number} changed\n")
    taken = workspace.end_turn()

    assert len(list(walk_tree(workspace.store.reader, taken.tree))) == 1000
    assert workspace.store.check() == []
    workspace.store.collect_garbage()
    assert workspace.end_turn() is None
    assert workspace.store.check() == []


def test_a_change_that_another_conversation_stored_is_not_taken_again(workspace):
    """If two agents work in one folder, a change that one stored is not the other's. An uncertain change names both."""
    workspace.end_turn()
    workspace.edit("mine", "by the first", call="c1")
    other = structs.replace(workspace.facts(SnapshotKind.TURN), conversation="second")
    workspace.write("shared", "by somebody")
    taken = workspace.snapshots.take_changes(other, "End of the turn of the second")
    edited = {edit.path for edit in edits_of(workspace.store, "second")}

    assert taken is not None
    assert edited == {b"shared"}
    assert taken.facts.others == (CONVERSATION,)


def test_what_an_editing_tool_of_another_conversation_wrote_is_not_a_commands(workspace):
    """A conversation that had a file before another one edited it takes nothing of that with its next command."""
    workspace.write("a.txt", "one\n")
    workspace.end_turn()
    for conversation, call, text in (("second", "s1", "one\ntwo\n"), (CONVERSATION, "c1", "one\ntwo\nthree\n")):
        for kind in (SnapshotKind.BEFORE, SnapshotKind.AFTER):
            facts = structs.replace(workspace.facts(kind, call=call, tool="Bash"), conversation=conversation)
            workspace.snapshots.take_changes(facts, kind.value)
            if kind is SnapshotKind.BEFORE:
                workspace.write("a.txt", text)
    workspace.edit("a.txt", "one\ntwo\nthree\nfour\n", call="c2")
    for kind in (SnapshotKind.BEFORE, SnapshotKind.AFTER):
        facts = structs.replace(workspace.facts(kind, call="s2", tool="Bash"), conversation="second")
        workspace.snapshots.take_changes(facts, kind.value)
        workspace.write("a.txt", "one\ntwo\nthree\nfour\nfive\n")
    (edit,) = edits_of(workspace.store, "second", call="s2")

    assert blob(workspace, edit.old) == b"one\ntwo\nthree\nfour\n"
    assert blob(workspace, edit.new) == b"one\ntwo\nthree\nfour\nfive\n"


def test_a_look_that_leaves_a_file_for_later_does_not_turn_it_back(workspace):
    """A command that begins right after an edit does not make the edit look undone and done again."""
    workspace.write("a.txt", "one\n")
    workspace.snapshots.take_changes(workspace.facts(SnapshotKind.BEFORE), "Before the turn")
    workspace.edit("a.txt", "two\n")
    now_ms = time.time_ns() // 1_000_000
    workspace.snapshots.take_changes(workspace.facts(SnapshotKind.BEFORE), "Before Bash", before_ms=now_ms - 1000)
    workspace.end_turn()

    assert [edit.commit.facts.call for edit in edits_of(workspace.store, CONVERSATION)] == ["toolu_1"]


@pytest.mark.parametrize("target", ["real", "./sub/../real/.", "{folder}/real", "chain"])
def test_an_edit_through_a_link_is_an_edit_of_the_file_behind_it(workspace, target):
    """What a tool writes to a link, or behind one, is stored with the file that changed, under its own name."""
    workspace.write("real/a.txt", "old\n")
    (workspace.folder / "sub").mkdir()
    (workspace.folder / "chain").symlink_to("sub/again")
    (workspace.folder / "sub" / "again").symlink_to("../real")
    (workspace.folder / "link").symlink_to(target.format(folder=workspace.folder))
    (workspace.folder / "name").symlink_to("link/a.txt")
    workspace.edit("link/a.txt", "new\n", call="c1")
    workspace.edit("name", "newer\n", call="c2")
    found = [(edit.path, blob(workspace, edit.old), blob(workspace, edit.new)) for edit in
             edits_of(workspace.store, CONVERSATION)]  # fmt: skip

    assert found == [(b"real/a.txt", b"old\n", b"new\n"), (b"real/a.txt", b"new\n", b"newer\n")]


@pytest.mark.parametrize(
    "target", ["..", "../elsewhere", "{root}/elsewhere", "link", "real/../../elsewhere", "{folder}"]
)
def test_a_link_that_leads_elsewhere_is_not_followed(workspace, tmp_path, target):
    """A file behind a link that leads out of the workspace, or in a circle, is left out with the reason."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "a.txt").write_text("private")
    workspace.write("real/b.txt", "x")
    (workspace.folder / "link").symlink_to(target.format(root=tmp_path, folder=workspace.folder))
    found = workspace.snapshots.read_files(["link/a.txt", "link/elsewhere/a.txt"])

    assert found.contents == {}
    assert found.skipped == ["link/a.txt: it is behind a link", "link/elsewhere/a.txt: it is behind a link"]


def test_names_that_say_that_a_file_holds_a_secret():
    """Files of secrets are recognised by any usual name, also their backups; examples, public keys and code are not."""
    secret = (
        ".env .env.local prod.env .envrc .ENV .env.bak .env~ .netrc .npmrc .my.cnf .vault-token credentials "
        "credentials.toml aws_credentials.csv application_default_credentials.json id_rsa id_ed25519_sk id_rsa.old "
        "server.key server.key.bak tls.pem work.ovpn kubeconfig dev.kubeconfig my-service-account-key.json "
        "client_secret_1.json secrets.yaml secret.properties main.tfstate main.tfstate.backup prod.tfvars"
    )
    public = (
        ".env.example .env.production.sample example.env env.py id_rsa.pub credentials.py UserCredentials.ts "
        "credentials.md secrets.py secret.go keys.txt monkey turkey.md environment.yml service_account.py key.py"
    )

    assert [name for name in secret.split() if reason_to_skip(name.encode()) is None] == []
    assert [name for name in public.split() if reason_to_skip(name.encode()) is not None] == []


def test_a_name_adds_nothing_to_what_a_snapshot_says(workspace):
    """A file name with characters that end a line somewhere is one fact, and no second one."""
    name = ".env.a\u2028Chorus-Other: x\x85Chorus-Rebuilt: a: b\fChorus-Other: y"
    workspace.write("base", "x")
    workspace.end_turn()
    workspace.write(name, "secret")
    workspace.write("base", "y")
    facts = workspace.end_turn().facts

    assert (facts.others, facts.rebuilt, len(facts.skipped)) == ((), (), 1)


def test_a_clock_that_was_set_back_changes_no_order(workspace):
    """The newest snapshot of a thread is the last one that was taken, whatever the clock said then."""
    workspace.edit("file", "one", call="c1")
    workspace.time_ms -= 3_600_000
    workspace.edit("file", "two", call="c2")
    listed = list(snapshots_of(workspace.store, CONVERSATION))

    assert [each.facts.call for each in listed if each.facts.kind is SnapshotKind.AFTER] == ["c2", "c1"]
    assert [each.commit.facts.call for each in edits_of(workspace.store, CONVERSATION)] == ["c1", "c2"]
