"""Tests row D5 of the security table for blame and commits: no program of a hostile repository runs."""

import os
import subprocess

import pytest

from chorus.errors import ChorusError
from chorus.find.provenance.commit_origins import commit_origins
from chorus.find.provenance.file_blame import blame_file
from chorus.keep.snapshots.repository import SnapshotRepository

PROGRAMS = (
    "core.fsmonitor", "core.pager", "core.editor", "core.askPass", "core.sshCommand", "core.alternateRefsCommand",
    "gpg.program", "gpg.openpgp.program", "gpg.ssh.program", "gpg.x509.program", "gpg.ssh.defaultKeyCommand",
    "diff.external", "diff.evil.textconv", "diff.evil.command", "filter.evil.clean", "filter.evil.smudge",
    "filter.evil.process", "merge.evil.driver", "sequence.editor", "interactive.diffFilter", "trailer.x.command",
    "credential.helper", "uploadpack.packObjectsHook", "pager.log", "pager.blame", "alias.log", "alias.diff",
)  # fmt: skip
SIGNED = """tree {tree}
author Ada <ada@example.org> 1700000000 +0000
committer Ada <ada@example.org> 1700000000 +0000
gpgsig -----BEGIN SSH SIGNATURE-----
 U1NIU0lHAAAAAQ==
 -----END SSH SIGNATURE-----

signed
"""


@pytest.fixture
def hostile(tmp_path):
    """A repository whose settings and attributes name a program that leaves a file, with a signed commit."""
    folder = tmp_path / "project"
    folder.mkdir()
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}

    def git(*arguments, data=b""):
        call = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", *arguments]
        done = subprocess.run(call, cwd=folder, env=environment, input=data, capture_output=True, check=True)
        return done.stdout.decode().strip()

    git("init", "-q")
    (folder / "a.txt").write_text("one\ntwo\n")
    (folder / ".gitattributes").write_text("* diff=evil\n")
    git("add", "-A")
    signed = git("hash-object", "-t", "commit", "-w", "--stdin", data=SIGNED.format(tree=git("write-tree")).encode())
    git("update-ref", "HEAD", signed)
    canary = tmp_path / "canary"
    canary.write_text(f'#!/bin/sh\necho "$0 $@" >> {tmp_path}/sprung\ncat\n')
    canary.chmod(0o755)
    (tmp_path / "allowed").write_text("ada@example.org ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA==\n")
    more = {"log.showSignature": "true", "gpg.format": "ssh", "gpg.ssh.allowedSignersFile": f"{tmp_path}/allowed"}
    for name, value in {**dict.fromkeys(PROGRAMS, str(canary)), **more}.items():
        git("config", name, value)
    (tmp_path / "sprung").unlink(missing_ok=True)
    return folder, signed, git


def test_no_program_runs_for_blame_or_for_the_origins_of_a_commit(hostile, tmp_path):
    """Blame of a file, at a commit, and the origins of a signed commit start nothing. The person's own git does."""
    folder, signed, git = hostile
    store = SnapshotRepository(tmp_path / "home", "work-1")
    store.create()
    assert blame_file(store, folder, b"a.txt").lines == ["one", "two"]
    assert blame_file(store, folder, b"a.txt", signed).revision == signed
    assert commit_origins(store, folder, signed).subject == "signed"
    for name in ("--output=evil", "-x", "HEAD --"):
        with pytest.raises(ChorusError):
            blame_file(store, folder, b"a.txt", name)
    store.reader.close()

    assert not (tmp_path / "sprung").exists()
    assert not (folder / "evil").exists()
    git("-c", "core.pager=cat", "log", "-1", "-p", "--ext-diff")
    assert "/canary" in (tmp_path / "sprung").read_text()


def test_no_program_of_a_submodule_runs(hostile, tmp_path):
    """Git shows the changes of a submodule by a git of its own, which would know nothing of our settings."""
    folder, _, git = hostile
    (folder / "inner").mkdir()
    for step in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "1"]):
        (folder / "inner/b.txt").write_text("one\n")
        git("-C", "inner", *step)
    (folder / ".gitmodules").write_text('[submodule "inner"]\n\tpath = inner\n\turl = ./inner\n')
    for name, value in {"diff.submodule": "diff", "diff.ignoreSubmodules": "none"}.items():
        git("config", name, value)
    git("config", "submodule.inner.ignore", "none")
    git("-c", "commit.gpgSign=false", "add", "inner", ".gitmodules")
    git("commit", "-qm", "with inner")
    (folder / "inner/b.txt").write_text("two\n")
    git("-C", "inner", "commit", "-qam", "2")
    git("add", "inner")
    git("commit", "-qm", "inner goes on")
    git("-C", "inner", "config", "diff.external", str(tmp_path / "canary"))
    (tmp_path / "sprung").unlink(missing_ok=True)
    store = SnapshotRepository(tmp_path / "home", "work-1")
    store.create()
    found = commit_origins(store, folder, "HEAD")
    store.reader.close()

    assert not (tmp_path / "sprung").exists()
    assert (found.files, found.added) == (0, 0)
    git("-c", "core.pager=cat", "-c", "diff.external=", "diff", "HEAD~1", "HEAD")
    assert (tmp_path / "sprung").exists(), "the person's own git runs it"


BLOCKING = (
    "HEAD", "config", "config.worktree", "packed-refs", "shallow", "info/grafts", "info/attributes", "index",
    "objects/info/alternates", "objects/info/commit-graph", "refs/heads/main", "../.gitattributes",
)  # fmt: skip


@pytest.fixture
def plain(tmp_path):
    """A repository with one commit, and another one that is nobody's business."""
    made = []
    for name in ("project", "outside"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "a.txt").write_text(f"in {name}\n")
        who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
        for step in (["init", "-q", "-b", "main"], ["add", "-A"], [*who, "commit", "-qm", name]):
            subprocess.run(["git", *step], cwd=folder, check=True)
        made.append(folder)
    return made


@pytest.mark.parametrize("name", [*BLOCKING, "included"])
def test_a_pipe_that_git_would_read_is_not_waited_for(plain, tmp_path, name):
    """Blame answers from the folder alone if a file of the git folder, or one that it includes, is a pipe."""
    folder, _ = plain
    pipe = folder / ".git" / name
    if name == "included":
        pipe = tmp_path / "pipe"
        with (folder / ".git" / "config").open("a") as config:
            config.write(f'[includeIf "gitdir:**"]\n\tpath = {pipe}\n')
    if name == "config.worktree":
        with (folder / ".git" / "config").open("a") as config:
            config.write("[extensions]\n\tworktreeConfig = true\n")
    pipe.unlink(missing_ok=True)
    os.mkfifo(pipe)
    store = SnapshotRepository(tmp_path / "home", "work-1")
    store.create()

    assert blame_file(store, folder, b"a.txt").lines == ["in project"]
    with pytest.raises(ChorusError):
        blame_file(store, folder, b"a.txt", "HEAD")
    with pytest.raises(ChorusError):
        commit_origins(store, folder, "HEAD")
    store.reader.close()


@pytest.mark.parametrize("way", ["commondir", "objects"])
def test_a_git_folder_that_names_another_one_gives_nothing_of_it(plain, tmp_path, way):
    """A file or a link in the git folder that leads to another repository does not show what is in that one."""
    folder, outside = plain
    if way == "commondir":
        (folder / ".git" / "commondir").write_text(f"{outside}/.git\n")
    else:
        (folder / ".git" / "objects").rename(tmp_path / "objects")
        (folder / ".git" / "objects").symlink_to(outside / ".git" / "objects")
        (folder / ".git" / "refs" / "heads" / "main").write_bytes((outside / ".git/refs/heads/main").read_bytes())
    store = SnapshotRepository(tmp_path / "home", "work-1")
    store.create()
    try:
        lines = blame_file(store, folder, b"a.txt", "HEAD").lines
    except ChorusError:
        lines = []
    store.reader.close()

    assert lines in ([], ["in project"])
