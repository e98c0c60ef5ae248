"""Tests of `chorus service`, the background service, with a small program in place of systemctl."""

import json
import sys

import pytest

from chorus.cli.commands.service import watch_command
from chorus.cli.main import main
from tests.cli.commands import run

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has systemd")

SYSTEMCTL = """#!/bin/sh
echo "$@" >> "$HOME/calls"
case "$*" in
  *is-active*) test -e "$HOME/running" && echo active || { echo inactive; exit 3; } ;;
  *restart*) test -e "$HOME/broken" && { echo "Job failed" >&2; exit 1; }; touch "$HOME/running" ;;
  *disable*) rm -f "$HOME/running" ;;
esac
"""


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Returns a home, with a PATH that contains only what the test puts there."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}")
    for name in ("XDG_CONFIG_HOME", "CHORUS_HOME", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "home").mkdir()
    (tmp_path / "bin").mkdir()
    return tmp_path / "home"


@pytest.fixture
def systemctl(home, tmp_path):
    program = tmp_path / "bin" / "systemctl"
    program.write_text(SYSTEMCTL.replace("touch", "/usr/bin/touch").replace("rm -f", "/bin/rm -f"))
    program.chmod(0o755)
    return lambda: (home / "calls").read_text().splitlines() if (home / "calls").exists() else []


@pytest.fixture
def unit(home):
    return home / ".config" / "systemd" / "user" / "chorus.service"


def test_install_writes_shows_and_starts(systemctl, unit):
    """The unit is written, printed, enabled and started.

    It runs sync by an absolute path and opens no network socket.
    """
    shown = run("service", "install")

    assert shown.exit_code == 0 and unit.read_text() in shown.output
    assert f'ExecStart="{sys.executable}" "-m" "chorus" "sync" "--watch"' in unit.read_text()
    assert "RestrictAddressFamilies=AF_UNIX" in unit.read_text()
    assert systemctl() == [
        "--user daemon-reload",
        "--user enable chorus.service",
        "--user restart chorus.service",
    ]


def test_again_does_nothing(systemctl, unit):
    """Installing a service that already runs does not restart it."""
    run("service", "install")
    before = (systemctl(), unit.stat().st_mtime_ns)

    shown = run("service", "install")

    assert "The service runs already." in shown.output
    assert (systemctl()[: len(before[0])], unit.stat().st_mtime_ns) == before
    assert systemctl()[len(before[0]) :] == ["--user is-active chorus.service"]


def test_a_change_is_written_and_restarted(systemctl, unit, tmp_path):
    """Another vault changes the unit, and the service restarts with it."""
    run("service", "install")
    run("service", "install", "--vault", tmp_path / "my vault")

    assert f'Environment="CHORUS_HOME={tmp_path}/my vault"' in unit.read_text()
    assert systemctl().count("--user restart chorus.service") == 2


def test_dry_run_does_nothing(systemctl, unit):
    """A dry run prints the file and the calls, writes nothing and calls nothing."""
    shown = run("service", "install", "--dry-run")

    assert "systemctl --user enable chorus.service" in shown.output and "[Service]" in shown.output
    assert not unit.exists() and systemctl() == []


def test_remove_stops_and_takes_the_file_away(systemctl, unit):
    """`remove` deletes the file and stops the service, and a second `remove` is no error."""
    run("service", "install")
    assert run("service", "remove", "--dry-run").exit_code == 0 and unit.exists()

    assert run("service", "remove").exit_code == 0
    assert not unit.exists() and systemctl()[-2:] == [
        "--user disable --now chorus.service",
        "--user daemon-reload",
    ]
    assert "nothing to remove" in run("service", "remove").output


def test_status_says_whether_it_runs(systemctl, unit):
    """The exit code is 0 if the service runs, and otherwise 1."""
    assert run("service", "status").exit_code == 1
    run("service", "install")
    shown = run("service", "status", "--json")

    assert shown.exit_code == 0
    assert json.loads(shown.output) == {"manager": "systemctl", "file": str(unit), "installed": True, "running": True}


def test_without_systemctl_it_says_how_to_run_by_hand(home, unit):
    """Without a service manager, the file is written, and the command to run by hand is printed."""
    shown = run("service", "install")

    assert shown.exit_code == 0 and unit.exists()
    assert f"Run it yourself: {sys.executable} -m chorus sync --watch" in shown.output


def test_a_failure_of_the_manager_is_one_line(systemctl, home, capsys):
    """The error contains what the manager printed about the failure."""
    (home / "broken").touch()

    assert main(["service", "install"]) == 2
    assert "systemctl --user restart chorus.service: Job failed" in capsys.readouterr().err


def test_a_file_of_somebody_else_is_left_alone(systemctl, unit, capsys):
    """A unit that Chorus did not write is neither overwritten nor removed."""
    unit.parent.mkdir(parents=True)
    unit.write_text("[Service]\nExecStart=/bin/true\n")

    assert main(["service", "install"]) == 2 and main(["service", "remove"]) == 2
    assert "was not written by Chorus" in capsys.readouterr().err
    assert unit.read_text() == "[Service]\nExecStart=/bin/true\n" and systemctl() == []


def test_the_command_on_the_path_survives_upgrades(home, tmp_path):
    """The service runs the `chorus` on the PATH by its name there, without resolving its link."""
    target = tmp_path / "v1" / "chorus"
    target.parent.mkdir()
    target.write_text("#!/bin/sh\n")
    target.chmod(0o755)
    (tmp_path / "bin" / "chorus").symlink_to(target)

    assert watch_command() == [str(tmp_path / "bin" / "chorus"), "sync", "--watch"]


def test_the_client_s_folder_goes_along(systemctl, unit, tmp_path, monkeypatch):
    """The service also watches a client's folder that a variable names."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    run("service", "install")

    assert f'Environment="CLAUDE_CONFIG_DIR={tmp_path}/claude"' in unit.read_text()
