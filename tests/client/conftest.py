"""The real client, where it can be had: downloaded once (170 MB, with npm) into a cache outside the clone."""

import pytest

from tests.show.server.serving import serving
from tests.steer.hooks.deciding import Person
from tests.support.real_client import Client, Unavailable, installed


@pytest.fixture(scope="module", autouse=True)
def _installed():
    try:
        installed()
    except Unavailable as reason:
        pytest.skip(str(reason))


@pytest.fixture
def client(tmp_path, api, monkeypatch):
    """Somebody who has the client, and Chorus beside it; a module says what its `api` answers."""
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path / "chorus"))
    client = Client(tmp_path / "person", api.url)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(client.config))
    return client


@pytest.fixture
def person(home):
    """Who may approve; known before the server starts, which takes nobody's word that it does not know."""
    return Person(home.root)


@pytest.fixture
def server(home, person, client):
    """A server beside the client; a module says what its `home` is."""
    with serving(home.root, client.config) as server:
        yield server
