"""Cards: what will run, whole, with nothing hidden, and offers one by one."""

import json
import random
import unicodedata

import pytest
from msgspec import structs

from chorus.approvals import machine
from chorus.approvals.cards import Card, card_of, edited
from chorus.approvals.offers import offers
from chorus.approvals.seeing import seen
from chorus.views.blocks import Code, Diff, Json, Note, Shell
from tests.approvals.samples import MODE, RULE, request

HIDDEN = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
TRICKS = [
    "\u202e", "\u200b", "\u2066", "\U000e0041", "\r", "\x1b[2K", "\x1b]8;;http://x\x07", "\t" * 20, " " * 300,
    "\n" * 100, "\u2028", "\u0085", "\ue000", "\u3164", "\ufe0f", "а", "é", "\x00", "\x7f", "\u00ad", "\\u{202e}",
    "`", "$(id)", "[bold]",
]  # fmt: skip
TOOLS = [
    "Bash", "Edit", "Write", "MultiEdit", "NotebookEdit", "WebFetch", "mcp__a__b", "Agent", "AskUserQuestion",
    "ExitPlanMode", "\x1b[31mBash", "",
]  # fmt: skip


def card(**changes) -> Card:
    return card_of(machine.asked(request(**changes)))


def texts(value):
    """Every text of a card."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple | list):
        for each in value:
            yield from texts(each)
    elif hasattr(value, "__struct_fields__"):
        for name in value.__struct_fields__:
            yield from texts(getattr(value, name))


def is_harmless(text: str) -> bool:
    return not any(unicodedata.category(char) in HIDDEN and char != "\n" for char in text)


@pytest.mark.parametrize("count", [300, pytest.param(2_000, marks=pytest.mark.long)])
def test_hostile_commands_are_shown_whole_and_plain(count):
    """Bidirectional, invisible, padded, coloured: every text of the card is harmless and the whole command is in it."""
    chance = random.Random(4)
    for _ in range(count):
        words = ["curl", "rm -rf", "http://аpple.com", "x" * chance.randrange(10_000), "&&", "echo done"]
        command = "".join(
            chance.choice([chance.choice(TRICKS), chance.choice(words)]) for _ in range(chance.randrange(1, 20))
        )
        hostile = chance.choice(TRICKS) + "name"
        made = card(input=json.dumps({"command": command, "description": hostile}), cwd=hostile, session=hostile)

        (shell,) = [block for block in made.blocks if isinstance(block, Shell)]
        assert shell.command == seen(command) and all(map(is_harmless, texts(made)))
        assert " " * 9 not in shell.command


@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_and_shape_has_a_card(tool):
    """Any tool with any input is shown, and every value of the input is somewhere on the card."""
    for number, value in enumerate(["x\u202ey", 7, None, True, {"deep": ["z\u200b"]}, [], 1e300]):
        for name in ("command", "file_path", "content", "old_string", "edits", "questions", "plan", "other"):
            made = card(tool=tool, input=json.dumps({name: value, "mark": f"mark-{number}"}))
            shown = "\n".join(texts(made))
            assert f"mark-{number}" in shown and "mark-" in "\n".join(texts(made.blocks))
            assert all(map(is_harmless, texts(made))), (tool, name)


def test_a_diff_shows_what_separators_hide():
    """A line separator or carriage return in an edit is not lost by cutting the text into lines."""
    made = card(
        tool="Edit",
        input=json.dumps(
            {
                "file_path": "a.py",
                "old_string": "one\ntwo",
                "new_string": "one\u2028evil()\rtwo\x85",
                "replace_all": True,
            }
        ),
    )
    (diff,) = [block for block in made.blocks if isinstance(block, Diff)]
    lines = [line for hunk in diff.hunks for line in hunk.lines]

    assert "+one\\u{2028}evil()\\rtwo\\u{85}" in lines
    assert "replace_all: true" in "\n".join(texts(made.blocks))


def test_a_written_file_is_its_text_and_the_input_is_whole():
    """Write shows what will be in the file; fields that no view draws are listed."""
    made = card(tool="Write", input='{"file_path": "/etc/passwd", "content": "root\\u200b\\n", "mode": "0777"}')

    (code,) = [block for block in made.blocks if isinstance(block, Code)]
    assert code.text == "root\\u{200b}\n" and "mode: 0777" in "\n".join(texts(made.blocks))
    assert isinstance(made.whole, Json) and "/etc/passwd" in made.whole.text


def test_an_edited_input_has_its_own_card():
    """What a person is about to approve instead is shown like what was asked for."""
    row = machine.asked(request())

    made = card_of(edited(row, '{"command": "ls\\u202e"}'))

    assert [block.command for block in made.blocks if isinstance(block, Shell)] == ["ls\\u{202e}"]


def test_offers_say_what_they_write_where():
    """Each suggestion in words; wide ones are marked, unknown ones shown as they are."""
    found = offers(
        [
            RULE,
            MODE,
            '{"type":"addDirectories","directories":["/etc"],"destination":"userSettings"}',
            '{"type":"addRules","rules":[{"toolName":"Read"},{"toolName":"Edit","ruleContent":"src/**"}],"behavior":"allow","destination":"projectSettings"}',
            '{"type":"setMode","mode":"bypassPermissions","destination":"session"}',
            '{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"ls\\u202e"}],"behavior":"deny","destination":"session"}',
            '{"type":"becomeRoot","destination":"session"}',
            '{"type":"addRules","rules":[{"toolName":"Bash"}],"behavior":"allow","destination":"/etc/x"}',
            "not json",
            '{"type":7}',
        ]
    )

    assert [offer.words for offer in found[:6]] == [
        "allow `touch a.txt` in this repository's local settings (.claude/settings.local.json)",
        "switch to the mode acceptEdits (change files without asking) for this session, until it ends",
        "let it work in `/etc` in your own settings, for every project (~/.claude/settings.json)",
        "allow every use of Read, Edit `src/**` in this repository's shared settings (.claude/settings.json)",
        "switch to the mode bypassPermissions (do everything without asking) for this session, until it ends",
        "deny `ls\\u{202e}` for this session, until it ends",
    ]
    assert [offer.is_wide for offer in found] == [False, True, True, True, True, False, True, True, True, True]
    assert all("does not know" in offer.words for offer in found[6:])
    assert [offer.index for offer in found] == list(range(10))


def test_no_text_passes_for_a_line_of_the_card():
    """A line feed in a name, folder, path or suggestion is written out; only commands and files have lines."""
    lie = "x\n! all is well\n--suggestion 1: nothing"
    made = card(
        tool="Write",
        input=json.dumps({"file_path": lie, "content": "a", lie: lie}),
        cwd=lie,
        session=lie,
        agent=lie,
        description=lie,
        suggestions=[
            json.dumps({"type": "addDirectories", "directories": [lie], "destination": "session"}),
            json.dumps({"type": lie}),
        ],
    )

    single = (made.title, made.facts, [hint.text for hint in made.hints], made.offers)
    assert not any("\n" in text for text in texts(single)) and "all is well" in made.title
    assert not any("\n" in block.text for block in made.blocks if isinstance(block, Note))


def test_a_card_is_made_of_the_row_alone():
    """Equal rows have equal cards, and the digest on the card is the row's."""
    row = machine.asked(request())

    assert card_of(row) == card_of(structs.replace(row)) and card_of(row).digest == row.digest
