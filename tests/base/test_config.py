"""Tests of the settings and of the place where they are stored."""

import json
import multiprocessing

import pytest

from chorus.base import config
from chorus.errors import ChorusError


@pytest.fixture(autouse=True)
def no_home(monkeypatch, tmp_path):
    monkeypatch.delenv("CHORUS_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def test_home_is_named_or_the_default(monkeypatch, tmp_path):
    """The home is the folder that the person names, else the one in the variable, else the default folder."""
    assert config.home() == tmp_path / "home" / ".chorus"
    monkeypatch.setenv("CHORUS_HOME", "~/elsewhere")
    assert config.home() == tmp_path / "home" / "elsewhere"
    assert config.home(tmp_path / "named") == tmp_path / "named"


def test_settings_survive_and_what_others_wrote_stays(tmp_path):
    """Saved settings can be loaded, keys of another version are kept, and only this user can read the file."""
    (tmp_path / "config.json").write_text('{"novelty": [1]}')

    with config.edit(tmp_path) as known:
        known.seal_after_days = 7

    assert config.load(tmp_path).seal_after_days == 7
    assert json.loads((tmp_path / "config.json").read_text())["novelty"] == [1]
    assert (tmp_path / "config.json").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.glob("*.tmp")] == []


def test_a_file_that_cannot_be_understood_is_an_error(tmp_path):
    """An invalid settings file is reported in one line with its path, and is not changed."""
    for text in ("{", '{"sealAfterDays": "soon"}', '{"sealAfterDays": 0}', "[]"):
        (tmp_path / "config.json").write_text(text)
        with pytest.raises(ChorusError, match=r"config\.json"):
            config.load(tmp_path)
        with pytest.raises(ChorusError), config.edit(tmp_path):
            pass
        assert (tmp_path / "config.json").read_text() == text


def test_an_edit_that_fails_changes_nothing(tmp_path):
    """If a change is refused, the file is not written."""
    with pytest.raises(ChorusError), config.edit(tmp_path) as known:
        config.change(known, "sealAfterDays", ["never"])

    assert not (tmp_path / "config.json").exists()


@pytest.mark.parametrize(
    ("name", "values", "reason"),
    [
        ("sealAfterDays", ["0"], ">= 1"),
        ("sealAfterDays", ["x"], "int"),
        ("sealAfterDays", ["1", "2"], "takes one value"),
        ("novelty", ["1"], "no such setting"),
        ("workspaces.w-1.path", ["/x"], "cannot be set"),
        ("workspaces.none.ignore", ["x"], "no such setting"),
    ],
)
def test_a_value_that_cannot_be_is_refused(name, values, reason):
    """A setting accepts only valid values, and the error says what is wrong."""
    known = config.Config(workspaces=[config.Workspace(id="w-1", path="/w")])

    with pytest.raises(ChorusError, match=reason):
        config.change(known, name, values)


def test_settings_have_names_and_meanings():
    """Each setting is listed by its dotted name, with one line about its meaning."""
    known = config.Config(workspaces=[config.Workspace(id="w-1", path="/w")])
    config.change(known, "workspaces.w-1.ignore", ["*secret*", "tmp/*"])

    found = {each.name: each.value for each in config.settings(known)}

    assert found["sealAfterDays"] == 30 and found["workspaces.w-1.ignore"] == ["*secret*", "tmp/*"]
    assert all(each.meaning for each in config.settings(known))


def _add(root, number):
    from pathlib import Path

    for n in range(10):
        with config.edit(Path(root)) as known:
            known.workspaces.append(config.Workspace(id=f"w-{number}-{n}", path="/w"))


def test_two_who_edit_at_once_lose_nothing(tmp_path):
    """Processes that change settings at the same time wait for each other."""
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=_add, args=(str(tmp_path), n)) for n in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)

    assert len(config.load(tmp_path).workspaces) == 40


def test_a_workspace_s_own_vault_is_used_only_when_named(tmp_path):
    """The vault `.chorus/` in a folder is used only if the person named it, and not if it is a link."""
    place = tmp_path / "repo"
    (place / ".chorus").mkdir(parents=True)
    (place / "src").mkdir()
    stranger = config.Config(workspaces=[config.Workspace(id="r", path=str(place))])
    named = config.Config(workspaces=[config.Workspace(id="r", path=str(place), has_own_vault=True)])

    assert config.own_vault(config.Config(), place) is None
    assert config.own_vault(stranger, place) is None
    assert config.own_vault(named, place / "src") == place / ".chorus"

    (place / ".chorus").rmdir()
    (place / ".chorus").symlink_to(tmp_path)
    assert config.own_vault(named, place) is None


def test_a_workspaces_own_vault_has_the_home_of_its_person(tmp_path, monkeypatch):
    """The home of a workspace's own vault is the home of the person, with its prices and settings.

    The home of any other vault is its own folder.
    """
    home, workspace = tmp_path / "home", tmp_path / "work"
    monkeypatch.setenv("CHORUS_HOME", str(home))
    own = workspace / ".chorus"
    own.mkdir(parents=True)
    assert config.home_of(own) == own

    config.save(
        home, config.Config(workspaces=[config.Workspace(id="work-1", path=str(workspace), has_own_vault=True)])
    )

    assert config.home_of(own) == home
    assert config.home_of(tmp_path / "other") == tmp_path / "other"
