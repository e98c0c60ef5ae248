"""What crosses the wire is described, and every field of it is always there."""

import pytest

from chorus.show import wire
from chorus.show.wire.base import Wire

STRUCTS = sorted((each for each in vars(wire).values() if isinstance(each, type) and issubclass(each, Wire)), key=str)


@pytest.mark.parametrize("struct", STRUCTS, ids=lambda struct: struct.__name__)
def test_a_struct_is_described_and_whole(struct):
    """A reader of the generated types sees what a struct is, and never has to ask whether a field was left out."""
    assert struct.__doc__
    assert not struct.__struct_config__.omit_defaults


def test_there_are_structs():
    """The check above looks at the structs of all parts of the API."""
    assert len(STRUCTS) > 40
