"""Tests which commands certainly change no file."""

import pytest

from chorus.core.file_versions.commands import changes_nothing


@pytest.mark.parametrize(
    "command",
    ["ls", "cat a.txt | head -3", "cd src && git status", "git log --oneline -5", "grep -rn foo src 2>/dev/null; pwd",
     "echo done", "sleep 1", "wc -c *.py 2>&1"],
)  # fmt: skip
def test_reading_commands_change_nothing(command):
    """A plain call of a program that only reads changes nothing."""
    assert changes_nothing(command)


@pytest.mark.parametrize(
    "command",
    ["", "make", "echo x > a.txt", "cat a >> b", "sed -i s/a/b/ a.txt", "ls; rm a.txt", "ls & touch b", "echo $(rm a)",
     "echo `rm a`", "git checkout a.txt", "git diff --output=a.txt", "git -c alias.log=!rm log", "find . -delete",
     "cat a | tee b", "ls\nrm a", "python3 -c pass", "X=1 make", "./ls", "ls |& tee x", "cat <<EOF", "ls 2> err.txt"],
)  # fmt: skip
def test_everything_else_may_change_a_file(command):
    """A command that Chorus does not recognise as reading may change any file."""
    assert not changes_nothing(command)
