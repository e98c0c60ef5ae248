"""Tests that show every recording beside the clone with every renderer."""

import json
from pathlib import Path

import pytest

from chorus.core.views.document import document
from chorus.core.views.safe import safe
from chorus.library import files
from tests.cli.commands import SHARED, below
from tests.core.views.talks import drawn, written

SMALL = 100_000
FILES = below(SHARED) if SHARED.is_dir() else []


def is_long(name):
    return Path(name).stat().st_size > SMALL


def test_every_small_recording_can_be_shown():
    """Every small recording is shown without an error, and nothing in it controls the terminal."""
    if not FILES:
        pytest.skip("no recordings beside this clone (../shared)")
    for name in FILES:
        if not is_long(name):
            _show(name)


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in FILES if is_long(name)])
def test_every_long_recording_can_be_shown(name):
    """Every long recording is shown in full without an error, and nothing in it controls the terminal."""
    _show(name, is_full=True, internal=True)


def _show(name, **look):
    for talk in files.open_all(name):
        shown = drawn(talk, **look)
        assert safe(shown) == shown and "\x1b" not in shown, name
        assert safe(written(talk)), name
        assert json.loads("".join(document(talk)))["id"] == talk.id, name
