"""Notifications on the desktop, by `notify-send` and the same rules as everywhere."""

import shutil
import threading
from collections.abc import Callable, Mapping
from datetime import datetime
from html import escape

from chorus.base.processes import call_quietly
from chorus.core.board.news import news_of
from chorus.core.board.tiles import Tile
from chorus.core.notifications.for_device import notifications_for
from chorus.core.notifications.notices import CommandOf, Notification
from chorus.core.notifications.rules import NotificationRules
from chorus.core.views.safe import safe_line
from chorus.errors import ChorusError

_PROGRAM = "notify-send"
_PATIENCE_S = 5.0


class Desktop:
    """Notifies a person of what happened on the board since the last look, by the rules of the settings."""

    def __init__(self, rules: Callable[[], NotificationRules], command_of: CommandOf) -> None:
        """`rules` is called when there is news, so that a change of the settings holds at once."""
        program = shutil.which(_PROGRAM)
        if program is None:
            raise ChorusError(f"{_PROGRAM} is not installed, so there are no notifications on this desktop")
        self._program = program
        self._rules = rules
        self._command_of = command_of
        self._before: Mapping[str, Tile] | None = None

    def tell(self, tiles: Mapping[str, Tile], now: datetime) -> None:
        """Show what the rules ask for. Never waits, and shows nothing while the settings cannot be read."""
        before, self._before = self._before, dict(tiles)
        news = [] if before is None else list(news_of(before, tiles))
        if not news:
            return
        try:
            rules = self._rules()
        except ChorusError:
            return  # `chorus doctor` reports settings that cannot be read.
        for each in notifications_for(rules, news, now, self._command_of):
            command = [self._program, *_arguments(each)]
            threading.Thread(target=call_quietly, args=(command, {}, _PATIENCE_S), daemon=True).start()


def _arguments(notification: Notification) -> list[str]:
    """Return the arguments of `notify-send`, which reads the body as markup."""
    body = "\n".join(escape(safe_line(line), quote=False) for line in notification.body.splitlines())
    return ["--app-name=Chorus", "--", notification.title, body]
