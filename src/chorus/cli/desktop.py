"""Notifications on the desktop, by `notify-send`."""

import shutil
import threading
from collections.abc import Mapping
from html import escape

from chorus.base.processes import call_quietly
from chorus.core.board.news import news_of
from chorus.core.board.tiles import Tile
from chorus.core.views.safe import safe_line
from chorus.errors import ChorusError

_PROGRAM = "notify-send"
_PATIENCE_S = 5.0
_MAX_AT_ONCE = 5
"""How many notifications one look may cause; more would only cover the screen."""


class Desktop:
    """Tells a person of conversations that began to need them. It names the workspace and the reason, not the title."""

    def __init__(self) -> None:
        program = shutil.which(_PROGRAM)
        if program is None:
            raise ChorusError(f"{_PROGRAM} is not installed, so there are no notifications on this desktop")
        self._program = program
        self._before: Mapping[str, Tile] | None = None

    def tell(self, tiles: Mapping[str, Tile]) -> None:
        """Show a notification for each conversation that needs a person now and did not before. Never waits."""
        before, self._before = self._before, dict(tiles)
        if before is None:
            return
        news = [each for each in news_of(before, tiles) if each.event == "needs-you"]
        for each in news[:_MAX_AT_ONCE]:
            text = escape(safe_line(f"{each.tile.workspace_name}: {each.text}"), quote=False)
            command = [self._program, "--app-name=Chorus", "--", "An agent needs you", text]
            threading.Thread(target=call_quietly, args=(command, {}, _PATIENCE_S), daemon=True).start()
