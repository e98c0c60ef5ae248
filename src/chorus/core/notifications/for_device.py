"""What a device is notified of, by its rules: the one way from news to notifications, for push, pages and desktops."""

from datetime import datetime

from msgspec import structs

from chorus.core.board.news import BoardNews
from chorus.core.notifications.notices import CommandOf, Notification, notifications_of, shortened
from chorus.core.notifications.rules import NotificationRules, wanted

_EXAMINED_CHARS = 20_000
"""Of a longer text only the beginning is searched for secrets, and shown: far more than fits into a notification."""


def notifications_for(
    rules: NotificationRules, news: list[BoardNews], now: datetime, command_of: CommandOf
) -> list[Notification]:
    """Returns the notifications that the rules ask for, grouped, with secrets and personal data replaced."""
    found = notifications_of(wanted(rules, news, now), rules.content, command_of)
    return [_fitting(each) for each in found]


def without_secrets(text: str) -> str:
    """Returns the text with secrets and personal data replaced: it may be shown on a locked screen, or sent elsewhere.

    It is to be shortened afterwards and not before: half of a secret is not recognized.
    """
    if not text:
        return ""
    # The patterns are compiled when they are imported.
    from chorus.core.redaction.choices import Choices
    from chorus.core.redaction.redactor import Redactor

    redactor = Redactor(Choices())
    redactor.search_text("", text[:_EXAMINED_CHARS])
    redactor.settle()
    return redactor.replace_text("", text[:_EXAMINED_CHARS])


def _fitting(notification: Notification) -> Notification:
    return structs.replace(notification, body=shortened(without_secrets(notification.body)))
