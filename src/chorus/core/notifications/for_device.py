"""What a device is notified of, by its rules: the one way from news to notifications, for push, pages and desktops."""

from datetime import datetime

from msgspec import structs

from chorus.core.board.news import BoardNews
from chorus.core.notifications.notices import CommandOf, Notification, notifications_of
from chorus.core.notifications.rules import NotificationRules, wanted


def notifications_for(
    rules: NotificationRules, news: list[BoardNews], now: datetime, command_of: CommandOf
) -> list[Notification]:
    """Returns the notifications that the rules ask for, grouped, with secrets and personal data replaced."""
    found = notifications_of(wanted(rules, news, now), rules.content, command_of)
    return found if rules.content == "none" else [_redacted(each) for each in found]


def _redacted(notification: Notification) -> Notification:
    """Returns a notification without the secrets and personal data in it: it may be shown on a locked screen."""
    # The patterns are compiled when they are imported.
    from chorus.core.redaction.choices import Choices
    from chorus.core.redaction.redactor import Redactor

    redactor = Redactor(Choices())
    redactor.search_text("", notification.body)
    redactor.settle()
    return structs.replace(notification, body=redactor.replace_text("", notification.body))
