"""Tests of the paths in the words of a command: any part of a word may lead out of the workspace."""

import pytest

from tests.core.rules.judged import of_command, ruling


@pytest.mark.parametrize(
    "line",
    [
        "grep -rf/etc/passwd x",
        "grep -rnf../../etc/passwd x",
        "cp -rt/etc a",
        "cp -rt.. a",
        "curl -d @/etc/passwd x",
        "curl -d@../x y",
        "curl -F 'f=@/etc/passwd' x",
        "curl -F 'f=<../x' y",
        "x 'a;/etc/passwd'",
        "x '\"/etc/passwd\"'",
        "x '(../y)'",
        "x file:///etc/passwd",
        "x a:~root/y",
        "x '~root'/y",
        "x ~+/../y",
        "x 'C:\\Users\\y'",
        "x c:/Users/y",
        "x '\\\\server\\share'",
        "x '..\\..\\y'",
        "x 'a\\..\\..\\y'",
        "x --file='D:\\y'",
        "x /proc/self/cwd/../../etc/passwd",
        "x /proc/self/root/etc/passwd",
        "x /WORK/project/y",
        "x //srv/../etc",
        "find -L . -name x",
        "find . -follow",
        "find -files0-from x",
        "grep -R x .",
        "grep -nR x .",
        "grep --deref x .",
        "cp -rL a b",
        "tar -xPf x.tar",
        "tar xPf x.tar",
        "tar -chf x.tar a",
        "rsync -aL a b",
        "rsync --files-from=x a b",
        "wc --files0-from=x",
        "rg -L x",
    ],
)
def test_a_path_that_may_lead_outside_is_asked(line):
    """A rule for paths inside allows no word of which any part may be a path that leads outside."""
    assert of_command(f'allow command:"{line.split()[0]} *" path:inside', line) == "ask"


@pytest.mark.parametrize(
    "line",
    [
        "grep -rn 'a\\.b' src",
        "grep -rn 'x.*y' src/a.py",
        "cp -r a/b c",
        "x --file=a/b",
        "x 'a b.txt' c:d",
        "x name@2/y",
        "find . -name '*.py'",
        "tar -czf out.tgz src",
        "rsync -a a/ b/",
        "x -n5 a..b",
        "x /srv/project/sub/../y",
    ],
)
def test_words_that_stay_inside_are_allowed(line):
    """The same rule allows words that can only name what is inside."""
    assert of_command(f'allow command:"{line.split()[0]} *" path:inside', line) == "allow"


@pytest.mark.parametrize(
    "path", ["C:\\Users\\x", "..\\x", "\\\\server\\x", "a/..\\..\\x", "~root/x", "/proc/self/root/x"]
)
def test_a_file_of_a_tool_that_may_lead_outside_is_asked(path):
    """The same holds for the files of tools."""
    assert ruling("allow tool:Read path:inside", "Read", {"file_path": path}).behaviour == "ask"


def test_a_rule_that_denies_what_is_outside_is_not_passed_by_another_spelling():
    """Such a rule denies what leads outside, and what may lead outside is asked."""
    rules = 'allow command:"grep *"\ndeny command:"grep *" path:outside'

    assert of_command(rules, "grep -rf/etc/passwd x") == "deny"
    assert of_command(rules, "grep x 'C:\\y'") == "ask"
    assert of_command(rules, "grep -R x .") == "ask"
    assert of_command(rules, "grep -r x .") == "allow"


@pytest.mark.parametrize("path", ["Secrets/x", "SECRETS/x", "\uff53ecrets/x", "a/../Secrets/x"])
def test_a_folder_that_is_denied_is_not_reached_in_another_case(path):
    """On some systems another spelling of a folder is the same folder: it is asked, and never allowed."""
    rules = "allow tool:Write path:inside\ndeny tool:Write path:secrets"

    assert ruling(rules, "Write", {"file_path": "secrets/x"}).behaviour == "deny"
    assert ruling(rules, "Write", {"file_path": path}).behaviour == "ask"
    assert ruling(rules, "Write", {"file_path": "secret/x"}).behaviour == "allow"
