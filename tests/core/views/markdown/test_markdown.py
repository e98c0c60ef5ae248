"""Tests of the Markdown document."""

from tests.core.views.talks import called, finished_run, folded, tour, written


def test_a_session_reads_like_this(snapshot):
    """A whole session is written as a Markdown document."""
    assert written(folded(*tour())) == snapshot


def test_a_run_reads_like_this(snapshot):
    """A run with a refusal and a failure is written as a Markdown document."""
    assert written(folded(finished_run())) == snapshot


def test_nothing_is_cut():
    """A Markdown document contains the complete output of a call."""
    output = "\n".join(f"line {number}" for number in range(500))

    assert output in written(called("Bash", {"command": "x"}, output))


def test_thinking_can_be_left_out():
    """A document without thinking contains everything else."""
    shown = written(folded(*tour()), thinking=False)

    assert "Its tests are beside it" not in shown and "I look at the code" in shown
