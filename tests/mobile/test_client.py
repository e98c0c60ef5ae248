"""Tests the reference client with a real server."""

import contextlib
import threading
from uuid import UUID

import pytest

from chorus.errors import ChorusError, Unreachable
from chorus.mobile import MobileClient, MobileServer, Store
from chorus.show.server.edge.control import request_link
from tests.show.server.phones import name_of
from tests.show.server.serving import serving, session_of, until

DELAYS_S = (0.05, 0.2)


@pytest.fixture
def places(tmp_path, monkeypatch):
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path / "home"))
    (tmp_path / "client").mkdir()
    return tmp_path / "vault", tmp_path / "client"


def link(vault):
    found = request_link(vault / "state")
    if found is None:
        raise Unreachable("no server answers")
    return found.link


@contextlib.contextmanager
def following(vault, store, *conversations):
    """Follows in a thread; yields the client and the list of what it was told."""
    client = MobileClient(MobileServer(lambda: link(vault)), store, conversations, delays_s=DELAYS_S)
    told = []
    thread = threading.Thread(target=lambda: told.extend(iter_into(client, told)), daemon=True)
    thread.start()
    try:
        yield client, told
    finally:
        client.stop()
        thread.join(30)
        assert not thread.is_alive()


def iter_into(client, told):
    for each in client.follow():
        told.append(each)
    return ()


def texts(told):
    return [each.message["content"] for each in told if each.message["type"] == "user_message"]


class ShortLived:
    """A server whose connections end after a few frames."""

    def __init__(self, server, frames):
        self.server, self.frames = server, frames

    def ticket(self):
        return self.server.ticket()

    @contextlib.contextmanager
    def open(self):
        with self.server.open() as line:
            yield CutOff(line, self.frames)


class CutOff:
    def __init__(self, line, frames):
        self.line, self.left = line, frames

    def hear(self):
        if self.left == 0:
            raise Unreachable("cut off")
        self.left -= 1
        return self.line.hear()

    def say(self, text):
        self.line.say(text)

    def close(self):
        self.line.close()


def test_a_long_conversation_arrives_over_connections_that_soon_end(places):
    """A replay goes on where it was cut off, also if more messages came before than a client can name."""
    with serving(*places) as server:
        session = session_of("first")
        for number in range(1_300):
            session.user(f"prompt {number}")
        server.write(session)
        name = name_of(server.browser(), session)
        store = Store()
        client = MobileClient(
            ShortLived(MobileServer(lambda: link(places[0])), 4), store, [name], delays_s=(0.01, 0.02)
        )
        told = []
        thread = threading.Thread(target=lambda: told.extend(iter_into(client, told)), daemon=True)
        thread.start()
        until(lambda: client.connections and not store.stored.incomplete)
        client.stop()
        thread.join(30)

    assert texts(told) == ["first", *(f"prompt {number}" for number in range(1_300))]
    assert client.connections > 2


def test_a_client_that_is_ended_goes_on_from_its_folder(places, tmp_path):
    """A new process with the same folder is told only what is new; one with another folder everything."""
    with serving(*places) as server:
        session = session_of("first")
        server.write(session)
        name = name_of(server.browser(), session)
        with following(places[0], Store(tmp_path / "phone"), name) as (_, told):
            until(lambda: texts(told) == ["first"])
        session.user("second")
        server.write(session)
        with following(places[0], Store(tmp_path / "phone"), name) as (client, told):
            until(lambda: "second" in texts(told))
            assert texts(told) == ["second"] and not told[0].message["isReset"]
            assert [each.message["content"] for each in client.store.stored.of(name)][::2] == ["first", "second"]
        with following(places[0], Store(), name) as (_, told):
            until(lambda: texts(told) == ["first", "second"])


def test_a_client_outlives_the_server(places):
    """While no server is there the client waits; from a new one it gets what it missed, once."""
    with serving(*places) as server:
        session = session_of("first")
        server.write(session)
        name = name_of(server.browser(), session)
        following_it = following(places[0], Store(), name)
        client, told = following_it.__enter__()
        until(lambda: texts(told) == ["first"])
    session.user("while nobody served")
    server.write(session)
    with serving(*places, port=server.port):
        until(lambda: "while nobody served" in texts(told))
        assert texts(told) == ["first", "while nobody served"] and client.connections > 1
        following_it.__exit__(None, None, None)


def test_a_broken_index_begins_anew_and_nothing_is_lost(places, monkeypatch):
    """After the index was rebuilt, the client has everything again, from its start."""
    monkeypatch.setattr("chorus.keep.sources.watcher.SWEEP_S", 0.3)
    with serving(*places) as server:
        sessions = [session_of("first", session_id=str(UUID(int=n + 1, version=4))) for n in range(2)]
        for each in sessions:
            server.write(each)
        names = [name_of(server.browser(), each) for each in sessions]
        with following(places[0], Store(), *names) as (client, told):
            until(lambda: texts(told) == ["first", "first"])
            before = {key: each.revision for key, each in client.store.stored.messages.items() if each.conversation}
            (places[0] / "index" / "stale").touch()
            sessions[0].user("and more")
            server.write(sessions[0])
            until(lambda: any(each.message.get("isReset") for each in told))
            until(lambda: not client.store.stored.incomplete and before.keys() <= client.store.stored.messages.keys())
            until(lambda: "and more" in texts(told))


def test_what_a_client_says_is_answered(places):
    """`say` returns the `ref` of the answer; without a connection it raises, and nothing is said later."""
    lonely = MobileClient(MobileServer(lambda: link(places[0])), Store())
    with pytest.raises(Unreachable):
        lonely.say("stop", runId="r")
    with serving(*places), following(places[0], Store()) as (client, told):
        until(lambda: client.connections)
        ref = client.say("stop", runId="there is none")
        answer = until(lambda: next((each.message for each in told if each.message.get("ref") == ref), None))
        assert (answer["type"], answer["kind"]) == ("error", "not_found")


def test_an_invalid_link_ends_it(places):
    """A link that was used already is no reason to try again for ever."""
    with serving(*places) as server:
        used = f"{server.address}/#t={server.link()}0"
        with pytest.raises(ChorusError, match="not valid") as refused:
            next(MobileClient(MobileServer(lambda: used), Store()).follow())
        assert not isinstance(refused.value, Unreachable)


def test_after_a_gap_the_conversation_is_sent_from_its_start(places):
    """If more was written at once than is compared, the client is told of a gap, and gets all of it by a replay."""
    with serving(*places) as server:
        session = session_of("first")
        server.write(session)
        name = name_of(server.browser(), session)
        with following(places[0], Store(), name) as (client, told):
            until(lambda: texts(told) == ["first"] and not client.store.stored.incomplete)
            said = [f"words {n}" for n in range(1_500)]
            for each in said:
                session.user(each)
            server.write(session)
            until(lambda: len(texts(told)) >= 1_501)
            assert sorted(texts(told)) == sorted(["first", *said])
            assert any(each.message["type"] == "gap" for each in told) and client.connections == 2
