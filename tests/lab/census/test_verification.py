"""Tests that the checks of several processes are merged."""

from chorus.lab.census.verification import Difference, Verification


def test_differences_are_put_together_by_file():
    """All differences survive merging, in the order of their files, whichever process finished first."""
    first, second = Verification(), Verification()
    first.differences = [Difference("b", 1, "x"), Difference("d", 1, "x")]
    second.differences = [Difference("a", 1, "x"), Difference("c", 1, "x")]
    first.merge(second)

    assert [difference["file"] for difference in first.as_json()["differences"]] == ["a", "b", "c", "d"]
    assert not first.as_json()["identical"]
