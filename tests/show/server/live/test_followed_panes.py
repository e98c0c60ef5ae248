"""Tests that what panes print becomes conversations, with a real tmux and a real server."""

import json
import shlex

import pytest

from tests.cli.commands import run
from tests.show.server.serving import serving, until
from tests.steer.tmux.streams import flat_events, printed
from tests.support.panes import missing, pane_server

SESSION = "4b1e2c3d-0000-4000-8000-000000000009"


@pytest.fixture
def tmux(monkeypatch):
    if (why := missing()) is not None:
        pytest.skip(why)
    with pane_server() as server:
        monkeypatch.setenv("TMUX_TMPDIR", str(server.folder))
        yield server


@pytest.fixture
def server(tmux, tmp_path, monkeypatch):
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path / "home"))
    (tmp_path / "claude" / "projects").mkdir(parents=True)
    with serving(tmp_path / "home", tmp_path / "claude") as server:
        yield server


def show(tmux, data, name="data", then="sleep 60"):
    """Prints the data in a new pane."""
    path = tmux.folder / name
    path.write_bytes(data)
    return tmux.open("sh", "-c", f"cat {shlex.quote(str(path))}; {then}")


def listed():
    return {each["id"]: each for each in json.loads(run("list", "--json").output)["conversations"]}


def texts_of(conversation):
    return run("show", conversation).output


@pytest.mark.parametrize("make", [printed, flat_events])
def test_a_pane_becomes_a_conversation_while_it_prints(tmux, server, make):
    """Records of both dialects are in the index while the program still runs, as a stream of that pane."""
    show(tmux, make("Hello from a pane", session=SESSION))
    until(lambda: SESSION in listed())
    until(lambda: "Hello from a pane" in texts_of(SESSION))
    assert "main-log" in listed()[SESSION]["streams"]


def test_a_file_and_a_pane_of_the_same_session_are_one_conversation(tmux, server, tmp_path):
    """What was also written to a file with `tee` is shown once."""
    data = printed("only once", session=SESSION)
    show(tmux, data)
    until(lambda: SESSION in listed())
    tee = tmp_path / "tee.jsonl"
    tee.write_bytes(data)
    assert run("sync", str(tee)).exit_code == 0
    until(lambda: len([each for each in listed()[SESSION]["streams"] if "log" in each]) >= 2)
    assert texts_of(SESSION).count("only once") == 1


def test_the_file_of_a_pane_is_removed_when_the_pane_has_ended(tmux, server):
    """After the end of the program everything is in the vault, and the waiting file is gone."""
    pane = show(tmux, printed("last words", session=SESSION))
    until(lambda: SESSION in listed())
    tmux.run("kill-pane", "-t", pane)
    until(lambda: not list((server.vault / "panes").iterdir()))
    assert "last words" in texts_of(SESSION)


def test_chorus_opens_a_pane_that_is_recorded(tmux, server, monkeypatch):
    """`chorus tmux run` starts a program in a pane; its words reach it unchanged, and its output is kept."""
    tmux.open("cat")
    monkeypatch.setenv("TMUX", f"{tmux.socket},1,0")
    data = tmux.folder / "data"
    data.write_bytes(printed("quick; words;", session=SESSION))
    done = run(
        "tmux",
        "run",
        "--",
        "sh",
        "-c",
        'printf "%s" "$1" > "$2"; cat "$3"',
        "sh",
        "a;b $HOME;",
        str(tmux.folder / "got"),
        str(data),
    )
    assert done.exit_code == 0, done.output
    until(lambda: SESSION in listed())
    assert "quick; words;" in texts_of(SESSION)
    assert (tmux.folder / "got").read_text() == "a;b $HOME;"
