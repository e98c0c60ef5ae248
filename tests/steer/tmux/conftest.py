"""Real tmux servers for the tests of this folder."""

import pytest

from tests.support.panes import missing, pane_server


@pytest.fixture(autouse=True)
def _tmux():
    if (why := missing()) is not None:
        pytest.skip(why)


@pytest.fixture
def tmux(monkeypatch):
    """A tmux server of its own; its folder is the one that Chorus looks into."""
    with pane_server() as server:
        monkeypatch.setenv("TMUX_TMPDIR", str(server.folder))
        yield server
