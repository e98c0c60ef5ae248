"""Tests the reference client of `chorus.mobile.v1` in a browser against the real server, in the situations of the
contract (`chorus.testing.mobile_contract`)."""

import pytest
from playwright.sync_api import Page

from chorus.testing.builders import tool_use
from tests.e2e.support import worlds
from tests.e2e.support.growing import going_on, path_of
from tests.e2e.support.opening import name_of
from tests.e2e.support.scripts import built_phone

MANY = 8
MAKE = """([name, ms, talk]) => {
  window[name] = new Phone(ms)
  window[name].leave = window[name].client.follow(talk)
}"""


class Talk:
    """A conversation that grows, and the page with the phones that follow it."""

    def __init__(self, page: Page, serving) -> None:
        self.page = page
        self.serving = serving
        self.name = name_of(page, worlds.LIVE)

    def say(self, *prompts: str) -> None:
        session = going_on(self.serving, worlds.LIVE)
        for each in prompts:
            session.user(each)
        self.serving.append(path_of(self.serving, worlds.LIVE), session.lines)

    def phone(self, name: str = "phone", storing_ms: int = 0) -> None:
        """Makes a phone that follows the conversation."""
        self.page.evaluate(MAKE, [name, storing_ms, self.name])

    def hears(self, prompt: str, name: str = "phone") -> None:
        self.page.wait_for_function("([name, text]) => window[name].prompts().includes(text)", arg=[name, prompt])

    def run(self, script: str):
        return self.page.evaluate(script)


@pytest.fixture
def talk(page: Page, serving) -> Talk:
    page.evaluate(built_phone().read_text("utf-8"))
    return Talk(page, serving)


def test_what_happens_comes_once_and_in_order(talk: Talk):
    """A phone gets the past of a conversation, then each new message, once and in order, also if it confirms late."""
    talk.phone("quick")
    talk.phone("slow", storing_ms=150)
    said = [f"words {number}" for number in range(MANY)]
    for each in said:
        talk.say(each)
    for name in ("quick", "slow"):
        talk.hears(said[-1], name)
        assert talk.run(f"{name}.prompts()")[-MANY:] == said
        assert talk.run(f"{name}.repeated()") == []
    assert talk.run("quick.prompts()") == talk.run("slow.prompts()")


def test_a_phone_that_loses_its_connection_misses_nothing(talk: Talk):
    """A phone is cut off again and again, also while messages come: it has each of them once, as a later one has."""
    talk.phone()
    said = [f"words {number}" for number in range(MANY)]
    for number, each in enumerate(said):
        talk.say(each)
        if number % 3 == 0:
            talk.hears(each)
        talk.run("phone.cut()")
    talk.hears(said[-1])
    talk.phone("later")
    talk.hears(said[-1], "later")
    assert talk.run("phone.prompts()")[-MANY:] == said
    assert talk.run("phone.repeated()") == []
    assert talk.run("phone.hellos") > 1
    mine, theirs = (talk.run(STORED.format(name, talk.name)) for name in ("phone", "later"))
    assert mine == theirs


STORED = "{0}.client.store.memory.messages('{1}').map(({{ id, revision }}) => [id, revision])"


def test_a_conversation_that_was_dropped_comes_again(talk: Talk):
    """A phone that left a conversation and follows it again gets all of it, on the same connection."""
    talk.phone()
    talk.say("one more")
    talk.hears("one more")
    before = talk.run(STORED.format("phone", talk.name))
    talk.run("phone.leave()")
    assert talk.run(STORED.format("phone", talk.name)) == []
    talk.run(f"void phone.client.follow('{talk.name}')")
    talk.page.wait_for_function(f"() => {STORED.format('phone', talk.name)}.length === {len(before)}")
    assert talk.run(STORED.format("phone", talk.name)) == before
    assert talk.run("phone.hellos") == 1


def test_actions_are_answered(talk: Talk):
    """`hello` says what the login may do; an action that cannot be done is answered, and nothing else is disturbed."""
    talk.phone()
    talk.page.wait_for_function("() => phone.client.hello() !== null")
    assert set(talk.run("phone.client.hello().scopes")) == {"read", "steer", "approve"}
    assert talk.run("phone.kindOf({ type: 'stop', runId: 'there is none' })") == "not_found"
    talk.say("still there")
    talk.hears("still there")


def test_the_board_follows_what_happens(talk: Talk):
    """A phone that asks for the board has a tile for each name in its columns, which changes with the conversation."""
    talk.phone()
    talk.run("void phone.client.followBoard()")
    session = going_on(talk.serving, worlds.LIVE)
    session.tool_result("toolu_live1", "ok")
    session.assistant("Running test 7 of 9...", tool_use("Read", {"file_path": "/a"}, id="toolu_x"), stop="tool_use")
    talk.serving.append(path_of(talk.serving, worlds.LIVE), session.lines)
    of_tile = f"phone.client.store.memory.message('tile:{talk.name}')"
    talk.page.wait_for_function(f"() => {of_tile}?.progress?.completedSteps === 7")
    names = talk.run("phone.client.store.memory.message('board').columns.flatMap((each) => each.conversations)")
    assert talk.name in names
    assert talk.run(f"{of_tile}.column") == "working"
    assert all(talk.run(f"phone.client.store.memory.message('tile:{each}') !== null") for each in names)
