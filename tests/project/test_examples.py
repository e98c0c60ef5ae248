"""Tests of the commands in the documentation: each command exists and has the options that are shown."""

import re
import shlex
from pathlib import Path

import click
import pytest

from chorus.cli.main import COMMANDS, cli

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "RELEASING.md", *sorted((ROOT / "docs").rglob("*.md"))]
OF_ANY = {"--help", "--json", "--no-pager", "--version"}
"""Options that a page may name in general, without a command that has them."""
NO_CALLS = {"chorus request 1"}
"""Texts that begin like a call and are none: the first words of a digest."""


def shown(text):
    """Yields the calls of `chorus` in code blocks and code spans, each as one line."""
    for language, block in re.findall(r"^```(\w*)\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        for line in block.replace("\\\n", " ").splitlines():
            if language in {"", "console", "sh"} and (found := re.match(r"(?:\$ )?(chorus .*)", line)):
                yield found.group(1)
    yield from re.findall(r"`(chorus [^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE))


def words_of(call):
    """Returns the words of a call, up to a comment, a pipe or the next command."""
    line = re.split(r"\s#\s|\s\|\s|\s&&\s|   ", call)[0].replace("|", " ").replace("[", " ").replace("]", " ")
    try:
        return shlex.split(line)[1:]
    except ValueError:
        return line.split()[1:]


def options_of(command, parents=()):
    """Returns every option of a command, of its sub-commands and of the commands above it."""
    found = {
        name
        for each in (*parents, command)
        for option in each.params
        for name in [*option.opts, *option.secondary_opts]
    }
    for name in command.list_commands(click.Context(command)) if isinstance(command, click.Group) else ():
        inner = command.get_command(click.Context(command), name)
        assert inner is not None
        found |= options_of(inner)
    return found


def mistakes(text):
    """Yields the mistakes in the calls that a text shows."""
    context = click.Context(cli)
    for call in shown(text):
        if call in NO_CALLS:
            continue
        words = words_of(call)
        named = [word for word in words if not word.startswith("-")]
        if not named or not re.fullmatch(r"[a-z-]+", named[0]):
            continue
        if named[0] not in COMMANDS:
            yield f"{call}: no such command"
            continue
        words = words[: words.index("--")] if "--" in words else words
        command = cli.get_command(context, named[0])
        assert command is not None
        known = options_of(command, [cli]) | OF_ANY
        yield from (
            f"{call}: no option {word}"
            for word in words
            if re.match(r"--[a-z]", word) and word.partition("=")[0] not in known
        )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_call_that_is_shown_can_be_made(page):
    """Every command and option in the documentation exists, so a renamed one is renamed there, too."""
    assert list(mistakes(page.read_text("utf-8"))) == []


def test_a_wrong_call_is_recognised():
    """A command that does not exist, or an option that the command does not have, is found."""
    text = (
        "`chorus serch x` `chorus list --limt 3` `chorus list --limit 3`\n```console\n$ chorus show --ful  # all\n```\n"
    )

    assert list(mistakes(text)) == [
        "chorus show --ful  # all: no option --ful",
        "chorus serch x: no such command",
        "chorus list --limt 3: no option --limt",
    ]
