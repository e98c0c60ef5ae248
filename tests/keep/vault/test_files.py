"""Tests the vault's own files: their owner, obstacles in their place, and their format."""

import json
import os
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from chorus.errors import VaultTooNew, VaultUnwritable
from chorus.keep.restore.checking import check
from chorus.keep.vault import format_version, verification
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.port import Damaged, Tail, contents
from tests.keep.vault.lines import KEY, SEEN_AT, SIDE
from tests.keep.vault.sample import KEYS, SAMPLE, TEXTS

USE = """
import os, sys
from pathlib import Path
from chorus.keep.vault.files import FileVault
from tests.keep.vault.lines import KEY, SEEN_AT, SIDE

os.umask(int(sys.argv[2], 8))
vault = FileVault(Path(sys.argv[1]) / "not" / "there" / "vault")
for key in (KEY, SIDE):
    vault.append(key, b"a\\n", seen_at=SEEN_AT)
vault.put_blob(b"blob")
vault.seal(SIDE)
vault.close()
"""


@pytest.mark.parametrize("umask", ["000", "022", "077"])
def test_only_the_user_can_read_it(umask: str, tmp_path: Path) -> None:
    """With any umask, folders have the mode 0700 and files 0600."""
    root = Path(__file__).parents[3]
    subprocess.run([sys.executable, "-c", USE, str(tmp_path), umask], cwd=root, check=True)

    made = list(tmp_path.rglob("*"))
    modes = {path: stat.S_IMODE(path.lstat().st_mode) for path in made}
    assert len(made) > 10
    assert {path: oct(mode) for path, mode in modes.items() if mode != (0o700 if path.is_dir() else 0o600)} == {}


def test_a_vault_whose_first_writer_was_killed_is_whole(tmp_path: Path) -> None:
    """If the first writer was killed before it acknowledged anything, nothing is missing."""
    FileVault(tmp_path).append(KEY, b"a\n", seen_at=SEEN_AT)

    assert list(verification.state_findings(FileVault(tmp_path))) == []


def use(vault: FileVault) -> None:
    """Does everything that creates a file or folder."""
    for key in (KEY, SIDE):
        vault.append(key, b"a\n", seen_at=SEEN_AT)
    vault.put_blob(b"blob")
    vault.flush()
    vault.seal(KEY)
    vault.append(KEY, b"b\n", seen_at=SEEN_AT)
    vault.close()


def places_made(folder: Path) -> list[Path]:
    vault = FileVault(folder)
    use(vault)
    vault.seal(KEY)
    sealed = [path.relative_to(folder) for path in folder.rglob("*")]
    vault.append(KEY, b"c\n", seen_at=SEEN_AT)
    vault.close()
    return sorted({*sealed, *(path.relative_to(folder) for path in folder.rglob("*"))})


def test_no_link_is_followed(tmp_path: Path) -> None:
    """A link in the place of any file or folder of the vault is neither written through nor read through."""
    places = places_made(tmp_path / "model")
    assert len(places) >= 9
    for number, place in enumerate(places):
        outside, root = tmp_path / f"outside-{number}", tmp_path / f"vault-{number}"
        link = root / place
        link.parent.mkdir(parents=True)
        is_folder = (tmp_path / "model" / place).is_dir()
        if is_folder:
            outside.mkdir()
        else:
            outside.write_bytes(b"theirs")
        link.symlink_to(outside)

        vault = FileVault(root)
        try:
            use(vault)
        except VaultUnwritable:
            assert link.is_symlink()
        else:
            # A blob is written as a whole under its name, so it replaces the link.
            assert place.parts[0] == "blobs" and not link.is_symlink()
        for key in list(vault.keys()):
            assert b"theirs" not in b"".join(getattr(line, "body", b"") for line in vault.lines(key))
        assert outside.read_bytes() == b"theirs" if not is_folder else list(outside.iterdir()) == [], place


def test_a_dangling_link_makes_no_file(tmp_path: Path) -> None:
    """The vault does not write through a link whose target does not exist."""
    vault = FileVault(tmp_path / "vault")
    vault.append(SIDE, b"a\n", seen_at=SEEN_AT)
    vault.path(KEY).symlink_to(tmp_path / "elsewhere")

    with pytest.raises(VaultUnwritable, match="link"):
        vault.append(KEY, b"a\n", seen_at=SEEN_AT)
    assert not (tmp_path / "elsewhere").exists()
    vault.close()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a link away")
def test_the_root_may_be_a_link_of_ones_own(tmp_path: Path) -> None:
    """A person may link the vault's folder to another place, and a link of another user is refused."""
    for name, owner in (("own", os.geteuid()), ("theirs", 12345)):
        (tmp_path / f"{name}-target").mkdir()
        (tmp_path / name).symlink_to(tmp_path / f"{name}-target")
        os.lchown(tmp_path / name, owner, owner)

    use(FileVault(tmp_path / "own"))
    with pytest.raises(VaultUnwritable, match="another user"):
        use(FileVault(tmp_path / "theirs"))
    assert list((tmp_path / "theirs-target").iterdir()) == []


def test_a_pipe_in_the_way_does_not_block(tmp_path: Path) -> None:
    """A pipe in the place of a stream is refused at once."""
    vault = FileVault(tmp_path)
    vault.append(SIDE, b"a\n", seen_at=SEEN_AT)
    os.mkfifo(vault.path(KEY))

    with pytest.raises(VaultUnwritable, match="regular"):
        vault.append(KEY, b"a\n", seen_at=SEEN_AT)
    vault.close()


def test_a_newer_vault_is_read_only(tmp_path: Path) -> None:
    """A vault of a newer format can be read, also its ends. Every change is refused with what to do."""
    old = FileVault(tmp_path)
    old.append(KEY, b"a\n", seen_at=SEEN_AT)
    blob = old.put_blob(b"x")
    old.close()
    (tmp_path / "vault.json").write_text(json.dumps({"format": format_version.FORMAT + 1}))
    before = sorted((path, path.stat().st_mtime_ns) for path in tmp_path.rglob("*"))
    vault = FileVault(tmp_path)

    assert vault.is_too_new
    assert (contents(vault, KEY), vault.tail(KEY), vault.blob(blob)) == (b"a\n", Tail(offset=2, seq=1), b"x")
    for change in (
        lambda: vault.append(KEY, b"b\n", seen_at=SEEN_AT),
        lambda: vault.revise(KEY, 0),
        lambda: vault.put_blob(b"y"),
        lambda: vault.seal(KEY),
        lambda: vault.forget(KEY),
    ):
        with pytest.raises(VaultTooNew, match="format 2, this Chorus writes 1: upgrade Chorus"):
            change()
    vault.close()
    assert sorted((path, path.stat().st_mtime_ns) for path in tmp_path.rglob("*")) == before


def test_files_of_others_are_no_streams(tmp_path: Path) -> None:
    """Names that the vault would not use, and a main stream in the wrong place, are ignored."""
    vault = FileVault(tmp_path)
    use(vault)
    folder = vault.path(KEY).parent
    for name in ("x.jsonl.5.tmp", ".hidden.jsonl", "notes.txt", "talk/session.jsonl", "talk.jsonl.zst.damaged"):
        (folder / name).write_bytes(b"x")

    assert list(vault.keys()) == [SIDE, KEY]


def test_a_damaged_blob_is_put_again(tmp_path: Path) -> None:
    """A blob that does not match its name is treated as missing, and the next write repairs it."""
    vault = FileVault(tmp_path)
    name = vault.put_blob(b"a plan")
    (path,) = [path for path in (tmp_path / "blobs").rglob("*") if path.is_file()]
    path.write_bytes(b"a flan")

    assert vault.blob(name) is None
    assert vault.put_blob(b"a plan") == name
    assert vault.blob(name) == b"a plan"
    vault.close()


@pytest.mark.parametrize("version", sorted(SAMPLE.iterdir()), ids=lambda path: path.name)
def test_kept_samples_still_open(version: Path) -> None:
    """A vault of each earlier and current format is read as it was written."""
    vault = FileVault(version)

    assert sorted(vault.keys()) == sorted(KEYS)
    assert {key: contents(vault, key) for key in KEYS} == TEXTS
    assert contents(vault, StreamKey("work-12345678", "main", "rewritten"), 0) == b'{"n":1}\n{"n":2}\n'
    assert vault.blob("2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae") == b"foo"


@pytest.mark.parametrize("is_listed", [True, False])
def test_what_a_power_cut_tore_is_set_aside_by_the_next_writer(tmp_path, is_listed):
    """After the acknowledged end, a torn line and all lines after it are moved to a file beside the stream.

    No line of the stream is damaged.
    """
    key = StreamKey("work-12345678", "main", "c1")
    with closing(FileVault(tmp_path / "v")) as vault:
        vault.append(StreamKey("work-12345678", "main", "c0"), b'{"n":0}\n', seen_at=SEEN_AT)
        if is_listed:
            vault.append(key, b'{"n":1}\n', seen_at=SEEN_AT)
    path = vault.path(key)
    acknowledged = path.read_bytes() if is_listed else b""
    start = len(acknowledged.splitlines())
    lost = FileVault(tmp_path / "v")
    lost.append(key, b"".join(b'{"n":%d}\n' % n for n in range(start + 1, 6)), seen_at=SEEN_AT)
    whole = path.read_bytes().splitlines(keepends=True)
    del lost
    torn = b"".join([*whole[: start + 1], bytes(40) + whole[start + 1][40:], *whole[start + 2 :]])
    path.write_bytes(torn)

    with closing(FileVault(tmp_path / "v")) as vault:
        tail = vault.tail(key)
        assert tail.seq == start + 1
        (said,) = vault.cut
        vault.append(key, b"".join(b'{"n":%d}\n' % n for n in range(start + 2, 6)), seen_at=SEEN_AT)
    assert "power cut" in said
    with closing(FileVault(tmp_path / "v")) as vault:
        assert not [line for line in vault.lines(key) if isinstance(line, Damaged)]
        assert contents(vault, key) == b"".join(b'{"n":%d}\n' % n for n in range(1, 6))
        assert vault.tail(key).seq == 5 and not vault.cut
        assert not check(vault, []).damaged
    (aside,) = path.parent.glob("*.damaged")
    assert path.read_bytes().splitlines(keepends=True)[: start + 1] == whole[: start + 1]
    assert aside.read_bytes() == b"".join([bytes(40) + whole[start + 1][40:], *whole[start + 2 :]])
