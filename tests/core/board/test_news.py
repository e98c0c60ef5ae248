"""Tests which changes of the board are news for a person."""

from msgspec import structs

from chorus.core.alerts.model import Alert
from chorus.core.board.columns import Column
from chorus.core.board.news import news_of, variables_of
from chorus.core.board.tiles import Reason, Tile

TILE = Tile(
    name="work-1/main/s1",
    id="s1",
    title="Secret\0 plan\n of\x1b[31m ours",
    workspace="work-1",
    workspace_name="work",
    agent="main",
    branch=None,
    folder="/home/dev/work",
    column=Column.WORKING,
    status="running",
    run=None,
    pane=None,
    reasons=(),
    calls=(),
    progress=None,
    alerts=(),
    sub_agents=0,
    sub_agents_at_work=0,
    context=None,
    cost_usd=None,
    is_lower_bound=False,
    started_at=None,
    last_at=None,
)


def waiting(*requests):
    reasons = tuple(Reason(kind="permission", text="asks for permission: Bash", request=each) for each in requests)
    return structs.replace(TILE, column=Column.NEEDS_YOU, reasons=reasons)


def described(before, after):
    old = {before.name: before} if before else {}
    return [(each.event, each.request) for each in news_of(old, {after.name: after})]


def test_news():
    """Each request is news once; failures, ended turns and new alerts are news when they come."""
    alert = Alert(kind="loop", text="", thread="", since=None, evidence=(), count=3)
    looping = structs.replace(TILE, alerts=(alert,))

    assert described(TILE, waiting("r1")) == [("needs-you", "r1")]
    assert described(None, waiting("r1")) == [("needs-you", "r1")]
    assert described(waiting("r1"), waiting("r1")) == []
    assert described(waiting("r1"), waiting("r1", "r2")) == [("needs-you", "r2")]
    assert described(TILE, structs.replace(TILE, column=Column.FAILED)) == [("failed", None)]
    assert described(None, structs.replace(TILE, column=Column.FAILED)) == []
    assert described(TILE, structs.replace(TILE, column=Column.IDLE)) == [("done", None)]
    assert described(TILE, looping) == [("alert", None)]
    used = structs.replace(TILE, alerts=(structs.replace(alert, kind="budget"),))
    assert described(TILE, used) == [("limit", None)]
    assert described(looping, structs.replace(looping, sub_agents=1)) == []


def test_variables():
    """A command gets ids; texts only if a person asked for them, on one line and without control characters."""
    (news,) = news_of({}, {TILE.name: waiting("r1")})

    ids = variables_of(news, has_title=False, asked=None)
    texts = variables_of(news, has_title=True, asked=news.text)

    assert ids == {
        "CHORUS_EVENT": "needs-you",
        "CHORUS_CONVERSATION": "work-1/main/s1",
        "CHORUS_SESSION": "s1",
        "CHORUS_WORKSPACE": "work-1",
        "CHORUS_RUN_ID": "",
        "CHORUS_REQUEST": "r1",
    }
    assert texts == ids | {
        "CHORUS_TITLE": "Secret plan of[31m ours",
        "CHORUS_TEXT": "asks for permission: Bash",
        "CHORUS_FOLDER": "/home/dev/work",
    }
