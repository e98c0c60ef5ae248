"""G3: tests that the live socket sends every change once and in order, and that slow readers do not harm others."""

import contextlib
import json
import random
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager

import pytest
from msgspec import structs
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection

from chorus.show.server.edge.limits import Limits
from chorus.show.server.edge.protocol import Sockets
from chorus.testing.builders import Session
from tests.show.server.serving import QUICK, Browser, Live, Serving, serving, session_of, until


def _name_of(browser: Browser, session: Session) -> str:
    def found():
        answer = browser.get("/api/conversations?limit=100")
        rows = answer.json.get("conversations", []) if answer.status == 200 else []
        return next((row["name"] for row in rows if row["id"] == session.id), None)

    return until(found)


def _changes(frames: list[dict]) -> list[tuple[int, int]]:
    return [(frame["since"], frame["seq"]) for frame in frames if frame["type"] in ("changed", "gap")]


def _assert_no_hole(frames: list[dict], start: int) -> int:
    """Checks that each change begins where the previous one ended, and returns where the last one ends."""
    assert not [frame for frame in frames if frame.get("is_reset")]
    for since, seq in _changes(frames):
        assert (since, seq > since) == (start, True), frames
        start = seq
    return start


def _wait_beyond(browser: Browser, seq: int) -> None:
    """Waits until the feed is beyond this number."""
    until(lambda: browser.get("/api/status").json["seq"] > seq)


def _grow(serving: Serving, session: Session, words: str) -> None:
    session.user(words)
    serving.write(session)


def test_rows_come_right_before_the_change_they_belong_to(places):
    """A socket gets the rows of a followed conversation, and only the list entry of any other."""
    session, other = session_of("first"), session_of("other", session_id="0" * 8 + "-0000-4000-8000-" + "0" * 12)
    with serving(*places) as server:
        server.write(session)
        server.write(other)
        browser = server.browser()
        name, apart = _name_of(browser, session), _name_of(browser, other)
        with browser.live(follow=[name]) as live:
            welcome = live.next()
            assert (welcome["type"], welcome["is_reset"]) == ("welcome", False)
            # An idle conversation is read completely when it continues, and from then on row by row.
            for quiet in (session, other):
                _grow(server, quiet, "woken")
                live.until(lambda frame: frame["type"] == "changed")
            _grow(server, session, "grown words")
            rows = live.until(lambda frame: frame["type"] == "rows" and not frame["is_whole"])
            changed = live.next()
            assert (rows["conversation"], rows["seq"], rows["is_whole"]) == (name, changed["seq"], False)
            assert "grown words" in json.dumps(rows["rows"])
            assert [row["name"] for row in changed["conversations"]] == [name]
            _grow(server, other, "unheard words")
            live.until(lambda frame: frame["type"] == "changed" and frame["conversations"][0]["name"] == apart)
            assert "unheard words" not in json.dumps(live.heard)
            live.say({"type": "follow", "conversations": [apart]})
            time.sleep(0.2)
            _grow(server, other, "heard words")
            live.until(lambda frame: frame["type"] == "rows" and "heard words" in json.dumps(frame["rows"]))
        _assert_no_hole(live.heard, welcome["seq"])


def test_a_reader_that_is_cut_off_again_and_again_misses_nothing(places):
    """A reader that is cut off at random and resumes, also at a new server, gets each change once and in order."""
    chance = random.Random(5)
    session = session_of("first")
    heard: list[dict] = []
    place: dict = {}
    cookie: str | None = None
    with serving(*places) as server:
        server.write(session)
        _name_of(server.browser(), session)
        port = server.port
    for round_ in range(3):
        with serving(*places, port=port) as server:
            browser = Browser(server.port)
            browser.cookie = cookie or server.browser().cookie
            cookie = browser.cookie
            assert browser.get("/api/status").status == 200
            grown = 0
            while grown < 8:
                with browser.live(**place) as live:
                    welcome = live.next()
                    assert (welcome["type"], welcome["is_reset"]) == ("welcome", False)
                    place = place or {"epoch": welcome["epoch"], "seq": welcome["seq"]}
                    assert welcome["seq"] == place["seq"]
                    for _ in range(chance.randrange(4)):
                        _grow(server, session, f"round {round_} words {grown}")
                        grown += 1
                    with contextlib.suppress(TimeoutError):
                        for _ in range(chance.randrange(4)):
                            live.next(timeout=0.3)
                    # The connection ends without a close frame, somewhere between two frames.
                    live.socket.socket.close()
                    before = place["seq"]
                    place["seq"] = _assert_no_hole(live.heard, before)
                    heard += live.heard
                if chance.random() < 0.6:
                    # The conversation grows while no socket is open.
                    _grow(server, session, f"round {round_} words {grown}")
                    grown += 1
                    _wait_beyond(browser, place["seq"])
    with serving(*places, port=port) as server:
        browser = Browser(server.port)
        browser.cookie = cookie
        status = until(lambda: (found := browser.get("/api/status").json)["state"] == "watching" and found)
        with browser.live(**place) as live:
            live.next()
            while place["seq"] < status["seq"]:
                live.next()
                place["seq"] = _assert_no_hole(live.heard[-1:], place["seq"])
        heard += live.heard
    changes = _changes(heard)
    assert changes[0][0] > 0
    assert [since for since, _ in changes[1:]] == [seq for _, seq in changes[:-1]]
    assert not [frame for frame in heard if frame["type"] == "gap"]


def test_another_index_is_announced(places):
    """A reader with a place of an index that no longer exists must read everything again."""
    with serving(*places) as server:
        session = session_of()
        server.write(session)
        browser = server.browser()
        _name_of(browser, session)
        with browser.live(epoch="0123456789abcdef", seq=3) as live:
            welcome = live.next()
            assert welcome["is_reset"] and welcome["epoch"] != "0123456789abcdef"
        for seq in (welcome["seq"] + 1, 1 << 40, -1):
            with browser.live(epoch=welcome["epoch"], seq=seq) as live:
                assert live.next() == welcome


def test_open_sockets_learn_that_the_index_is_built_again(places, monkeypatch):
    """When the index is rebuilt, the socket stays open, and a second welcome says to read everything again."""
    monkeypatch.setattr("chorus.keep.sources.watcher.SWEEP_S", 0.3)
    vault, _ = places
    with serving(*places) as server:
        session = session_of()
        server.write(session)
        browser = server.browser()
        _name_of(browser, session)
        with browser.live() as live:
            first = live.next()
            (vault / "index" / "stale").touch()
            _grow(server, session, "more")
            again = live.until(lambda frame: frame["type"] == "welcome")
            assert again["is_reset"] and again["epoch"] != first["epoch"]


def test_each_frame_is_made_once_for_all_who_hear_it(places, monkeypatch):
    """Each frame is encoded once for twenty sockets."""
    from chorus.show.server.live import teller

    made: list[str] = []
    encode = teller.encode
    monkeypatch.setattr(teller, "encode", lambda told: made.append(type(told).__name__) or encode(told))
    with serving(*places, limits=Limits(sockets_per_login=20)) as server, contextlib.ExitStack() as stack:
        session = session_of()
        server.write(session)
        browser = server.browser()
        name = _name_of(browser, session)
        lives = [stack.enter_context(browser.live(follow=[name])) for _ in range(20)]
        for live in lives:
            live.next()
        until(lambda: browser.get("/api/status").json["state"] == "watching")
        made.clear()
        for number in range(5):
            _grow(server, session, f"words {number}")
            for live in lives:
                live.until(lambda frame: frame["type"] == "changed")
        told = sum(made.count(kind) for kind in ("Changed", "RowsChanged"))
        heard = [[frame for frame in live.heard if frame["type"] in ("changed", "rows")] for live in lives]
    assert all(each == heard[0] for each in heard)
    assert told == len(heard[0]) >= 10


def test_sockets_that_come_back_together_get_the_same_frames(places, monkeypatch):
    """Changes that many sockets missed at the same time are read and encoded once for all of them."""
    from chorus.show.server.live import teller

    made: list[str] = []
    encode = teller.encode
    monkeypatch.setattr(teller, "encode", lambda told: made.append(type(told).__name__) or encode(told))
    with serving(*places, limits=Limits(sockets_per_login=20)) as server, contextlib.ExitStack() as stack:
        session = session_of()
        server.write(session)
        browser = server.browser()
        name = _name_of(browser, session)
        with browser.live(follow=[name]) as live:
            until(lambda: browser.get("/api/status").json["state"] == "watching")
            _grow(server, session, "first words")
            before = live.until(lambda frame: frame["type"] == "changed")
            _grow(server, session, "missed words")
            last = live.until(lambda frame: frame["type"] == "changed" and frame["seq"] > before["seq"])
            made.clear()
            back = {"follow": [name], "epoch": live.heard[0]["epoch"], "seq": before["seq"]}
            lives = [stack.enter_context(browser.live(**back)) for _ in range(10)]
            for each in lives:
                each.until(lambda frame: frame["type"] == "changed" and frame["seq"] == last["seq"])
        heard = [[frame for frame in each.heard if frame["type"] in ("changed", "rows")] for each in lives]
    assert all(each == heard[0] for each in heard)
    assert [frame["type"] for frame in heard[0]] == ["rows", "changed"]
    assert made.count("Welcome") == 10
    assert made.count("RowsChanged") == 1


def _small(server: Serving, browser: Browser) -> AbstractContextManager[ClientConnection]:
    """Opens a socket with a small receive buffer, so that a stall shows soon."""
    plain = socket.socket()
    plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    plain.connect(("127.0.0.1", server.port))
    return browser.socket(sock=plain, max_queue=(1, 0))


@contextlib.contextmanager
def _reading(lives: list[Live]) -> Iterator[None]:
    """Reads each live socket in a thread of its own."""
    done = threading.Event()

    def read(live: Live) -> None:
        while not done.is_set():
            with contextlib.suppress(TimeoutError):
                live.next(timeout=0.1)

    readers = [threading.Thread(target=read, args=(live,)) for live in lives]
    for reader in readers:
        reader.start()
    try:
        yield
    finally:
        done.set()
        for reader in readers:
            reader.join()


def _reach(live: Live) -> int:
    changes = _changes(live.heard)
    return changes[-1][1] if changes else 0


def _flood(server: Serving, session: Session, quick: list[Live], steps: int) -> int:
    """Adds large rows, no faster than the quick sockets read, and returns the place in the feed after that."""
    for number in range(steps):
        before = min(map(_reach, quick))
        _grow(server, session, f"words {number} " + "long " * 10_000)
        until(lambda before=before: min(map(_reach, quick)) > before)
    return min(map(_reach, quick))


def _join(stack: contextlib.ExitStack, server: Serving, browser: Browser, name: str) -> Live:
    """Opens a live socket that nothing reads."""
    connection = stack.enter_context(_small(server, browser))
    connection.send(json.dumps({"type": "hello", "ticket": browser.ticket(), "follow": [name]}))
    return Live(connection)


def test_a_slow_reader_gets_a_gap_and_catches_up_and_the_others_miss_nothing(places):
    """If 5 of 25 sockets stop reading, they get a gap when they continue, and every change after it."""
    limits = Limits(sockets_per_login=30, queue_bytes=300_000, stalled_s=600.0)
    with serving(*places, limits=limits) as server, contextlib.ExitStack() as stack:
        session = session_of()
        server.write(session)
        browser = server.browser()
        name = _name_of(browser, session)
        quick = [stack.enter_context(browser.live(follow=[name])) for _ in range(20)]
        slow = [_join(stack, server, browser, name) for _ in range(5)]
        start = {live: live.next()["seq"] for live in [*quick, *slow]}
        with _reading(quick):
            end = _flood(server, session, quick, 30)
        for live in quick:
            assert _assert_no_hole(live.heard, start[live]) >= end
            assert not [frame for frame in live.heard if frame["type"] == "gap"]
        with _reading(slow):
            until(lambda: min(map(_reach, slow)) >= end)
            _grow(server, session, "the last words")
            until(lambda: all("the last words" in json.dumps(live.heard[-2:]) for live in slow))
        for live in slow:
            _assert_no_hole(live.heard, start[live])
            assert [frame for frame in live.heard if frame["type"] == "gap"]


def test_a_reader_that_takes_nothing_is_given_up(places):
    """A reader that takes nothing is closed with 1013 some time after its gap, and other readers continue."""
    limits = Limits(queue_bytes=100_000, stalled_s=0.2)
    with serving(*places, limits=limits) as server, contextlib.ExitStack() as stack:
        session = session_of()
        server.write(session)
        browser = server.browser()
        name = _name_of(browser, session)
        quick = [stack.enter_context(browser.live())]
        stuck = _join(stack, server, browser, name)
        quick[0].next()
        with _reading(quick):
            _flood(server, session, quick, 25)
            # It has read nothing so far, so it reaches the end of the connection after the buffered data.
            until(lambda: server.server.server_state.connections and len(_sockets(server)) == 1)
            with pytest.raises(ConnectionClosed) as closed:
                stuck.until(lambda _: False)
            assert closed.value.rcvd is None or closed.value.rcvd.code == 1013
            assert "gap" not in {frame["type"] for frame in quick[0].heard}
            _flood(server, session, quick, 1)


def _sockets(server: Serving) -> list[object]:
    """Returns the live sockets that are still open in the server."""
    return [each for each in list(server.server.server_state.connections) if isinstance(each, Sockets)]


def test_a_socket_needs_its_own_ticket(places):
    """A socket without a ticket, with a used one or with one of another session is closed and gets no frame."""
    with serving(*places, limits=QUICK) as server:
        browser, other = server.browser(), server.browser()
        used = browser.ticket()
        with browser.socket() as connection:
            connection.send(json.dumps({"type": "hello", "ticket": used}))
            assert json.loads(connection.recv(timeout=10))["type"] == "welcome"
        for ticket in (used, "", "x" * 32, other.ticket()):
            with browser.socket() as connection:
                connection.send(json.dumps({"type": "hello", "ticket": ticket}))
                with pytest.raises(ConnectionClosed) as closed:
                    connection.recv(timeout=10)
                assert closed.value.rcvd and closed.value.rcvd.code == 4401


@pytest.mark.parametrize(
    "said",
    [
        "",
        "{",
        "[]",
        "null",
        '{"type":"follow","conversations":[]}',
        '{"type":"hello"}',
        '{"type":"hello","ticket":1}',
        '{"type":"hello","ticket":"x","scope":"admin"}',
        '{"type":"shutdown"}',
        "[" * 30_000,
        b"\x00\xff",
        "x" * 70_000,
    ],
)
def test_what_makes_no_sense_ends_the_socket(server: Serving, browser: Browser, said):
    """Any other first message than a valid hello closes this socket, and the server continues."""
    with browser.socket() as connection:
        connection.send(said)
        with pytest.raises(ConnectionClosed) as closed:
            connection.recv(timeout=10)
        assert closed.value.rcvd and closed.value.rcvd.code in (1008, 1009)
    assert browser.get("/api/status").status == 200


def test_after_its_hello_a_socket_only_follows(server: Serving, browser: Browser):
    """After its hello, any message other than `follow` closes a socket, for example a second hello."""
    with browser.live() as live:
        live.until(lambda frame: frame["type"] == "running")
        live.say({"type": "follow", "conversations": ["nobody/at/home"] * 100})
        live.say({"type": "hello", "ticket": "x"})
        with pytest.raises(ConnectionClosed) as closed:
            live.until(lambda frame: False)
        assert closed.value.rcvd and closed.value.rcvd.code == 1008


def test_silence_is_no_hello(places):
    """A socket that sends no hello is closed after a while."""
    with serving(*places, limits=Limits(hello_s=0.2)) as server, server.browser().socket() as connection:
        with pytest.raises(ConnectionClosed) as closed:
            connection.recv(timeout=10)
        assert closed.value.rcvd and closed.value.rcvd.code == 1008


def test_a_session_has_only_so_many_sockets(places):
    """A socket beyond the limit of a session (ten by default) is asked to come back later."""
    with serving(*places, limits=Limits(sockets_per_login=2)) as server, contextlib.ExitStack() as stack:
        browser = server.browser()
        for _ in range(2):
            stack.enter_context(browser.live()).next()
        with browser.live() as live, pytest.raises(ConnectionClosed) as closed:
            live.next(timeout=10)
        assert closed.value.rcvd and closed.value.rcvd.code == 1013
        assert stack.enter_context(server.browser().live()).next()["type"] == "welcome"


def test_to_log_out_is_to_close_every_socket(places):
    """Logging out closes all sockets of this session at once, and no others."""
    with serving(*places) as server:
        browser, other = server.browser(), server.browser()
        with browser.live() as live, browser.live() as second, other.live() as apart:
            for each in (live, second, apart):
                each.next()
            assert browser.post("/api/logout").status == 204
            for each in (live, second):
                with pytest.raises(ConnectionClosed) as closed:
                    each.until(lambda _: False)
                assert closed.value.rcvd and closed.value.rcvd.code == 4401
            assert other.get("/api/status").status == 200
            apart.socket.ping().wait(10)


def test_the_end_of_the_server_closes_sockets_as_going_away(places):
    """When the server ends, it closes sockets with 1001, so that a page knows to connect again."""
    with serving(*places) as server, server.browser().live() as live:
        live.next()
        server.server.end()
        with pytest.raises(ConnectionClosed) as closed:
            live.until(lambda _: False)
        assert closed.value.rcvd and closed.value.rcvd.code == 1001


def test_text_that_is_being_written_is_sent_separately_and_its_last_state_always(places, monkeypatch):
    """Unfinished rows come in frames that replace each other, and the change itself is sent without them."""
    from chorus.show.server.live import hub, teller

    changed_rows = teller.changed_rows

    def partial_rows(*arguments):
        rows, removed, is_whole = changed_rows(*arguments)
        return (
            tuple(structs.replace(row, row=structs.replace(row.row, is_partial=True)) for row in rows),
            removed,
            is_whole,
        )

    monkeypatch.setattr(teller, "changed_rows", partial_rows)
    monkeypatch.setattr(hub, "PARTIAL_S", 0.2)
    with serving(*places) as server:
        session = session_of("first")
        server.write(session)
        browser = server.browser()
        name = _name_of(browser, session)
        with browser.live(follow=[name]) as live:
            start = live.next()["seq"]
            _grow(server, session, "woken")
            live.until(lambda frame: frame["type"] == "changed")
            for number in range(10):
                _grow(server, session, f"words {number}")
            live.until(lambda frame: frame["type"] == "partial" and "words 9" in json.dumps(frame))
        assert not [row for frame in live.heard if frame["type"] == "rows" for row in frame["rows"]]
        _assert_no_hole(live.heard, start)
