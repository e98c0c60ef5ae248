"""The logins of browsers. A one-time link from the terminal is exchanged for a session, which outlives the server.

Only digests are stored, in memory and in `state/logins.json`: a reader of that file cannot log in with it.
"""

import contextlib
import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct, structs

from chorus.keep.vault.safe_files import make_folders, put_file
from chorus.show.server.edge.guesses import Guesses
from chorus.show.server.errors import Refused

LINK_S = 5 * 60.0
IDLE_S = 7 * 86_400.0
LONGEST_S = 30 * 86_400.0
_MAX_SESSIONS = 50
_MAX_LINKS = 20
_LONGEST_TOKEN = 200


class BrowserLogin(Struct):
    """The login of one browser: when it began and when it was last seen, in seconds since 1970."""

    digest: str
    began_at: float
    seen_at: float
    device: str = ""
    """The id of the paired device; empty for a browser of this computer."""

    def is_over(self, now: float) -> bool:
        return now > self.began_at + LONGEST_S or now > self.seen_at + IDLE_S

    def follow(self, now: float) -> None:
        """Moves both times back if the system clock was set back, so that the session keeps its age."""
        if now < self.seen_at:
            self.began_at -= self.seen_at - now
            self.seen_at = now


class Logins:
    """Manages login links, sessions and wrong guesses. May be called from any thread."""

    def __init__(
        self, path: Path, *, now: Callable[[], float] = time.time, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._path = path
        self._now = now
        self._clock = clock
        self._mutex = threading.Lock()
        self._links: dict[str, float] = {}
        """Digest of a token → when it expires, by the monotonic clock."""
        self._guesses = Guesses(clock)
        self._sessions = {each.digest: each for each in _read(path) if not _is_over(each, now())}
        self._is_dirty = False

    def new_link(self) -> str:
        """Returns a token that logs in once, within five minutes. Also resets the wrong guesses, because only this user
        can ask for a link."""
        token = secrets.token_urlsafe(32)
        with self._mutex:
            now = self._clock()
            self._links = {digest: end for digest, end in self._links.items() if end > now}
            while len(self._links) >= _MAX_LINKS:
                self._links.pop(next(iter(self._links)))
            self._links[_digest(token)] = now + LINK_S
            self._guesses.clear()
        return token

    def redeem(self, token: str) -> str:
        """Returns the secret of a new session for the token of a link, which is valid once. Raises `Refused`."""
        with self._mutex:
            now = self._clock()
            self._guesses.check("Too many wrong links were tried; `chorus open` prints a new one.")
            found = _match(_digest(token[:_LONGEST_TOKEN]), self._links)
            if found is None or self._links.pop(found) <= now:
                self._guesses.add()
                raise Refused(
                    401, "not_logged_in", "This link was used already, or is too old; `chorus open` prints a new one."
                )
            return self._begin("")

    def begin(self, device: str) -> str:
        """Returns the secret of a new session of a device that was just paired."""
        with self._mutex:
            return self._begin(device)

    def _begin(self, device: str) -> str:
        secret = secrets.token_urlsafe(32)
        moment = self._now()
        self._sessions[_digest(secret)] = BrowserLogin(_digest(secret), moment, moment, device)
        while len(self._sessions) > _MAX_SESSIONS:
            self._sessions.pop(min(self._sessions, key=lambda digest: self._sessions[digest].seen_at))
        self._save()
        return secret

    def device_of(self, who: str) -> str:
        """Returns the device of a session; empty for a browser of this computer. Raises `Refused` if it has ended."""
        with self._mutex:
            session = self._sessions.get(who)
        if session is None:
            raise Refused(401, "not_logged_in", "This login has ended.")
        return session.device

    def device_logins(self) -> list[tuple[str, str]]:
        """Returns digest and device of each session of a paired device."""
        with self._mutex:
            return [(each.digest, each.device) for each in self._sessions.values() if each.device]

    def who(self, given: Sequence[str]) -> str:
        """Returns the digest of the session that one of the secrets belongs to; raises `Refused` when none does."""
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
        """Returns whether the session has not ended, and marks it as seen: its browser has an open socket."""
        with self._mutex:
            session = self._sessions.get(who)
            if session is None or _is_over(session, self._now()):
                return False
            session.seen_at = self._now()
            self._is_dirty = True
            return True

    def sessions(self) -> list[BrowserLogin]:
        """Returns the sessions that have not ended; the last used comes first."""
        with self._mutex:
            now = self._now()
            living = [structs.replace(each) for each in self._sessions.values() if not _is_over(each, now)]
            return sorted(living, key=lambda one: -one.seen_at)

    def devices_seen(self) -> dict[str, float]:
        """Returns the paired devices that are logged in → when each was last seen, in seconds since 1970."""
        return {each.device: each.seen_at for each in reversed(self.sessions()) if each.device}

    def revoke(self, who: str) -> None:
        """Ends a session permanently."""
        with self._mutex:
            self._sessions.pop(who, None)
            self._save()

    def save(self) -> None:
        """Writes the sessions to disk if anything changed."""
        with self._mutex:
            if self._is_dirty:
                self._save()

    def _save(self) -> None:
        """Ignores write errors: with a full disk nobody is logged out, and sessions last as long as the server."""
        self._is_dirty = False
        kept = [each for each in self._sessions.values() if not _is_over(each, self._now())]
        with contextlib.suppress(OSError):
            make_folders(self._path.parent.parent, self._path.parent)
            put_file(self._path, msgspec.json.encode(kept))


def _is_over(session: BrowserLogin, now: float) -> bool:
    session.follow(now)
    return session.is_over(now)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def _match(digest: str, known: dict[str, float] | dict[str, BrowserLogin]) -> str | None:
    """Returns the known digest that is equal to `digest`, or None. Takes the same time for every wrong guess."""
    found = None
    for each in known:
        if hmac.compare_digest(each, digest):
            found = each
    return found


def _read(path: Path) -> list[BrowserLogin]:
    try:
        if path.is_symlink():
            return []
        return msgspec.json.decode(path.read_bytes(), type=list[BrowserLogin])
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return []
