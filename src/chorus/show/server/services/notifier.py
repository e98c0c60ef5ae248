"""Calls the command that a person named in the settings when something happened on the board.

The settings are those of the person's own home; files of a workspace have no say. The server never waits for the
command: a few calls run at a time, each for a few seconds at most, and what is too much is dropped and counted.
"""

import threading
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

from msgspec import structs

from chorus.base import config
from chorus.base.processes import call_quietly
from chorus.base.zone import local_zone
from chorus.core.board.news import BoardNews, variables_of
from chorus.core.notifications.for_device import without_secrets
from chorus.core.notifications.notices import CommandOf
from chorus.core.notifications.rules import NotificationRules, wanted
from chorus.errors import ChorusError
from chorus.show.server import log

PATIENCE_S = 5.0
MAX_A_MINUTE = 30
_AT_ONCE = 2


class Notifier:
    """Calls the command in threads of its own. `tell` may be called from any thread."""

    def __init__(
        self, home: Path, command_of: CommandOf = lambda _request: None, *, patience_s: float = PATIENCE_S
    ) -> None:
        self._home = home
        self._command_of = command_of
        self._patience_s = patience_s
        self._pool = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="chorus-notifier")
        self._mutex = threading.Lock()
        self._lately: deque[float] = deque()
        self.dropped = 0
        """How many calls were left out because there were too many."""

    def tell(self, news: Sequence[BoardNews]) -> None:
        """Calls the command for each of these that the settings ask for."""
        try:
            settings = config.load(self._home)
        except ChorusError:
            return  # `chorus doctor` reports settings that cannot be read.
        if not settings.notify_command:
            return
        rules = settings.notification_rules
        for each in wanted(rules, list(news), datetime.now(local_zone())):
            if self._may_call():
                has_title = rules.content != "none"
                self._pool.submit(
                    self._report,
                    list(settings.notify_command),
                    each,
                    has_title=has_title,
                    asked=self._asked(each, rules),
                )

    def close(self) -> None:
        """Forgets the calls that have not begun."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _asked(self, news: BoardNews, rules: NotificationRules) -> str | None:
        """Returns what happened or what is asked; None if the person did not choose to be told."""
        if rules.content != "command":
            return None
        return (self._command_of(news.request) if news.request else None) or news.text

    def _may_call(self) -> bool:
        now = time.monotonic()
        with self._mutex:
            while self._lately and now - self._lately[0] > 60:
                self._lately.popleft()
            if len(self._lately) >= MAX_A_MINUTE:
                self.dropped += 1
                log.logger.warning("notifications: too many in a minute, %d left out", self.dropped)
                return False
            self._lately.append(now)
            return True

    def _report(self, command: list[str], news: BoardNews, *, has_title: bool, asked: str | None) -> None:
        """Calls the command. Secrets are replaced first, because it may send what it gets to somebody else."""
        if has_title:
            news = structs.replace(news, tile=structs.replace(news.tile, title=without_secrets(news.tile.title)))
        asked = None if asked is None else without_secrets(asked)
        variables = variables_of(news, has_title=has_title, asked=asked)
        if not call_quietly(command, variables, self._patience_s):
            log.logger.warning("notifications: the command failed or took too long")
