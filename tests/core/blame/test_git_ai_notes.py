"""Tests notes of git-ai: written as authorship/3.0.0 says, read in all forms, merged without losing anything."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chorus.core.blame.git_ai_notes import claims_of, key_of, merged, note_of, read_note, session_key, write_note
from chorus.core.blame.line_ranges import ranges_of, read_ranges, write_ranges
from chorus.core.blame.origins import Edit

COMMIT = "a" * 40
EDIT = Edit("5e551011-0000-4000-8000-000000000001", turn=2, call="toolu_1", model="claude-opus-5")
FOREIGN = (
    'a.py\n  h_dca485b1adf836 1-2\n  d4a7828bfdafe456 3\n"other file.py"\n  s_0123456789abcd::t_0123456789abcd 1\n---\n'
    + json.dumps(
        {
            "schema_version": "authorship/3.0.0",
            "git_ai_version": "1.3.4",
            "base_commit_sha": COMMIT,
            "prompts": {
                "d4a7828bfdafe456": {"agent_id": {"tool": "cursor", "id": "x", "model": "m"}, "accepted_lines": 1}
            },
            "humans": {"h_dca485b1adf836": {"author": "Ada <ada@example.org>"}},
            "sessions": {"s_0123456789abcd": {"agent_id": {"tool": "codex", "id": "y", "model": "n"}}},
        }
    )
)


def ours(lines):
    return note_of(COMMIT, {"a.py": {EDIT: lines}}, "Ada <ada@example.org>")[0]


def test_a_note_has_the_published_form():
    """Paths, keys and ranges stand above the divider, and the JSON below it says what the keys mean."""
    note, left_out = note_of(
        COMMIT, {"a.py": {EDIT: [(1, 2), (4, 4)]}, "b c.py": {EDIT: [(1, 1)]}, 'q".py': {EDIT: [(1, 1)]}}, "Ada"
    )
    head, _, tail = write_note(note).partition("\n---\n")
    key = f"{session_key(EDIT.conversation)}::t_"

    assert left_out == ['q".py']
    assert re.fullmatch(rf'a\.py\n  {key}[0-9a-f]{{14}} 1-2,4\n"b c\.py"\n  {key}[0-9a-f]{{14}} 1', head)
    agent = {"tool": "claude", "id": EDIT.conversation, "model": "claude-opus-5"}
    assert json.loads(tail) == {
        "schema_version": "authorship/3.0.0",
        "base_commit_sha": COMMIT,
        "prompts": {},
        "sessions": {session_key(EDIT.conversation): {"agent_id": agent, "human_author": "Ada"}},
    }
    assert re.fullmatch("s_[0-9a-f]{14}::t_[0-9a-f]{14}", key_of(EDIT))


def test_what_a_note_says_already_stays():
    """Merging adds only lines that nobody claimed, keeps every other fact, and is done after the first time."""
    known = read_note(FOREIGN)
    new = merged(known, ours([(2, 5)]))

    assert new.files["a.py"][:2] == known.files["a.py"] and new.files["other file.py"] == known.files["other file.py"]
    assert new.files["a.py"][2].ranges == [(4, 5)]
    assert {**new.metadata, "sessions": known.metadata["sessions"]} == known.metadata
    assert new.metadata["sessions"].keys() == {"s_0123456789abcd", session_key(EDIT.conversation)}
    assert merged(read_note(write_note(new)), ours([(2, 5)])) == new
    assert merged(known, ours([(1, 3)])) == known


def test_claims_of_every_kind_of_key():
    """A line leads to a person, to a prompt of older notes, or to a session."""
    note = read_note(FOREIGN)

    assert [(each.author, each.person) for each in claims_of(note, "a.py", 1)] == [("human", "Ada <ada@example.org>")]
    assert [(each.author, each.tool, each.model) for each in claims_of(note, "a.py", 3)] == [("ai", "cursor", "m")]
    assert [each.session for each in claims_of(note, "other file.py", 1)] == ["y"]
    assert not list(claims_of(note, "a.py", 4)) and not list(claims_of(note, "b.py", 1))


TAIL = FOREIGN[FOREIGN.index("---") :]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no divider"),
        ("---\n", "no JSON"),
        ("a\n---\n{}", "version"),
        ("---\n[1]", "version"),
        ('---\n{"schema_version": "authorship/4.0.0"}', "version"),
        ("---\n" + "[" * 99_999, "no JSON"),
        ("  key 1\n" + TAIL, "no path"),
        ("a\n  k 0\n" + TAIL, "no range"),
        ("a\n  k 3-1\n" + TAIL, "no range"),
    ],
)
def test_what_is_no_note_is_refused(text, reason):
    """A text of another form or of an unknown version is an error and nothing else."""
    with pytest.raises(ValueError, match=reason):
        read_note(text)


@given(st.text())
def test_any_text_is_a_note_or_an_error(text):
    """No text of a repository raises anything else."""
    try:
        read_note(text)
    except ValueError:
        return


@given(st.sets(st.integers(1, 300), min_size=1))
def test_ranges_have_exactly_their_numbers(numbers):
    """Ranges can be written and read again without loss."""
    ranges = read_ranges(write_ranges(ranges_of(numbers)))
    assert {number for first, last in ranges for number in range(first, last + 1)} == numbers
