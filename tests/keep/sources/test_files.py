"""Tests which sources a name means, and that their pieces together are all bytes."""

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
    """A file gives itself, a folder gives every JSONL file below it in order and once, and `-` is standard input."""
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
    """The error about a missing source names it."""
    with pytest.raises(SourceUnreadable, match=r"gone\.jsonl"):
        expand([tmp_path / "gone.jsonl"])
    with pytest.raises(SourceUnreadable, match="gone"):
        list(pieces(str(tmp_path / "gone")))
    with pytest.raises(SourceUnreadable):
        list(pieces(str(tmp_path)))


def test_links_that_make_a_circle_are_no_harm(tmp_path):
    """A folder that links to itself is read once, and a link without a target is ignored."""
    (tmp_path / "a.jsonl").touch()
    (tmp_path / "again").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "dangling.jsonl").symlink_to(tmp_path / "gone")

    assert expand([tmp_path]) == [str(tmp_path / "a.jsonl")]


def test_a_file_is_tiled(tmp_path):
    """The pieces of a file that is longer than a chunk are all its bytes, and have its name."""
    path = tmp_path / "a.jsonl"
    data = big()
    path.write_bytes(data)
    found = list(pieces(str(path)))

    assert_tiles(data, found)
    assert {piece.stream for piece in found} == {str(path)}
    assert fingerprint(found) == fingerprint(split(data))


def test_a_file_that_gives_little_at_a_time():
    """Short reads, as from a pipe, give the same pieces."""

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
    """An empty file has no pieces."""
    (tmp_path / "a.jsonl").touch()

    assert list(pieces(str(tmp_path / "a.jsonl"))) == []


def test_the_last_piece_of_an_open_file_needs_no_line_end():
    """The last bytes of a file without a line end become a piece when the file ends."""
    data = b'{"type":"user"}\n{"type":'

    assert_tiles(data, list(pieces_of(io.BytesIO(data), StreamId("test"))))


def test_what_is_there_is_taken_without_waiting_for_more():
    """Existing bytes are read without waiting for more, because the writer of a pipe may wait for an answer."""

    class Pipe(io.BytesIO):
        def read(self, size=-1):
            raise AssertionError("would wait for a full buffer")

        def read1(self, size=-1):
            return super().read1(5)

    assert [piece.raw for piece in pieces_of(Pipe(b'{"type":"user"}\n'), StreamId("test"))] == [b'{"type":"user"}']
