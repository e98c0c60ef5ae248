"""Tests of workspaces and agents in the settings."""

import pytest

from chorus.base import config
from chorus.base.config import Agent, Config
from chorus.errors import ChorusError
from chorus.steer.workspaces import registry


@pytest.fixture
def known():
    return Config()


def test_a_folder_becomes_a_workspace_once(known, tmp_path):
    first = registry.add_workspace(known, tmp_path)

    assert registry.add_workspace(known, tmp_path / ".") is first
    assert registry.find_workspace(known, str(tmp_path)) is first
    assert registry.find_workspace(known, first.id[:6]) is first
    with pytest.raises(ChorusError, match="no workspace"):
        registry.find_workspace(known, "nowhere")
    with pytest.raises(ChorusError, match="no folder"):
        registry.add_workspace(known, tmp_path / "missing")


def test_agents_are_kept_with_the_settings(known, tmp_path):
    """Agents are unchanged after the settings were saved and loaded, and the list of settings does not contain them."""
    place = registry.add_workspace(known, tmp_path)
    registry.add_agent(
        place, Agent(name="ada", model="opus", mode="plan", allowed_tools=["Read"], environment=["AWS_REGION"])
    )
    config.save(tmp_path, known)

    (loaded,) = config.load(tmp_path).workspaces
    assert loaded.agents == place.agents
    assert "workspaces" not in {setting.name.split(".")[-1] for setting in config.settings(known)}


@pytest.mark.parametrize(
    "settings",
    [
        {"model": "--settings=x"},
        {"mode": "anything"},
        {"allowed_tools": [""]},
        {"allowed_tools": ["a\nb"]},
        {"denied_tools": ["\0"]},
        {"instructions": "a\0b"},
        {"environment": ["LD_PRELOAD"]},
        {"environment": ["NODE_OPTIONS"]},
        {"environment": ["A=B"]},
    ],
)
def test_settings_that_cannot_be_given_to_a_client_are_refused(known, tmp_path, settings):
    place = registry.add_workspace(known, tmp_path)
    with pytest.raises(ChorusError):
        registry.add_agent(place, Agent(name="ada", **settings))
    registry.add_agent(place, Agent(name="bob"))
    with pytest.raises(ChorusError):
        registry.change_agent(place.agents[0], **settings)

    assert place.agents == [Agent(name="bob")]


@pytest.mark.parametrize("name", ["", "Ada", "a b", "-a", "main", "a/b", "..", "a" * 41])
def test_names_are_plain(known, tmp_path, name):
    with pytest.raises(ChorusError):
        registry.add_agent(registry.add_workspace(known, tmp_path), Agent(name=name))


def test_an_agent_is_changed_and_removed_by_its_name(known, tmp_path):
    place = registry.add_workspace(known, tmp_path)
    registry.add_agent(place, Agent(name="ada"))
    with pytest.raises(ChorusError, match="is there already"):
        registry.add_agent(place, Agent(name="ada"))

    registry.change_agent(registry.find_agent(place, "ada"), model="opus")
    assert place.agents[0].model == "opus"

    registry.remove_agent(place, "ada")
    with pytest.raises(ChorusError, match="no agent"):
        registry.find_agent(place, "ada")


def test_a_folder_inside_a_workspace_belongs_to_it(known, tmp_path):
    """A folder belongs to the innermost workspace that has agents."""
    outer = registry.add_workspace(known, tmp_path)
    inner = tmp_path / "inner"
    inner.mkdir()
    seen = registry.add_workspace(known, inner)
    registry.add_agent(outer, Agent(name="ada"))

    assert registry.enclosing(known, inner) is outer
    assert registry.enclosing(known, inner / "deeper") is outer
    registry.add_agent(seen, Agent(name="bob"))
    assert registry.enclosing(known, inner / "deeper") is seen
    assert registry.enclosing(known, tmp_path.parent) is None
