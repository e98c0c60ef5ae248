"""What a person may want to know when the board changed."""

from collections.abc import Iterator, Mapping
from typing import Literal

from msgspec import Struct

from chorus.core.alerts.model import Alert
from chorus.core.board.columns import Column
from chorus.core.board.tiles import Reason, Tile

BoardEvent = Literal["needs-you", "failed", "limit", "alert", "done"]
"""The most urgent one first. `limit`: a budget is nearly or completely used; `alert`: any other alert."""
_ACTIVE = (Column.NEEDS_YOU, Column.WORKING)


class BoardNews(Struct, frozen=True, kw_only=True):
    """Something happened to a conversation on the board."""

    event: BoardEvent
    tile: Tile
    text: str
    """What happened, in words."""
    request: str | None = None
    """The id of the permission request, if it is one."""


def news_of(before: Mapping[str, Tile], after: Mapping[str, Tile]) -> Iterator[BoardNews]:
    """Yields what happened between two boards. A conversation that was not on the board before is news only if it needs
    a person: it may have been there all the time, below the last tile of its column."""
    for name, tile in after.items():
        old = before.get(name)
        if tile.column is Column.NEEDS_YOU:
            known = {_key(reason) for reason in old.reasons} if old else set()
            for reason in tile.reasons:
                if _key(reason) not in known:
                    yield BoardNews(event="needs-you", tile=tile, text=reason.text, request=reason.request)
        if old is None:
            continue
        if tile.column is Column.FAILED and old.column is not Column.FAILED:
            yield BoardNews(event="failed", tile=tile, text="failed")
        if tile.column in (Column.DONE, Column.IDLE) and old.column in _ACTIVE:
            yield BoardNews(event="done", tile=tile, text="ended its turn")
        known_alerts = {_alert_key(alert) for alert in old.alerts}
        for alert in tile.alerts:
            if _alert_key(alert) not in known_alerts:
                event: BoardEvent = "limit" if alert.kind == "budget" else "alert"
                yield BoardNews(event=event, tile=tile, text=alert.text)


def variables_of(news: BoardNews, *, has_title: bool, asked: str | None) -> dict[str, str]:
    """Returns the environment variables of the command that reports it: ids, and texts only if they were asked for.

    `asked` is what happened, in words, or what an agent wants to do; None if that is left out."""
    tile = news.tile
    found = {
        "CHORUS_EVENT": news.event,
        "CHORUS_CONVERSATION": tile.name,
        "CHORUS_SESSION": tile.id,
        "CHORUS_WORKSPACE": tile.workspace,
        "CHORUS_RUN_ID": tile.run.id if tile.run else "",
        "CHORUS_REQUEST": news.request or "",
    }
    if has_title:
        found |= {"CHORUS_TITLE": _plain(tile.title), "CHORUS_FOLDER": _plain(tile.folder or "")}
    if asked is not None:
        found["CHORUS_TEXT"] = _plain(asked)
    return found


def _key(reason: Reason) -> tuple[str, str | None, str | None]:
    return reason.kind, reason.request, reason.call


def _alert_key(alert: Alert) -> tuple[str, str, str | None]:
    """Returns what makes an alert news. Of several limits of a budget, each is reported when it is reached."""
    return alert.kind, alert.thread, alert.since if alert.kind == "budget" else None


def _plain(text: str) -> str:
    """Returns text for an environment variable: on one line, without NUL and other control characters."""
    return "".join(char for char in " ".join(text.split()) if char.isprintable())[:500]
