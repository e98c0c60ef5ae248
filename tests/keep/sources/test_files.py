"""Sources: what names stand for, and bytes in pieces that tile them."""

import io
import sys

import pytest

from chorus.core.records.place import StreamId
from chorus.errors import SourceUnreadable
from chorus.keep.sources.files import STDIN, expand, pieces, pieces_of
from chorus.testing.builders import Session
from chorus.testing.reading import assert_tiles, fingerprint, split


def big():
    session = Session()
    for n in range(300):
        session.user(f"{n} " * 600)
    return bytes(session)


def test_names_are_expanded(tmp_path):
    """A file is itself, a folder every JSONL file below it in order, each once, and `-` is standard input."""
    for folder in ("b/c", "d"):
        (tmp_path / folder).mkdir(parents=True)
    for name in ("b/2.jsonl", "b/1.jsonl", "b/c/0.jsonl", "d/3.jsonl", "a.txt", "z.jsonl"):
        (tmp_path / name).touch()
    text = str(tmp_path / "a.txt")

    found = expand([tmp_path, STDIN, text, tmp_path / "z.jsonl"])
    assert found == [
        *(str(tmp_path / name) for name in ("z.jsonl", "b/1.jsonl", "b/2.jsonl", "b/c/0.jsonl", "d/3.jsonl")),
        STDIN,
        text,
    ]


def test_a_name_that_leads_nowhere_is_an_error(tmp_path):
    """The error names the source."""
    with pytest.raises(SourceUnreadable, match=r"gone\.jsonl"):
        expand([tmp_path / "gone.jsonl"])
    with pytest.raises(SourceUnreadable, match="gone"):
        list(pieces(str(tmp_path / "gone")))
    with pytest.raises(SourceUnreadable):
        list(pieces(str(tmp_path)))


def test_links_that_make_a_circle_are_no_harm(tmp_path):
    """A folder that links to itself is walked once; a link that leads nowhere is passed over."""
    (tmp_path / "a.jsonl").touch()
    (tmp_path / "again").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "dangling.jsonl").symlink_to(tmp_path / "gone")

    assert expand([tmp_path]) == [str(tmp_path / "a.jsonl")]


def test_a_file_is_tiled(tmp_path):
    """The pieces of a file longer than a chunk are its bytes, and carry its name."""
    path = tmp_path / "a.jsonl"
    data = big()
    path.write_bytes(data)
    found = list(pieces(str(path)))

    assert_tiles(data, found)
    assert {piece.stream for piece in found} == {str(path)}
    assert fingerprint(found) == fingerprint(split(data))


def test_a_file_that_gives_little_at_a_time():
    """Short reads, as of a pipe, change nothing."""

    class Trickle(io.BytesIO):
        def read(self, size=-1):
            return super().read(7)

    data = b'{"type":"user"}\n' * 20 + b"noise"

    assert fingerprint(pieces_of(Trickle(data), StreamId("test"))) == fingerprint(split(data))


def test_standard_input(monkeypatch):
    """Standard input is read as bytes."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"type":"user"}\r\n')))
    (piece,) = pieces(STDIN)

    assert (piece.stream, piece.raw, piece.tail) == ("-", b'{"type":"user"}', b"\r\n")


def test_a_file_may_be_empty(tmp_path):
    """No bytes, no pieces."""
    (tmp_path / "a.jsonl").touch()

    assert list(pieces(str(tmp_path / "a.jsonl"))) == []


def test_the_last_piece_of_an_open_file_needs_no_line_end():
    """What was held back comes out when the file ends."""
    data = b'{"type":"user"}\n{"type":'

    assert_tiles(data, list(pieces_of(io.BytesIO(data), StreamId("test"))))


def test_what_is_there_is_taken_without_waiting_for_more():
    """A pipe's writer may wait for an answer to its last line."""

    class Pipe(io.BytesIO):
        def read(self, size=-1):
            raise AssertionError("would wait for a full buffer")

        def read1(self, size=-1):
            return super().read1(5)

    assert [piece.raw for piece in pieces_of(Pipe(b'{"type":"user"}\n'), StreamId("test"))] == [b'{"type":"user"}']
