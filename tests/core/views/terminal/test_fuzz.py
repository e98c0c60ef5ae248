"""Security table, row B7: tests with ten thousand texts that try to control a terminal, drawn as by `chorus show`."""

import json
import re
from collections.abc import Iterator

import pytest

from chorus.library import files
from chorus.testing.builders import Run
from tests.core.views.talks import STRUCTURE, drawn, finished_run, spoiled, tour
from tests.support.terminal_fuzz import acting, texts

COUNT = 10_000
LONG_COUNT = 100_000
TOGETHER = 6
"""So many stand in each text of a conversation."""
SELDOM_SEEN = {"cwd", "gitBranch", "requestId", "tools", "activeForm", "signature"}
"""Texts of many lines of which a conversation shows one, or none."""
FULL = {"is_full": True, "thinking": "full", "internal": True}
WIDE = 400
"""Columns in which few lines are broken, so that what was drawn can be found again."""


def conversations(given: list[str]) -> Iterator[tuple[files.Conversation, list[str]]]:
    """Yields conversations of all kinds of records with the given texts in them, and the mark of each text.

    The first conversation has the given texts in all of its texts. The others keep the names of tools, so that each
    tool is drawn in its own way, and keep texts that are seldom shown, so that most of the given texts are shown.
    """
    run = Run()
    run.line("hologram", content="x")
    run.system("informational", content="<local-command-stdout>x</local-command-stdout>")
    lines = [line for script in (*tour(), finished_run(), run) for line in script.lines]
    left = [f"{text} m{number}m" for number, text in enumerate(given)]
    keeps = STRUCTURE
    while left:
        marks: list[str] = []

        def spoil(text: str, marks: list[str] = marks) -> str:
            added = [left.pop() for _ in range(min(TOGETHER, len(left)))]
            marks += [each.rpartition(" ")[2] for each in added]
            return " ".join([text, *added])

        made = spoiled(lines, spoil, keeps=keeps)
        keeps = STRUCTURE | SELDOM_SEEN | {"name"}
        (found,) = files.fold(files.read("".join(f"{json.dumps(line)}\n" for line in made).encode()))
        yield found, marks


def referred(text: str) -> str:
    """Returns the text with character references replaced by the characters."""
    undone = re.sub("&#[xX]([0-9a-fA-F]+);", lambda found: chr(int(found[1], 16)), text)
    return re.sub("&#([0-9]+);", lambda found: chr(int(found[1])), undone)


def test_the_check_can_fail():
    """B7, control: the 10,000 texts are all different, and the check detects each one when it is printed unchanged."""
    given = texts(COUNT)

    assert len(set(given)) == COUNT
    assert [text for text in given if not acting(referred(text), colours=True)] == []
    assert sum(not acting(text, colours=True) for text in given) > COUNT / 20
    assert acting("\x1b[1;38;5;196mours\x1b[0m", colours=True) == []
    assert acting("\x1b[1mours", colours=False) and acting("\x1b[8mtheirs", colours=True)


@pytest.mark.parametrize("count", [COUNT, pytest.param(LONG_COUNT, marks=pytest.mark.long)])
def test_nothing_acts_in_what_show_draws(count):
    """B7: after 10,000 texts are drawn in every field, the output has only harmless characters.

    It has no C0 character except line feed and tab, and no DEL, C1 character or escape.
    """
    found: list[str] = []
    reached = 0
    for number, (conversation, marks) in enumerate(conversations(texts(count * 3 // 2, seed=count))):
        is_coloured = number % 4 < 2
        shown = drawn(conversation, colour=is_coloured, width=WIDE, **FULL)
        found += acting(shown, colours=is_coloured)
        reached += sum(mark in shown for mark in marks)

    assert found == []
    assert reached >= count
