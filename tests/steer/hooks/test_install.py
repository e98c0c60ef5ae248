"""Tests of hooks in the client's settings on disk: they are installed, removed exactly, and never put elsewhere."""

import json
import os
import stat
import subprocess

import pytest

from chorus.errors import ChorusError
from chorus.steer.hooks.home import Home, make_key, read_key
from chorus.steer.hooks.install import install, plan_install, plan_remove, read_note, remove

TEXT = b'{\n  "model": "opus",\n  "hooks": { }\n}\n'


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path / "chorus")


@pytest.fixture
def settings(tmp_path):
    path = tmp_path / "claude" / "settings.json"
    path.parent.mkdir()
    path.write_bytes(TEXT)
    path.chmod(0o640)
    return path


def put_in(home, path):
    plan = plan_install(home, path)
    install(home, plan)
    return plan


def take_out(home, path):
    plan = plan_remove(home, path)
    remove(home, plan)
    return plan


def test_everything_that_the_hooks_need_is_there(home, settings):
    """The program is executable, only the owner can read the key, and the settings keep their mode and call it."""
    put_in(home, settings)
    assert stat.S_IMODE(home.program.stat().st_mode) == 0o700
    assert stat.S_IMODE(home.key.stat().st_mode) == 0o600 and len(read_key(home)) == 64
    assert stat.S_IMODE(settings.stat().st_mode) == 0o640
    told = json.loads(settings.read_bytes())
    assert told["hooks"]["PermissionRequest"][0]["hooks"][0]["command"] == str(home.program)
    assert [path.name for path in settings.parent.iterdir()] == ["settings.json"]


def test_undone_it_is_what_it_was(home, settings):
    """Removing the hooks restores the settings byte for byte, including odd layout, and deletes the backup."""
    put_in(home, settings)
    assert [path.read_bytes() for path in home.backups.iterdir()] == [TEXT]
    take_out(home, settings)
    assert settings.read_bytes() == TEXT
    assert list(home.backups.iterdir()) == [] and read_note(home).places == {}


def test_a_file_that_was_not_there_is_not_there_again(home, tmp_path):
    """A settings file that contained only hooks of Chorus is deleted with them."""
    path = tmp_path / "new" / "settings.json"
    put_in(home, path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    take_out(home, path)
    assert not path.exists()


def test_what_others_changed_meanwhile_stays(home, settings):
    """Removing the hooks keeps changes that others made in the meantime."""
    put_in(home, settings)
    told = json.loads(settings.read_bytes())
    told["theme"] = "dark"
    settings.write_text(json.dumps(told))
    take_out(home, settings)
    assert json.loads(settings.read_bytes()) == {"model": "opus", "theme": "dark"}


def test_again_does_no_harm(home, settings):
    """A second installation changes nothing, keeps the key, and can still be undone exactly."""
    put_in(home, settings)
    once, key = settings.read_bytes(), read_key(home)
    assert not put_in(home, settings).is_needed
    assert (settings.read_bytes(), read_key(home)) == (once, key)
    take_out(home, settings)
    assert settings.read_bytes() == TEXT
    assert not take_out(home, settings).is_needed


def test_another_home_takes_over(home, settings, tmp_path):
    """Hooks of an older home are replaced, and after the removal the settings contain neither."""
    put_in(Home(tmp_path / "older"), settings)
    put_in(home, settings)
    assert settings.read_bytes().count(b"chorus-hook") == 5
    take_out(home, settings)
    assert b"chorus-hook" not in settings.read_bytes()
    assert json.loads(settings.read_bytes()) == {"model": "opus"}


def test_what_changed_while_it_was_shown_is_not_overwritten(home, settings):
    """If the settings change after the plan was shown, they are not overwritten, because nobody agreed to that."""
    plan = plan_install(home, settings)
    settings.write_bytes(b'{"a": 1}')
    with pytest.raises(ChorusError, match="changed meanwhile"):
        install(home, plan)
    assert settings.read_bytes() == b'{"a": 1}'


def test_what_is_no_file_of_ours_is_left_alone(home, settings, tmp_path):
    """Links, pipes, folders, broken JSON and invalid text are refused with a reason, and nothing is written."""
    link = tmp_path / "link.json"
    link.symlink_to(settings)
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    folder = tmp_path / "folder.json"
    folder.mkdir()
    broken = tmp_path / "broken.json"
    broken.write_bytes(b'{"a": 1,\n}')
    latin = tmp_path / "latin.json"
    latin.write_bytes(b'{"a": "\xe9"}')
    for path in (link, pipe, folder, broken, latin):
        for plan in (plan_install, plan_remove):
            with pytest.raises(ChorusError, match=path.name):
                plan(home, path)
    assert settings.read_bytes() == TEXT and broken.read_bytes() == b'{"a": 1,\n}'
    assert not home.program.exists()


def test_a_key_that_others_can_read_is_none(home):
    """A key that other users can read is not accepted, and a new one is made."""
    key = make_key(home)
    assert make_key(home) == key
    home.key.chmod(0o644)
    assert read_key(home) == ""
    assert make_key(home) != key and stat.S_IMODE(home.key.stat().st_mode) == 0o600


def test_a_path_with_blanks_and_quotes_is_called_as_one(tmp_path, settings):
    """A shell finds the program even if the path of the home has blanks, quotes or a dollar sign."""
    home = Home(tmp_path / 'it\'s a "home" $HOME')
    put_in(home, settings)
    command = json.loads(settings.read_bytes())["hooks"]["Stop"][0]["hooks"][0]["command"]
    done = subprocess.run(["/bin/sh", "-c", f"{command} --check"], capture_output=True, timeout=60, check=False)
    assert json.loads(done.stdout) == {"key": True, "server": False}
    take_out(home, settings)
    assert settings.read_bytes() == TEXT
