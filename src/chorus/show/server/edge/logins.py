"""Who is logged in. A one-time link from the terminal is turned into a session; sessions outlive the server.

Only digests are kept, in memory and in `state/logins.json`: who reads the file cannot log in with it.
"""

import contextlib
import hashlib
import hmac
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from chorus.keep.vault.safe_files import make_folders, put_file
from chorus.show.server.errors import Refused

LINK_S = 5 * 60.0
IDLE_S = 7 * 86_400.0
LONGEST_S = 30 * 86_400.0
TRIES = ((2, 60.0), (12, 3_600.0))
"""So many wrong guesses within so many seconds; then no guess is looked at."""
_MAX_SESSIONS = 50
_MAX_LINKS = 20
_LONGEST_TOKEN = 200


class Session(Struct):
    """Somebody who is logged in, since when, and when they were last seen (seconds since 1970)."""

    digest: str
    began_at: float
    seen_at: float

    def is_over(self, now: float) -> bool:
        return now > self.began_at + LONGEST_S or now > self.seen_at + IDLE_S

    def follow(self, now: float) -> None:
        """The clock was set back if it is before the last visit: the session keeps its age."""
        if now < self.seen_at:
            self.began_at -= self.seen_at - now
            self.seen_at = now


class Logins:
    """Links, sessions and wrong guesses. May be called from any thread."""

    def __init__(
        self, path: Path, *, now: Callable[[], float] = time.time, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._path = path
        self._now = now
        self._clock = clock
        self._mutex = threading.Lock()
        self._links: dict[str, float] = {}
        """Digest of a token → when it ends, by the clock."""
        self._wrong: deque[float] = deque(maxlen=max(most for most, _ in TRIES))
        self._sessions = {each.digest: each for each in _read(path) if not _is_over(each, now())}
        self._is_dirty = False

    def new_link(self) -> str:
        """A token that logs in once, within five minutes. With it come new tries: who asks for one owns the machine."""
        token = secrets.token_urlsafe(32)
        with self._mutex:
            now = self._clock()
            self._links = {digest: end for digest, end in self._links.items() if end > now}
            while len(self._links) >= _MAX_LINKS:
                self._links.pop(next(iter(self._links)))
            self._links[_digest(token)] = now + LINK_S
            self._wrong.clear()
        return token

    def redeem(self, token: str) -> str:
        """The secret of a new session for the token of a link, which is worth nothing from here on; `Refused` else."""
        with self._mutex:
            now = self._clock()
            for most, seconds in TRIES:
                if sum(at > now - seconds for at in self._wrong) >= most:
                    raise Refused(
                        429, "too_many_tries", "Too many wrong links were tried; `chorus open` prints a new one."
                    )
            found = _match(_digest(token[:_LONGEST_TOKEN]), self._links)
            if found is None or self._links.pop(found) <= now:
                self._wrong.append(now)
                raise Refused(
                    401, "not_logged_in", "This link was used already, or is too old; `chorus open` prints a new one."
                )
            secret = secrets.token_urlsafe(32)
            moment = self._now()
            self._sessions[_digest(secret)] = Session(_digest(secret), moment, moment)
            while len(self._sessions) > _MAX_SESSIONS:
                self._sessions.pop(min(self._sessions, key=lambda digest: self._sessions[digest].seen_at))
            self._save()
        return secret

    def who(self, given: Sequence[str]) -> str:
        """The session that one of the secrets belongs to, by its digest; `Refused` when none does."""
        with self._mutex:
            now = self._now()
            for secret in given:
                found = _match(_digest(secret[:_LONGEST_TOKEN]), self._sessions)
                if found is not None and not _is_over(self._sessions[found], now):
                    self._sessions[found].seen_at = now
                    self._is_dirty = True
                    return found
        raise Refused(401, "not_logged_in", "Log in with the link that `chorus open` prints.")

    def is_alive(self, who: str) -> bool:
        """Whether the session has not ended; to be at an open socket is to be seen."""
        with self._mutex:
            session = self._sessions.get(who)
            if session is None or _is_over(session, self._now()):
                return False
            session.seen_at = self._now()
            self._is_dirty = True
            return True

    def sessions(self) -> list[tuple[str, float, float]]:
        """Who is logged in, by digests, since when, and when they were last seen; the last seen first."""
        with self._mutex:
            now = self._now()
            living = [each for each in self._sessions.values() if not _is_over(each, now)]
            return [(each.digest, each.began_at, each.seen_at) for each in sorted(living, key=lambda one: -one.seen_at)]

    def revoke(self, who: str) -> None:
        """End a session for good."""
        with self._mutex:
            self._sessions.pop(who, None)
            self._save()

    def save(self) -> None:
        """Write down who was seen when, if anything changed."""
        with self._mutex:
            if self._is_dirty:
                self._save()

    def _save(self) -> None:
        """A full disk is no reason to log anybody out: then sessions last as long as the server."""
        self._is_dirty = False
        kept = [each for each in self._sessions.values() if not _is_over(each, self._now())]
        with contextlib.suppress(OSError):
            make_folders(self._path.parent.parent, self._path.parent)
            put_file(self._path, msgspec.json.encode(kept))


def _is_over(session: Session, now: float) -> bool:
    session.follow(now)
    return session.is_over(now)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def _match(digest: str, known: dict[str, float] | dict[str, Session]) -> str | None:
    """Which of the known digests it is; the time this takes does not tell how near a guess came."""
    found = None
    for each in known:
        if hmac.compare_digest(each, digest):
            found = each
    return found


def _read(path: Path) -> list[Session]:
    try:
        if path.is_symlink():
            return []
        return msgspec.json.decode(path.read_bytes(), type=list[Session])
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return []
