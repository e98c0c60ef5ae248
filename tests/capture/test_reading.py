"""One stream read once, up to where it ended when it was opened."""

import pytest

from chorus.capture.reading import CHUNK_BYTES, Reading
from chorus.errors import SourceUnreadable


def test_counts_are_those_of_the_stream(tmp_path):
    """Lines with content, bytes, and what was reported on the way agree with the file."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"type":"user"}\n\n' * (CHUNK_BYTES // 10))
    advanced = []
    reading = Reading(str(path), advanced.append)
    pieces = [piece for batch in reading.batches() for piece in batch]

    assert b"".join(piece.raw + piece.tail for piece in pieces) == path.read_bytes()
    assert (reading.lines, reading.size_bytes) == (CHUNK_BYTES // 10, path.stat().st_size)
    assert len(advanced) > 1 and sum(advanced) == reading.size_bytes


def test_a_growing_file_is_read_up_to_its_first_end(tmp_path):
    """A writer that never stops does not keep the reader for ever."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"type":"user"}\n')
    reading = Reading(str(path))
    for _ in reading.batches():
        with path.open("ab") as file:
            file.write(b'{"type":"user"}\n')

    assert reading.lines == 1


def test_a_folder_is_no_stream(tmp_path):
    """What cannot be opened is a SourceUnreadable that names it."""
    with pytest.raises(SourceUnreadable, match=tmp_path.name):
        list(Reading(str(tmp_path)).batches())
