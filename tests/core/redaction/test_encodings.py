"""Tests the views of a text: they are what simple patterns say, found faster, and every place leads back."""

import re
from base64 import b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chorus.core.redaction.encodings import unwrapped, views

_WRAP = re.compile(r"[ \t]{0,8}[\\│|]?\r?\n[ \t]{0,8}[│|>]?[ \t]{0,4}")
WRAPPED = st.lists(st.sampled_from(["\n", "\r\n", " ", "\t", " " * 9, "│", "|", ">", "\\", "a", "word"]), max_size=30)
ENCODED = st.lists(
    st.one_of(
        st.binary(min_size=12, max_size=40).map(lambda data: b64encode(data).decode()),
        st.text(alphabet="abc XYZ", min_size=12, max_size=40).map(lambda text: b64encode(text.encode()).decode()),
        st.sampled_from([" ", "=", "é", "🚀", "\\n", "%41%42", "&amp;", "\x1b[31m", "/", "\ud800"]),
    ),
    max_size=8,
)


@given(WRAPPED)
def test_wrapped_lines_are_joined(parts):
    """Every end of a line is removed with the blanks and marks around it that a terminal adds."""
    text = "".join(parts)
    joined = unwrapped(text)

    assert (joined.text if joined else text) == _WRAP.sub("", text)


@given(ENCODED)
def test_every_place_leads_back(parts):
    """A character of a view that was not encoded stands at its place in the text, and ranges are in order."""
    text = "".join(parts)
    for view in views(text):
        assert 0 <= view.start <= view.end <= len(text)
        if view.begins is None:
            continue
        places = [view.above(n, n + 1) for n in range(len(view.text))]
        assert places == sorted(places)
        kept = [n for n in range(len(view.text)) if places[n][1] - places[n][0] == 1]
        assert all(view.text[n] in (text[places[n][0]], {"+": " "}.get(text[places[n][0]])) for n in kept)


@given(ENCODED)
def test_base64_of_text_is_found_anywhere(parts):
    """Base64 of a text between other words is decoded, and its place is known."""
    encoded = b64encode(b"the secret is here, all of it").decode()
    before = "".join(parts)
    text = f"{before} {encoded} end"
    found = [view for view in views(text) if view.text == "the secret is here, all of it"]

    assert [text[view.start : view.end] for view in found if view.start > len(before)] == [encoded]


SECRET = "the secret is here, all of it, in one long line that no row of base64 has room for"


def found_behind(text: str, wanted: str) -> list[str]:
    """Returns the parts of a text whose views contain what is wanted."""
    return [text[view.start : view.end] for view in views(text) if any(wanted in each for each in view.texts())]


@given(
    st.integers(0, 60), st.sampled_from([60, 64, 70, 76]), st.sampled_from(["\n", "\r\n", "\n    ", "\n> ", "\n   12→"])
)
def test_base64_in_rows_is_joined(before, width, end):
    """What lies across the rows of base64 is found, wherever the rows break, and its place is all rows."""
    encoded = b64encode(("x" * before + SECRET + " and more" * 9).encode()).decode()
    rows = end.join(encoded[at : at + width] for at in range(0, len(encoded), width))

    assert rows in found_behind(f"key.b64:\n{rows}\n(end)", SECRET)


@pytest.mark.parametrize(
    "data",
    [
        f"Grüße — 日本語 {SECRET} äöü".encode(),
        SECRET.encode("utf-16-le"),
        SECRET.encode("utf-16"),
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xf3\xff\x02tEXtComment\0" + SECRET.encode() + b"\xf0\x9b\x00IDAT\xff\xd8",
    ],
    ids=["letters of other languages", "UTF-16", "UTF-16 with its mark", "a picture"],
)
def test_base64_of_other_bytes_is_looked_behind(data):
    """Text is found behind base64 among bytes that are no ASCII."""
    encoded = b64encode(data).decode()

    assert encoded in found_behind(f"data:x;base64,{encoded} end", SECRET)


@pytest.mark.parametrize(
    "write",
    [
        lambda text: "".join(f"\\{ord(each):03o}" for each in text),
        lambda text: "".join(f"\\u{{{ord(each):x}}}" for each in text),
        lambda text: "".join(f"&#x{ord(each):06X};" for each in text),
        lambda text: "\x1b]8;;http://x\x07".join(text),
        lambda text: "\x1b]8;;\x1b\\".join(text),
    ],
    ids=["octal", "braces", "entities", "links", "ends of links"],
)
def test_other_escapes_are_undone(write):
    """Octal escapes, escapes with braces, long entities, and links of a terminal hide nothing."""
    assert found_behind(write(SECRET), SECRET)


def test_an_escape_beyond_the_last_character_is_no_error():
    """An escape that names no character becomes the sign for one."""
    assert [view.text for view in views("\\u{ffffff}")] == ["\ufffd"]
