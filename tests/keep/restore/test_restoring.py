"""Tests that a session is restored as files with the same bytes at the right places, and nothing else changes."""

import os
import stat
import time

import pytest

from chorus.errors import ChorusError
from chorus.keep.archive.listing import find
from chorus.keep.restore.restoring import restore
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.memory import MemoryVault
from tests.support.keeping import (
    AGENT,
    PROJECT,
    SEEN_AT,
    SESSION,
    client_folder,
    files,
    keep,
    key,
    note,
    note_side_file,
    remove,
    talk,
)

OLD = time.time() - 90 * 86_400


@pytest.fixture
def config(tmp_path):
    return tmp_path / "claude"


@pytest.fixture(params=["files", "memory"])
def vault(request, tmp_path):
    return FileVault(tmp_path / "vault") if request.param == "files" else MemoryVault()


def give_back(vault, *, to=None, revision=None, is_forced=False):
    (kept,) = find(vault, SESSION)
    return restore(vault, kept, to=to, revision=revision, is_forced=is_forced)


def outcomes(done):
    return {file.outcome for file in done.files}


def test_every_file_comes_back_where_it_was(vault, config):
    """The session, sub-agent, sidecar, output, plan, tasks and backups come back byte for byte."""
    originals = client_folder(config)
    keep(vault, config)
    remove(originals)

    done = give_back(vault)

    assert {path: path.read_bytes() for path in files(config)} == originals
    assert {file.path: file.size_bytes for file in done.files} == {str(p): len(data) for p, data in originals.items()}
    assert (outcomes(done), done.left_out, done.session) == ({"written"}, [], SESSION)


def test_files_are_new_and_private(vault, config):
    """Restored files have the current time, and only this user can read them and their folders."""
    before = time.time() - 5
    originals = client_folder(config)
    keep(vault, config)
    to = config.parent / "elsewhere" / "claude"

    give_back(vault, to=to)

    assert {path.relative_to(to): path.read_bytes() for path in files(to)} == {
        path.relative_to(config): data for path, data in originals.items()
    }
    assert all(path.stat().st_mtime > before for path in files(to))
    assert {stat.S_IMODE(path.stat().st_mode) for path in files(to)} == {0o600}
    assert {stat.S_IMODE(path.stat().st_mode) for path in to.rglob("*") if path.is_dir()} == {0o700}


def test_identical_files_only_get_the_time_of_now(vault, config):
    """An identical file is not written again, but gets the current time, so the client's cleanup does not delete it."""
    originals = client_folder(config)
    keep(vault, config)
    inodes = {path: path.stat().st_ino for path in originals}
    for path in originals:
        os.utime(path, (OLD, OLD))

    done = give_back(vault)

    assert outcomes(done) == {"identical"}
    assert {path: path.stat().st_ino for path in originals} == inodes
    assert all(path.stat().st_mtime > OLD + 86_400 for path in originals)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: data + b"more\n", "continues after what was stored"),
        (lambda data: data[:-9], "differs from what was stored"),
        (lambda data: b"[" + data[1:], "differs from what was stored"),
        (lambda data: b"", "differs from what was stored"),
    ],
)
def test_a_different_file_is_not_overwritten(vault, config, change, words):
    """If one file differs, nothing is written. With force, exactly that file is replaced."""
    originals = client_folder(config)
    keep(vault, config)
    session, *others = originals
    remove(others)
    session.write_bytes(change(originals[session]))

    with pytest.raises(ChorusError, match=rf"{SESSION}.jsonl: {words}; nothing was written: pass --force"):
        give_back(vault)
    assert files(config) == [session] and session.read_bytes() == change(originals[session])

    done = give_back(vault, is_forced=True)
    assert {path: path.read_bytes() for path in files(config)} == originals
    assert [file.path for file in done.files if file.outcome == "replaced"] == [str(session)]


def test_no_half_written_file_is_left(vault, config):
    """After a restore, or a refused one, the folders contain only the originals."""
    originals = client_folder(config)
    keep(vault, config)
    next(iter(originals)).write_bytes(b"other\n")
    with pytest.raises(ChorusError):
        give_back(vault)
    give_back(vault, is_forced=True)

    assert set(files(config)) == set(originals)


@pytest.mark.parametrize("revision", [0, 1, None])
def test_a_revision_can_be_chosen(vault, config, revision):
    """Each revision of a rewritten session file can be restored, and the last one is the default."""
    first, second = talk("a") + talk("b", "c"), talk("a") + talk("z")
    prefix = len(talk("a"))
    vault.append(key(), first, seen_at=SEEN_AT)
    vault.revise(key(), prefix)
    vault.append(key(), second[prefix:], seen_at=SEEN_AT)
    note(vault, type="source", stream="session", path=f"/c/projects/p/{SESSION}.jsonl", configDir="/c", projectKey="p")
    vault.flush()

    done = give_back(vault, to=config, revision=revision)

    assert (config / "projects" / "p" / f"{SESSION}.jsonl").read_bytes() == (first if revision == 0 else second)
    assert len(done.files) == 1


@pytest.mark.parametrize("revision", [-1, 1])
def test_a_revision_that_is_not_there_is_said(vault, config, revision):
    """If the revision does not exist, the error names the existing ones, and nothing is written."""
    client_folder(config)
    keep(vault, config)

    with pytest.raises(ChorusError, match=f"no revision {revision}; the vault has revision 0 only"):
        give_back(vault, to=config.parent / "new", revision=revision)
    assert not (config.parent / "new").exists()


def test_a_missing_side_file_is_reported(tmp_path, config):
    """A side file that is lost in the vault is reported, and all other files come back."""
    originals = client_folder(config)
    vault = FileVault(tmp_path / "vault")
    keep(vault, config)
    remove(originals)
    (plan,) = [path for path in files(vault.root / "blobs") if path.read_bytes() == b"# Plan\n"]
    plan.write_bytes(b"# Plot\n")

    done = give_back(vault)

    assert [each.path for each in done.left_out] == [str(config / "plans" / "a-plan.md")]
    assert set(files(config)) == set(originals) - {config / "plans" / "a-plan.md"}


def test_a_damaged_session_is_not_restored(tmp_path, config):
    """If a line of the session is damaged, the error names the line, and nothing is written."""
    originals = client_folder(config)
    vault = FileVault(tmp_path / "vault")
    keep(vault, config)
    remove(originals)
    path = vault.path(key())
    path.write_bytes(path.read_bytes().replace(b"bye", b"bYe", 1))

    with pytest.raises(ChorusError, match="the vault is damaged: line 5 of session"):
        give_back(vault)
    assert files(config) == []


def test_a_damaged_sub_agent_leaves_the_rest(tmp_path, config):
    """If the lines of a sub-agent are damaged, the session comes back without it, and the report says so."""
    originals = client_folder(config)
    vault = FileVault(tmp_path / "vault")
    keep(vault, config)
    remove(originals)
    path = vault.path(key(AGENT))
    path.write_bytes(path.read_bytes().replace(b"look around", b"look arounD", 1))

    done = give_back(vault)

    (lost,) = done.left_out
    assert lost.path.endswith(f"{AGENT}.jsonl") and "line 1" in lost.reason
    assert len(done.files) == len(originals) - 1


HOSTILE = [
    ("session", "../../../x.txt"),
    ("session", "a/../../x.txt"),
    ("session", "/etc/x.txt"),
    ("session", "a//b"),
    ("session", "."),
    ("session", ""),
    ("session", "a\0b"),
    ("session", "a\\..\\b"),
    ("config", "settings.json"),
    ("config", "CLAUDE.md"),
    ("config", "commands/x.md"),
    ("config", "plans/../settings.json"),
    ("config", "plans/x.sh"),
    ("config", f"tasks/{SESSION}"),
    ("config", "tasks/another-session/1.json"),
    ("config", "hooks/x/y"),
    ("elsewhere", "x.txt"),
]


@pytest.mark.parametrize(("base", "path"), HOSTILE)
def test_a_hostile_side_file_goes_nowhere(vault, config, base, path):
    """A manifest can write neither outside of the session's own places nor into the client's settings."""
    originals = client_folder(config)
    keep(vault, config)
    remove(originals)
    note_side_file(vault, path, b"evil", base=base)
    vault.flush()
    everything = config.parent

    done = give_back(vault)

    assert [each.path for each in done.left_out] == [path]
    assert {file for file in files(everything) if everything / "vault" not in file.parents} == set(originals)


@pytest.mark.parametrize(
    "fact",
    [
        {"path": "/c/projects/p/..jsonl/..", "configDir": "/c", "projectKey": "p"},
        {"path": "/c/projects/p/.bashrc", "configDir": "/c", "projectKey": "p"},
        {"path": f"/c/projects/p/{SESSION}.jsonl", "configDir": "/c", "projectKey": "../../p"},
        {"path": f"/c/projects/p/{SESSION}.jsonl", "configDir": "/c", "projectKey": ".."},
        {"path": f"/c/projects/p/{SESSION}.jsonl", "configDir": "c", "projectKey": "p"},
        {"path": f"/c/projects/p/{SESSION}.jsonl", "configDir": "/c/../d", "projectKey": "p"},
    ],
)
def test_a_hostile_source_is_refused(vault, fact):
    """A session file whose name, project or folder could lead elsewhere is refused before any write."""
    vault.append(key(), talk("hi"), seen_at=SEEN_AT)
    note(vault, type="source", stream="session", **fact)
    vault.flush()

    with pytest.raises(ChorusError):
        give_back(vault)


@pytest.mark.parametrize(
    "path", ["/c/projects/{p}/../../x/agent-a1b2c3.jsonl", "/c/projects/{p}/{s}/subagents/../../../agent-x.jsonl", "/x"]
)
def test_a_hostile_sub_agent_goes_to_the_usual_place(vault, config, path):
    """The file of a sub-agent goes into its session's folder, whatever the manifest says."""
    originals = client_folder(config)
    keep(vault, config)
    remove(originals)
    where = path.format(p=PROJECT, s=SESSION)
    note(vault, type="source", stream=AGENT, path=where, configDir=str(config), projectKey=PROJECT)
    vault.flush()

    give_back(vault)

    assert set(files(config)) == set(originals)


def test_a_sub_agent_beside_its_session_comes_back_there(vault, config):
    """Clients of version 2.0 wrote sub-agent files beside the session, and there they are restored."""
    originals = client_folder(config)
    keep(vault, config)
    remove(originals)
    beside = config / "projects" / PROJECT / f"{AGENT}.jsonl"
    note(vault, type="source", stream=AGENT, path=str(beside), configDir=str(config), projectKey=PROJECT)
    vault.flush()

    give_back(vault)

    assert beside.is_file()


@pytest.mark.parametrize("place", ["projects", f"projects/{PROJECT}", f"projects/{PROJECT}/{SESSION}", "plans"])
def test_no_link_is_followed(vault, config, place, tmp_path):
    """A link in the place of a folder stops the restore, and its target stays as it was."""
    originals = client_folder(config)
    keep(vault, config)
    outside = tmp_path / "outside"
    (config / place).rename(outside)
    remove(files(outside))
    (config / place).symlink_to(outside)

    with pytest.raises(ChorusError, match="links are not followed"):
        give_back(vault, is_forced=True)
    assert files(outside) == []
    assert originals


def test_a_link_in_place_of_the_file_is_replaced_only_when_forced(vault, config, tmp_path):
    """A link in the place of the session file is not followed. With force, the link itself is replaced."""
    originals = client_folder(config)
    keep(vault, config)
    session = next(iter(originals))
    target = tmp_path / "target"
    target.write_bytes(originals[session])
    session.unlink()
    session.symlink_to(target)

    with pytest.raises(ChorusError, match="is not a regular file"):
        give_back(vault)
    target.write_bytes(b"precious")
    give_back(vault, is_forced=True)

    assert target.read_bytes() == b"precious"
    assert session.read_bytes() == originals[session] and not session.is_symlink()


def test_the_clients_folder_itself_may_be_a_link(vault, config, tmp_path):
    """If a person made `.claude` a link to another folder, the files are restored there."""
    originals = client_folder(config)
    keep(vault, config)
    remove(originals)
    config.rename(tmp_path / "real")
    config.symlink_to(tmp_path / "real")

    give_back(vault)

    assert all(path.read_bytes() == data for path, data in originals.items())


def test_a_pipe_in_the_way_does_not_block(vault, config):
    """A pipe in the place of a file is refused at once."""
    originals = client_folder(config)
    keep(vault, config)
    session = next(iter(originals))
    session.unlink()
    os.mkfifo(session)

    with pytest.raises(ChorusError, match="is not a regular file"):
        give_back(vault)


def test_a_folder_in_the_way_is_refused(vault, config):
    """A folder where the session file should be is refused in one line."""
    originals = client_folder(config)
    keep(vault, config)
    session = next(iter(originals))
    session.unlink()
    session.mkdir()

    with pytest.raises(ChorusError, match="is not a regular file"):
        give_back(vault)


def test_without_a_manifest_the_session_names_the_project(vault, config):
    """If only the lines are left, `--to` writes them where the client looks for them, by their working folder."""
    data = b'{"type":"user","cwd":"/home/x/my.w","sessionId":"s"}\n' + talk("hi")
    vault.append(key(), data, seen_at=SEEN_AT)
    vault.append(key(AGENT), talk("sub"), seen_at=SEEN_AT)
    vault.flush()

    with pytest.raises(ChorusError, match="name a folder with --to"):
        give_back(vault)
    done = give_back(vault, to=config)

    assert done.cwd == "/home/x/my.w"
    project = config / "projects" / "-home-x-my-w"
    assert (project / f"{SESSION}.jsonl").read_bytes() == data
    assert (project / SESSION / "subagents" / f"{AGENT}.jsonl").read_bytes() == talk("sub")


def test_a_conversation_of_prompts_only_has_no_file(vault):
    """A stub from the prompt history has no session file to restore, and the error says so."""
    vault.append(key("history"), b'{"display":"hi"}\n', seen_at=SEEN_AT)
    vault.flush()

    with pytest.raises(ChorusError, match="never stored"):
        give_back(vault)


def test_a_sealed_conversation_comes_back(tmp_path, config):
    """A sealed conversation is restored with the same bytes."""
    originals = client_folder(config)
    vault = FileVault(tmp_path / "vault")
    keep(vault, config)
    vault.close()
    for each in list(vault.keys()):
        vault.seal(each)
    remove(originals)

    give_back(FileVault(tmp_path / "vault"))

    assert {path: path.read_bytes() for path in files(config)} == originals


def test_the_last_content_of_a_side_file_wins(vault, config):
    """A rewritten side file is restored with its last content."""
    originals = client_folder(config)
    keep(vault, config)
    remove(originals)
    note_side_file(vault, "plans/a-plan.md", b"# Better\n", base="config")
    vault.flush()

    give_back(vault)

    assert (config / "plans" / "a-plan.md").read_bytes() == b"# Better\n"


def test_a_folder_that_cannot_be_made_is_one_sentence(vault, config, tmp_path):
    """If the place cannot be written, the error names it and what to do."""
    client_folder(config)
    keep(vault, config)
    (tmp_path / "file").write_bytes(b"")

    with pytest.raises(ChorusError, match="name another folder"):
        give_back(vault, to=tmp_path / "file" / "below")
