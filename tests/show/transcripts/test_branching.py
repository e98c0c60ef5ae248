"""Tests branches that are updated message by message."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from chorus.show.transcripts.branching import Branching
from chorus.show.transcripts.sketch import ABANDONED, MESSAGE, SHOWN, Sketch


def message(name, link=None):
    return Sketch(name, f"{int(name):06d}", "", MESSAGE, SHOWN, 0, link)


def expected(sketches):
    """Returns the abandoned messages by their definition, and the branch points.

    A continuation that is not the last of its message is abandoned, with everything below it.
    """
    children = {}
    for sketch in sorted(sketches.values(), key=lambda sketch: sketch.key):
        if sketch.link is not None:
            children.setdefault(sketch.link, []).append(sketch.id)
    left = [child for each in children.values() for child in each[:-1]]
    found = set()
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += children.get(name, ())
    return found, {name for name, each in children.items() if len(each) > 1}


def state(branching, sketches):
    return {name for name, sketch in sketches.items() if sketch.flags & ABANDONED}, branching.points


@given(st.integers(0, 2**32), st.integers(2, 40))
def test_any_order_of_messages(seed, count):
    """Adding and removing messages in any order gives the state that their links define.

    Adding all messages at once gives the same state.
    """
    random = Random(seed)
    sketches = {}
    branching = Branching(sketches)
    for _ in range(count * 2):
        name = str(random.randint(1, count))
        if name in sketches and random.random() < 0.4:
            branching.remove(sketches[name])
            del sketches[name]
        elif name not in sketches:
            # A message continues an earlier one, which may not be known yet.
            link = str(random.randint(0, int(name) - 1)) if int(name) > 1 and random.random() < 0.9 else None
            sketches[name] = message(name, link)
            branching.add(sketches[name])

        assert state(branching, sketches) == expected(sketches)
        assert branching.abandoned == len(expected(sketches)[0])
    fresh = {name: message(name, sketch.link) for name, sketch in sketches.items()}
    at_once = Branching(fresh)
    at_once.add_all(sorted(fresh.values(), key=lambda sketch: sketch.key))
    assert state(at_once, fresh) == state(branching, sketches)
    assert {name: each.heads for name, each in fresh.items()} == {name: each.heads for name, each in sketches.items()}


def test_links_in_a_circle_end():
    """Messages that continue each other in a circle, which only a forged record has, cause no endless loop."""
    sketches = {"1": message("1", "2"), "2": message("2", "1"), "3": message("3", "1")}
    branching = Branching(sketches)
    for sketch in sketches.values():
        branching.add(sketch)

    assert branching.points == {"1"}
    assert set(branching.hidden(("2",))) == {"3"}
    assert list(branching.leading_to("2")) == ["2"]


def test_what_a_message_changes_for_others():
    """A second continuation makes the first one abandoned, and its removal makes the first one active again."""
    sketches = {}
    branching = Branching(sketches)
    for name, link in (("1", None), ("2", "1"), ("3", "2")):
        sketches[name] = message(name, link)
        assert branching.add(sketches[name]) == []
    sketches["4"] = message("4", "1")

    assert sorted(branching.add(sketches["4"])) == ["2", "3"]
    assert branching.continues("4") == branching.continues("2") == "1"
    assert set(branching.hidden(())) == {"2", "3"}
    assert set(branching.hidden(("3",))) == {"4"}
    assert sorted(branching.remove(sketches.pop("4"))) == ["2", "3"]
    assert branching.continues("2") is None
