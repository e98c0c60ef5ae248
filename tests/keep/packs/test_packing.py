"""Tests packing: one file with the original bytes of every file, which `tar` can also read."""

import io
import json
import shutil
import subprocess
import tarfile

import pytest

from chorus.errors import ChorusError
from chorus.keep.archive.listing import find
from chorus.keep.packs.packing import pack
from chorus.keep.packs.unpacking import UnpackOptions, unpack
from chorus.keep.vault.files import FileVault
from tests.keep.packs.packs import zstd
from tests.support.keeping import PROJECT, SESSION, client_folder, files, keep, note_side_file


@pytest.fixture
def config(tmp_path):
    return tmp_path / "claude"


@pytest.fixture
def vault(tmp_path, config):
    """A vault that has a session with every kind of file."""
    vault = FileVault(tmp_path / "home")
    client_folder(config)
    keep(vault, config)
    return vault


def make(vault, to, **options):
    (kept,) = find(vault, SESSION)
    return pack(vault, kept, to, is_forced=options.get("is_forced", False))


def test_a_pack_has_the_original_bytes(vault, config, tmp_path):
    """A pack has a list of contents with lengths and digests, and then every file of the session, byte for byte."""
    done = make(vault, tmp_path / "it")

    originals = {path.relative_to(config).as_posix(): path.read_bytes() for path in files(config)}
    with tarfile.open(fileobj=io.BytesIO(zstd.decompress((tmp_path / "it").read_bytes()))) as tar:
        names = tar.getnames()
        found = {name: file.read() for name in names if (file := tar.extractfile(name))}
    stated = json.loads(found.pop("contents.json"))
    assert names[:2] == ["contents.json", f"project/{SESSION}.jsonl"]
    assert originals == {
        name.replace("project/", f"projects/{PROJECT}/").removeprefix("client/"): data for name, data in found.items()
    }
    assert [file["name"] for file in stated["files"]] == names[1:]
    assert (stated["session"], stated["configDir"], stated["projectKey"]) == (SESSION, str(config), PROJECT)
    assert (done.contents.left_out, done.grown, done.is_large) == ([], None, False)


@pytest.mark.skipif(shutil.which("tar") is None or shutil.which("zstd") is None, reason="tar or zstd is not installed")
def test_other_programs_read_a_pack(vault, tmp_path):
    """`zstd` and `tar` can list a pack."""
    make(vault, tmp_path / "it.tar.zst")
    plain = subprocess.run(["zstd", "-dcq", tmp_path / "it.tar.zst"], capture_output=True, check=True).stdout
    listed = subprocess.run(["tar", "-tf", "-"], input=plain, capture_output=True, check=True).stdout.decode()

    assert listed.splitlines()[0] == "contents.json" and len(listed.splitlines()) == 8


def test_the_same_conversation_gives_the_same_pack(vault, tmp_path):
    """A pack contains nothing of the time or of the users of the machine."""
    make(vault, tmp_path / "a")
    make(vault, tmp_path / "b")

    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_long_and_foreign_names_come_back(vault, config, tmp_path):
    """Names of more than 100 characters, and in any script, are packed and unpacked."""
    long = f"tool-results/{'long-' * 45}é.txt"
    note_side_file(vault, long, b"x")
    vault.flush()
    make(vault, tmp_path / "it")
    (tmp_path / "work").mkdir()
    unpack(tmp_path / "it", tmp_path / "work", tmp_path / "other", UnpackOptions())

    assert [path.name for path in (tmp_path / "other").rglob("long-*")] == [long.rpartition("/")[2]]


def test_what_cannot_be_packed_is_said(vault, tmp_path):
    """A lost side file, and a name that other systems do not allow, are left out and named; the rest is packed."""
    note_side_file(vault, "tool-results/con.txt", b"x")
    note_side_file(vault, "tool-results/lost.txt", b"lost")
    vault.flush()
    for blob in files(tmp_path / "home" / "blobs"):
        if blob.read_bytes() == b"lost":
            blob.unlink()
    done = make(vault, tmp_path / "it")

    assert {each.path.rpartition("/")[2]: each.reason for each in done.contents.left_out} == {
        "con.txt": "its name is reserved on some systems",
        "lost.txt": "the vault has no content for it",
    }
    assert len(done.contents.files) == 7


def test_a_damaged_session_is_not_packed(vault, tmp_path):
    """If lines of the session itself are damaged, there is no pack."""
    (session,) = (tmp_path / "home" / "conversations").rglob(f"{SESSION}.jsonl")
    session.write_bytes(session.read_bytes().replace(b"hello", b"hallo", 1))

    with pytest.raises(ChorusError, match="the vault is damaged"):
        make(FileVault(tmp_path / "home"), tmp_path / "it")
    assert not (tmp_path / "it").exists()


def test_an_existing_file_stays(vault, tmp_path):
    """Without --force, a file of that name is not touched."""
    (tmp_path / "it").write_bytes(b"mine")
    with pytest.raises(ChorusError, match="exists already; pass --force"):
        make(vault, tmp_path / "it")
    assert (tmp_path / "it").read_bytes() == b"mine"

    make(vault, tmp_path / "it", is_forced=True)
    assert (tmp_path / "it").read_bytes() != b"mine"


def test_a_session_that_has_grown_is_reported(vault, config, tmp_path):
    """If the client's file is longer than the recorded stream, the pack says so."""
    (session,) = config.rglob(f"{SESSION}.jsonl")
    with session.open("ab") as file:
        file.write(b"{}\n")

    assert make(vault, tmp_path / "it").grown == str(session)
