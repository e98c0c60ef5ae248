"""Tests the state at any moment of real recordings."""

from collections import defaultdict
from pathlib import Path
from random import Random

import pytest

from chorus.core.records.record import Record
from chorus.keep.sources import files
from tests.cli.commands import SHARED, below
from tests.core.replay.replaying import assert_states

CUTS = 200
SMALL = 400_000
_MOST = 40
FILES = below(SHARED) if SHARED.is_dir() else []
CAPTURES = SHARED / "captures"


def _records(name: str) -> list[Record]:
    return [piece for piece in files.pieces(name) if isinstance(piece, Record)]


def _captures() -> dict[str, list[str]]:
    """Returns the files of each recorded scenario: the session, its sub-agents, and the output of the run."""
    found: dict[str, list[str]] = defaultdict(list)
    for name in below(CAPTURES) if CAPTURES.is_dir() else []:
        found[Path(name).relative_to(CAPTURES).parts[0]].append(name)
    return found


def test_states_of_small_recordings() -> None:
    """At 200 cuts of each of some small recordings, the state is the panel of a fold of the records up to the cut."""
    small = [name for name in FILES if 0 < Path(name).stat().st_size <= SMALL]
    if not small:
        pytest.skip("no recordings beside this clone (../shared)")
    for name in small[:: max(1, len(small) // _MOST)]:
        assert_states([_records(name)], CUTS, Random(7), fresh=1)


def test_states_of_recorded_scenarios() -> None:
    """The state is the panel of a fold also if a session file, sub-agents and the output are replayed together."""
    captures = _captures()
    if not captures:
        pytest.skip("no recordings beside this clone (../shared)")
    for name in sorted(captures)[::6]:
        streams = [_records(each) for each in captures[name] if Path(each).stat().st_size <= SMALL]
        assert_states(streams, CUTS, Random(7), fresh=1)


@pytest.mark.long
@pytest.mark.parametrize("name", FILES)
def test_states_of_recordings(name: str) -> None:
    """At 200 cuts of every recording, the state equals the panel of a fold of the records up to the cut."""
    assert_states([_records(name)], CUTS, Random(11))


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(_captures()))
def test_states_of_scenarios(name: str) -> None:
    """At 200 cuts of every scenario with all its streams, the state equals the panel of a fold of the records."""
    assert_states([_records(each) for each in _captures()[name]], CUTS, Random(11))
