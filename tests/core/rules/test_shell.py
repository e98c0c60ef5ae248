"""Tests of how command lines are read: which commands are found, and what is not understood."""

import contextlib
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chorus.core.rules.runners import expanded
from chorus.core.rules.shell import commands_of
from chorus.core.rules.shell_words import Unknown


def found(line: str) -> list[str]:
    """Returns every command in a line, as one text each."""
    return [" ".join(word.text for word in each.words) for each in expanded(commands_of(line)) if each.words]


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("ls", ["ls"]),
        ("a && b || c; d & e | f |& g", ["a", "b", "c", "d", "e", "f", "g"]),
        ("a\nb\n\n# c\nd", ["a", "b", "d"]),
        ("(a; b) && { c; }", ["a", "b", "c"]),
        ("if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]),
        ("while a; do b; done; until c; do d; done", ["a", "b", "c", "d"]),
        ("for x in 1 2; do a $x; done", ["a $x"]),
        ("! a", ["a"]),
        ("time a", ["time", "a"]),
        ("a $(b $(c))", ["c", "b $(c)", "a $(b $(c))"]),
        ('a "x $(b)"', ["b", 'a "x $(b)"']),
        ("a '$(b)' \\$\\(c\\)", ["a $(b) $(c)"]),
        ("a 'x'\"y\"\\z", ["a xyz"]),
        ("a <<E\n$(b)\nE\nc", ["a", "b", "c"]),
        ("a <<'E'\n$(b)\nE\nc", ["a", "c"]),
        ("a <<-E; c\n\tx\n\tE\n", ["a", "c"]),
        ("git commit -m \"$(cat <<'E'\nit's\nE\n)\"", ["cat", "git commit -m \"$(cat <<'E'\nit's\nE\n)\""]),
        ("a \\\n  b", ["a b"]),
        ("a && \\\n  \\\nb", ["a", "b"]),
        ('a $# "$#" $12', ['a $# "$#" $12']),
        ("a &>x; b &>>y", ["a", "b"]),
        ("a 2&>x", ["a 2"]),
        ("a # b; c", ["a"]),
        ("a x#y", ["a x#y"]),
        ("env X=1 a b", ["env X=1 a b", "a b"]),
        ("sudo -u root nice -n 5 a", ["sudo -u root nice -n 5 a", "nice -n 5 a", "a"]),
        ("timeout 5 a", ["timeout 5 a", "a"]),
        ("sh -c 'a; b'", ["sh -c a; b", "a", "b"]),
        ("bash -ec \"bash -c 'a'\"", ["bash -ec bash -c 'a'", "bash -c a", "a"]),
        ("x | xargs -n1 a b", ["x", "xargs -n1 a b", "a b …"]),
        ("find . -name '*.py' -exec a {} + -delete", ["find . -name *.py -exec a {} + -delete", "a {}", "rm …"]),
        ("command -v a", ["command -v a"]),
    ],
)
def test_every_command_of_a_line_is_found(line, commands):
    """Every command that a shell would run is found, at any level and behind any wrapper."""
    assert found(line) == commands


@pytest.mark.parametrize(
    "line",
    [
        "a `b`",
        'a "`b`"',
        "a <(b)",
        "a >(b)",
        "a $((x))",
        "a ${x:-b}",
        "a ${x@P}",
        "a $'b'",
        'a $"b"',
        "f() { a; }",
        "function f { a; }",
        "case x in x) a;; esac",
        "[[ a ]]",
        "((a))",
        "coproc a",
        "select x in 1; do a; done",
        "a=(1)",
        "eval a",
        ". a",
        "source a",
        "alias a=b",
        "exec a",
        "trap a EXIT",
        "set -e",
        "export X=1",
        "read x",
        "$x a",
        '"$x"',
        "{a,b}",
        "./a*",
        "~/a",
        "a {",
        "a 'b",
        'a "b',
        "a \\",
        "a <<E\nx",
        "a <<$x\nE",
        "a ;; b",
        "a; ; b",
        "a &&",
        "> x",
        "< x",
        "a; >> x",
        "X=1 > x",
        "a | | b",
        "; a",
        "a )",
        "( a",
        "{ a",
        "if a; fi",
        "for x; do a; done",
        "a\u00a0b",
        "a\u2028b",
        "a\rb",
        "a\x0bb",
        "a\0b",
        "env -S 'a b'",
        "env $x a",
        "timeout $x a",
        "sudo -i",
        "xargs -i a",
        "sh",
        "sh -s",
        "sh $x",
        "sh -c $x",
        'sh -c "$x"',
        "find . $x",
        "find . -exec a",
        "a $x[1]",
        "i\\\nf",
        "a {fd}>b",
        "a &> x b",
        "a &>> x Y=1 b",
        "&>x a",
        "while a; do cd b; done",
        "while a; do command cd b; done",
        "builtin eval a",
        "a $#x",
        "a $#x[_]",
        'a "$#x[_]"',
        "a $#@[_]",
        "a <<E\n$#x[_]\nE",
        "a $00[_]",
        "a $xé[_]",
        'a "$x\\\n[_]"',
        'a "$x\\\ny[_]"',
        "a $(\\\n(b + _))",
        "(\\\n(b + _))",
        "a &&\\\nb",
        "a<1-9>b",
        "a b<->c",
        "12>x a",
        "a 12>x",
    ],
)
def test_what_is_not_understood_is_unknown(line):
    """A line with anything that shells read differently, or evaluate once more, is not understood."""
    with pytest.raises(Unknown):
        found(line)


@given(st.text(alphabet="ab $(){}'\"\\;|&<>\n\t#=*~`E-", max_size=60))
def test_no_line_raises_anything_else(line):
    """Any text is commands or unknown."""
    with contextlib.suppress(Unknown):
        expanded(commands_of(line))


@pytest.mark.parametrize(
    "part", ["$(", '"', "'", "(", "{ ", "if a; then ", "a;", "$x", "\\a", "<<E ", "a <<E\nE\n", "{}", "1>"]
)
def test_a_line_of_any_length_is_read_once(part):
    """The number of steps grows with the length of the line, and not faster."""

    def steps(count: int) -> int:
        total = 0

        def count_calls(_frame, event, _argument):
            nonlocal total
            total += event == "call"

        sys.setprofile(count_calls)
        try:
            commands_of(part * count)
        except Unknown:
            pass
        finally:
            sys.setprofile(None)
        return total

    assert steps(2_000) <= 2.5 * steps(1_000) + 100
