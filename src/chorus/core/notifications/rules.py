"""What a person wants to be notified of. The same rules hold for the phone, the browser and a command. Pure."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import Meta, Struct

from chorus.core.board.news import BoardEvent, BoardNews

Content = Literal["none", "title", "command"]
"""What a notification says: only that something happened; also the title of the conversation; also what is asked."""
QuietHours = Annotated[str, Meta(pattern=r"^(([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d)?$")]
"""Such as `22:00-07:00`; empty for none."""


class NotificationRules(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The rules of one device."""

    events: Annotated[tuple[BoardEvent, ...], Meta(max_length=10)]
    muted: Annotated[tuple[Annotated[str, Meta(max_length=300)], ...], Meta(max_length=500)]
    """The ids of the workspaces that it is not notified of."""
    quiet: QuietHours
    """Nothing is sent in this time, by the clock of the computer. It may go past midnight."""
    content: Content


USUAL = NotificationRules(events=("needs-you", "failed", "limit"), muted=(), quiet="", content="none")


def is_quiet(hours: QuietHours, now: datetime) -> bool:
    """Returns whether `now`, in the person's time zone, is within the quiet hours. Equal times mean the whole day."""
    if not hours:
        return False
    start, end = (tuple(map(int, text.split(":"))) for text in hours.split("-"))
    at = now.hour, now.minute
    return start <= at < end if start < end else at >= start or at < end


def wanted(rules: NotificationRules, news: list[BoardNews], now: datetime) -> list[BoardNews]:
    """Returns the part of the news that the rules ask for."""
    if is_quiet(rules.quiet, now):
        return []
    return [each for each in news if each.event in rules.events and each.tile.workspace not in rules.muted]
