"""Tests login links, sessions that survive a restart of the server, and wrong guesses."""

import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from chorus.show.server.edge.logins import IDLE_S, LINK_S, LONGEST_S, Logins
from chorus.show.server.edge.tickets import TICKET_S, Tickets
from chorus.show.server.errors import Refused
from tests.show.server.serving import Browser, serving


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def logins(tmp_path, clock):
    return Logins(tmp_path / "state" / "logins.json", now=clock, clock=clock)


def _kind(act) -> str:
    with pytest.raises(Refused) as refused:
        act()
    return refused.value.problem.kind


def test_a_link_logs_in_once(logins):
    """A7: the token of a link creates one session, the session has another secret, and both secrets are long."""
    token = logins.new_link()
    secret = logins.redeem(token)

    assert logins.who([secret])
    assert token != secret and len(token) >= 43 and len(secret) >= 43
    assert _kind(lambda: logins.redeem(token)) == "not_logged_in"
    assert _kind(lambda: logins.who([token])) == "not_logged_in"
    assert len({logins.new_link() for _ in range(1_000)}) == 1_000


def test_of_many_that_use_one_link_at_once_one_logs_in(tmp_path):
    """A7: if twenty devices use one link at the same time, one gets a session, and a second try gets none."""
    with serving(tmp_path / "vault", tmp_path / "client") as server:
        link = {"token": server.link()}
        with ThreadPoolExecutor(20) as devices:
            first, again = (
                list(devices.map(lambda _: Browser(server.port).post("/api/login", link).status, range(20)))
                for _ in range(2)
            )

    assert first.count(204) == 1
    assert {*first, *again} - {204} <= {401, 429}
    assert 204 not in again


def test_a_link_is_good_for_five_minutes(logins, clock):
    """A7: a link is refused after five minutes."""
    early, late = logins.new_link(), logins.new_link()
    clock.now += LINK_S - 1
    assert logins.redeem(early)
    clock.now += 1
    assert _kind(lambda: logins.redeem(late)) == "not_logged_in"


def test_sessions_outlive_the_server_and_hold_no_secret(logins, tmp_path, clock):
    """The file of sessions contains nothing that logs a reader in, and only its owner can read it."""
    secret = logins.redeem(token := logins.new_link())
    path = tmp_path / "state" / "logins.json"
    again = Logins(path, now=clock, clock=clock)

    assert again.who([secret]) == logins.who([secret])
    assert secret.encode() not in path.read_bytes() and token.encode() not in path.read_bytes()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    digest = again.who([secret])
    assert _kind(lambda: again.who([digest])) == "not_logged_in"


def test_sessions_end_when_idle_and_at_last(logins, clock):
    """A session ends after seven days without a visit, and after thirty days in any case."""
    idle, busy = logins.redeem(logins.new_link()), logins.redeem(logins.new_link())
    began = clock.now
    clock.now += IDLE_S
    logins.who([idle])
    while clock.now + IDLE_S < began + LONGEST_S:
        logins.who([busy])
        clock.now += IDLE_S
    assert logins.who([busy])
    assert _kind(lambda: logins.who([idle])) == "not_logged_in"
    clock.now = began + LONGEST_S
    assert logins.who([busy])
    clock.now += 1
    assert _kind(lambda: logins.who([busy])) == "not_logged_in"


def test_a_clock_that_is_set_back_logs_nobody_out(logins, tmp_path, clock):
    """F9: if the clock is set back, sessions keep their age over a restart, and end neither earlier nor later."""
    secret = logins.redeem(logins.new_link())
    clock.now += 86_400
    logins.who([secret])
    logins.save()
    clock.now -= 3_600
    assert logins.who([secret])
    clock.now -= 40 * 86_400
    again = Logins(tmp_path / "state" / "logins.json", now=clock, clock=clock)
    for each in (logins, again):
        assert each.who([secret])
    left = LONGEST_S - 86_400
    while left > IDLE_S:
        clock.now += IDLE_S
        left -= IDLE_S
        assert logins.who([secret])
    clock.now += left + 1
    with pytest.raises(Refused):
        logins.who([secret])


def test_a_session_that_was_ended_stays_ended(logins, tmp_path, clock):
    """A session that was ended stays ended in a server that starts later."""
    secret = logins.redeem(logins.new_link())
    logins.revoke(logins.who([secret]))

    assert _kind(lambda: logins.who([secret])) == "not_logged_in"
    again = Logins(tmp_path / "state" / "logins.json", now=clock, clock=clock)
    assert _kind(lambda: again.who([secret])) == "not_logged_in"


def test_guessing_ends_soon_and_harms_nobody_who_is_in(logins, clock):
    """A9: of 1,000 guesses in a minute two are checked, and twelve in an hour. Open sessions are not affected."""
    secret = logins.redeem(logins.new_link())

    def evaluated(guesses: int, seconds: float) -> int:
        looked_at = 0
        for _ in range(guesses):
            looked_at += _kind(lambda: logins.redeem("guess")) == "not_logged_in"
            clock.now += seconds / guesses
            assert logins.who([secret])
        return looked_at

    assert evaluated(1_000, 59.0) == 2
    assert evaluated(3_540, 3_540.0) == 10
    # Even the right token is refused now. The owner asks for a new link, which allows new tries.
    assert _kind(lambda: logins.redeem("guess")) in ("too_many_tries", "not_logged_in")
    assert logins.redeem(logins.new_link())


def test_the_right_token_is_not_looked_at_either_once_too_many_were_wrong(logins):
    """After too many wrong guesses even the right token is refused unchecked, so a guess reveals nothing."""
    token = logins.new_link()
    for _ in range(2):
        assert _kind(lambda: logins.redeem("guess")) == "not_logged_in"
    assert _kind(lambda: logins.redeem(token)) == "too_many_tries"


@pytest.mark.parametrize("written", [b"", b"{", b"[1]", b"\xff", b'[{"digest": 1}]'])
def test_a_damaged_file_logs_out_and_nothing_worse(tmp_path, clock, written):
    """A damaged file of sessions logs everybody out, and login links still work."""
    (tmp_path / "logins.json").write_bytes(written)
    logins = Logins(tmp_path / "logins.json", now=clock, clock=clock)
    assert logins.who([logins.redeem(logins.new_link())])


def test_nobody_writes_through_a_link(tmp_path, clock):
    """A symbolic link in place of the file is neither read nor followed."""
    other = tmp_path / "other"
    other.write_text("[]")
    (tmp_path / "logins.json").symlink_to(other)
    logins = Logins(tmp_path / "logins.json", now=clock, clock=clock)
    logins.redeem(logins.new_link())

    assert other.read_text() == "[]"
    assert not (tmp_path / "logins.json").is_symlink()


def test_a_ticket_is_for_one_socket_of_one_session(clock):
    """A ticket works once, for the session that asked for it, within half a minute."""
    tickets = Tickets(clock)
    ticket = tickets.give("me")
    assert not tickets.take("guess", "me")
    assert tickets.take(ticket, "me")
    assert not tickets.take(ticket, "me")
    stolen = tickets.give("me")
    assert not tickets.take(stolen, "somebody else")
    assert not tickets.take(stolen, "me")
    late = tickets.give("me")
    clock.now += TICKET_S
    assert not tickets.take(late, "me")


def test_tickets_do_not_pile_up(clock):
    """A session that uses none of its tickets gets no more, and its tickets end with it."""
    tickets = Tickets(clock)
    given = [tickets.give("me") for _ in range(32)]
    assert _kind(lambda: tickets.give("me")) == "busy"
    assert tickets.give("somebody else")
    tickets.drop("me")
    assert not any(tickets.take(ticket, "me") for ticket in given)
