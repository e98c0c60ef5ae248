"""Tests that a stream is read once, up to its end at the moment of opening."""

from pathlib import Path

import pytest

from chorus.errors import SourceUnreadable
from chorus.keep.sources.reading import CHUNK_BYTES, STDIN, Reading, is_regular, opened


def test_counts_are_those_of_the_stream(tmp_path):
    """The counted lines and bytes, and the reported progress, agree with the file."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"type":"user"}\n\n' * (CHUNK_BYTES // 10))
    advanced = []
    reading = Reading(str(path), advanced.append)
    pieces = [piece for batch in reading.batches() for piece in batch]

    assert b"".join(piece.raw + piece.tail for piece in pieces) == path.read_bytes()
    assert (reading.lines, reading.size_bytes) == (CHUNK_BYTES // 10, path.stat().st_size)
    assert len(advanced) > 1 and sum(advanced) == reading.size_bytes


def test_a_growing_file_is_read_up_to_its_first_end(tmp_path):
    """A file that never stops growing is read only up to its first end."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"type":"user"}\n')
    reading = Reading(str(path))
    for _ in reading.batches():
        with path.open("ab") as file:
            file.write(b'{"type":"user"}\n')

    assert reading.lines == 1


def test_a_folder_is_no_stream(tmp_path):
    """A source that cannot be opened raises a SourceUnreadable that names it."""
    with pytest.raises(SourceUnreadable, match=tmp_path.name):
        list(Reading(str(tmp_path)).batches())


def test_a_reader_beside_sees_the_bytes_first(tmp_path):
    """A second reader gets each chunk before its pieces are returned."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"type":"user"}\n')
    seen = []
    for batch in Reading(str(path)).batches(seen.append):
        seen.extend(piece.raw for piece in batch)

    assert seen == [b'{"type":"user"}\n', b'{"type":"user"}']


def test_a_file_that_says_it_is_empty_is_read_until_it_ends():
    """A file that the system creates on reading says that it is empty, and is read until it ends."""
    path = Path("/proc/self/status")
    if not path.exists():
        pytest.skip("this system has no files like those in /proc")

    reading = Reading(str(path))
    assert list(reading.batches())
    assert reading.size_bytes > 0


def test_only_files_on_disk_can_be_read_twice(tmp_path, monkeypatch):
    """Only a file on disk can be read twice, not standard input, a folder or a missing file."""
    (tmp_path / "a").touch()
    (tmp_path / STDIN).touch()
    monkeypatch.chdir(tmp_path)

    assert not is_regular(STDIN)
    assert [is_regular(name) for name in (str(tmp_path / "a"), str(tmp_path), str(tmp_path / "gone"))] == [
        True,
        False,
        False,
    ]


def test_a_reader_that_went_away_is_not_the_streams_fault(tmp_path):
    """A broken pipe while results are written is not reported as an unreadable source."""
    (tmp_path / "a").touch()
    with pytest.raises(BrokenPipeError), opened(str(tmp_path / "a")):
        raise BrokenPipeError


def test_a_line_of_many_records_comes_in_many_batches(tmp_path):
    """A line with a list of a hundred thousand records is never whole in memory, and its pieces are all its bytes."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"[" + b",".join([b"{}"] * 100_000) + b"]\n")
    sizes, size_bytes = [], 0
    for batch in Reading(str(path)).batches():
        sizes.append(len(batch))
        size_bytes += sum(len(piece.raw) + len(piece.tail) for piece in batch)

    assert max(sizes) <= 1_000 and size_bytes == path.stat().st_size
