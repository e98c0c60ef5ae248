"""Fixtures with the real client, where available: downloaded once (170 MB, with npm) into a cache outside the clone."""

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
    """A person who has the client and Chorus; each module defines the answers of its `api`."""
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path / "chorus"))
    client = Client(tmp_path / "person", api.url)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(client.config))
    return client


@pytest.fixture
def person(home):
    """An approver who is known before the server starts, because the server trusts no approver who is added later."""
    return Person(home.root)


@pytest.fixture
def server(home, person, client):
    """A server beside the client; each module defines its `home`."""
    with serving(home.root, client.config) as server:
        yield server
