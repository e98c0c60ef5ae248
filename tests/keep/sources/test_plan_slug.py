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


@pytest.mark.parametrize("where", ["first line", "middle", "before a long line", "in a long line", "in two blocks"])
def test_the_slug_is_found_anywhere(path, where):
    """It does not matter how much follows the slug or stands before it, also within its line."""
    long, slug = b'{"text":"' + b"x" * 600_000, b'{"slug" : "quiet-fox"}\n'
    parts = {
        "first line": slug + _FILLING * 900,
        "middle": _FILLING * 900 + slug + _FILLING * 900,
        "before a long line": _FILLING * 900 + slug + long + b'"}\n',
        "in a long line": _FILLING * 900 + long + b'", ' + slug[1:] + long + b'"}\n',
        "in two blocks": slug + b" " * ((256 << 10) - len(slug) + 5) + b"\n",
    }
    path.write_bytes(parts[where])
    with path.open("rb") as file:
        assert slug_of(file) == "quiet-fox"
        assert Slugs().of(str(path), file, has_grown=True) == "quiet-fox"


def test_a_field_of_another_object_is_no_slug(path):
    """A field of the same name inside another value of a later line does not count."""
    path.write_bytes(
        b'{"slug":"quiet-fox"}\n' + b'{"toolUseResult":{"slug":"other"},"text":"\\"slug\\":\\"x\\""}\n' * 5_000
    )
    with path.open("rb") as file:
        assert slug_of(file) == "quiet-fox"
