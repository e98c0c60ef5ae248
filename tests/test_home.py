"""Tests that only this user can access the home of Chorus: it has no links, and others cannot write to it."""

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
    """If a link replaces a folder that Chorus makes, Chorus refuses it and writes nothing behind the link."""
    (tmp_path / "elsewhere").mkdir()
    if (home / name).exists():
        (home / name).rename(tmp_path / "was")
    (home / name).symlink_to(tmp_path / "elsewhere")

    with pytest.raises(ChorusError, match="links inside Chorus' home are refused"):
        run(command)
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_home_that_others_may_write_is_tightened(home):
    """A home with mode 0777 gets mode 0700 before anything is read or written."""
    home.chmod(0o777)

    run("list")

    assert home.stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a link away")
def test_a_home_that_is_a_link_of_another_user_is_refused(home, tmp_path):
    """A home that is a link is allowed if this user made it, and refused if another user made it.

    Otherwise the other user would receive everything that is recorded.
    """
    home.rename(tmp_path / "disk")
    home.symlink_to(tmp_path / "disk")
    assert run("list").exit_code == 0

    os.lchown(home, 12_345, 12_345)

    with pytest.raises(ChorusError, match="a link that another user made"):
        run("list")


@pytest.mark.parametrize(
    "command",
    [
        ["sync"],
        ["list"],
        ["config", "set", "sealAfterDays", "9"],
        ["init", "{}/project"],
        ["runs"],
        ["hooks", "status"],
    ],
)
def test_the_first_command_tightens_an_empty_folder_for_a_new_home(tmp_path, monkeypatch, command):
    """An existing empty folder that becomes a home is closed to others by the first command, not by the second."""
    new, project = tmp_path / "new", tmp_path / "project"
    new.mkdir()
    project.mkdir()
    new.chmod(0o777)
    monkeypatch.setenv("CHORUS_HOME", str(new))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))

    run(*(part.format(tmp_path) for part in command))

    assert new.stat().st_mode & 0o777 == 0o700


def test_a_home_without_a_vault_yet_is_tightened(tmp_path):
    """A home that has settings, prices and locks but no conversations is a home, too."""
    for name in ("config.json", "prices.json", "sync.lock"):
        (tmp_path / name).touch()
    tmp_path.chmod(0o770)

    config.vault_for(tmp_path, tmp_path)

    assert tmp_path.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("command", [["sync"], ["list"], ["config", "set", "sealAfterDays", "9"]])
def test_a_shared_folder_with_other_things_in_it_is_no_home(tmp_path, monkeypatch, command):
    """A folder that others may write and that holds other files is neither changed nor used: the person is told."""
    (tmp_path / "thesis.tex").touch()
    tmp_path.chmod(0o777)
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path))

    with pytest.raises(ChorusError, match="other users may write to this folder"):
        run(*command)
    assert tmp_path.stat().st_mode & 0o777 == 0o777
    assert [each.name for each in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_folder_that_only_this_user_may_write_is_used_as_it_is(tmp_path):
    """The mode of a folder that others may only read is left alone, whatever is in it."""
    (tmp_path / "thesis.tex").touch()
    tmp_path.chmod(0o755)

    assert config.vault_for(tmp_path, tmp_path) == tmp_path
    assert tmp_path.stat().st_mode & 0o777 == 0o755
