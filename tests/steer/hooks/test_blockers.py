"""What keeps hooks from running is found in every place that the client reads."""

import json

import pytest

from chorus.steer.hooks.blockers import blockers


@pytest.fixture
def found(tmp_path):
    """Gives what is found after settings were written into a file."""

    def write(name, settings, **environment):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(settings if isinstance(settings, str) else json.dumps(settings))
        told = blockers(tmp_path / "own", tmp_path / "work", tmp_path / "managed", environment)
        path.unlink()
        return [each.replace(str(tmp_path), "") for each in told]

    return write


@pytest.mark.parametrize(
    "name",
    [
        "own/settings.json",
        "work/.claude/settings.json",
        "work/.claude/settings.local.json",
        "managed/managed-settings.json",
        "managed/managed-settings.d/50-no-hooks.json",
    ],
)
def test_hooks_are_disabled_in_any_settings(found, name):
    """Wherever `disableAllHooks` is true, and nowhere else."""
    (told,) = found(name, {"disableAllHooks": True, "model": "opus"})

    assert told.startswith(f'/{name}: "disableAllHooks" is set')
    for harmless in ({"disableAllHooks": False}, {"disableAllHooks": "true"}, {}, [], "{", "\x00", "[" * 100_000):
        assert found(name, harmless) == []


def test_an_administrator_may_allow_managed_hooks_only(found):
    """In managed settings; elsewhere the client does not ask."""
    managed = "managed/managed-settings.json"
    assert "hooks of managed settings only" in found(managed, {"allowManagedHooksOnly": True})[0]
    for strict in (True, ["skills", "hooks"]):
        assert "hooks of plugins only" in found(managed, {"strictPluginOnlyCustomization": strict})[0]
    assert found(managed, {"strictPluginOnlyCustomization": ["skills"]}) == []
    assert found("own/settings.json", {"allowManagedHooksOnly": True, "strictPluginOnlyCustomization": True}) == []


def test_modes_without_hooks(found):
    """A variable of the shell that clients are started from."""
    assert "safe mode" in found("x", "", CLAUDE_CODE_SAFE_MODE="1")[0]
    assert found("x", "", CLAUDE_CODE_SAFE_MODE="0", CLAUDE_CODE_SIMPLE="") == []
