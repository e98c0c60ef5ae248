"""Tests of cards: a card shows the whole input with nothing hidden, and each suggestion separately."""

import copy
import io
import json
import random
import unicodedata

import pytest
from msgspec import structs
from rich.console import Console

from chorus.cli.deciding import draw
from chorus.core.views.blocks import Code, Diff, Json, Note, Plan, Question, Shell
from chorus.steer.approvals import lifecycle, model
from chorus.steer.approvals.cards import Card, card_of, edited
from chorus.steer.approvals.offers import offers
from chorus.steer.approvals.visible_text import make_visible
from tests.steer.approvals.samples import MODE, RULE, request

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


COLOURS = {
    "questions": [
        {
            "question": "Which colour?",
            "header": "Colour",
            "multiSelect": False,
            "options": [{"label": "Red", "description": "like a rose"}, {"label": "Blue"}],
        },
        {"question": "Which sizes?", "multiSelect": True, "options": [{"label": "S"}, {"label": "L"}]},
    ]
}
ANSWERS = {"Which colour?": "Blue", "Which sizes?": "S, wide"}


def card(**changes) -> Card:
    return card_of(lifecycle.asked(request(**changes)))


def at_terminal(made: Card) -> str:
    """Returns the text that a terminal shows for a card."""
    console = Console(file=io.StringIO(), width=100, highlight=False)
    draw(made, console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def asking(**changes) -> Card:
    return card(tool="AskUserQuestion", input=json.dumps(COLOURS | changes))


def texts(value):
    """Yields every text of a card."""
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
    """A card shows the whole command, and no bidirectional, invisible, padded or coloured text stays active in it."""
    chance = random.Random(4)
    for _ in range(count):
        words = ["curl", "rm -rf", "http://аpple.com", "x" * chance.randrange(10_000), "&&", "echo done"]
        command = "".join(
            chance.choice([chance.choice(TRICKS), chance.choice(words)]) for _ in range(chance.randrange(1, 20))
        )
        hostile = chance.choice(TRICKS) + "name"
        made = card(input=json.dumps({"command": command, "description": hostile}), cwd=hostile, session=hostile)

        (shell,) = [block for block in made.blocks if isinstance(block, Shell)]
        assert shell.command == make_visible(command) and all(map(is_harmless, texts(made)))
        assert " " * 9 not in shell.command


@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_and_shape_has_a_card(tool):
    """Every tool with any input has a card, and every value of the input is on the card."""
    for number, value in enumerate(["x\u202ey", 7, None, True, {"deep": ["z\u200b"]}, [], 1e300]):
        for name in ("command", "file_path", "content", "old_string", "edits", "questions", "plan", "other"):
            made = card(tool=tool, input=json.dumps({name: value, "mark": f"mark-{number}"}))
            shown = "\n".join(texts(made))
            assert f"mark-{number}" in shown and "mark-" in "\n".join(texts(made.blocks))
            assert all(map(is_harmless, texts(made))), (tool, name)


def test_a_diff_shows_what_separators_hide():
    """A diff shows a line separator or carriage return of an edit, although the text is split into lines."""
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
    """The card of Write shows the text of the file and lists the fields that no view draws."""
    made = card(tool="Write", input='{"file_path": "/etc/passwd", "content": "root\\u200b\\n", "mode": "0777"}')

    (code,) = [block for block in made.blocks if isinstance(block, Code)]
    assert code.text == "root\\u{200b}\n" and "mode: 0777" in "\n".join(texts(made.blocks))
    assert isinstance(made.whole, Json) and "/etc/passwd" in made.whole.text


@pytest.mark.parametrize(("old", "new", "sign"), [("a", "a\n", "+"), ("a\n", "a", "-"), ("a", "\na", "+")])
def test_a_change_of_an_empty_line_is_a_change(old, new, sign):
    """A diff shows an added or removed empty line even if nothing else differs."""
    (diff, *_) = card(tool="Edit", input=json.dumps({"file_path": "a", "old_string": old, "new_string": new})).blocks

    assert isinstance(diff, Diff)
    assert sign in [line for hunk in diff.hunks for line in hunk.lines]


def test_a_diff_has_no_numbers_where_nobody_knows_the_lines():
    """A diff in the terminal has no line numbers, because a row does not say where in the file the text is."""
    edit = {"file_path": "a.py", "old_string": "keep\nold", "new_string": "keep\nnew"}
    one = card(tool="Edit", input=json.dumps(edit))
    many = card(tool="MultiEdit", input=json.dumps({"file_path": "a.py", "edits": [edit]}))

    for made in (one, many):
        assert "\n│   keep\n│ - old\n│ + new\n" in at_terminal(made)


def test_questions_that_say_all_of_an_input_are_not_followed_by_it():
    """The whole input does not follow questions that already show all of it; the terminal shows options and answers."""
    for made in (asking(), asking(answers=ANSWERS)):
        assert [type(block) for block in made.blocks] == [Question, Question]
        assert "whole input" not in at_terminal(made) and "Which sizes?" in made.whole.text
    shown = at_terminal(asking())
    assert "○ Red  like a rose\n" in shown and "☐ S\n" in shown
    shown = at_terminal(asking(answers=ANSWERS))
    assert "● Blue\n" in shown and "☑ S\n" in shown and "☐ L\n" in shown and "⏎ S, wide\n" in shown


ODD = [None, 1, 0, 1.0, "", "x\ny", "two  blanks", " x", [], ["x"], {}, {"a": "b"}]


def changed(value):
    """Yields copies of an input, each with one other value or with one additional field in an object."""
    if isinstance(value, dict):
        yield {**value, "extra": "x"}
    for name, each in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        others = [odd for odd in ODD if type(odd) is not type(each) or isinstance(odd, str)]
        for other in [*others, *changed(each)]:
            # An empty header or description is equal to a missing one, so the questions leave nothing out.
            if other != "" or name not in ("header", "description"):
                made = copy.copy(value)
                made[name] = other
                yield made


def test_whatever_questions_leave_out_brings_the_whole_input_back():
    """The card shows the whole input if the questions leave out a field, a type or the exact form of a text."""
    found = [json.dumps(each) for each in changed(COLOURS | {"answers": ANSWERS})]

    assert len(found) > 100
    for text in found:
        made = card(tool="AskUserQuestion", input=text)
        assert made.whole.text in [block.text for block in made.blocks if isinstance(block, Json)], text


@pytest.mark.parametrize(
    "text",
    [
        '{"questions": [{"question": "evil?", "question": "Good?", "options": []}]}',
        '{"questions": [{"question": "evil?", "options": []}], "questions": [{"question": "Good?", "options": []}]}',
        '{"questions": [{"question": "Good?", "options": [], "multiSelect": true}]}',
        '{"questions": [{"question": "Good?", "options": [{"label": "a", "preview": "evil"}]}]}',
        '{"questions": [{"question": "Good?", "options": [{"label": "a"}]}], "answers": {"evil?": "a"}}',
        '{"questions": [{"question": "Good?", "options": [{"label": "a"}]}], "answers": {}}',
        '{"questions": [{"question": "Good?", "options": [{"label": "a"}]}], "answers": {"Good?": ""}}',
    ],
)
def test_what_no_question_draws_is_in_the_whole_input(text):
    """The whole input follows for repeated fields, several choices of none, previews and answers to no question."""
    made = card(tool="AskUserQuestion", input=text)

    assert made.whole in made.blocks


def test_leaving_plan_mode_without_a_plan_is_said_in_words():
    """The card says in words that a request to leave plan mode contains no plan, and still shows the whole input."""
    for given in ({}, {"plan": ""}, {"plan": None}, {"plan": " \n"}, {"allowedPrompts": [{"tool": "Bash"}], "x": 1}):
        made = card(tool="ExitPlanMode", input=json.dumps(given))
        shown = at_terminal(made)
        first = made.blocks[0]
        assert isinstance(first, Note) and first.text.startswith("Leave plan mode and begin to work"), given
        assert "the request holds no plan: read it in the conversation" in " ".join(shown.replace("│", " ").split())
        assert made.whole.text in [block.text for block in made.blocks if isinstance(block, Json)], given
    for given in ({"plan": "# Do it"}, {"plan": ["do it"]}, {"plan": 7}):
        made = card(tool="ExitPlanMode", input=json.dumps(given))
        assert not any(isinstance(block, Note) for block in made.blocks), given
    assert isinstance(card(tool="ExitPlanMode", input='{"plan": "# Do it"}').blocks[0], Plan)
    assert not any(isinstance(block, Note) for block in card(tool="mcp__x__y", input="{}").blocks)


@pytest.mark.parametrize(
    ("tool", "given", "title"),
    [
        ("ExitPlanMode", {"plan": "# Do it", "planFilePath": "/plans/buoy.md"}, "Plan to approve"),
        ("ExitPlanMode", {}, "Plan to approve"),
        ("exit_plan_mode", {"plan": "# Do it"}, "Plan to approve"),
        ("AskUserQuestion", COLOURS, "Questions for you"),
        ("AskUserQuestion", {}, "Questions for you"),
        ("Write", {"file_path": "/plans/buoy.md", "content": ""}, "Write /plans/buoy.md"),
    ],
)
def test_plans_and_questions_are_titled_in_plain_words(tool, given, title):
    """The card of a plan or of questions has a title in plain words; other cards have the name of the tool."""
    made = card(tool=tool, input=json.dumps(given))

    assert made.title == title
    assert tool not in at_terminal(made).splitlines()[0] or title.startswith(tool)


def test_an_edited_input_has_its_own_card():
    """An edited input has a card of its own, which is drawn like the original request."""
    row = lifecycle.asked(request())

    made = card_of(edited(row, '{"command": "ls\\u202e"}'))

    assert [block.command for block in made.blocks if isinstance(block, Shell)] == ["ls\\u{202e}"]


def test_offers_say_what_they_write_where():
    """C10: each suggestion is described in words; wide ones are marked, and unknown ones are shown unchanged."""
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
    """A line feed in a name, folder, path or suggestion is escaped; only commands and files have several lines."""
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
    """Equal rows have equal cards, and a card has the digest of its row."""
    row = lifecycle.asked(request())

    assert card_of(row) == card_of(structs.replace(row)) and card_of(row).digest == row.digest


def test_a_plan_that_was_found_is_on_the_card_as_it_is():
    """The card shows the plan of the call and the plan of the file with its path, with hidden characters escaped."""
    plans = [model.Plan("1. Look.\u202e"), model.Plan("[a](https://b.example)", "/plans/x\u200b.md")]
    row = lifecycle.asked(request(tool="ExitPlanMode", input="{}", plans=plans))

    blocks = card_of(row).blocks

    texts = " ".join(str(block) for block in blocks)
    assert "1. Look.\\\\u{202e}" in texts and "\u202e" not in texts and "\u200b" not in texts
    assert [type(block).__name__ for block in blocks] == ["Note", "Plan", "Note", "Plan", "Json"]
    assert "holds no plan" not in texts
    assert (
        len({model.digest_of(structs.replace(row.request, plans=each)) for each in ([], plans, plans[:1], plans[1:])})
        == 4
    )
