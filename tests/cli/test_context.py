"""Tests of `chorus context`, which shows the entries around a hit."""

import pytest

from chorus.cli.main import main
from chorus.errors import SourceUnreadable
from chorus.keep.vault.files import FileVault
from chorus.testing.builders import Session, lay_out, tool_use
from chorus.testing.builders.lines import SESSION_ID
from tests.cli.commands import run, run_json
from tests.keep.archive.vaults import keep

HOSTILE = "\x1b]0;owned\x07\u202egnp\x9b2J"


@pytest.fixture
def home(tmp_path, monkeypatch):
    made = Session()
    made.title("A talk")
    for number in range(8):
        made.user(f"prompt {number}", uuid=f"u{number}")
        made.assistant(f"answer {number}", tool_use("Bash", {"command": f"run {number}"}, id=f"t{number}"))
        made.tool_result(f"t{number}", f"output {number} {HOSTILE}")
    lay_out(tmp_path / "claude", made)
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path / "home"))
    keep(FileVault(tmp_path / "home"), tmp_path / "home", tmp_path / "claude")
    return tmp_path / "home"


def test_the_n_th_hit_of_the_last_search(home):
    """The neighbours look as in `show`, below the facts of the whole conversation, and the hit is marked."""
    run("search", "tool:Bash")
    shown = run("context", 3, "--before", 1, "--after", 1).output

    assert shown.startswith("A talk\n") and "8 calls" in shown and "8 messages" in shown
    assert "answer 5" in shown and "run 5" in shown and "output 5" in shown and "prompt 6" in shown
    assert "prompt 5" not in shown and "answer 6" not in shown and "run 6" not in shown
    assert shown.index("answer 5") < shown.index("▶ found here") < shown.index("run 5")
    whole = run("show", SESSION_ID).output
    rows = shown.partition("▶ found here\n")[2].partition("\n\n")[0]
    assert rows and rows in whole


def test_an_entry_of_a_conversation(home):
    """An entry is named by the ids of conversation and entry or by their beginnings.

    A query can name the conversation.
    """
    by_id = run("context", SESSION_ID[:8], "call:t5").output

    assert "▶ found here" in by_id and "run 5" in by_id
    assert run("context", "prompt 5", "t5").output == by_id
    assert run("context", SESSION_ID, "u5").output != by_id


def test_three_before_and_three_after(home):
    """By default, three entries before the hit and three after it are shown."""
    items = [each["item"] for each in run_json("context", SESSION_ID[:8], "u4")["entries"]]

    assert len(items) == 7 and items[3] == "u4"


def test_the_json_shape(home):
    """The JSON contains the conversation, the hit, and the text of every entry."""
    found = run_json("context", SESSION_ID[:8], "call:t5", "--before", 1, "--after", 0)
    answer, call = found.pop("entries")

    assert found == {
        "conversation": SESSION_ID,
        "title": "A talk",
        "workspace": found["workspace"],
        "workspace_name": "work",
        "cwd": "/home/dev/work",
        "thread": "",
        "item": "call:t5",
    }
    assert call == {
        "item": "call:t5",
        "kind": "call",
        "role": "tool",
        "tool": "Bash",
        "failed": False,
        "time": call["time"],
        "is_hit": True,
        "text": "",
        "thinking": "",
        "asked": "command: run 5",
        "given": f"output 5 {HOSTILE}",
    }
    assert (answer["text"], answer["is_hit"], answer["role"]) == ("answer 5", False, "assistant")


def test_for_a_prompt(home):
    """`--for-llm` prints plain text within the budget, and two calls print the same text."""
    run("search", "tool:Bash")
    text = run("context", 3, "--for-llm", "--budget", 1000).output

    assert text.startswith("From a conversation with Claude Code: A talk\n") and "· FOUND]\n  command: run 5\n" in text
    assert len(text) <= 1001 and text == run("context", 3, "--for-llm", "--budget", 1000).output


@pytest.mark.parametrize("form", [[], ["--for-llm"], ["--json"]])
def test_hostile_text_does_not_act(home, form):
    """No form of output sends a control character to the terminal."""
    shown = run("context", SESSION_ID[:8], "call:t5", *form)

    assert shown.exit_code == 0 and "output 5" in shown.output
    assert not set("\x1b\x07\x9b\u202e") & set(shown.output)


def test_numbers_outlive_the_index(home):
    """The number of a hit stays valid after a rebuild of the index, because it leads to ids."""
    run("search", "tool:Bash")
    before = run("context", 3).output
    run("index", "--rebuild")

    assert run("context", 3).output == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["3"], "no hit of the last search has this number"),
        ([SESSION_ID[:8]], "Also name the entry"),
        ([SESSION_ID[:8], "nope"], "nope: no entry of"),
        ([SESSION_ID[:8], "call:"], "8 entries of"),
        (["0badc0de", "u1"], "no conversation with this id"),
        ([SESSION_ID[:8], "u1", "--json", "--for-llm"], "cannot be used together"),
        ([SESSION_ID[:8], "u1", "--budget", "10"], "--budget"),
    ],
)
def test_what_cannot_be_found_is_reported(home, arguments, words, capsys):
    """A mistake gives one line that says what to do, and the exit code is 2."""
    assert main(["context", *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("chorus: ") and words in line


def test_a_number_of_a_conversation_is_no_entry(home, tmp_path, capsys):
    """If several conversations answer a query, each number names a whole conversation and not an entry."""
    other = Session("5e551012-0000-4000-8000-000000000002")
    other.user("prompt 4")
    lay_out(tmp_path / "claude", other)
    keep(FileVault(home), home, tmp_path / "claude")
    with pytest.raises(SourceUnreadable, match="2 conversations answer this"):
        run("show", "prompt 4")

    with pytest.raises(SourceUnreadable, match="a whole conversation"):
        run("context", 2)
    assert run("show", 2).exit_code == 0


def test_an_empty_vault(tmp_path, capsys):
    """On an empty vault, the command fails and creates no file."""
    assert main(["context", "0badc0de", "x", "--vault", str(tmp_path / "none")]) == 2
    assert not (tmp_path / "none").exists()


@pytest.fixture
def crowded(tmp_path, monkeypatch):
    """A recorded message with several calls, one of which starts a sub-agent with calls of its own."""
    made = Session()
    made.title("Crowded")
    made.user("first prompt")
    calls = [tool_use("Bash", {"command": f"step {number}"}, id=f"t{number}") for number in range(4)]
    made.assistant("several at once", *calls, tool_use("Task", {"prompt": "dig"}, id="t9"))
    for number in range(4):
        made.tool_result(f"t{number}", f"outcome {number}")
    agent = made.agent("a1b2c3", "t9")
    agent.user("dig")
    for number in range(3):
        agent.assistant(tool_use("Bash", {"command": f"inner {number}"}, id=f"i{number}"))
        agent.tool_result(f"i{number}", f"depth {number}")
    made.tool_result("t9", "dug", structured={"agentId": "a1b2c3", "status": "completed"})
    made.user("last prompt")
    lay_out(tmp_path / "claude", made)
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path / "home"))
    keep(FileVault(tmp_path / "home"), tmp_path / "home", tmp_path / "claude")


@pytest.mark.parametrize("command", ["context", "show"])
@pytest.mark.parametrize(
    ("query", "before", "after"),
    [
        ("outcome 2", "outcome 1", "step 2"),
        ("outcome 0", "several at once", "step 0"),
        ("depth 1", "depth 0", "inner 1"),
        ("several", "", "several at once"),
    ],
)
def test_the_call_itself_is_marked(crowded, command, query, before, after):
    """The mark is directly above the found call, also among several calls of one message and in a sub-agent."""
    run("search", f'"{query}"')
    shown = run(command, 1).output

    assert shown.count("▶ found here") == 1
    above, _, below = shown.partition("▶ found here\n")
    assert after in below.splitlines()[0] + below.splitlines()[1]
    assert before in above


def test_a_hit_is_shown_from_there_on(crowded):
    """`show N` leaves out everything before the message of the hit and names the command that shows everything."""
    run("search", '"last prompt"')
    shown = run("show", 1)

    assert "last prompt" in shown.output and "first prompt" not in shown.output and "outcome" not in shown.output
    assert f"`chorus show {SESSION_ID[:8]}` shows everything" in shown.output
    assert "first prompt" in run("show", SESSION_ID[:8]).output
    run("search", '"first prompt"')
    assert "last prompt" in run("show", 1).output
