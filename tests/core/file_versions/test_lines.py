"""Tests differences of texts, stored contents and blame."""

from hypothesis import given
from hypothesis import strategies as st

from chorus.core.file_versions.blame import blame
from chorus.core.file_versions.contents import Contents
from chorus.core.file_versions.files import files_of
from chorus.core.file_versions.lines import NO_END, counts, difference, lines_of
from tests.core.file_versions.simulated_client import SimulatedClient

FILES = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\r\n", b"\n", b"  d\n", b"e"]), max_size=30).map(b"".join)


def applied(old, hunks):
    """Returns the text that results from applying the hunks of a unified diff."""
    lines, new, at, sign = lines_of(old), [], 0, ""
    for hunk in hunks:
        new += lines[at : hunk.old_start - 1]
        at = hunk.old_start - 1
        for line in hunk.lines:
            if line == NO_END:
                if sign in " +":
                    new[-1] = new[-1][:-1]
                continue
            sign = line[0]
            if sign in " -":
                at += 1
            if sign in " +":
                new.append(line[1:].encode() + b"\n")
    return b"".join(new + lines[at:])


@given(old=FILES, new=FILES)
def test_a_difference_leads_from_one_text_to_the_other(old, new):
    """The hunks applied to the old text give the new one, and the counts are the numbers of their signs."""
    hunks = difference(old, new)
    assert applied(old, hunks) == new
    signs = [line[0] for hunk in hunks for line in hunk.lines]
    assert counts(old, new) == (signs.count("+"), signs.count("-"))


def test_white_space_can_be_ignored():
    """Lines that differ only in white space count as equal."""
    assert difference(b"a b\nc\n", b"a  b\r\nc\n", ignores_space=True) == ()
    assert difference(b"a b\nc\n", b"a  b\nd\n", ignores_space=True)[0].lines == (" a  b", "-c", "+d")


@given(st.lists(FILES, min_size=1, max_size=100))
def test_contents_come_back(contents):
    """Every stored content can be read again."""
    stored = Contents()
    for number, content in enumerate(contents, 1):
        stored.add(number, content)
    assert [stored.of(number) for number in range(1, len(contents) + 1)] == contents
    assert stored.of(len(contents) + 1) is None


def test_many_versions_of_a_large_file_need_little():
    """A thousand small edits of a large file are stored as differences."""
    stored, content = Contents(), b"x" * 200_000
    for number in range(1, 1001):
        content = content[:number] + b"y" + content[number + 1 :]
        stored.add(number, content)
    assert sum(len(each.middle) for each in stored._stored.values()) < 40 * len(content)


def test_blame_names_the_call_of_each_line():
    """Each line has the version that added it; lines from before the first edit belong to the first version."""
    client = SimulatedClient({"a.txt": b"one\ntwo\nthree\n"})
    client.edit("a.txt", "two", "zwei\nzwei b")
    client.edit("a.txt", "three", "drei")
    (file,) = files_of([client.conversation()], client.backup)
    found = [(each.first, each.lines, each.version.number) for each in blame(file, file.last)]
    assert found == [(1, ("one",), 1), (2, ("zwei", "zwei b"), 2), (4, ("drei",), 3)]
