"""What a phone is sent about a conversation that it follows."""

import json
from typing import Any

from chorus.testing.mobile_contract.phone import Phone
from chorus.testing.mobile_contract.world import World

_MANY = 12


def what_happens_is_sent_in_order(world: World) -> None:
    """A phone that asks for a conversation from its start gets its past, then each new message once and in order."""
    phone = Phone(world.conversation)
    line = phone.subscribe(world, replay=[world.conversation])
    phone.listen(line, lambda: phone.prompts() == ["first"])
    said = ["first"]
    for number in range(_MANY):
        said.append(f"words {number}")
        world.grow(said[-1])
    phone.listen(line, lambda: said[-1] in phone.prompts())
    line.cut()
    assert phone.prompts() == said


def a_phone_that_comes_back_misses_nothing(world: World) -> None:
    """A phone that is cut off again and again gets what it missed, and nothing that it has."""
    phone = Phone(world.conversation)
    line = phone.subscribe(world, replay=[world.conversation])
    phone.listen(line, lambda: phone.prompts() == ["first"])
    line.cut()
    said = ["first"]
    for number in range(_MANY):
        said.append(f"words {number}")
        world.grow(said[-1])
        if number % 3 == 0:
            line = phone.subscribe(world)
            if number % 2 == 0:
                phone.listen(line, lambda: said[-1] in phone.prompts())
            line.cut()
    line = phone.subscribe(world)
    phone.listen(line, lambda: said[-1] in phone.prompts())
    line.cut()
    assert phone.prompts() == said
    assert not any(hello["isReset"] for hello in phone.hellos)


def a_position_that_does_not_exist_begins_again(world: World) -> None:
    """A phone that names another epoch, or a step that was never sent, is told so; a replay gives it everything."""
    phone = Phone(world.conversation)
    line = phone.subscribe(world)
    phone.listen(line, lambda: phone.hellos)
    line.cut()
    epoch, seq = phone.place["epoch"], phone.place["seq"]
    for place in ({"epoch": f"{epoch}0", "seq": seq}, {"epoch": epoch, "seq": seq + 1_000}):
        lost = Phone(world.conversation)
        lost.place = dict(place)
        line = lost.subscribe(world, replay=[world.conversation])
        lost.listen(line, lambda lost=lost: lost.prompts() == ["first"])
        line.cut()
        assert [hello["isReset"] for hello in lost.hellos] == [True], place
        assert lost.place["epoch"] == epoch


def a_replay_gives_the_same_messages(world: World) -> None:
    """A replay has the same messages, with the same ids and revisions, as what was sent while it happened."""
    there, later = Phone(world.conversation), Phone(world.conversation)
    line = there.subscribe(world, replay=[world.conversation])
    there.listen(line, lambda: there.prompts() == ["first"])
    world.grow("second")
    there.listen(line, lambda: "second" in there.prompts())
    line.cut()
    line = later.subscribe(world, replay=[world.conversation], ref="all of it")
    assert later.answer(line, "all of it")["type"] == "done"
    line.cut()
    assert [each for each in later.heard if each["conversation"]] == [
        each for each in there.heard if each["conversation"]
    ]


def a_phone_that_dropped_a_conversation_gets_it_again(world: World) -> None:
    """On the same socket, a replay without `known` sends everything again, because the phone may have dropped it."""
    phone = Phone(world.conversation)
    line = phone.subscribe(world, replay=[world.conversation], ref="first")
    assert phone.answer(line, "first")["type"] == "done"
    before = [each for each in phone.heard if each["conversation"]]
    phone.known, phone.heard = {}, []
    again = {"conversations": [world.conversation], "replay": [world.conversation], "ref": "again"}
    line.say(json.dumps({"type": "subscribe", **again}))
    assert phone.answer(line, "again")["type"] == "done"
    line.cut()
    assert [each for each in phone.heard if each["conversation"]] == before


def an_interrupted_replay_continues(world: World) -> None:
    """A phone that comes back with a place of its replay is sent what comes after it; with a place that is none,
    everything."""
    phone = Phone(world.conversation)
    line = phone.subscribe(world, replay=[world.conversation], ref="first")
    places: list[dict[str, Any]] = []
    while not places:
        frame = json.loads(line.hear())
        phone.take(frame)
        places = [sent["message"] for sent in frame["messages"] if sent["message"]["type"] == "replay_place"]
    line.cut()
    assert (places[-1]["conversation"], places[-1]["ref"]) == (world.conversation, "first")
    world.grow("meanwhile")
    before = [each for each in phone.heard if each["conversation"]]
    phone.known = {}
    line = phone.subscribe(
        world, replay=[world.conversation], replayAfter={world.conversation: places[-1]["place"]}, ref="rest"
    )
    phone.listen(line, lambda: "meanwhile" in phone.prompts())
    line.cut()
    assert phone.prompts() == ["first", "meanwhile"]
    phone.known = {}
    line = phone.subscribe(world, replay=[world.conversation], replayAfter={world.conversation: "nowhere"}, ref="all")
    assert phone.answer(line, "all")["type"] == "done"
    line.cut()
    assert before[0] in phone.heard[len(before) :]


def a_late_confirmation_loses_nothing(world: World) -> None:
    """A phone that confirms late still gets everything, in order."""
    phone = Phone(world.conversation)
    line = phone.subscribe(world, replay=[world.conversation])
    for number in range(_MANY):
        world.grow(f"words {number}")
    while f"words {_MANY - 1}" not in phone.prompts():
        phone.take(json.loads(line.hear()))
    line.say(json.dumps({"type": "ack", "seq": phone.place["seq"]}))
    world.grow("after the confirmation")
    phone.listen(line, lambda: "after the confirmation" in phone.prompts())
    line.cut()
