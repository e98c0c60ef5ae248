"""Tests of the files that are written for systemd and launchd."""

import plistlib

import pytest

from chorus.steer.service.unit import LABEL, launchd_plist, systemd_unit


def test_words_reach_the_program_as_they_are():
    """systemd does not interpret blanks, quotes, percent signs and dollars in a path."""
    unit = systemd_unit(['/opt/a b/"c"', "100%", "$HOME\\x"], {"CHORUS_HOME": "/v/50% $x"}).decode()

    assert 'ExecStart="/opt/a b/\\"c\\"" "100%%" "$$HOME\\\\x"\n' in unit
    assert 'Environment="CHORUS_HOME=/v/50%% $x"\n' in unit


def test_a_line_break_cannot_add_a_setting():
    """A word with a control character is refused, because a unit file cannot express it."""
    with pytest.raises(ValueError, match="cannot hold"):
        systemd_unit(["/a\nExecStartPre=/bin/evil"], {})


def test_the_plist_runs_the_command_at_login():
    """launchd gets the exact command, and restarts it only after a failure."""
    found = plistlib.loads(launchd_plist(["/a b/chorus", "sync", "--watch"], {"CHORUS_HOME": "/v"}))

    assert found["Label"] == LABEL and found["ProgramArguments"] == ["/a b/chorus", "sync", "--watch"]
    assert found["EnvironmentVariables"] == {"CHORUS_HOME": "/v"}
    assert found["RunAtLoad"] is True and found["KeepAlive"] == {"SuccessfulExit": False}
