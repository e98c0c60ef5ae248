"""Tests that the command of a person's settings is called, and that it can do no harm to the server."""

import json
import sys

import pytest

from chorus.base.processes import call_quietly
from chorus.core.board.news import news_of
from chorus.show.server.services.notifier import MAX_A_MINUTE, Notifier
from chorus.testing.builders.secrets import Secrets
from tests.core.board.test_news import TILE, waiting
from tests.support.running import is_alive, until

WRITE = "import os, sys, json; open(sys.argv[1], 'a').write(json.dumps(dict(os.environ)) + '\\n')"


@pytest.fixture
def notifier(tmp_path):
    made = Notifier(tmp_path)
    yield made
    made.close()


def put(home, **settings):
    (home / "config.json").write_text(json.dumps(settings))


def news(*requests):
    return list(news_of({}, {TILE.name: waiting(*requests)}))


def test_the_command_gets_ids_and_no_content(tmp_path, notifier):
    """The named program is called with its arguments, and its environment has ids and no text of the conversation."""
    put(tmp_path, notifyCommand=[sys.executable, "-c", WRITE, str(tmp_path / "called")])
    notifier.tell(news("r1"))
    until(lambda: (tmp_path / "called").exists() and (tmp_path / "called").read_text().endswith("\n"))

    given = json.loads((tmp_path / "called").read_text())
    assert (given["CHORUS_EVENT"], given["CHORUS_REQUEST"], given["CHORUS_SESSION"]) == ("needs-you", "r1", "s1")
    assert not {"CHORUS_TITLE", "CHORUS_TEXT", "CHORUS_FOLDER"} & given.keys()


def test_only_what_was_asked_for(tmp_path, notifier):
    """Without a command, or for other events, nothing is called; settings that cannot be read call nothing either."""
    called = tmp_path / "called"
    notifier.tell(news("r1"))
    put(tmp_path, notifyCommand=[sys.executable, "-c", WRITE, str(called)], notifyOn=["failed"])
    notifier.tell(news("r2"))
    (tmp_path / "config.json").write_text("{")
    notifier.tell(news("r3"))
    put(tmp_path, notifyCommand=[sys.executable, "-c", WRITE, str(called)], notifyContent="command")
    notifier.tell(news("r4"))
    until(lambda: called.exists() and called.read_text().endswith("\n"))

    (given,) = map(json.loads, called.read_text().splitlines())
    assert given["CHORUS_REQUEST"] == "r4" and given["CHORUS_TEXT"] == "asks for permission: Bash"


def test_secrets_in_what_is_asked_are_replaced(tmp_path):
    """The command may pass on what it gets, so no secret is in it, and no half of one either."""
    token = next(each.secret for each in Secrets().all() if each.kind == "github-token")
    made = Notifier(tmp_path, lambda _request: "x " * 235 + token)
    put(tmp_path, notifyCommand=[sys.executable, "-c", WRITE, str(tmp_path / "called")], notifyContent="command")
    made.tell(news("r1"))
    until(lambda: (tmp_path / "called").exists() and (tmp_path / "called").read_text().endswith("\n"))
    made.close()

    text = json.loads((tmp_path / "called").read_text())["CHORUS_TEXT"]
    assert text.startswith("x x") and token[:8] not in text


def test_too_many_are_dropped(tmp_path, notifier):
    """At most so many calls are made in a minute; the others are counted."""
    put(tmp_path, notifyCommand=["/bin/true"])
    notifier.tell(news(*(f"r{number}" for number in range(MAX_A_MINUTE + 7))))

    assert notifier.dropped == 7


def test_a_command_that_hangs_is_killed_with_its_children(tmp_path):
    """A call ends after its time, and so does everything that it started; a program that does not exist is no error."""
    body = "import subprocess, sys; p = subprocess.Popen(['sleep', '60'])\n"
    body += "open(sys.argv[1], 'w').write(str(p.pid)); p.wait()"

    ended_well = call_quietly([sys.executable, "-c", body, str(tmp_path / "pid")], {}, 3.0)

    assert not ended_well
    child = int((tmp_path / "pid").read_text())
    until(lambda: not is_alive(child))
    assert not call_quietly(["/nowhere/at/all"], {}, 1.0)
    assert not call_quietly(["/bin/echo", "a\0b"], {}, 1.0)
    assert call_quietly(["/bin/true"], {"A": "b"}, 5.0)
