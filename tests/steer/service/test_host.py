"""Tests of the choice of the service manager."""

from chorus.steer.service.host import host


def test_each_system_has_its_manager(tmp_path, monkeypatch):
    """Linux uses systemd, macOS launchd and other systems none; each file is in the folder that the manager reads."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    linux, mac = host(["c"], {}, platform="linux"), host(["c"], {}, platform="darwin")

    assert linux and mac and host(["c"], {}, platform="win32") is None
    assert linux.path == tmp_path / "xdg" / "systemd" / "user" / "chorus.service"
    assert mac.path == tmp_path / "Library" / "LaunchAgents" / "dev.chorus.sync.plist"
    assert all(call[0] == linux.program for call in (*linux.start, *linux.stop, *linux.after, linux.status))
    assert all(call[0] == mac.program for call in (*mac.start, *mac.stop, *mac.after, mac.status))
