"""Tests of Chorus' hooks in the client's settings: added once, removed completely, and nothing else changes."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chorus.steer.hooks.json_text import NotEditable
from chorus.steer.hooks.settings import EVENTS, added, entries, group_of, is_ours, removed

COMMAND = "/home/dev/.chorus/bin/chorus-hook"
THEIRS = {"matcher": "Bash", "hooks": [{"type": "command", "command": "/usr/bin/guard", "timeout": 5}]}
TEXTS = {
    "empty object": "{}",
    "with a newline": "{}\n",
    "two blanks": '{\n  "model": "opus",\n  "env": {"A": "1"}\n}\n',
    "four blanks": '{\n    "permissions": {\n        "allow": []\n    }\n}',
    "tabs": '{\n\t"a": 1\n}\n',
    "one line": '{"a": 1, "b": [1, 2]}',
    "no blanks": '{"a":1,"b":[1,2]}',
    "windows": '{\r\n  "a": 1\r\n}\r\n',
    "byte order mark": '\ufeff{\n  "a": 1\n}\n',
    "hooks of others": json.dumps({"hooks": {"PermissionRequest": [THEIRS], "PreToolUse": [THEIRS]}, "z": 1}, indent=2),
    "odd layout": '{ "hooks" :\n{"Stop":[ ],\n"PermissionRequest":[\n\n{"hooks":[]}]} , "x":"é\\u00e9\\"}" }',
    "escaped key": '{\n  "a\\"b": {"hooks": {}},\n  "c": -1.5e3\n}',
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_what_was_there_stays_and_comes_back(text):
    """Adding the hooks keeps all other settings, and removing them restores the same bytes."""
    changed = added(text, COMMAND)
    told = json.loads(changed.lstrip("\ufeff"))

    assert {each.event for each in entries(changed)} == set(EVENTS)
    assert all(each.is_whole and each.command == COMMAND for each in entries(changed))
    before = json.loads(text.lstrip("\ufeff"))
    for key, value in before.items():
        if key != "hooks":
            assert told[key] == value
    for event, groups in before.get("hooks", {}).items():
        assert told["hooks"][event][: len(groups)] == groups
    assert list(told)[: len(before)] == list(before)
    assert added(changed, COMMAND) == changed
    back = removed(changed)
    if '"Stop":[ ]' not in text:
        assert back == text
    assert entries(back) == []


def test_nothing_becomes_settings_that_people_can_read():
    """For an empty or missing file, the settings are created with an indentation of two."""
    made = added("", COMMAND)
    assert made.startswith('{\n  "hooks": {\n    "PermissionRequest": [\n      {\n        "matcher": "*",\n')
    assert made.endswith("\n}\n") and removed(made) == "{}\n"


def test_what_others_add_meanwhile_stays():
    """Hooks and settings that others add later stay when the hooks of Chorus are removed."""
    told = json.loads(added(TEXTS["two blanks"], COMMAND))
    told["hooks"]["PermissionRequest"].insert(0, THEIRS)
    told["hooks"]["Stop"][0]["hooks"].append(THEIRS["hooks"][0])
    told["theme"] = "dark"
    back = json.loads(removed(json.dumps(told, indent=2)))
    assert back == {
        "model": "opus",
        "env": {"A": "1"},
        "hooks": {"PermissionRequest": [THEIRS], "Stop": [{"hooks": THEIRS["hooks"]}]},
        "theme": "dark",
    }


def test_an_older_place_is_replaced():
    """A hook of another home, or one that was changed by hand, is corrected and exists once."""
    old = added(TEXTS["two blanks"], "'/old place/chorus-hook'")
    bent = json.loads(old)
    bent["hooks"]["PermissionRequest"][0]["hooks"][0]["timeout"] = 1
    assert [each.is_whole for each in entries(json.dumps(bent)) if each.event == "PermissionRequest"] == [False]
    new = added(json.dumps(bent, indent=2), COMMAND)
    assert [(each.event, each.command, each.is_whole) for each in entries(new)] == [(e, COMMAND, True) for e in EVENTS]


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"a": 1,}',
        '// comment\n{"a": 1}',
        '{"hooks": []}',
        '{"hooks": {"Stop": {}}}',
        '{"a": 1, "a": 2}',
        '{"a": NaN}',
        "[" * 100_000,
        '{"a":' * 500 + "1" + "}" * 500,
        '"text"',
    ],
)
def test_what_cannot_be_understood_is_refused(text):
    """A text that is not valid settings is refused and not changed."""
    with pytest.raises(NotEditable):
        added(text, COMMAND)


def test_the_place_of_a_fault_is_named():
    """The error gives the line and column of the fault."""
    with pytest.raises(NotEditable, match="line 3, column 3"):
        added('{\n  "a": 1\n  "b": 2\n}', COMMAND)


def test_ours_is_what_calls_our_program():
    """A hook belongs to Chorus only if it calls the program itself, not if the name is part of another command."""
    assert is_ours({"type": "command", "command": "'/home/a b/.chorus/bin/chorus-hook'"})
    for other in ("/usr/bin/env chorus-hook", "chorus-hook2", "echo '", "", None, ["chorus-hook"]):
        assert not is_ours({"type": "command", "command": other})
    assert not is_ours("chorus-hook")


leaves = st.none() | st.booleans() | st.integers() | st.text(max_size=6)
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=10,
)
groups = st.lists(
    st.fixed_dictionaries({"hooks": st.lists(st.just({"type": "command", "command": "x"}) | leaves, max_size=2)})
    | leaves,
    min_size=1,
    max_size=2,
)
hooks = st.dictionaries(st.sampled_from([*EVENTS, "PreToolUse"]), groups, min_size=1)
files = st.builds(
    lambda rest, mine: {**rest, **({"hooks": mine} if mine else {})},
    st.dictionaries(st.text(max_size=4).filter(lambda key: key != "hooks"), values, max_size=4),
    st.none() | hooks,
)


@given(files, st.sampled_from([None, 1, 2, 4, "\t"]), st.booleans())
def test_any_settings_come_back_byte_for_byte(told, indent, is_ascii):
    """With the hooks added, any settings keep all their values, and without them they have their original bytes."""
    text = json.dumps(told, indent=indent, ensure_ascii=is_ascii)
    changed = added(text, COMMAND)
    expected = json.loads(text)
    for event in EVENTS:
        mine = expected.setdefault("hooks", {})
        mine[event] = [*mine.get(event, []), group_of(event, COMMAND)]
    assert json.loads(changed) == expected
    assert added(changed, COMMAND) == changed
    assert removed(changed) == text


@given(st.text(max_size=60))
def test_no_text_raises_anything_else(text):
    """For any text, every function either works or raises NotEditable."""
    for act in (lambda: added(text, COMMAND), lambda: removed(text), lambda: entries(text)):
        with contextlib.suppress(NotEditable):
            act()
