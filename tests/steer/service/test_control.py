"""Tests of the function that calls other programs."""

import sys

from chorus.steer.service.control import call, is_there


def test_a_program_answers():
    """The call returns the exit code and the output, or standard error if there is no other output."""
    assert call([sys.executable, "-c", "print('hi')"]).text == "hi"
    failed = call([sys.executable, "-c", "import sys; sys.exit('no')"])
    assert (failed.code, failed.text, failed.is_good) == (1, "no", False)


def test_no_shell_reads_the_words():
    """An argument reaches the program unchanged, because no shell reads it."""
    assert call([sys.executable, "-c", "import sys; print(sys.argv[1])", "$(echo x); `y`"]).text == "$(echo x); `y`"


def test_a_program_that_is_not_there_is_an_answer():
    """Calling a program that is not installed returns a result and raises no error."""
    assert not is_there("chorus-no-such-program")
    assert call(["chorus-no-such-program"]).code is None
