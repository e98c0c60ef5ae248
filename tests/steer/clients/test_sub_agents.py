"""Tests that a sub-agent that works now is named by its type and description."""

import os

import pytest

from chorus.steer.clients.sub_agents import sub_agent_name

SESSION = "34507028-425a-43ce-bee6-9ef6f0ed14ce"


@pytest.fixture
def notes(tmp_path):
    folder = tmp_path / "projects" / "-work" / SESSION / "subagents"
    folder.mkdir(parents=True)
    return folder


def test_a_sub_agent_has_its_type_and_description(tmp_path, notes):
    (notes / "agent-a1.meta.json").write_text('{"agentType": "Explore", "description": "find the tests", "x": [1]}')
    (notes / "agent-a2.meta.json").write_text('{"agentType": "Explore"}')
    deep = notes / "workflows" / "w1"
    deep.mkdir(parents=True)
    (deep / "agent-a3.meta.json").write_text('{"description": "deep"}')

    folders = [tmp_path / "missing", tmp_path]
    found = [sub_agent_name(folders, SESSION, agent) for agent in ("a1", "a2", "a3", "a4")]

    assert found == ["Explore: find the tests", "Explore", "deep", ""]


@pytest.mark.parametrize("agent", ["../a1", "a*", "", "a" * 5000, "**/x", "ａ1"])
def test_an_id_is_no_path(tmp_path, notes, agent):
    (notes / "agent-a1.meta.json").write_text('{"agentType": "Explore"}')
    assert sub_agent_name([tmp_path], SESSION, agent) == ""
    assert sub_agent_name([tmp_path], "../" + SESSION, "a1") == ""


@pytest.mark.parametrize("data", [b"", b"[]", b"\xff", b'{"agentType": 7}', b"[" * 100_000, b'{"x":"' + b"y" * 100_000])
def test_any_bytes_are_no_name(tmp_path, notes, data):
    (notes / "agent-a1.meta.json").write_bytes(data)
    assert sub_agent_name([tmp_path], SESSION, "a1") == ""


def test_links_and_pipes_are_not_opened(tmp_path, notes):
    (tmp_path / "secret.json").write_text('{"agentType": "secret"}')
    (notes / "agent-a1.meta.json").symlink_to("/etc/passwd")
    os.mkfifo(notes / "agent-a2.meta.json")
    assert [sub_agent_name([tmp_path], SESSION, agent) for agent in ("a1", "a2")] == ["", ""]
