"""What a phone is sent about all conversations at once."""

from typing import Any

from chorus.testing.mobile_contract.phone import Phone
from chorus.testing.mobile_contract.world import World


def the_board_is_sent_once_and_follows_what_happens(world: World) -> None:
    """A phone that asks for the board gets its columns and a tile for each name in them, each again only after it
    changed, also when it comes back; one that does not ask gets none."""
    phone, other = Phone(), Phone(world.conversation)
    line = phone.subscribe(world, board=True)
    phone.listen(line, lambda: world.conversation in _named(phone))
    assert set(_named(phone)) <= {each["conversation"] for each in _all(phone, "tile")}
    tiles = len(_mine(phone, world))
    line.cut()
    world.grow("more words")
    line = other.subscribe(world, replay=[world.conversation])
    other.listen(line, lambda: "more words" in other.prompts())
    line.cut()
    line = phone.subscribe(world, board=True)
    phone.listen(line, lambda: len(_mine(phone, world)) > tiles)
    line.cut()
    assert not [*_all(other, "tile"), *_all(other, "board")]


def _all(phone: Phone, kind: str) -> list[dict[str, Any]]:
    return [each["message"] for each in phone.heard if each["message"]["type"] == kind]


def _mine(phone: Phone, world: World) -> list[dict[str, Any]]:
    return [each for each in _all(phone, "tile") if each["conversation"] == world.conversation]


def _named(phone: Phone) -> list[str]:
    """Returns the names in the columns that came last."""
    boards = _all(phone, "board")
    return [name for column in boards[-1]["columns"] for name in column["conversations"]] if boards else []
