"""Tests that all structs on the wire are described and always send every field."""

import pytest

from chorus.show import wire
from chorus.show.wire.base import Wire

STRUCTS = sorted((each for each in vars(wire).values() if isinstance(each, type) and issubclass(each, Wire)), key=str)


@pytest.mark.parametrize("struct", STRUCTS, ids=lambda struct: struct.__name__)
def test_a_struct_is_described_and_whole(struct):
    """Every struct has a description for the generated types, and no field is left out."""
    assert struct.__doc__
    assert not struct.__struct_config__.omit_defaults


def test_there_are_structs():
    """The check above looks at the structs of all parts of the API."""
    assert len(STRUCTS) > 40
