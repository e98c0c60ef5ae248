"""Tests of `chorus hooks`, which shows each change first, removes it completely, and reports its state correctly."""

import json
from pathlib import Path

import pytest

from chorus.base import config
from tests.cli.commands import run, run_json, run_process
from tests.show.server.serving import serving

TEXT = '{\n  "model": "opus"\n}\n'


@pytest.fixture
def settings(tmp_path, monkeypatch):
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path / "chorus"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    path = tmp_path / "claude" / "settings.json"
    path.parent.mkdir()
    path.write_text(TEXT)
    return path


def test_it_is_shown_first_and_done_after_a_yes(settings):
    """The change is shown first, and a no or an empty answer changes nothing."""
    for answer in ("n\n", "\n", ""):
        said = run("hooks", "install", given=answer)
        assert '+  "hooks": {' in said.stdout and settings.read_text() == TEXT
    assert run("hooks", "install", given="y\n").exit_code == 0
    assert "PermissionRequest" in settings.read_text()
    assert "are installed" in run("hooks", "install").stdout

    assert run("hooks", "remove", given="n\n").exit_code == 0 and settings.read_text() != TEXT
    assert run("hooks", "remove", "--yes").exit_code == 0
    assert settings.read_text() == TEXT
    assert "no hooks of Chorus" in run("hooks", "remove").stdout


def test_a_folder_has_settings_of_its_own(settings, tmp_path):
    """`--project` uses the settings file that stays out of the repository. A link in the repository is not followed."""
    assert run("hooks", "install", "--project", "--yes").exit_code == 0
    assert settings.read_text() == TEXT
    local = tmp_path / "work" / ".claude" / "settings.local.json"
    assert "chorus-hook" in local.read_text()
    assert run("hooks", "remove", "--project", "--yes").exit_code == 0 and not local.parent.exists()
    local.parent.symlink_to(settings.parent)
    refused = run_process("hooks", "install", "--project", "--yes")
    assert refused.returncode == 2 and b"is a link" in refused.stderr
    assert settings.read_text() == TEXT


def test_a_link_of_ones_own_is_followed(settings, tmp_path):
    """If a person's settings file is a link, its target is changed and the link stays."""
    real = tmp_path / "dotfiles.json"
    settings.rename(real)
    settings.symlink_to(real)
    assert run("hooks", "install", "--yes").exit_code == 0
    assert settings.is_symlink() and "chorus-hook" in real.read_text()
    assert run("hooks", "remove", "--yes").exit_code == 0 and real.read_text() == TEXT


def test_broken_settings_are_refused_in_one_line(settings):
    """The error says where and why the settings cannot be parsed, and nothing is changed."""
    settings.write_text('{"a": 1\n"b": 2}')
    refused = run_process("hooks", "install", "--yes")
    assert refused.returncode == 2 and b"line 2, column 1" in refused.stderr
    assert settings.read_text() == '{"a": 1\n"b": 2}'


def test_status_tells_what_works(settings, tmp_path):
    """Without hooks, the status is in order. With hooks, it also says whether a server answers them."""
    found = run_json("hooks", "status")
    assert found["in_order"] and not any(each["installed"] for each in found["places"])
    run("hooks", "install", "--yes")
    found = run_json("hooks", "status")
    assert found["in_order"] and found["runs"] and found["key"] and not found["server"]
    with serving(tmp_path / "chorus", settings.parent):
        assert run_json("hooks", "status")["server"]
        assert "answers hooks" in run("hooks", "status").stdout


def test_status_tells_what_somebody_changed(settings, tmp_path):
    """A changed program, a changed entry, another program and removed hooks are each named, with exit code 1."""
    run("hooks", "install", "--yes")
    whole = settings.read_text()
    program = tmp_path / "chorus" / "bin" / "chorus-hook"
    text = program.read_bytes()

    program.write_bytes(text.replace(b"deny", b"allow"))
    assert run_json("hooks", "status")["program"] == "changed" and run("hooks", "status").exit_code == 1
    program.write_bytes(text)
    program.chmod(0o600)
    assert run_json("hooks", "status")["program"] == "missing" and run("hooks", "status").exit_code == 1
    program.chmod(0o700)
    assert run("hooks", "status").exit_code == 0

    for bent, said in (
        (whole.replace('"timeout": 600', '"timeout": 1'), "was changed"),
        (whole.replace(str(program), "/tmp/evil/chorus-hook"), "calls another program"),
        (TEXT, "taken out"),
        ("{", "cannot be understood"),
    ):
        settings.write_text(bent)
        outcome = run("hooks", "status")
        assert outcome.exit_code == 1 and said in outcome.stdout, said
    settings.write_text(TEXT)
    run("hooks", "install", "--yes")
    assert run("hooks", "status").exit_code == 0


def test_status_tells_of_one_place_when_it_is_asked_for(settings):
    """`--project` and `--user` choose one place, as for `install` and `remove`."""
    run("hooks", "install", "--yes", "--project")

    everywhere = run_json("hooks", "status")["places"]
    here = run_json("hooks", "status", "--project")["places"]
    mine = run_json("hooks", "status", "--user")["places"]

    assert len(everywhere) == 2
    assert [(Path(each["path"]).name, each["installed"]) for each in here] == [("settings.local.json", True)]
    assert [(each["path"], each["installed"]) for each in mine] == [(str(settings), False)]


def test_status_names_the_folders_in_which_silence_is_a_no(settings, tmp_path):
    """The status lists strict folders, in which the terminal alone does not ask."""
    place = tmp_path / "work"
    workspace = config.Workspace(id="work-1", path=str(place), gate="strict")
    config.save(tmp_path / "chorus", config.Config(workspaces=[workspace]))
    run("hooks", "install", "--yes")

    assert run_json("hooks", "status")["strict"] == [str(place)]
    assert f"{place}: strict" in run("hooks", "status").stdout


def test_the_hook_program_learns_that_a_workspace_is_strict(settings, tmp_path):
    """The list of strict workspaces is beside the hook program while a strict workspace exists."""
    place = str(tmp_path / "work")
    home = tmp_path / "chorus"
    config.save(home, config.Config(workspaces=[config.Workspace(id="work-1", path=place)]))
    strict = home / "bin" / "strict.json"
    assert run("config", "set", "workspaces.work-1.gate", "strict").exit_code == 0
    assert not strict.exists()
    run("hooks", "install", "--yes")
    assert json.loads(strict.read_text()) == [place]
    assert run("config", "set", "workspaces.work-1.gate", "terminal").exit_code == 0
    assert not strict.exists()
    assert run_process("config", "set", "workspaces.work-1.gate", "open").returncode == 2


def test_settings_that_keep_hooks_from_running_are_named(settings, tmp_path, monkeypatch):
    """If the client will not run installed hooks, the status is not in order. Without hooks, nothing is reported."""
    local = tmp_path / "work" / ".claude" / "settings.json"
    local.parent.mkdir()
    local.write_text('{"disableAllHooks": true}')
    assert run("hooks", "status").exit_code == 0
    run("hooks", "install", "--yes")
    monkeypatch.setenv("CLAUDE_CODE_SIMPLE", "1")

    told = run("hooks", "status")
    assert told.exit_code == 1
    assert f'{local}: "disableAllHooks" is set' in told.stdout and "CLAUDE_CODE_SIMPLE is set" in told.stdout
    assert "hooks install" not in told.stdout
    found = json.loads(run("hooks", "status", "--json").stdout)
    assert len(found["blocked_by"]) == 2 and not found["in_order"]

    local.write_text('{"disableAllHooks": false}')
    monkeypatch.setenv("CLAUDE_CODE_SIMPLE", "0")
    assert run("hooks", "status").exit_code == 0
