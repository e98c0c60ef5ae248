"""Tests our server against the contract of `chorus.mobile.v1`."""

import contextlib
from collections.abc import Iterator
from uuid import UUID

import pytest

from chorus.testing.mobile_contract import BEHAVIOURS, Behaviour
from tests.show.server.phones import ServedConversation
from tests.show.server.serving import Serving, serving, session_of


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server for all behaviours; each has a conversation of its own."""
    top = tmp_path_factory.mktemp("serving")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHORUS_HOME", str(top / "home"))
        with serving(top / "vault", top / "client") as found:
            yield found


@pytest.mark.parametrize("number", range(len(BEHAVIOURS)), ids=[each.__name__ for each in BEHAVIOURS])
def test_our_server(number: int, server: Serving):
    """The server of Chorus does what the contract of the protocol says."""
    behaviour: Behaviour = BEHAVIOURS[number]
    session = session_of("first", session_id=str(UUID(int=number + 1, version=4)))
    with contextlib.ExitStack() as sockets:
        behaviour(ServedConversation(server, session, sockets))
