"""Tests that sealed streams are small, readable by other tools, and safe after any crash."""

import shutil
import subprocess
from pathlib import Path

import pytest

from chorus.keep.vault import packed_frames, sealing
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.port import contents
from chorus.testing.builders import corpus
from tests.keep.vault.lines import KEY, SEEN_AT, line, source


def total(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def test_sealed_sessions_take_a_fifth(tmp_path: Path) -> None:
    """A sealed vault takes at most 0.2 of the size of its sources."""
    sources = corpus(tmp_path / "sources", seed=5, megabytes=6)
    vault = FileVault(tmp_path / "vault")
    for number, path in enumerate(sources):
        key = StreamKey("w", "main", f"talk-{number}")
        vault.append(key, path.read_bytes(), seen_at=SEEN_AT)
        vault.seal(key)

    assert total(tmp_path / "vault") <= 0.2 * sum(path.stat().st_size for path in sources)
    assert all(contents(vault, StreamKey("w", "main", f"talk-{n}")) == p.read_bytes() for n, p in enumerate(sources))


@pytest.mark.skipif(shutil.which("zstd") is None, reason="zstd is not installed")
def test_zstd_gives_the_lines_back(tmp_path: Path) -> None:
    """The `zstd` tool checks a sealed file and unpacks it to the original lines."""
    vault = FileVault(tmp_path)
    vault.append(KEY, source(200), seen_at=SEEN_AT)
    vault.flush()
    lines = vault.path(KEY).read_bytes()
    vault.seal(KEY)

    done = subprocess.run(["zstd", "-dc", sealing.sealed(vault.path(KEY))], capture_output=True, check=True)

    assert done.stdout == lines
    assert len(lines) > 2 * packed_frames.FRAME_BYTES


def test_what_a_crash_left_beside_the_open_file(tmp_path: Path) -> None:
    """If both files of a stream exist, the open one is read.

    The sealed one is removed if it adds nothing, or else set aside.
    """
    vault = FileVault(tmp_path)
    vault.append(KEY, source(9), seen_at=SEEN_AT)
    vault.flush()
    path = vault.path(KEY)
    lines = path.read_bytes()
    vault.seal(KEY)
    packed = sealing.sealed(path).read_bytes()

    path.write_bytes(lines)
    assert contents(vault, KEY) == source(9)
    vault.append(KEY, line(9), seen_at=SEEN_AT)
    vault.flush()
    assert [each.name for each in sealing.traces(path) if each.exists()] == ["talk.jsonl"]

    path.write_bytes(b"".join(lines.splitlines(keepends=True)[:5]))
    sealing.sealed(path).write_bytes(packed)
    vault.append(KEY, line(5), seen_at=SEEN_AT)
    vault.close()
    assert (path.parent / "talk.jsonl.zst.damaged").read_bytes() == packed


def test_an_empty_open_file_hides_nothing(tmp_path: Path) -> None:
    """An empty open file that was created during sealing does not hide the sealed lines."""
    vault = FileVault(tmp_path)
    vault.append(KEY, source(9), seen_at=SEEN_AT)
    vault.seal(KEY)
    vault.path(KEY).touch()

    assert contents(vault, KEY) == source(9)
    vault.seal(KEY)
    assert contents(vault, KEY) == source(9)
    vault.append(KEY, line(9), seen_at=SEEN_AT)
    assert contents(vault, KEY) == source(10)
    vault.close()


def test_a_torn_tail_is_not_sealed(tmp_path: Path) -> None:
    """The incomplete last line of a killed writer is not sealed."""
    vault = FileVault(tmp_path)
    vault.append(KEY, source(9), seen_at=SEEN_AT)
    vault.flush()
    with vault.path(KEY).open("ab") as file:
        file.write(b'{"crc":12,"id')
    vault.seal(KEY)

    assert contents(vault, KEY) == source(9)
