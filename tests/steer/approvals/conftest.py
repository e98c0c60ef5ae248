"""The fixture for tests of the permission ledger: the `state/` folder of a vault."""

from pathlib import Path

import pytest


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "vault" / "state"
