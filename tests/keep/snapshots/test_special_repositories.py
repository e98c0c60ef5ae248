"""Tests unusual and hostile repositories and names: what they lead to is not read, and snapshots are exact."""

import hashlib
import os
import struct
import subprocess
import threading
from pathlib import Path

import pytest

from chorus.errors import GitFailed
from chorus.keep.snapshots import stat_cache
from chorus.keep.snapshots.snapshots import Snapshots, snapshots_of
from chorus.keep.snapshots.trees import walk_tree
from tests.keep.snapshots.conftest import CONVERSATION, Workspace

SECRET = b"a secret of another repository\n"


@pytest.fixture
def other(tmp_path):
    """Another repository of the person, outside of the workspace, with a tracked `a.txt`."""
    folder = tmp_path / "private"
    folder.mkdir()
    (folder / "a.txt").write_bytes(SECRET)
    for call in (["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"]):
        subprocess.run(["git", *call], cwd=folder, check=True, env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull})
    return folder


def contents(workspace: Workspace) -> bytes:
    """Returns every object that Chorus has stored for the workspace."""
    call = ["git", "--git-dir", str(workspace.store.git_dir), "cat-file", "--batch-all-objects", "--batch"]
    return subprocess.run(call, capture_output=True, check=True).stdout


def before_of_shell_edit(workspace: Workspace, path: str) -> bytes | None:
    """Changes a file as a shell does, and returns what the snapshot says that it was before."""
    workspace.end_turn()
    workspace.write(path, "by a shell\n")
    taken = workspace.end_turn()
    assert taken is not None
    assert dict(walk_tree(workspace.store.reader, taken.tree))[path.encode()].mode == "100644"
    if not taken.parents:
        return None
    known = dict(walk_tree(workspace.store.reader, workspace.store.commit(taken.parents[0]).tree))
    return workspace.store.reader.read(known[path.encode()].id, "blob") if path.encode() in known else None


@pytest.mark.parametrize("kind", ["file", "link", "commondir", "alternates", "objects", "index"])
def test_a_repository_that_leads_to_another_one_is_not_read(workspace, other, kind):
    """Whatever in a `.git` names another repository, nothing of that one gets into the snapshots."""
    workspace.write("a.txt", "mine\n")
    dot_git = workspace.folder / ".git"
    if kind == "file":
        dot_git.write_text(f"gitdir: {other}/.git\n")
    elif kind == "link":
        dot_git.symlink_to(other / ".git")
    else:
        workspace.git("init", "-q")
        (dot_git / "index").write_bytes((other / ".git" / "index").read_bytes())
        match kind:
            case "commondir":
                (dot_git / "commondir").write_text(f"{other}/.git\n")
            case "alternates":
                (dot_git / "objects" / "info" / "alternates").write_text(f"{other}/.git/objects\n")
            case "objects":
                subprocess.run(["rm", "-r", str(dot_git / "objects")], check=True)
                (dot_git / "objects").symlink_to(other / ".git" / "objects")
            case _:
                (dot_git / "index").unlink()
                (dot_git / "index").symlink_to(other / ".git" / "index")

    assert before_of_shell_edit(workspace, "a.txt") in (b"mine\n", None)
    assert SECRET not in contents(workspace)


def worktree(workspace: Workspace) -> Workspace:
    workspace.git("worktree", "add", "-q", "../second")
    workspace.folder = workspace.folder.parent / "second"
    return workspace


def submodule(workspace: Workspace) -> Workspace:
    source = workspace.folder.parent / "source"
    subprocess.run(["git", "clone", "-q", "--bare", str(workspace.folder), str(source)], check=True)
    workspace.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(source), "inner")
    workspace.folder = workspace.folder / "inner"
    return workspace


def with_settings(*settings: str):
    def prepare(workspace: Workspace) -> Workspace:
        for setting in settings:
            workspace.git("config", *setting.split("="))
        workspace.git("update-index", "--force-write-index")
        return workspace

    return prepare


def split_index(workspace: Workspace) -> Workspace:
    workspace.git("update-index", "--split-index")
    return workspace


def sparse_index(workspace: Workspace) -> Workspace:
    workspace.git("sparse-checkout", "set", "--cone", "--sparse-index", "unknown")
    if not (workspace.folder / "a.txt").exists():
        pytest.skip("this git has no sparse index")
    return workspace


def replaced(workspace: Workspace) -> Workspace:
    """A replace ref and a graft that would show other content."""
    blob = workspace.git("rev-parse", "HEAD:a.txt").strip()
    lie = subprocess.run(
        ["git", "hash-object", "-w", "--stdin"], input=b"a lie\n", capture_output=True, cwd=workspace.folder, check=True
    )
    workspace.git("replace", blob, lie.stdout.decode().strip())
    (workspace.folder / ".git" / "info" / "grafts").write_text(workspace.git("rev-parse", "HEAD"))
    return workspace


REPOSITORIES = {
    "worktree": worktree,
    "submodule": submodule,
    "untracked cache": with_settings("core.untrackedCache=true", "core.fsmonitor=true"),
    "index 4": with_settings("index.version=4", "feature.manyFiles=true"),
    "no digest": with_settings("index.skipHash=true"),
    "split index": split_index,
    "sparse index": sparse_index,
    "replaced": replaced,
}


@pytest.mark.parametrize("kind", REPOSITORIES)
def test_what_a_shell_changed_is_exact_in_every_kind_of_repository(repository, kind):
    """The content before a change is that of the file, however the repository is laid out."""
    workspace = REPOSITORIES[kind](repository)
    workspace.snapshots.close()
    workspace.snapshots = Snapshots(workspace.home, "special-1", workspace.folder)

    assert before_of_shell_edit(workspace, "a.txt") == b"one\ntwo\nthree\n"
    assert workspace.store.check() == []


@pytest.mark.parametrize("options", [["--object-format=sha256"], ["--ref-format=reftable"]], ids=["sha256", "reftable"])
def test_other_formats_of_repositories(workspace, options):
    """Repositories with long ids, or with refs in tables, have exact snapshots."""
    try:
        workspace.git("init", "-q", *options)
    except subprocess.CalledProcessError:
        pytest.skip("this git does not have the format")
    workspace.write("a.txt", "before\n")
    workspace.write("b.txt", "other\n")
    workspace.git("add", "-A")
    workspace.git("commit", "-qm", "x")

    assert before_of_shell_edit(workspace, "a.txt") == b"before\n"
    assert workspace.end_turn() is None


def test_a_partial_clone_fetches_nothing(repository, tmp_path):
    """If the content before a change is only on the server, it is not fetched, and the snapshot says so."""
    repository.git("config", "uploadpack.allowFilter", "true")
    clone, canary, sprung = tmp_path / "clone", tmp_path / "fetch", tmp_path / "sprung"
    canary.write_text(f'#!/bin/sh\ntouch "{sprung}"\nexec git-upload-pack "$@"\n')
    canary.chmod(0o755)
    source = f"file://{repository.folder}"
    call = ["git", "clone", "-q", "--no-checkout", "--filter=blob:none", "-u", str(canary), source, str(clone)]
    subprocess.run(call, check=True, capture_output=True)
    blob = repository.git("rev-parse", "HEAD:a.txt").strip()
    repository.folder = clone
    repository.git("config", "remote.origin.uploadpack", str(canary))
    repository.git("read-tree", "HEAD")
    sprung.unlink()
    if blob in repository.git("cat-file", "--batch-all-objects", "--batch-check"):
        pytest.skip("this git fetched the content early")
    repository.write("a.txt", "one\ntwo\nthree\n")
    repository.snapshots = Snapshots(repository.home, "clone-1", clone)
    assert before_of_shell_edit(repository, "a.txt") is None
    taken = next(snapshots_of(repository.store, CONVERSATION))

    assert "a.txt: what it was before is not known" in taken.facts.skipped
    assert not sprung.exists()
    repository.git("cat-file", "-p", blob)
    assert sprung.exists(), "the person's own git fetches"
    repository.snapshots.close()


def test_a_filter_of_large_files_does_not_change_the_bytes(repository):
    """With Git LFS set up, snapshots hold the files as they are on disk, not their pointers."""
    repository.git("config", "filter.lfs.clean", "echo pointer")
    repository.git("config", "filter.lfs.smudge", "echo pointer")
    repository.git("config", "filter.lfs.required", "true")
    repository.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n")
    repository.write("data.bin", bytes(range(256)))

    assert before_of_shell_edit(repository, "data.bin") == bytes(range(256))
    assert b"pointer" not in contents(repository)


def test_a_configuration_that_blocks_is_not_read(repository, tmp_path):
    """An included file that is a pipe would hold up git for ever; snapshots never open it."""
    os.mkfifo(tmp_path / "pipe")
    with (repository.folder / ".git" / "config").open("a") as file:
        file.write(f"[include]\n\tpath = {tmp_path}/pipe\n")
    found: list[bytes | None] = []
    worker = threading.Thread(target=lambda: found.append(before_of_shell_edit(repository, "a.txt")), daemon=True)
    worker.start()
    worker.join(60)

    assert found == [b"one\ntwo\nthree\n"]


def hostile_index(paths: list[bytes], blob: str) -> bytes:
    """Returns an index of git with any paths: git itself refuses to write some of them."""
    body = b"DIRC" + struct.pack(">II", 2, len(paths))
    for path in sorted(paths):
        entry = struct.pack(">10I", 0, 0, 0, 0, 0, 0, 0o100644, 0, 0, 0) + bytes.fromhex(blob)
        entry += struct.pack(">H", len(path)) + path
        body += entry + bytes(8 - len(entry) % 8)
    return body + hashlib.sha1(body, usedforsecurity=False).digest()


def test_an_index_with_paths_that_lead_elsewhere_is_harmless(repository):
    """Entries for `.git/hooks` or for folders above do not stop snapshots, and are not part of them."""
    blob = repository.git("rev-parse", "HEAD:a.txt").strip()
    paths = [b".git/hooks/pre-commit", b"../above", b"a.txt", b"sub/.GIT/config", b"/etc/passwd"]
    (repository.folder / ".git" / "index").write_bytes(hostile_index(paths, blob))

    assert before_of_shell_edit(repository, "a.txt") == b"one\ntwo\nthree\n"
    assert repository.store.check() == []


NAMES = (
    b"a\\b", b"git~1", b".git ", b".gitmodules.", b"-x", b"--", b"new\nline", b"\xff\xfe", b"A", b"a", b"CON", b"x:y",
    b" ", b"\t", b".\xe2\x80\x8cgit", b"*", b"[a]", b":(top)", b"..x", b"'q\"", b"refs", b"HEAD",
)  # fmt: skip


def test_every_name_that_a_file_can_have(workspace):
    """Names that other systems or git treat specially are stored, also links, and do not stop later snapshots."""
    workspace.write("base", "x")
    workspace.end_turn()
    for name in NAMES:
        Path(os.fsdecode(os.fsencode(workspace.folder) + b"/" + name)).write_bytes(b"data of " + name)
    for name in (".gitmodules", ".gitattributes", ".mailmap"):
        (workspace.folder / name).symlink_to("nowhere")
    taken = workspace.end_turn()
    found = dict(walk_tree(workspace.store.reader, taken.tree))
    again = workspace.end_turn()
    workspace.write("base", "y")

    assert set(found) == {*NAMES, b".gitmodules", b".gitattributes", b".mailmap"}
    assert again is None
    assert workspace.end_turn() is not None
    assert workspace.store.check() == []


@pytest.mark.parametrize("depth", [150, 1_500, 6_000])
def test_a_file_in_very_many_folders_stops_nothing(workspace, depth):
    """A path of any depth, also one that is longer than the system allows, does not stop snapshots of other files."""
    workspace.write("base", "x")
    workspace.end_turn()
    at = os.open(workspace.folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d", dir_fd=at)
        inner = os.open("d", os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = inner
    os.close(os.open("deep.txt", os.O_CREAT | os.O_WRONLY, 0o644, dir_fd=at))
    os.close(at)
    workspace.write("other", "by a shell")
    try:
        taken, again, problems = workspace.end_turn(), workspace.end_turn(), workspace.store.check()
    finally:
        # Python cannot remove so many folders.
        subprocess.run(["rm", "-r", workspace.folder / "d"], check=True)
    found = dict(walk_tree(workspace.store.reader, taken.tree))

    assert b"other" in found and len(found) == (2 if depth == 150 else 1)
    assert again is None
    assert problems == []


def test_content_that_git_distrusts_is_no_damage(workspace):
    """Files of an agent that `git fsck` complains about do not make the repository look damaged."""
    workspace.edit(".gitmodules", '[submodule "../x"]\n\tpath = -x\n\turl = --upload-pack=evil\n')
    workspace.edit(".gitattributes", "b" * 300_000)

    assert workspace.store.check() == []


def test_damage_is_found(workspace):
    """An object that is not what its name says is reported."""
    taken = workspace.edit("file", "content\n")
    blob = workspace.own_git("rev-parse", f"{taken.id}:file").strip()
    path = workspace.store.git_dir / "objects" / blob[:2] / blob[2:]
    path.chmod(0o600)
    path.write_bytes(b"rubbish")

    assert workspace.store.check() != []


def test_pipes_in_place_of_gits_own_files_do_not_block(workspace, monkeypatch):
    """A pipe named `.gitattributes` is passed over; for one named `.gitignore`, the snapshot gives up and says so."""
    workspace.write("base", "x")
    workspace.end_turn()
    os.mkfifo(workspace.write("folder/file", "new").with_name(".gitattributes"))
    assert workspace.end_turn() is not None
    monkeypatch.setattr(stat_cache, "_LOOK_S", 0.5)
    os.mkfifo(workspace.write("other/file", "new").with_name(".gitignore"))
    impatient = Snapshots(workspace.home, "project-0123abcd", workspace.folder)
    workspace.snapshots.close()
    workspace.snapshots = impatient

    with pytest.raises(GitFailed, match="took longer"):
        workspace.end_turn()
    (workspace.folder / "other" / ".gitignore").unlink()
    assert workspace.end_turn() is not None


@pytest.mark.parametrize("damage", [b"", b"DIRC", b"DIRC" + bytes(300)], ids=["empty", "short", "zeros"])
def test_a_damaged_cache_is_begun_again(workspace, damage):
    """After a power failure the cache may be cut off: the next look is a first look, and later ones find changes."""
    workspace.write("file", "one")
    workspace.end_turn()
    (workspace.store.git_dir / "workspace.index").write_bytes(damage)
    assert workspace.end_turn() is None
    workspace.write("file", "two")

    assert workspace.end_turn() is not None


def test_an_object_that_lost_its_content_is_written_again(workspace):
    """A file without content in place of an object, as after a power failure, is replaced."""
    name = workspace.edit("file", "content\n").id
    blob = workspace.own_git("rev-parse", f"{name}:file").strip()
    path = workspace.store.git_dir / "objects" / blob[:2] / blob[2:]
    path.chmod(0o600)
    path.write_bytes(b"")
    workspace.store.writer.write("blob", b"content\n")

    assert workspace.store.check() == []


def test_packing_keeps_what_files_were_at_the_first_look(workspace):
    """The content of untracked files is still known after packing, though no conversation has it."""
    workspace.write("file", "before")
    workspace.end_turn()
    with workspace.store.lock():
        workspace.store.collect_garbage()

    assert before_of_shell_edit(workspace, "file") == b"before"
