"""Chorus' home is this user's alone: no links in it, nothing that others may write."""

import os

import pytest

from chorus.base import config
from chorus.errors import ChorusError
from chorus.testing.builders import Session, lay_out
from tests.cli.commands import run


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    session = Session()
    session.user("hello")
    lay_out(tmp_path / "claude", session)
    run("sync")
    return tmp_path / "home"


@pytest.mark.parametrize("name", ["index", "cache", "run"])
@pytest.mark.parametrize("command", ["sync", "list", "doctor"])
def test_links_inside_the_home_are_refused(home, tmp_path, name, command):
    """A link in the place of a folder that Chorus makes leads nothing of it elsewhere."""
    (tmp_path / "elsewhere").mkdir()
    if (home / name).exists():
        (home / name).rename(tmp_path / "was")
    (home / name).symlink_to(tmp_path / "elsewhere")

    with pytest.raises(ChorusError, match="links inside Chorus' home are refused"):
        run(command)
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_home_that_others_may_write_is_tightened(home):
    """Mode 0777 becomes 0700 before anything is read or written."""
    home.chmod(0o777)

    run("list")

    assert home.stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a link away")
def test_a_home_that_is_a_link_of_another_user_is_refused(home, tmp_path):
    """A person may have made a link of it; who else could make one would be given what is kept."""
    home.rename(tmp_path / "disk")
    home.symlink_to(tmp_path / "disk")
    assert run("list").exit_code == 0

    os.lchown(home, 12_345, 12_345)

    with pytest.raises(ChorusError, match="a link that another user made"):
        run("list")


def test_a_folder_that_is_no_vault_is_left_alone(tmp_path):
    """Naming any folder with --vault changes nothing about it."""
    tmp_path.chmod(0o777)

    config.vault_for(tmp_path, tmp_path)

    assert tmp_path.stat().st_mode & 0o777 == 0o777
