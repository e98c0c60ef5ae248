"""Tests that settings which prevent hooks are found in every place that the client reads."""

import json

import pytest

from chorus.steer.hooks.blockers import blockers


@pytest.fixture
def found(tmp_path):
    """Returns a function that writes settings into a file and returns the blockers found."""

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
    """Hooks are reported as disabled if `disableAllHooks` is true in any settings file, and for no other value."""
    (told,) = found(name, {"disableAllHooks": True, "model": "opus"})

    assert told.startswith(f'/{name}: "disableAllHooks" is set')
    for harmless in ({"disableAllHooks": False}, {"disableAllHooks": "true"}, {}, [], "{", "\x00", "[" * 100_000):
        assert found(name, harmless) == []


def test_an_administrator_may_allow_managed_hooks_only(found):
    """Managed settings may allow only managed hooks; the same keys in other settings have no effect."""
    managed = "managed/managed-settings.json"
    assert "hooks of managed settings only" in found(managed, {"allowManagedHooksOnly": True})[0]
    for strict in (True, ["skills", "hooks"]):
        assert "hooks of plugins only" in found(managed, {"strictPluginOnlyCustomization": strict})[0]
    assert found(managed, {"strictPluginOnlyCustomization": ["skills"]}) == []
    assert found("own/settings.json", {"allowManagedHooksOnly": True, "strictPluginOnlyCustomization": True}) == []


def test_modes_without_hooks(found):
    """An environment variable of the client's shell can switch hooks off."""
    assert "safe mode" in found("x", "", CLAUDE_CODE_SAFE_MODE="1")[0]
    assert found("x", "", CLAUDE_CODE_SAFE_MODE="0", CLAUDE_CODE_SIMPLE="") == []
