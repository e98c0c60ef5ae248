"""Tests of `chorus init`, with which a person names a workspace."""

import pytest

from chorus.base import config
from chorus.errors import ChorusError
from tests.cli.commands import run


@pytest.fixture
def place(tmp_path):
    (tmp_path / "repo").mkdir()
    return tmp_path / "repo"


def test_a_workspace_is_named_and_gets_its_folder(tmp_path, place):
    """The new folder is only for this user and ignored by git, and the home stores the path of the workspace."""
    shown = run("init", place, "--vault", tmp_path / "home")

    (workspace,) = config.load(tmp_path / "home").workspaces
    assert (workspace.path, workspace.has_own_vault) == (str(place), True)
    assert workspace.id.startswith("repo-") and workspace.id in shown.output
    assert (place / ".chorus").stat().st_mode & 0o777 == 0o700
    assert (place / ".chorus" / ".gitignore").read_text().endswith("\n*\n")
    assert f"Created {place}/.chorus" in shown.output


def test_again_changes_nothing(tmp_path, place):
    """If a workspace is named twice, the settings do not change."""
    run("init", place, "--vault", tmp_path / "home")
    before = (tmp_path / "home" / "config.json").read_text()

    shown = run("init", place, "--vault", tmp_path / "home")

    assert shown.exit_code == 0 and shown.output.startswith("Unchanged: ")
    assert (tmp_path / "home" / "config.json").read_text() == before


def test_a_folder_that_came_with_the_repository_is_not_taken(tmp_path, place):
    """An existing `.chorus/` is refused until the person passes `--adopt`."""
    (place / ".chorus").mkdir()

    with pytest.raises(ChorusError, match="--adopt"):
        run("init", place, "--vault", tmp_path / "home")
    assert config.load(tmp_path / "home").workspaces == []

    assert run("init", place, "--adopt", "--vault", tmp_path / "home").output.startswith("Adopted ")
    assert config.own_vault(config.load(tmp_path / "home"), place) == place / ".chorus"


def test_a_link_is_never_taken(tmp_path, place):
    """A `.chorus` that is a link is refused, even with `--adopt`."""
    (place / ".chorus").symlink_to(tmp_path)

    with pytest.raises(ChorusError, match="links are not followed"):
        run("init", place, "--adopt", "--vault", tmp_path / "home")


def test_the_home_is_no_workspace_s_vault(tmp_path):
    """The folder that contains the home of Chorus cannot be named as a workspace."""
    with pytest.raises(ChorusError, match="home of Chorus"):
        run("init", tmp_path, "--vault", tmp_path / ".chorus")
