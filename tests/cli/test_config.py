"""Tests of `chorus config`, which reads and changes settings by their names."""

import json

from tests.cli.commands import run, run_json


def test_a_setting_is_set_and_read_again(tmp_path):
    """`get` returns the value that `set` stored."""
    assert run("config", "set", "sealAfterDays", 7, "--vault", tmp_path).output == "sealAfterDays = 7\n"
    assert run("config", "get", "sealAfterDays", "--vault", tmp_path).output == "7\n"
    assert run_json("config", "get", "sealAfterDays", "--vault", tmp_path) == 7


def test_all_settings_are_listed_with_their_meaning(tmp_path):
    """Without a name, every setting is listed, and reading creates no file."""
    shown = run("config", "get", "--vault", tmp_path / "none")
    found = run_json("config", "get", "--vault", tmp_path / "none")

    assert "sealAfterDays" in shown.output and "packed" in shown.output
    assert found["sealAfterDays"] == {"value": 30, "meaning": "Conversations idle for this many days are packed."}
    assert not (tmp_path / "none").exists()


def test_a_wrong_name_or_value_is_one_line(tmp_path):
    """A wrong name or value is refused in one line, and nothing is written."""
    from chorus.cli.main import main

    assert main(["config", "set", "sealAfterDays", "soon", "--vault", str(tmp_path)]) == 2
    assert main(["config", "get", "novelty", "--vault", str(tmp_path)]) == 2
    assert not (tmp_path / "config.json").exists()


def test_the_path_follows_the_home(tmp_path, monkeypatch):
    """`path` names the settings file in the current home."""
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path))

    assert run("config", "path").output == f"{tmp_path}/config.json\n"
    assert json.loads(run("config", "path", "--json").output) == {
        "path": f"{tmp_path}/config.json",
        "exists": False,
    }


def test_a_list_takes_several_values(tmp_path):
    """The patterns of a workspace are set together, and an empty value makes the list empty."""
    place = tmp_path / "repo"
    place.mkdir()
    home = tmp_path / "home"
    run("init", place, "--vault", home)
    name = next(name for name in run_json("config", "get", "--vault", home) if name.endswith(".ignore"))

    run("config", "set", name, "*a*", "*b*", "--vault", home)
    assert run_json("config", "get", name, "--vault", home) == ["*a*", "*b*"]
    run("config", "set", name, "", "--vault", home)
    assert run_json("config", "get", name, "--vault", home) == []
