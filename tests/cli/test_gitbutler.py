"""Tests of what `chorus git status` and `chorus doctor` show about GitButler."""

import json

import pytest

from chorus.base import config
from chorus.errors import ChorusError
from chorus.steer.edits.gitbutler_state import StateFile
from tests.cli.commands import run, run_json
from tests.support.gitbutler import ButlerRepository

NAME = "work-0123abcd"


@pytest.fixture
def butler(tmp_path, monkeypatch) -> ButlerRepository:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path / "home"))
    made = ButlerRepository(tmp_path, monkeypatch)
    with config.edit(tmp_path / "home") as settings:
        settings.workspaces.append(config.Workspace(id=NAME, path=str(made.folder), is_named=True))
    return made


def add_hook(place, command: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    hooks = {"PreToolUse": [{"matcher": "Edit", "hooks": [{"type": "command", "command": command}]}], "Stop": "odd"}
    place.write_text(json.dumps({"hooks": hooks}))


def test_status_says_why_gitbutler_got_no_report(butler, tmp_path):
    """The status shows the reason that another process stored, without the control characters that `but` printed."""
    with StateFile(tmp_path / "home", NAME).edit() as state:
        state.version, state.problem = "0.22.1", "it is \x1b[31mnot set up"

    shown = run("git", "status")

    assert "GitButler 0.22.1 was not told about the last edits: it is" in shown.output
    assert "\x1b" not in shown.output


@pytest.mark.parametrize(
    "command",
    [
        "but claude pre-tool",
        "cd x && /opt/my\\ tools/but claude pre-tool || true",
        "cd x;but claude pre-tool",
        "bash -c 'but claude pre-tool'",
        "(but --json -C . claude pre-tool)",
        '"$(which but)" claude pre-tool',
        '"C:\\\\my tools\\\\but.exe" claude pre-tool',
    ],
)
def test_doctor_names_hooks_that_block_edits(butler, tmp_path, command):
    """`doctor` names hooks of the user or a workspace that call `but claude`, if GitButler lacks this command."""
    butler.install("0.20.0")
    add_hook(tmp_path / "claude" / "settings.json", command)
    add_hook(butler.folder / ".claude" / "settings.local.json", command)

    advice = [line for line in run_json("doctor")["advice"] if "but claude" in line]

    assert len(advice) == 2
    assert advice[0].startswith(f"{tmp_path / 'claude' / 'settings.json'}: a hook calls `but claude` (PreToolUse)")
    assert "remove it" in advice[0]


@pytest.mark.parametrize(
    ("version", "command"),
    [
        ("0.19.13", "but claude stop"),
        ("0.20.0", "/opt/butter claude stop"),
        ("0.20.0", "attribut claude stop"),
        ("0.20.0", "but status; claude-report"),
        ("0.20.0", "but claude-hooks"),
    ],
)
def test_doctor_says_nothing_about_hooks_that_work(butler, tmp_path, version, command):
    """`doctor` accepts an old GitButler, which has the command, and a program with a similar name."""
    butler.install(version)
    add_hook(tmp_path / "claude" / "settings.json", command)

    assert not [line for line in run_json("doctor")["advice"] if "but claude" in line]


@pytest.mark.parametrize("value", ["auto", "plain", "gitbutler"])
def test_the_back_end_is_a_setting(butler, tmp_path, value):
    """`gitBackend` of a workspace accepts exactly three words."""
    assert run("config", "set", f"workspaces.{NAME}.gitBackend", value).exit_code == 0
    assert config.load(tmp_path / "home").workspaces[0].git_backend == value
    with pytest.raises(ChorusError, match="takes `auto`, `plain` or `gitbutler`"):
        run("config", "set", f"workspaces.{NAME}.gitBackend", "jj")
