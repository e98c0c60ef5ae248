"""Tests of the choice among several recorded runs for a call."""

import pytest

from chorus.lab.fake_claude.arguments import Invocation, parse
from chorus.lab.fake_claude.lines import read_all
from chorus.lab.fake_claude.recording import Recording, choose, times_by_stamp
from chorus.testing.builders import Run

ONE, TWO = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"


def run_of(name, session, *arguments):
    run = Run(session)
    run.init()
    return Recording(name, read_all(bytes(run)), arguments=list(arguments))


RUNS = [
    run_of("first", ONE, "-p", "hello"),
    run_of("as json", ONE, "-p", "hello", "--output-format", "json"),
    run_of("other", TWO, "-p", "bye"),
    run_of("again", ONE, "-p", "more", "--resume", ONE),
    run_of("compact", ONE, "-p", "/compact", "--resume", ONE),
]


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["-p", "anything"], "first"),
        (["-p", "bye"], "other"),
        (["-p", "hello", "--output-format", "json"], "as json"),
        (["-p", "anything", "--resume", ONE], "again"),
        (["-p", "/compact", "--resume", ONE], "compact"),
        (["-p", "x", "--continue"], "again"),
        (["-p", "x", "--resume", TWO], "other"),
    ],
)
def test_a_call_is_answered_by_the_run_that_fits(arguments, name):
    """A new session uses a run that began one, a resumed one a run that resumed it; then prompt, format, order."""
    asked = parse(arguments)
    assert isinstance(asked, Invocation)

    chosen = choose(RUNS, asked)

    assert chosen is not None and chosen.name == name


def test_a_session_nobody_recorded_is_not_found():
    """An unknown session is not found among several runs, but a single recording plays for any session."""
    asked = Invocation(resume="33333333-3333-4333-8333-333333333333")

    assert choose(RUNS, asked) is None
    assert choose(RUNS[:1], asked) is RUNS[0]


def test_times_by_stamp_never_go_back():
    """Lines without arrival times use their own timestamps, which never go back even if they are not in order."""
    stamps = ["2026-01-05T09:00:01.000Z", "2026-01-05T09:00:00.500Z", None, "nonsense", "2026-01-05T09:00:02.000Z"]
    run = Run()
    for stamp in stamps:
        run.assistant("x", timestamp=stamp)

    first, second, *missing, last = times_by_stamp(read_all(bytes(run)))

    assert first is not None and last is not None
    assert (second, missing, last - first) == (first, [None, None], 1.0)
