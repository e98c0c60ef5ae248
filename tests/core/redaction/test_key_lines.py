"""Tests that a private key is hidden where it comes line by line, and not in one text."""

import json

import pytest

from chorus.core.redaction.choices import Choices
from chorus.core.redaction.redactor import Redactor
from chorus.testing.builders import Session
from chorus.testing.builders.secrets import Secrets
from chorus.testing.reading import split

KEY = next(each.secret for each in Secrets(seed=7).all() if each.kind == "private-key")
LINES = KEY.splitlines()
BODY = LINES[1:-1]


def redacted(data: bytes) -> tuple[str, list[str]]:
    """Returns a stream after redaction, and the kinds that were found."""
    pieces = split(data)
    redactor = Redactor(Choices())
    redactor.search("session", pieces)
    redactor.settle()
    after = b"".join(new + piece.tail for piece, new in redactor.replace("session", pieces))
    return after.decode(), [each.rule.id for each in redactor.found]


def patched(mark="+") -> bytes:
    """Returns a session in which a file with the key was edited: the patch has one string for each line."""
    session = Session()
    session.assistant({"type": "tool_use", "id": "toolu_1", "name": "Edit", "input": {"file_path": "/x/id_rsa"}})
    lines = [mark + line for line in LINES]
    session.tool_result("toolu_1", "updated", toolUseResult={"structuredPatch": [{"oldStart": 1, "lines": lines}]})
    return bytes(session)


def recorded(*texts) -> bytes:
    session = Session()
    for text in texts:
        session.user(text)
    return bytes(session)


@pytest.mark.parametrize("mark", ["+", "-", " ", "", "    12→", "> ", '"'])
def test_a_key_in_an_array_of_lines_is_hidden(mark):
    """No line of a key is left in a patch, and all lines have the same placeholder."""
    after, found = redacted(patched(mark))

    assert [line for line in BODY if line in after] == [] and found == ["private-key"]
    assert after.count("[private-key-1]") == len(BODY)


def test_a_key_in_several_records_is_hidden():
    """No line of a key is left if each record has one of them, also if the last one is short or never comes."""
    short = [*LINES[:-2], LINES[-2][:20], LINES[-1]]
    assert [line for line in short[1:-1] if line in redacted(recorded(*short))[0]] == []
    assert [line for line in BODY if line in redacted(recorded("look", *LINES[:-1], "and on"))[0]] == []


@pytest.mark.parametrize("shown", [LINES[3:], LINES[:4]], ids=["the end", "the beginning"])
def test_a_part_of_a_key_is_hidden(shown):
    """The first or the last lines of a key are hidden."""
    after, found = redacted(recorded("\n".join(shown)))

    assert [line for line in BODY if line in after] == [] and found == ["private-key"]


def test_a_line_of_a_key_is_hidden_where_it_stands_alone():
    """A line of a key that was found is hidden everywhere."""
    after, _ = redacted(recorded(f"cat id_rsa\n{KEY}\n", f"the third line is {BODY[2]}"))

    assert [line for line in BODY if line in after] == [] and "the third line is [private-key-1]" in after


def test_what_stands_between_the_lines_stays():
    """Names, ids and words that come while a key is open keep their bytes."""
    words = ["a word", "permissionDeniedByUser", "5e551011-0000-4000-8000-00000000000e", "x" * 30]
    after, _ = redacted(recorded(LINES[0], BODY[0], *words, *BODY[1:], LINES[-1], "y" * 60))

    assert all(json.dumps(word) in after.replace('": "', '":"') or word in after for word in (*words, "y" * 60))


def test_a_certificate_is_no_key():
    """Lines of a certificate stay, because everybody may see it."""
    lines = [line.replace("RSA PRIVATE KEY", "CERTIFICATE") for line in LINES]
    data = recorded("\n".join(lines), *lines)

    assert redacted(data) == (data.decode(), [])
