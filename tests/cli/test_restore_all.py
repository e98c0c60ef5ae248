"""Tests of `chorus restore --list` and `--all`, for every copy and every revision of a session."""

import shutil

import click
import pytest

from chorus.errors import ChorusError
from chorus.testing.builders import Session, lay_out
from tests.cli.commands import run, run_json


@pytest.fixture
def texts(tmp_path, monkeypatch):
    """Returns the id and all texts of a session that was rewritten twice and has a copy with more lines in a backup."""
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    session = Session()
    for n in range(4):
        session.user(f"Question {n}")
        session.assistant(f"Answer {n}")
    path = lay_out(tmp_path / "claude", session)
    texts = [path.read_bytes()]
    run("sync")
    backup = tmp_path / "backup" / "projects" / path.parent.name / path.name
    backup.parent.mkdir(parents=True)
    shutil.copy(path, backup)
    run("sync", tmp_path / "claude", tmp_path / "backup")
    backup.write_bytes(texts[0] + b'{"type":"user","message":"only here"}\n')
    lines = texts[0].splitlines(keepends=True)
    for kept in (lines[:2] + lines[3:], lines[:5]):
        path.write_bytes(b"".join(kept))
        texts.append(path.read_bytes())
        run("sync", tmp_path / "claude", tmp_path / "backup")
    return session.id, [*texts, backup.read_bytes()]


def test_every_version_is_given_back(texts, tmp_path):
    """Each revision and each copy is restored byte for byte, also a second time."""
    name, wanted = texts
    for outcome in ("written", "identical"):
        found = run_json("restore", name, "--all", "--to", tmp_path / "all")
        assert {each["outcome"] for each in found["files"]} == {outcome} and found["left_out"] == []
    given = [path.read_bytes() for path in (tmp_path / "all").rglob("*.jsonl")]
    assert sorted(given) == sorted(wanted)


def test_versions_are_listed(texts):
    """The list shows stream, revision, size and source of each copy and revision."""
    name, wanted = texts
    found = run_json("restore", name, "--list")["versions"]
    assert sorted(each["size_bytes"] for each in found) == sorted(map(len, wanted))
    assert next(each["stream"] for each in found if each["stream"] != "session").startswith("copy-")
    assert "Copies and revisions" in run("restore", name, "--list").stdout


def test_nothing_is_overwritten_unasked(texts, tmp_path):
    """If a file in the way differs, nothing is written, and --force replaces the file."""
    name, _ = texts
    place = tmp_path / "all" / name / "session.jsonl"
    place.parent.mkdir(parents=True)
    place.write_bytes(b"mine")
    with pytest.raises(ChorusError, match="nothing was written"):
        run("restore", name, "--all", "--to", tmp_path / "all")
    assert list(place.parent.iterdir()) == [place]
    assert run("restore", name, "--all", "--to", tmp_path / "all", "--force").exit_code == 0


def test_all_needs_a_place(texts):
    """`--all` needs `--to`, because copies have no place of their own in the client's folder."""
    name, _ = texts
    assert run("restore", name, "--all").exit_code == click.UsageError.exit_code
