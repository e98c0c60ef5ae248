"""Tests how a JSON text is divided into its strings."""

import json

from hypothesis import given
from hypothesis import strategies as st

from chorus.core.redaction import literals

_TEXTS = st.text(st.sampled_from('ab"\\/:,{}[]\n\té\u2028\ud800'), max_size=12)
_VALUES = st.recursive(
    _TEXTS | st.integers() | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXTS, inner, max_size=4),
    max_leaves=12,
)


def keys_and_texts(value):
    """Yields every string of a value in the order of its JSON text, and whether it is a key."""
    if isinstance(value, str):
        yield value, False
    elif isinstance(value, list):
        for each in value:
            yield from keys_and_texts(each)
    elif isinstance(value, dict):
        for key, each in value.items():
            yield key, True
            yield from keys_and_texts(each)


@given(_VALUES, st.sampled_from([(",", ":"), (", ", ": "), (",", " : ")]))
def test_every_string_of_a_json_text_is_found(value, separators):
    """The pieces hold every string with its text, know the keys, and joined are the same bytes."""
    data = json.dumps(value, separators=separators).encode()

    pieces = literals.divided(data)

    found = zip(pieces[1::2], pieces[2::2], strict=True)
    assert [(literals.decoded(text), literals.is_key(after)) for text, after in found] == [*keys_and_texts(value)]
    assert literals.joined(pieces) == data


@given(st.binary(max_size=40) | st.text('"\\a:', max_size=20).map(str.encode))
def test_no_byte_is_lost_in_what_is_no_json(data):
    """Any bytes are divided into an odd number of pieces that joined are the same bytes."""
    pieces = literals.divided(data)

    assert len(pieces) % 2 == 1 and literals.joined(pieces) == data


@given(_TEXTS)
def test_a_text_that_is_written_is_read_again(text):
    """An encoded text has no quote that would end it, and decodes to itself."""
    written = literals.encoded(text)

    assert literals.divided(b'"%b"' % written) == [b"", written, b""] and literals.decoded(written) == text
