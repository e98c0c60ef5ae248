"""Tests of the look of conversations in the terminal."""

import io
import re

from rich.console import Console

from chorus.core.views.terminal import Look, Terminal
from chorus.core.views.transcript import rows
from chorus.testing.builders import Session, thinking, tool_use
from chorus.testing.builders.lines import usage
from tests.core.views.talks import called, drawn, finished_run, folded, tour

SGR = re.compile(r"\x1b\[[0-9;]*m")


def test_a_session_looks_like_this(snapshot):
    """A session is shown with prose, thinking, calls and results, a sub-agent, a failure and the end of a turn."""
    assert drawn(folded(*tour())) == snapshot


def test_a_run_looks_like_this(snapshot):
    """A run is shown with a refused permission, a successful turn and a failed turn."""
    assert drawn(folded(finished_run())) == snapshot


def test_a_narrow_terminal_is_enough(snapshot):
    """Everything fits into forty columns, because facts get their own lines."""
    shown = drawn(folded(*tour()), width=40)

    assert max(map(len, shown.splitlines())) <= 40
    assert shown == snapshot


def test_colours_change_no_word():
    """A terminal with colours shows the same words at the same places as one without colours."""
    talk = folded(*tour())

    assert SGR.sub("", drawn(talk, colour=True)) == drawn(talk)


def test_thinking_is_folded_shown_or_hidden():
    """By default, thinking is shown as its first line and the number of its other lines.

    It can also be shown in full or hidden.
    """
    session = Session()
    session.assistant(thinking("one\ntwo\nthree"), "Yes.")
    talk = folded(session)

    assert "✻ one\n    … 2 more lines\n" in drawn(talk)
    assert "✻ one\n    two\n    three\n" in drawn(talk, thinking="full")
    assert "✻" not in drawn(talk, thinking="hide") and "Yes." in drawn(talk, thinking="hide")


def test_an_answer_in_words_of_their_own_is_shown_beside_what_was_chosen():
    """An answer is also shown as text if it contains more than the chosen options."""
    asked = {"questions": [{"question": "Sizes?", "multiSelect": True, "options": [{"label": "S"}, {"label": "L"}]}]}

    both, chosen = (
        drawn(called("AskUserQuestion", asked, structured={"answers": {"Sizes?": answer}}))
        for answer in ("S, wide", "S, L")
    )

    assert "☑ S\n" in both and "⏎ S, wide\n" in both
    assert "☑ L\n" in chosen and "⏎" not in chosen


def test_a_call_that_goes_on_is_running_and_one_that_was_left_has_no_result():
    """A call without a result is shown as running in a watched run, and as having no result in a transcript."""
    session = Session()
    session.assistant(tool_use("Bash", {"command": "x"}, id="1"))
    talk = folded(session)
    out = io.StringIO()
    console = Console(file=out, width=80)

    console.print(Terminal(console, Look()).as_renderable(rows(talk)))

    assert "Bash  running" in out.getvalue()
    assert "Bash  no result" in drawn(talk)


def test_the_output_of_a_message_without_an_end_is_a_lower_bound():
    """Without the end of a message, its output tokens are a lower bound, on its row as in the header."""
    session = Session()
    session.assistant("Cut.", tokens=usage(given=7, said=1))
    session.assistant("Whole.", stop="end_turn", tokens=usage(given=7, said=9))

    assert "7 in · ≥ 1 out" in drawn(folded(session)) and "7 in · 9 out" in drawn(folded(session))


def test_a_sub_agent_in_the_background_shows_how_it_ended():
    """The call of a sub-agent in the background shows how that is now, and nothing claims that an ended one runs."""
    session = Session()
    session.assistant(*(tool_use("Agent", {"prompt": name}, id=f"toolu_{name}") for name in ("ok", "bad", "open")))
    for name in ("ok", "bad", "open"):
        started = {"isAsync": True, "status": "async_launched", "agentId": name}
        session.tool_result(f"toolu_{name}", "Async agent launched successfully.", structured=started)
    session.user(session.notified("ok", call="toolu_ok"))
    session.user(session.notified("bad", "failed", call="toolu_bad"))
    talk = folded(session)

    found = [re.split(r"\s{2,}", line.strip())[1] for line in drawn(talk).splitlines() if "▸ Agent" in line]
    assert found == ["completed", "failed", "not known to have finished"]
    assert "▸ Agent  at work" in drawn(talk, is_live=True)
    assert "runs in the background" not in drawn(talk)


def test_long_results_are_cut_in_the_middle():
    """A long result shows its beginning, its end and the number of hidden lines, and on request all of it is shown."""
    output = "\n".join(f"line {number}" for number in range(100))
    talk = called("Bash", {"command": "x"}, output)

    assert "line 9\n    │ … 86 more lines\n    │ line 96\n" in drawn(talk)
    assert "line 50" in drawn(talk, is_full=True) and "more lines" not in drawn(talk, is_full=True)


def test_a_long_line_is_cut():
    """A line of a megabyte is cut so that it does not fill the screen."""
    talk = called("Bash", {"command": "x"}, "x" * 1_000_000)

    assert len(drawn(talk)) < 2000
    assert "more characters" in drawn(talk)


def test_a_new_day_is_announced():
    """The date is shown between rows of different days."""
    session = Session()
    session.user("One", timestamp="2026-01-05T23:59:00Z")
    session.user("Two", timestamp="2026-01-06T00:01:00Z")

    assert "6 Jan 2026 ───" in drawn(folded(session))


def test_markup_in_data_is_text():
    """Square brackets in data are shown as text and are not read as markup."""
    session = Session()
    session.title("A title")
    session.user("[bold red]x[/bold red] [link=http://e.example]y[/link] :smile:")
    session.assistant(tool_use("[red]T[/red]", {"a": "[blink]b[/blink]"}, id="1"))
    shown = drawn(folded(session), colour=True)

    for words in ("[bold red]x[/bold red]", "[link=http://e.example]y[/link]", ":smile:", "[red]T[/red]", "[blink]b"):
        assert words in SGR.sub("", shown)


def test_links_and_pictures_are_not_followed():
    """A link shows its address as text, HTML is text, and nothing is fetched."""
    session = Session()
    session.title("A title")
    session.user("[here](http://e.example/a) ![pic](http://e.example/b.png) <b>bold</b>\n\n<script>x</script>")
    shown = drawn(folded(session), colour=True)

    assert "\x1b]8" not in shown
    assert "http://e.example/a" in shown
    assert "<b>bold</b>" in SGR.sub("", shown) and "<script>x</script>" in SGR.sub("", shown)


def test_prose_beyond_reason_is_shown_as_written():
    """A text that is too long to be parsed as Markdown is shown unchanged."""
    session = Session()
    session.title("A title")
    session.user("![" * 30_000)

    assert "![![" in drawn(folded(session))
