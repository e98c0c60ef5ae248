"""Tests edits as the client applies them, and the check against its patch."""

import pytest

from chorus.core.file_versions.edits import Replacement, agrees, edited
from chorus.core.records.model.file_results import Hunk


def patch(*lines, start=1):
    old = sum(line[0] in " -" for line in lines)
    return [Hunk(oldStart=start, oldLines=old, newStart=start, newLines=len(lines) - old, lines=list(lines))]


def test_a_line_that_becomes_empty_is_removed():
    """If a text is replaced by nothing, the end of its line is removed as well."""
    assert edited("a\nb\nc\n", [Replacement("b", "")], patch(" a", "-b", " c")) == ("a\nc\n", True)


def test_a_patch_with_tabs_as_spaces_is_understood():
    """In the patch of the client, each leading tab is two spaces."""
    assert edited("\ta\n", [Replacement("a", "b")], patch("-  a", "+  b")) == ("\tb\n", True)


@pytest.mark.parametrize("end", ["\r", "\u2028", "\u2029"])
def test_tabs_after_any_end_of_a_line_are_spaces_in_a_patch(end):
    """What JavaScript takes for the end of a line may be inside of a line here; tabs after it become spaces as well."""
    before, shown = f"a{end}\t\tb\n", f"a{end}    b"

    assert edited(before, [Replacement("a", "x")], patch(f"-{shown}", f"+x{shown[1:]}")) == (f"x{before[1:]}", True)
    assert edited("q\n", [Replacement("q", "w")], patch("-q", f"+{shown}")) == (f"{shown}\n", False)


def test_a_patch_that_says_something_else_wins():
    """If the patch shows another text than the replacement, the text of the patch counts as written."""
    assert edited("a\nb\n", [Replacement("b", "x")], patch(" a", "-b", "+y")) == ("a\ny\n", True)


def test_a_line_that_may_begin_with_tabs_is_not_certain():
    """A line of the patch that begins with spaces and that the replacement does not explain is not certain."""
    assert edited("a\nb\n", [Replacement("b", "x")], patch(" a", "-b", "+  y")) == ("a\n  y\n", False)


def test_a_patch_of_another_text_is_refused():
    """A patch that does not fit the text before the edit gives no result."""
    assert edited("a\nb\n", [Replacement("q", "x")], patch(" z", "-q", "+x")) is None
    assert not agrees("a\nb\n", "a\nc\n", patch(" a", "-b", "+d"))


def test_the_end_of_the_file_is_part_of_the_check():
    """The check against the patch notices a missing line feed at the end of the file."""
    last = "\\ No newline at end of file"
    assert agrees("a\nb", "a\nc", patch(" a", "-b", last, "+c", last))
    assert not agrees("a\nb\n", "a\nc", patch(" a", "-b", "+c"))
