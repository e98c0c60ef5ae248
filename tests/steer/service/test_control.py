"""The door to other programs."""

import sys

from chorus.steer.service.control import call, is_there


def test_a_program_answers():
    """Exit code and words come back; what it says on standard error counts when it says nothing else."""
    assert call([sys.executable, "-c", "print('hi')"]).text == "hi"
    failed = call([sys.executable, "-c", "import sys; sys.exit('no')"])
    assert (failed.code, failed.text, failed.is_good) == (1, "no", False)


def test_no_shell_reads_the_words():
    """An argument is an argument, whatever it holds."""
    assert call([sys.executable, "-c", "import sys; print(sys.argv[1])", "$(echo x); `y`"]).text == "$(echo x); `y`"


def test_a_program_that_is_not_there_is_an_answer():
    """Nothing is raised for what is not installed."""
    assert not is_there("chorus-no-such-program")
    assert call(["chorus-no-such-program"]).code is None
