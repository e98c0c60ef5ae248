"""Fixtures for runs: a home and a workspace."""

import sys

import pytest

from tests.support.running import Place


@pytest.fixture(autouse=True)
def _only_where_runs_are_held():
    if sys.platform == "win32":
        pytest.skip("runs are held on systems with sessions and unix sockets")


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)
