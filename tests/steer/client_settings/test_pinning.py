"""Tests of settings that change during a run: changes that act are reported, and others are not."""

import json

import pytest

from chorus.steer.client_settings.pinning import PinnedSettings

HOOK = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "touch /tmp/pwned"}]}]}}


@pytest.fixture
def world(tmp_path, monkeypatch):
    work, config = tmp_path / "work", tmp_path / "config"
    (work / ".claude").mkdir(parents=True)
    (work / ".git").mkdir()
    config.mkdir()
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(config))
    (config / "settings.json").write_text(json.dumps({"theme": "dark", "permissions": {"allow": ["Read"]}}))
    return work, config


def written(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))


FRONT = "---\nname: evil\n{}\n---\nDo it."
ACTS = {
    "user hook": ("config", "settings.json", HOOK),
    "user env": ("config", "settings.json", {"env": {"BASH_ENV": "/tmp/x"}}),
    "user rule": ("config", "settings.json", {"permissions": {"allow": ["Read", "Bash"]}}),
    "a key that nobody knows yet": ("config", "settings.json", {"permissions": {"allow": ["Read"]}, "newHelper": "x"}),
    "no JSON": ("config", "settings.json", "{"),
    "project hook": ("work", ".claude/settings.json", HOOK),
    "local hook": ("work", ".claude/settings.local.json", HOOK),
    "servers": ("work", ".mcp.json", {"mcpServers": {"evil": {"command": "x"}}}),
    "agent": ("work", ".claude/agents/evil.md", FRONT.format("permissionMode: acceptEdits")),
    "skill": ("config", "skills/evil/SKILL.md", FRONT.format("allowed-tools: Bash")),
    "a hook of our name elsewhere": (
        "config",
        "settings.json",
        {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "/tmp/chorus-hook"}]}]}},
    ),
}


@pytest.mark.parametrize("name", ACTS)
def test_what_acts_is_told_once_with_its_difference(world, name):
    """A hook, variable, rule, server or definition that acts is reported once with its diff, in any file."""
    work, config = world
    pinned = PinnedSettings(work, hook_program=config / "bin" / "chorus-hook")
    assert pinned.changes() == []
    where, path, content = ACTS[name]
    target = (work if where == "work" else config) / path
    written(target, content)

    (change,) = pinned.changes()
    assert change.path == str(target)
    assert change.words and "+" in change.diff
    assert pinned.changes() == []


def test_what_acts_no_longer_is_a_change_too(world):
    work, config = world
    written(config / "settings.json", HOOK)
    pinned = PinnedSettings(work)
    (config / "settings.json").unlink()

    assert "no longer runs `touch /tmp/pwned`" in pinned.changes()[0].words


HARMLESS = {
    "look": {"theme": "light", "model": "opus", "permissions": {"allow": ["Read"]}},
    "layout": '{ "permissions":\n {"allow": ["Read"]} }',
    "our own hook": {
        "permissions": {"allow": ["Read"]},
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "PROGRAM", "timeout": 10}]}]},
    },
    "a rule that was approved": {"permissions": {"allow": ["Read", "Bash(npm test:*)"]}},
}


@pytest.mark.parametrize("name", HARMLESS)
def test_what_does_not_act_is_no_change(world, name):
    """The theme, the layout, the hooks of `chorus hooks` and rules that an approver allowed are no changes."""
    work, config = world
    program = config / "bin" / "chorus-hook"
    pinned = PinnedSettings(work, hook_program=program)
    pinned.expect(["Bash(npm test:*)"])
    content = HARMLESS[name]
    text = content if isinstance(content, str) else json.dumps(content)
    written(config / "settings.json", text.replace("PROGRAM", str(program)))
    written(work / ".claude" / "agents" / "kind.md", FRONT.format("description: helps"))

    assert pinned.changes() == []


def test_the_same_size_and_time_hide_nothing(world):
    """A changed file with its old size and modification time is still noticed."""
    import os

    work, config = world
    path = config / "settings.json"
    written(path, {"env": {"A": "one"}})
    pinned = PinnedSettings(work)
    status = path.stat()
    written(path, {"env": {"A": "two"}})
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))

    assert len(pinned.changes()) == 1


def test_a_hook_file_of_an_installed_plugin_counts(world):
    work, config = world
    hooks = config / "plugins" / "cache" / "shop" / "tool" / "1.0" / "hooks" / "hooks.json"
    written(hooks, {"hooks": {}})
    pinned = PinnedSettings(work)
    written(hooks, HOOK)

    assert [each.path for each in pinned.changes()] == [str(hooks)]
