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
MAKE = """([name, ms, followed]) => {
  window[name] = new Phone(ms)
  window[name].leave = window[name].client.follow(followed)
}"""


class FollowedConversation:
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
def followed(page: Page, serving) -> FollowedConversation:
    page.evaluate(built_phone().read_text("utf-8"))
    return FollowedConversation(page, serving)


def test_what_happens_comes_once_and_in_order(followed: FollowedConversation):
    """A phone gets the past of a conversation, then each new message, once and in order, also if it confirms late."""
    followed.phone("quick")
    followed.phone("slow", storing_ms=150)
    said = [f"words {number}" for number in range(MANY)]
    for each in said:
        followed.say(each)
    for name in ("quick", "slow"):
        followed.hears(said[-1], name)
        assert followed.run(f"{name}.prompts()")[-MANY:] == said
        assert followed.run(f"{name}.repeated()") == []
    assert followed.run("quick.prompts()") == followed.run("slow.prompts()")


def test_a_phone_that_loses_its_connection_misses_nothing(followed: FollowedConversation):
    """A phone is cut off again and again, also while messages come: it has each of them once, as a later one has."""
    followed.phone()
    said = [f"words {number}" for number in range(MANY)]
    for number, each in enumerate(said):
        followed.say(each)
        if number % 3 == 0:
            followed.hears(each)
        followed.run("phone.cut()")
    followed.hears(said[-1])
    followed.phone("later")
    followed.hears(said[-1], "later")
    assert followed.run("phone.prompts()")[-MANY:] == said
    assert followed.run("phone.repeated()") == []
    assert followed.run("phone.hellos") > 1
    mine, theirs = (followed.run(STORED.format(name, followed.name)) for name in ("phone", "later"))
    assert mine == theirs


STORED = "{0}.client.store.memory.messages('{1}').map(({{ id, revision }}) => [id, revision])"


def test_a_conversation_that_was_dropped_comes_again(followed: FollowedConversation):
    """A phone that left a conversation and follows it again gets all of it, on the same connection."""
    followed.phone()
    followed.say("one more")
    followed.hears("one more")
    before = followed.run(STORED.format("phone", followed.name))
    followed.run("phone.leave()")
    assert followed.run(STORED.format("phone", followed.name)) == []
    followed.run(f"void phone.client.follow('{followed.name}')")
    followed.page.wait_for_function(f"() => {STORED.format('phone', followed.name)}.length === {len(before)}")
    assert followed.run(STORED.format("phone", followed.name)) == before
    assert followed.run("phone.hellos") == 1


def test_actions_are_answered(followed: FollowedConversation):
    """`hello` says what the login may do; an action that cannot be done is answered, and nothing else is disturbed."""
    followed.phone()
    followed.page.wait_for_function("() => phone.client.hello() !== null")
    assert set(followed.run("phone.client.hello().scopes")) == {"read", "steer", "approve"}
    assert followed.run("phone.kindOf({ type: 'stop', runId: 'there is none' })") == "not_found"
    followed.say("still there")
    followed.hears("still there")


def test_the_board_follows_what_happens(followed: FollowedConversation):
    """A phone that asks for the board has a tile for each name in its columns, which changes with the conversation."""
    followed.phone()
    followed.run("void phone.client.followBoard()")
    session = going_on(followed.serving, worlds.LIVE)
    session.tool_result("toolu_live1", "ok")
    session.assistant("Running test 7 of 9...", tool_use("Read", {"file_path": "/a"}, id="toolu_x"), stop="tool_use")
    followed.serving.append(path_of(followed.serving, worlds.LIVE), session.lines)
    of_tile = f"phone.client.store.memory.message('tile:{followed.name}')"
    followed.page.wait_for_function(f"() => {of_tile}?.progress?.completedSteps === 7")
    names = followed.run("phone.client.store.memory.message('board').columns.flatMap((each) => each.conversations)")
    assert followed.name in names
    assert followed.run(f"{of_tile}.column") == "working"
    assert all(followed.run(f"phone.client.store.memory.message('tile:{each}') !== null") for each in names)
