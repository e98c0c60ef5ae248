"""`chorus hooks`: shown before it is done, undone without a trace, and honest about how it stands."""

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
    """A no, or no answer, changes nothing."""
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
    """Those that the client keeps out of the repository; a repository's link is not followed."""
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
    """Who keeps settings elsewhere has them changed there, and the link stays."""
    real = tmp_path / "dotfiles.json"
    settings.rename(real)
    settings.symlink_to(real)
    assert run("hooks", "install", "--yes").exit_code == 0
    assert settings.is_symlink() and "chorus-hook" in real.read_text()
    assert run("hooks", "remove", "--yes").exit_code == 0 and real.read_text() == TEXT


def test_broken_settings_are_refused_in_one_line(settings):
    """Where and why, and nothing is touched."""
    settings.write_text('{"a": 1\n"b": 2}')
    refused = run_process("hooks", "install", "--yes")
    assert refused.returncode == 2 and b"line 2, column 1" in refused.stderr
    assert settings.read_text() == '{"a": 1\n"b": 2}'


def test_status_tells_what_works(settings, tmp_path):
    """Nothing installed is in order; installed, it says what answers; without a server, that terminals ask alone."""
    found = run_json("hooks", "status")
    assert found["in_order"] and not any(each["installed"] for each in found["places"])
    run("hooks", "install", "--yes")
    found = run_json("hooks", "status")
    assert found["in_order"] and found["runs"] and found["key"] and not found["server"]
    with serving(tmp_path / "chorus", settings.parent):
        assert run_json("hooks", "status")["server"]
        assert "answers hooks" in run("hooks", "status").stdout


def test_status_tells_what_somebody_changed(settings, tmp_path):
    """The program, the entry, another program in its place, hooks that are gone: each is named, and exits with 1."""
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
    """`--project` and `--user`, as `install` and `remove` take them."""
    run("hooks", "install", "--yes", "--project")

    everywhere = run_json("hooks", "status")["places"]
    here = run_json("hooks", "status", "--project")["places"]
    mine = run_json("hooks", "status", "--user")["places"]

    assert len(everywhere) == 2
    assert [(Path(each["path"]).name, each["installed"]) for each in here] == [("settings.local.json", True)]
    assert [(each["path"], each["installed"]) for each in mine] == [(str(settings), False)]


def test_status_names_the_folders_in_which_silence_is_a_no(settings, tmp_path):
    """Terminals do not ask alone there."""
    place = tmp_path / "work"
    workspace = config.Workspace(id="work-1", path=str(place), gate="strict")
    config.save(tmp_path / "chorus", config.Config(workspaces=[workspace]))
    run("hooks", "install", "--yes")

    assert run_json("hooks", "status")["strict"] == [str(place)]
    assert f"{place}: strict" in run("hooks", "status").stdout


def test_a_strict_workspace_is_told_to_the_program(settings, tmp_path):
    """The list lies beside the program as long as there is a strict workspace."""
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
    """Installed hooks that the client will not run are not in order; without hooks there is nothing to say."""
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
