"""Tests the views of a text: they are what simple patterns say, found faster, and every place leads back."""

import re
from base64 import b64encode

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
        assert all(view.text[n] == text[places[n][0]] for n in kept)


@given(ENCODED)
def test_base64_of_text_is_found_anywhere(parts):
    """Base64 of a text between other words is decoded, and its place is known."""
    encoded = b64encode(b"the secret is here, all of it").decode()
    before = "".join(parts)
    text = f"{before} {encoded} end"
    found = [view for view in views(text) if view.text == "the secret is here, all of it"]

    assert [text[view.start : view.end] for view in found if view.start > len(before)] == [encoded]
