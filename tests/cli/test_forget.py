"""Tests of `chorus forget`, which shows what it removes, asks, and removes it for good."""

import json

import pytest

from tests.cli.commands import run, run_json, run_process
from tests.support.keeping import PROJECT, SESSION, client_folder, files, remove

OTHER = "aaaaaaaa-0000-4000-8000-000000000002"


@pytest.fixture
def config(tmp_path, monkeypatch):
    """A client's folder with two sessions, recorded by `chorus sync`."""
    config = tmp_path / "claude"
    client_folder(config)
    client_folder(config, OTHER)
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(config))
    run("sync")
    return config


def listed():
    return {each["id"] for each in run_json("list")["conversations"]}


def test_it_shows_and_asks(config, tmp_path):
    """The command shows the conversation with its sources.

    Without a yes, nothing is removed, and the exit code is 1.
    """
    before = files(tmp_path / "home" / "conversations")
    outcome = run("forget", SESSION[:8], given="n\n")

    assert outcome.exit_code == 1
    assert SESSION in outcome.stdout and f"{PROJECT}/{SESSION}.jsonl" in outcome.stdout
    assert outcome.stdout.endswith("Nothing was removed.\n")
    assert files(tmp_path / "home" / "conversations") == before


def test_yes_removes_it(config):
    """After a yes, the conversation is gone, and the client's files are unchanged."""
    before = {path: path.read_bytes() for path in files(config)}
    outcome = run("forget", SESSION[:8], given="y\n")

    assert outcome.exit_code == 0, outcome.stderr
    assert listed() == {OTHER}
    assert {path: path.read_bytes() for path in files(config)} == before


def test_it_is_never_kept_again(config):
    """The next sync does not record a forgotten session, even if its source has grown."""
    run("forget", SESSION, "--yes")
    with next(config.rglob(f"{SESSION}.jsonl")).open("ab") as file:
        file.write(b'{"type":"user"}\n')
    run("sync")

    assert listed() == {OTHER}


def test_no_word_of_it_is_left(config, tmp_path):
    """The home contains no text, title or file name of the conversation. Only its id is left, in the tombstone."""
    session = next(config.rglob(f"{SESSION}.jsonl"))
    session.write_bytes(session.read_bytes().replace(b"hello", b"heliotrope"))
    (config / "projects" / PROJECT / SESSION / "tool-results" / "b1.txt").write_bytes(b"heliotrope")
    run("sync")
    run("list")
    assert traces(tmp_path / "home", b"heliotrope") and traces(tmp_path / "home", SESSION.encode())
    run("forget", SESSION, "--yes")

    assert traces(tmp_path / "home", b"heliotrope") == []
    assert traces(tmp_path / "home", SESSION.encode()) == ["forgotten.jsonl"]
    assert run("verify").exit_code == 0 and listed() == {OTHER}


def traces(home, words):
    """Returns the files below a folder that contain these words."""
    return [path.name for path in files(home) if words in path.read_bytes()]


def test_its_prompts_are_never_kept_again(config):
    """The client's prompt history still has the prompts, and a sync does not record them again, not even as a stub."""
    prompt = {"display": "hello", "timestamp": 1, "project": "/w", "sessionId": SESSION}
    (config / "history.jsonl").write_text(json.dumps(prompt) + "\n")
    run("forget", SESSION, "--yes")
    remove(path for path in files(config) if SESSION in str(path))
    run("sync")

    assert listed() == {OTHER}


def test_it_waits_for_a_sync(config, tmp_path):
    """During a sync, `forget` waits and says for whom. Then it also removes what the sync recorded."""
    import threading

    from chorus.keep.sources.lock import sole_sync

    done = []
    forgetting = threading.Thread(target=lambda: done.append(run_process("forget", SESSION, "--yes")))
    with sole_sync(tmp_path / "home", "a test", print):
        forgetting.start()
        forgetting.join(2)
        assert forgetting.is_alive() and SESSION in listed()
    forgetting.join()

    assert done[0].returncode == 0 and b"waiting for a test" in done[0].stderr
    assert listed() == {OTHER}


def test_a_dry_run_only_shows(config):
    """--dry-run asks nothing and removes nothing."""
    outcome = run("forget", SESSION, "--dry-run")

    assert outcome.exit_code == 0 and "dry run" in outcome.stdout
    assert listed() == {SESSION, OTHER}


def test_a_pattern_takes_all_that_match(config, tmp_path):
    """A pattern of source paths removes each conversation that matches, and the tombstones name the pattern."""
    run("forget", f"*/{PROJECT}/*", "--yes")
    stones = [json.loads(line) for line in (tmp_path / "home" / "state" / "forgotten.jsonl").read_bytes().splitlines()]

    assert listed() == set()
    assert {(stone["conversation"], stone["pattern"]) for stone in stones} == {
        (SESSION, f"*/{PROJECT}/*"),
        (OTHER, f"*/{PROJECT}/*"),
    }


@pytest.mark.parametrize("what", ["*no such place*", "ffffffff", "5f1"])
def test_nothing_to_forget_is_an_error(config, what):
    """A pattern or id that matches nothing is refused with exit code 2, and nothing is removed."""
    from chorus.cli.main import main

    assert main(["forget", what, "--yes"]) == 2
    assert listed() == {SESSION, OTHER}
