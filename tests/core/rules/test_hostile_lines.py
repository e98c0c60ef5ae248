"""Lines that try to get past a rule, compared with what real shells run."""

import shutil

import pytest

from tests.core.rules.hostile_grammar import hostile_grammar
from tests.core.rules.hostile_lines import TEMPLATES, hostile_lines
from tests.core.rules.judged import of_command
from tests.core.rules.reference_shell import ReferenceShell

RULES = 'allow command:"pytest *"\nallow tool:Write path:inside'
WRAPPERS = (
    "env",
    "timeout",
    "nice",
    "nohup",
    "setsid",
    "stdbuf",
    "xargs",
    "find",
    "sh",
    "bash",
    "echo",
    "cat",
    "cd",
    "time",
)
WITH_WRAPPERS = "\n".join([RULES, *(f'allow command:"{name} *"' for name in WRAPPERS)])
OPEN = ("pytest", "git status", "git log", "ls", "npm run", "python -m pytest", "echo", "grep")
MANY_RULES = "\n".join(
    [
        *(f'allow command:"{words} *"' for words in OPEN),
        'allow command:"docker ps"',
        "allow tool:Write,Read path:inside",
    ]
)
_needs_shells = pytest.mark.skipif(
    any(shutil.which(each) is None for each in ("bash", "dash")), reason="bash and dash are the reference"
)


def allowed(lines, rules=RULES):
    return [line for line in lines if "\0" not in line and of_command(rules, line) == "allow"]


def others(tmp_path, lines, *, expected=("pytest",), shells=("bash", "dash")):
    """Returns the lines for which a real shell runs anything else than the expected programs."""
    reference = ReferenceShell(tmp_path / f"reference-{len(expected)}")
    return [
        (shell, line, found)
        for line in lines
        for shell in shells
        if (found := reference.programs_of(line, shell) - set(expected))
    ]


@_needs_shells
def test_no_allowed_line_runs_anything_else(tmp_path):
    """Of the lines that the rules allow, no real shell runs another program."""
    lines = allowed(hostile_lines(len(TEMPLATES) + 150, seed=1))

    assert len(lines) >= 20, "the rules must still allow something"
    assert others(tmp_path, lines[:45]) == []


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is the reference, and is not installed")
def test_zsh_runs_nothing_else_either(tmp_path):
    """The client uses the shell of the person, which is often zsh: it reads what is allowed alike."""
    lines = allowed(hostile_lines(len(TEMPLATES) + 150, seed=3))

    assert others(tmp_path / "allowed", lines[:30], shells=("zsh",)) == []
    hidden = ["pytest && evil", "pytest =(evil)", "{ pytest } always { evil }", "repeat 2 evil"]
    assert {line for _, line, _ in others(tmp_path / "hidden", hidden, shells=("zsh",))} == set(hidden)
    assert allowed(hidden) == []


@_needs_shells
def test_the_reference_notices_other_programs(tmp_path):
    """The reference runs what the lines hide: else it would prove nothing."""
    hidden = [
        "pytest; evil",
        "pytest $(evil)",
        "pytest `evil`",
        "pytest || evil",
        "eval evil",
        "pytest() { evil; }; pytest",
        "timeout 5 evil",
        "sh -c evil",
        "pytest <<E\n$(evil)\nE",
        "if pytest; then pytest; else evil; fi",
    ]

    assert {line for _, line, _ in others(tmp_path, hidden)} == set(hidden)


@_needs_shells
def test_wrappers_let_nothing_else_through(tmp_path):
    """With rules that allow the wrappers, what they start is still judged."""
    both = set(allowed(hostile_lines(len(TEMPLATES) + 1_500, seed=2), WITH_WRAPPERS))
    more = sorted(both - set(allowed(both)))

    assert len(more) >= 15, "the rules must allow more than before"
    assert others(tmp_path, more[:25], expected=("pytest", *WRAPPERS)) == []


@pytest.mark.long
@_needs_shells
@pytest.mark.parametrize("seed", range(5))
def test_five_thousand_lines(tmp_path, seed):
    """The same for 5,000 lines, nested and damaged at random."""
    assert others(tmp_path, allowed(hostile_lines(1_000, seed=100 + seed))) == []
    more = allowed(hostile_lines(1_000, seed=200 + seed), WITH_WRAPPERS)
    assert others(tmp_path, more, expected=("pytest", *WRAPPERS)) == []


def not_named(tmp_path, lines, shells):
    """Returns the lines for which a shell runs a program with words that no rule of `MANY_RULES` names."""
    reference = ReferenceShell(tmp_path / "reference")
    named = [tuple(words.split()) for words in OPEN]
    return [
        (shell, line, call)
        for line in lines
        for shell in shells
        for call in reference.calls_of(line, shell)
        if call != ("docker", "ps") and not any(call[: len(words)] == words for words in named)
    ]


def every_shell():
    return [shell for shell in ("bash", "dash", "zsh") if shutil.which(shell) is not None]


@_needs_shells
def test_rules_of_many_shapes_let_nothing_else_through(tmp_path):
    """Of lines that were drawn from the grammar, no real shell runs a program with words that no rule names."""
    lines = allowed(hostile_grammar(1_500, seed=4), MANY_RULES)

    assert len(lines) >= 60, "the rules must still allow something"
    assert not_named(tmp_path, lines[:40], every_shell()) == []


@pytest.mark.long
@_needs_shells
@pytest.mark.parametrize("seed", range(10))
def test_twenty_thousand_lines_of_the_grammar(tmp_path, seed):
    """The same for 20,000 lines."""
    assert not_named(tmp_path, allowed(hostile_grammar(2_000, seed=400 + seed), MANY_RULES), every_shell()) == []
