"""Tests of recognising a shell that waits for a person."""

import pytest

from chorus.steer.tmux.shells import is_interactive_shell


@pytest.mark.parametrize(
    "command", ["bash", "-bash", "/bin/zsh -l", "bash --norc -i", "/usr/bin/fish", "busybox sh", "sh"]
)
def test_a_shell_without_a_script_waits_for_a_person(command):
    """Login shells and shells with options are shells."""
    assert is_interactive_shell(command)


@pytest.mark.parametrize(
    "command", ["", "bash -c ls", "bash -ic ls", "sh run.sh", "claude", "python3", "bashful", "sh -c 'claude -p'"]
)
def test_a_script_is_a_program(command):
    """A shell that runs a script, and any other program, is not."""
    assert not is_interactive_shell(command)
