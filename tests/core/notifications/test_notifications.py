"""Tests who is notified of what, and what a notification says."""

from datetime import UTC, datetime
from typing import get_args

import msgspec
import pytest
from msgspec import structs

from chorus.core.board.columns import Column
from chorus.core.board.news import BoardEvent, BoardNews, news_of
from chorus.core.notifications.for_device import notifications_for
from chorus.core.notifications.notices import MAX_AT_ONCE, MAX_CHARS, notifications_of, tag_of
from chorus.core.notifications.rules import USUAL, NotificationRules, is_quiet, wanted
from chorus.testing.builders.secrets import Secrets
from tests.core.board.test_news import TILE, waiting

NOON = datetime(2026, 11, 18, 12, 0, tzinfo=UTC)


TOKEN = next(each.secret for each in Secrets().all() if each.kind == "github-token")


def needing(count):
    tiles = [structs.replace(waiting(f"r{each}"), name=f"work-1/main/s{each}") for each in range(count)]
    return list(news_of({}, {tile.name: tile for tile in tiles}))


@pytest.mark.parametrize("event", get_args(BoardEvent))
def test_every_event_has_words(event):
    """A notification about one conversation, and one about several, can be made of each event."""
    tiles = [structs.replace(TILE, name=f"work-1/main/s{each}") for each in range(MAX_AT_ONCE + 1)]
    news = [BoardNews(event=event, tile=tile, text="") for tile in tiles]

    assert notifications_of(news[:1], "none", lambda _request: None)[0].title
    assert notifications_of(news, "none", lambda _request: None)[0].title


@pytest.mark.parametrize(
    ("hours", "at", "is_it"),
    [
        ("", "12:00", False),
        ("22:00-07:00", "21:59", False),
        ("22:00-07:00", "22:00", True),
        ("22:00-07:00", "03:00", True),
        ("22:00-07:00", "07:00", False),
        ("12:00-13:30", "13:29", True),
        ("12:00-13:30", "13:30", False),
        ("08:00-08:00", "15:00", True),
    ],
)
def test_quiet_hours(hours, at, is_it):
    """Quiet hours include their start and not their end, and may go past midnight; equal times are the whole day."""
    hour, minute = map(int, at.split(":"))

    assert is_quiet(hours, NOON.replace(hour=hour, minute=minute)) == is_it


def test_only_what_a_device_asked_for():
    """Other events, muted workspaces and quiet hours cause nothing."""
    news = needing(1)

    assert wanted(USUAL, news, NOON) == news
    assert wanted(structs.replace(USUAL, events=("failed",)), news, NOON) == []
    assert wanted(structs.replace(USUAL, muted=("work-1",)), news, NOON) == []
    assert wanted(structs.replace(USUAL, quiet="11:00-13:00"), news, NOON) == []


@pytest.mark.parametrize("quiet", ["25:00-07:00", "7:00-8:00", "22:00", "22:00-07:60", "x"])
def test_rules_that_make_no_sense_are_refused(quiet):
    """Hours that no clock shows are no rules."""
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"events": [], "muted": [], "quiet": quiet, "content": "none"}, NotificationRules)


def test_the_content_is_a_choice():
    """Without a choice nothing of the conversation is said; then its title, then also what is asked."""
    news = needing(1)

    def said(content):
        (found,) = notifications_of(news, content, lambda request: f"Bash: rm {request}")
        return found.body

    assert said("none") == ""
    assert said("title") == "work: Secret plan of[31m ours"
    assert said("command") == "work: Secret plan of[31m ours\nBash: rm r0"
    (unknown,) = notifications_of(news, "command", lambda _request: None)
    assert unknown.body.endswith("\nasks for permission: Bash")


@pytest.mark.parametrize("chars", range(MAX_CHARS - 90, MAX_CHARS + 10, 7))
def test_half_of_a_secret_is_not_shown(chars):
    """A long body is shortened after its secrets were replaced: no beginning of a secret is left at its end."""
    rules = structs.replace(USUAL, content="command")
    command = "x " * (chars // 2) + TOKEN

    (found,) = notifications_for(rules, needing(1), NOON, lambda _request: command + " x" * 500)

    assert len(found.body) <= MAX_CHARS and found.body.endswith("(shortened)")
    assert TOKEN[:8] not in found.body


def test_news_of_a_conversation_are_one_notification():
    """Several news of one conversation become one, the most urgent; its tag names nothing and stays the same."""
    failed = structs.replace(TILE, column=Column.FAILED)
    news = [*news_of({TILE.name: TILE}, {TILE.name: failed}), *needing(0), *news_of({}, {TILE.name: waiting("a", "b")})]

    (found,) = notifications_of(news, "none", lambda _request: None)

    assert (found.event, found.title) == ("needs-you", "An agent waits for you")
    assert found.tag == tag_of(TILE.name) and "work" not in found.tag and len(found.tag) == 32


def test_many_conversations_are_one_notification():
    """If many conversations have news at once, one notification counts them and leads to all of them."""
    assert len(notifications_of(needing(MAX_AT_ONCE), "title", lambda _request: None)) == MAX_AT_ONCE

    (found,) = notifications_of(needing(MAX_AT_ONCE + 1), "title", lambda _request: None)

    assert (found.title, found.body, found.conversation) == ("4 agents: 4 wait for you", "", None)
