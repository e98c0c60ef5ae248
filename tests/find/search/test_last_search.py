"""Tests that the hits of the last search are found by their numbers."""

import pytest

from chorus.find.search.last_search import LastSearch, Remembered, is_number, recall, remember


def search(*names, **more):
    return LastSearch(query="x", hits=[Remembered(name, "an entry", 7) for name in names], **more)


def test_hits_are_had_back_by_their_numbers(tmp_path):
    """The numbers of a later page continue those of the page before, and other numbers name no hit."""
    remember(tmp_path, search("a/main/1", "a/main/2", first=21))
    last = recall(tmp_path)

    assert last.query == "x" and last.hit(22) == Remembered("a/main/2", "an entry", 7)
    assert [last.hit(number) for number in (0, 1, 20, 23)] == [None] * 4


def test_only_the_last_search_counts(tmp_path):
    """The next search replaces the last one completely, in a file that only this user can read."""
    remember(tmp_path, search("a/main/1", "a/main/2"))
    remember(tmp_path, search("b/main/1"))
    file = tmp_path / "cache" / "last-search.json"

    assert recall(tmp_path).hit(1) == Remembered("b/main/1", "an entry", 7) and recall(tmp_path).hit(2) is None
    assert file.stat().st_mode & 0o777 == 0o600 and list(file.parent.iterdir()) == [file]


@pytest.mark.parametrize("content", [b"", b"[]", b"\xff", b'{"version":99,"hits":[{"conversation":"a/main/1"}]}'])
def test_what_cannot_be_read_is_no_search(tmp_path, content):
    """A damaged file, or one of another version, is treated as no search."""
    remember(tmp_path, search("a/main/1"))
    (tmp_path / "cache" / "last-search.json").write_bytes(content)

    assert recall(tmp_path) == LastSearch()


def test_it_never_fails(tmp_path):
    """If the file cannot be written, nothing is remembered and no error is raised."""
    (tmp_path / "cache").write_text("in the way")
    remember(tmp_path, search("a/main/1"))

    assert recall(tmp_path) == LastSearch()


@pytest.mark.parametrize(
    ("text", "is_one"), [("3", True), ("1000", True), ("0", False), ("03", False), ("12345678", False)]
)
def test_numbers_are_short_and_begin_with_no_zero(text, is_one):
    """The number of a hit is short and has no leading zero, because eight digits are the beginning of an id."""
    assert is_number(text) is is_one
