"""Tests the name of a live session's plan while its file grows."""

from pathlib import Path

import pytest

from chorus.keep.sources.plan_slug import Slugs, slug_of

_FILLING = b'{"type":"user","text":"' + b"x" * 1_000 + b'"}\n'


@pytest.fixture
def path(tmp_path):
    made = tmp_path / "session.jsonl"
    made.write_bytes(_FILLING)
    return made


def _grown(path: Path, data: bytes, slugs: Slugs, *, has_grown: bool = True) -> str | None:
    with path.open("ab") as file:
        file.write(data)
    with path.open("rb") as file:
        return slugs.of(str(path), file, has_grown=has_grown)


def test_the_last_slug_counts(path):
    """A later line replaces the slug, and any number of lines without one keep it."""
    slugs = Slugs()
    assert _grown(path, b'{"slug":"first"}\n', slugs) == "first"
    assert _grown(path, _FILLING, slugs) == "first"
    assert _grown(path, b'{"slug" : "sec\\u006fnd"}\n', slugs) == "second"
    assert _grown(path, _FILLING * 600, slugs) == "second"
    assert _grown(path, _FILLING, slugs) == "second"


def test_a_line_in_two_pieces(path):
    """A line that was incomplete at the last read is read as a whole."""
    slugs = Slugs()
    assert _grown(path, b'{"sl', slugs) is None
    assert _grown(path, b'ug":"later"}\n', slugs) == "later"


def test_a_rewritten_file_is_read_again(path):
    """After a rewrite, the slug of the earlier content is not used."""
    slugs = Slugs()
    assert _grown(path, b'{"slug":"first"}\n', slugs) == "first"
    path.write_bytes(_FILLING)
    assert _grown(path, _FILLING, slugs, has_grown=False) is None


@pytest.mark.parametrize("field", [b'"slug"', b'"\\u0073lug"', b'"\\u0073\\u006C\\u0075\\u0067"'])
def test_spellings(path, field):
    """Each letter of the field's name may be written as an escape."""
    path.write_bytes(_FILLING + b"{" + field + b':"quiet-fox"}\n' + _FILLING)
    with path.open("rb") as file:
        assert slug_of(file) == "quiet-fox"
