"""Tests of `chorus search`."""

import json
import os
import re
import subprocess
import sys

import pytest

from chorus.cli.main import main
from chorus.find.indexing.index_keeper import FOLDER
from chorus.find.indexing.lock import sole_writer
from chorus.keep.vault.files import FileVault
from chorus.testing.builders import Session, lay_out, tool_use
from chorus.testing.builders.lines import SESSION_ID, Clock, Ids
from tests.cli.commands import PATIENCE_S, run, run_json, run_process
from tests.keep.archive.vaults import OTHER_ID, keep

HOSTILE = "\x1b]0;owned\x07\u202eneedle\x9b2J\u2066"


def session(session_id, title, *prompts, start="2026-01-05T09:00:00.000Z", **more):
    made = Session(session_id, clock=Clock(start), ids=Ids(session_id), **more)
    made.title(title)
    for prompt in prompts:
        made.user(prompt)
    return made


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home with two conversations and without an index."""
    older = session(SESSION_ID, "Find the needle", "Where is the needle?", "In the hay?")
    older.assistant(tool_use("Bash", {"command": "grep -r needle ."}, id="t1"))
    older.tool_result("t1", "permission denied", is_error=True)
    newer = session(
        OTHER_ID, "Another\x1b[31m", "No needle here", start="2026-02-01T00:00:00.000Z", cwd="/home/dev/other"
    )
    for each in (older, newer):
        lay_out(tmp_path / "claude", each)
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path / "home"))
    keep(FileVault(tmp_path / "home"), tmp_path / "home", tmp_path / "claude")
    return tmp_path / "home"


def test_hits_stand_below_their_conversation(home):
    """Conversations are sorted newest first, and each hit below has its number, its speaker and the words around it."""
    shown = run("search", "needle")
    lines = shown.output.splitlines()

    assert shown.exit_code == 0 and "\x1b" not in shown.output
    assert lines[0].startswith("Another\\x1b[31m · other · ") and lines[0].endswith(" · 5e551012")
    assert lines[1].split()[0] == "1" and lines[1].endswith("You               No needle here")
    assert lines[3].startswith("Find the needle · work · ") and lines[3].endswith(" · 5e551011 · 2 hits")
    assert lines[4].split()[0] == "2" and "Bash" in lines[4] and "grep -r needle ." in lines[4]
    assert lines[5].split()[0] == "3" and "Where is the needle?" in lines[5]
    assert lines[-1].startswith("3 hits.") and "`chorus show N`" in lines[-1]


def test_words_are_joined_and_a_minus_is_no_option(home):
    """A query needs no quotes, and `-word` asks for entries without the word."""
    assert "1 hit." in run("search", "needle", "-where", "-grep").output
    assert "1 hit." in run("search", "role:tool", "is:error").output
    assert run("search", "needle", "zebra").output == "Nothing found.\n"
    assert "1 hit." in run("search", '"the hay"').output


def test_the_json_shape(home):
    """The JSON has the documented keys, and each snippet has its text and marks."""
    found = run_json("search", "needle")
    hit = found["hits"][1]

    assert list(found) == ["query", "hits", "next", "partial", "spread", "loose", "looked_for", "groups", "described"]
    assert (found["query"], found["next"], found["partial"], found["spread"]) == ("needle", None, False, False)
    assert list(hit) == [
        "n",
        "conversation",
        "title",
        "workspace",
        "workspace_name",
        "agent",
        "cwd",
        "cost_usd",
        "is_lower_bound",
        "reported_usd",
        "item",
        "kind",
        "role",
        "tool",
        "failed",
        "thread",
        "time",
        "snippet",
        "also",
    ]
    assert (hit["n"], hit["conversation"], hit["title"], hit["agent"]) == (2, SESSION_ID, "Find the needle", "main")
    assert (hit["item"], hit["kind"], hit["role"], hit["tool"], hit["failed"]) == (
        "call:t1",
        "call",
        "tool",
        "Bash",
        True,
    )
    text, marks = hit["snippet"]["text"], hit["snippet"]["marks"]
    assert [text[start:end] for start, end in marks] == ["needle"]
    assert (hit["cwd"], hit["cost_usd"], hit["reported_usd"]) == ("/home/dev/work", None, None)
    assert found["hits"][0]["title"] == "Another\x1b[31m"


def test_pages(home):
    """`--page` continues the numbers and `--after` continues from `next`, and both come to an end."""
    first = run_json("search", "needle", "--limit", 2)
    second = run_json("search", "needle", "--limit", 2, "--page", 2)

    assert [hit["n"] for hit in first["hits"]] == [1, 2] and first["next"] is not None
    assert [hit["n"] for hit in second["hits"]] == [3] and second["next"] is None
    rest = run_json("search", "needle", "--after", first["next"])
    assert [hit["item"] for hit in rest["hits"]] == [hit["item"] for hit in second["hits"]]
    assert "2 hits, and more: --page 2." in run("search", "needle", "--limit", 2).output
    assert run("search", "needle", "--page", 9).output == "No more.\n"


def test_the_best_first(home):
    """`--rank` puts the entry first in which the word has the most weight, and it cannot be combined with `--after`."""
    assert len(run_json("search", "needle", "--rank")["hits"]) == 3
    assert main(["search", "needle", "--rank", "--after", "5"]) == 2


def test_words_that_no_entry_has_together(home):
    """If no single entry has all words, the answer says so and shows the conversations that have them."""
    shown = run("search", "denied hay")

    assert shown.output.startswith("No entry has all of these words") and "Find the needle" in shown.output
    assert run_json("search", "denied hay")["spread"] is True


def test_a_mistake_in_the_query_is_pointed_at(home, capsys):
    """The error prints the message, the query and a pointer below it, and the exit code is 2."""
    assert main(["search", "needle", "tol:Bash"]) == 2
    message, text, pointer = capsys.readouterr().err.splitlines()

    assert message.startswith('chorus: unknown field "tol": did you mean "tool"?')
    assert (text, pointer) == ("  needle tol:Bash", "         ^^^^")


def test_a_pattern_that_makes_no_sense_is_pointed_at(home, capsys):
    """A mistake in a pattern is reported in the same way, whether or not any text has to be examined for it."""
    assert main(["search", "needle", "regex:/(/"]) == 2
    message, text, pointer = capsys.readouterr().err.splitlines()

    assert "this pattern cannot be used" in message
    assert (text, pointer) == ("  needle regex:/(/", "                ^^")
    assert main(["search", "regex:/(nowhere/"]) == 2


@pytest.mark.parametrize("pattern", ["(", "[", "(?<=a)b", "a**", "nowhere[z-a]"])
def test_a_pattern_that_makes_no_sense_is_one_error(home, pattern):
    """Nothing but the message is printed, also when the process ends."""
    done = run_process("search", f"regex:/{pattern}/")

    assert done.returncode == 2 and b"this pattern cannot be used" in done.stderr
    assert len(done.stderr.splitlines()) == 3, done.stderr


def test_a_hostile_query_is_pointed_at_harmlessly(home, capsys):
    """No part of a typed or pasted query acts on the terminal."""
    assert main(["search", f"tol:{HOSTILE}"]) == 2
    assert not set("\x1b\x07\x9b\u202e\u2066") & set(capsys.readouterr().err)


@pytest.mark.parametrize(("word", "meant"), [("--limt", "--limit"), ("--jsn", "--json"), ("--rnak=1", "--rank")])
def test_a_mistyped_option_is_not_searched_for(home, word, meant, capsys):
    """A word that resembles an option is refused, and options of other programs are searched for as words."""
    assert main(["search", "needle", word]) == 2
    assert meant in capsys.readouterr().err
    assert main(["search", "--force-with-lease"]) == 0


def test_help_is_help(home):
    """`-h` alone shows the help, as in every command."""
    assert run("search", "-h").output == run("search", "--help").output


def test_an_empty_vault_has_no_hits_and_stays_empty(tmp_path):
    """A search in an empty vault finds nothing and creates no file."""
    shown = run("search", "needle", "--vault", tmp_path / "none")

    assert (shown.exit_code, shown.output) == (0, "Nothing found.\n")
    assert not (tmp_path / "none").exists()
    assert run_json("search", "needle", "--vault", tmp_path / "none")["hits"] == []


@pytest.mark.parametrize(
    "spoil", [lambda db: db.unlink(), lambda db: db.write_bytes(b"spoiled"), lambda db: db.write_bytes(b"")]
)
def test_an_index_that_cannot_be_used_is_made(home, spoil):
    """A missing or damaged index is built again, and the answer is the same."""
    run("search", "needle")
    spoil(home / FOLDER / "index.db")
    shown = run("search", "needle")

    assert "3 hits." in shown.output and shown.stderr == ""


def test_every_byte_of_the_index_may_be_damaged(home):
    """The answer is the same, whichever byte of the index is damaged."""
    expected = run_json("search", "needle")["hits"]
    db = home / FOLDER / "index.db"
    good = db.read_bytes()
    for at in range(0, len(good), len(good) // 25):
        db.write_bytes(good[:at] + bytes([good[at] ^ 0x5A]) + good[at + 1 :])
        hits = run_json("search", "needle")["hits"]
        assert [hit["item"] for hit in hits] == [hit["item"] for hit in expected], at


def test_while_another_process_makes_the_index(home, monkeypatch, capsys):
    """The command says that it waits for the other process, and it gives up after a time."""
    monkeypatch.setattr("chorus.cli.query_options.PATIENCE_S", 0.2)
    with sole_writer(home / FOLDER):
        assert main(["search", "needle"]) == 2
    waiting, error = capsys.readouterr().err.splitlines()

    assert waiting == "chorus: waiting for another process that builds the index"
    assert "there is no usable index" in error
    assert main(["search", "needle"]) == 0


def test_a_query_that_takes_long_is_looked_for_until_it_is_done(home, monkeypatch):
    """A slow regex search shows hits as they come, looks at all entries and gives the same hits as a fast one."""
    talk = session("5e551013-0000-4000-8000-000000000003", "Long", *(f"line {n}" for n in range(200)))
    lay_out(home.parent / "claude", talk)
    keep(FileVault(home), home, home.parent / "claude")
    at_once = run_json("search", "regex:/line/", "--limit", 1000)
    monkeypatch.setattr("chorus.cli.query_options.PIECE_S", -1.0)
    shown = run("search", "regex:/line/", "--limit", 1000).output

    assert run_json("search", "regex:/line/", "--limit", 1000)["hits"] == at_once["hits"]
    assert len(at_once["hits"]) == 200 and not at_once["partial"]
    numbers = [int(line.split()[0]) for line in shown.splitlines() if " line " in line]
    assert numbers == list(range(1, 201))
    assert shown.splitlines()[-1].startswith("200 hits. ")
    assert run("search", "regex:/line 0$/").output.splitlines()[-1].startswith("1 hit. ")


def test_hostile_text_does_not_act(tmp_path):
    """Control characters in titles, prompts and tool names are escaped in text and in JSON.

    Text output cuts huge ones.
    """
    made = session(SESSION_ID, HOSTILE + "T" * 100_000, HOSTILE, "مرحبا needle שלום")
    made.assistant(tool_use(HOSTILE * 9, {"command": "needle"}, id="t1"))
    lay_out(tmp_path / "claude", made)
    keep(FileVault(tmp_path / "vault"), tmp_path / "vault", tmp_path / "claude")

    for arguments in (["search", "needle"], ["search", "needle", "--json"], ["list"], ["list", "needle", "--json"]):
        shown = run(*arguments, "--vault", tmp_path / "vault")
        assert shown.exit_code == 0 and not set("\x1b\x07\x9b\u202e\u2066") & set(shown.output)
    plain = run("search", "needle", "--vault", tmp_path / "vault").output
    assert max(map(len, plain.splitlines())) < 500 and "مرحبا" in plain
    assert run_json("search", "needle", "--vault", tmp_path / "vault")["hits"][-1]["title"].startswith(HOSTILE)


def test_what_is_found_hides_nothing(tmp_path):
    """Invisible characters are escaped between the words of a phrase, too."""
    lay_out(tmp_path / "claude", session(SESSION_ID, "Hidden", "a needle \u200b\u2060 hay"))
    keep(FileVault(tmp_path / "vault"), tmp_path / "vault", tmp_path / "claude")

    assert "a needle \\u{200b}\\u{2060} hay" in run("search", '"needle hay"', "--vault", tmp_path / "vault").output


def test_the_cost_of_a_conversation_is_shown(tmp_path):
    """A hit shows the cost of its conversation, computed from its tokens and the price table of Chorus."""
    made = session(SESSION_ID, "Dear", "needle", model="claude-opus-4-1")
    tokens = {"input_tokens": 100_000, "output_tokens": 0}
    made.assistant("Done.", stop="end_turn", tokens=tokens)
    lay_out(tmp_path / "claude", made)
    keep(FileVault(tmp_path / "vault"), tmp_path / "vault", tmp_path / "claude")

    assert " · $1.50 · 5e551011" in run("search", "needle", "--vault", tmp_path / "vault").output
    assert run_json("search", "needle", "--vault", tmp_path / "vault")["hits"][0]["cost_usd"] == pytest.approx(1.5)
    assert "1 hit." in run("search", "needle cost>1", "--vault", tmp_path / "vault").output
    (tmp_path / "vault" / "prices.json").write_text("{")
    for arguments in (["search", "needle"], ["context", "1"], ["show", SESSION_ID]):
        shown = run(*arguments, "--vault", tmp_path / "vault")
        assert shown.exit_code == 0 and "needle" in shown.output and "prices.json" in shown.stderr


def test_every_command_tells_the_same_cost(tmp_path):
    """A lower bound is a lower bound in lists, hits, their context and the transcript, and in their JSON."""
    made = session(SESSION_ID, "Dear", "needle", model="claude-opus-4-1")
    made.assistant("Part.", tokens={"input_tokens": 100_000, "output_tokens": 0}, stop=None)
    lay_out(tmp_path / "claude", made)
    vault = ["--vault", tmp_path / "vault"]
    keep(FileVault(tmp_path / "vault"), tmp_path / "vault", tmp_path / "claude")
    commands = (["list"], ["search", "needle"], ["context", "1"], ["show", SESSION_ID], ["cost", SESSION_ID])

    shown = {each[0]: run(*each, *vault).output for each in commands}
    (listed,) = run_json("list", *vault)["conversations"]
    hit = run_json("search", "needle", *vault)["hits"][0]

    assert {name: re.findall(r"≥?\$[\d.]+", text)[-1] for name, text in shown.items()} == dict.fromkeys(shown, "≥$1.50")
    assert (listed["cost_usd"], listed["is_lower_bound"]) == (hit["cost_usd"], hit["is_lower_bound"])
    assert hit["is_lower_bound"]


def test_a_search_for_programs_is_not_remembered(home):
    """The numbers of hits belong to the last search that a person saw, and not to one with `--json`."""
    run("search", "needle")
    before = (home / "cache" / "last-search.json").read_bytes()
    run_json("search", "hay")

    assert (home / "cache" / "last-search.json").read_bytes() == before


def in_a_terminal(*arguments, **environment):
    """Returns the output that a terminal of 100 columns gets."""
    import fcntl
    import pty
    import struct
    import termios

    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    variables = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
    with subprocess.Popen(
        [sys.executable, "-m", "chorus", *arguments],
        stdout=child,
        stderr=subprocess.DEVNULL,
        env={**variables, "TERM": "xterm", "PAGER": "cat", **environment},
    ) as process:
        os.close(child)
        shown = b""
        try:
            while chunk := os.read(parent, 65536):
                shown += chunk
        except OSError:
            pass
        os.close(parent)
        process.wait(PATIENCE_S)
    return shown.decode()


def test_a_terminal_shows_what_was_found_in_bold(home):
    """Only Chorus makes highlights, `NO_COLOR` removes them, and every line fits the terminal."""
    shown = in_a_terminal("search", "needle")
    plain = in_a_terminal("search", "needle", NO_COLOR="1")

    assert "\x1b[33m\x1b[1mneedle\x1b[0m" in shown and "\\x1b[31m" in shown
    assert "\x1b" not in plain and "needle" in plain
    assert all(len(line) <= 100 for line in plain.splitlines())


def test_the_command_draws_without_a_renderer(home):
    """Without a terminal, the command loads neither rich nor the code that writes the index."""
    run("search", "needle")
    code = (
        "import sys; from chorus.cli.main import main; main(['search', 'needle']);"
        "names = ('rich', 'concurrent.futures', 'chorus.find.indexing.index_keeper');"
        "print([name for name in names if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE_S, check=True)

    assert done.stdout.splitlines()[-1] == "[]"


def test_the_command_as_a_process(home):
    """With `--json`, the process prints JSON to the pipe and nothing to standard error."""
    done = run_process("search", "needle", "--json")

    assert done.returncode == 0 and len(json.loads(done.stdout)["hits"]) == 3 and done.stderr == b""
