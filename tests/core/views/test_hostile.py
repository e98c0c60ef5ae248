"""Tests of hostile text in every field of a transcript, with every renderer."""

import re
from itertools import pairwise

import pytest
from markdown_it import MarkdownIt

from chorus.core.views.safe import safe
from chorus.library import files
from chorus.testing.builders import Run, Session, tool_use
from chorus.testing.builders.lines import encode_all
from tests.core.views.talks import drawn, finished_run, folded, spoiled, told, tour, written
from tests.e2e.support import exfiltration

ATTACKS = {
    "escapes": "\x1b]0;title\x07\x1b[2J\x1b[31m\x1bP+q\x1b\\\x9b1m\x90\x00\x08\x7f\r",
    "links": "\x1b]8;;http://e.example\x1b\\click\x1b]8;;\x1b\\ [a](javascript:b) ![i](http://e.example/i.png)",
    "hidden": "a\u202eb\u2066c\u200bd\ufeffe\U000e0041f\u00adg\u2028h",
    "markup": "[bold red]x[/] [link=http://e.example]y[/link] [@click=app.quit]z[/]",
    "fences": "```\n````\n~~~\n</pre></code><script>alert(1)</script><!--\n## You · 00:00\n---\n> # x",
    "entities": "&#x202e;&#8203;&ZeroWidthSpace;&#27;&lt;script&gt;",
    "unclosed": "```html\n<img src=x onerror=alert(1)>",
}
CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")
SGR = re.compile(r"\x1b\[[0-9;]*m")


def attacked(attack):
    """Builds a conversation with the attack in every text, including the name of a tool."""
    run = Run()
    run.line("hologram", content="x")
    run.system("informational", content="<local-command-stdout>x</local-command-stdout>")
    run.result("x", subtype="success")
    lines = [line for script in (*tour(), finished_run(), run) for line in script.lines]
    (found,) = files.fold(files.read(encode_all(spoiled(lines, lambda text: text + attack))))
    return found


@pytest.fixture(params=ATTACKS)
def talk(request):
    return attacked(ATTACKS[request.param])


@pytest.mark.parametrize("look", [{}, {"is_full": True, "thinking": "full", "internal": True}])
def test_nothing_acts_on_a_plain_terminal(talk, look):
    """Without colours, the only control character in the output is the line feed, and nothing is hidden."""
    shown = drawn(talk, **look)

    assert max(map(len, shown.splitlines())) <= 80
    assert not CONTROLS.search(shown.replace("\n", ""))
    assert safe(shown) == shown


@pytest.mark.parametrize("look", [{}, {"is_full": True, "thinking": "full", "internal": True}])
def test_nothing_acts_on_a_terminal_with_colours(talk, look):
    """With colours, the only escape sequences are those of Chorus, and they only set colours."""
    shown = SGR.sub("", drawn(talk, colour=True, **look))

    assert not CONTROLS.search(shown.replace("\n", ""))
    assert safe(shown) == shown


def test_the_attack_is_on_display():
    """Neutralised characters are shown and not dropped, in prose and in output."""
    session = Session()
    session.title("A title")
    session.user("a\x08b\x1bc")
    session.assistant(tool_use("Bash", {"command": "d\x07e"}, id="1"))
    session.tool_result("1", "f\x0cg")
    shown = drawn(folded(session))

    assert "a\\x08b\\x1bc" in shown and "d\\x07e" in shown and "f\\x0cg" in shown


def test_a_document_is_inert(talk):
    """A document rendered with HTML allowed contains no HTML, no image and no forged row."""
    assert inert(written(talk))


def inert(shown):
    """Returns the titles of the rows of a document, and fails if anything runs, loads, hides or looks like a row."""
    tokens = MarkdownIt("commonmark").enable("table").parse(shown)
    found = {token.type for outer in tokens for token in (outer, *(outer.children or ()))}

    assert safe(shown) == shown
    assert not found & {"html_block", "html_inline", "image"}
    titles = [after.content for token, after in pairwise(tokens) if token.type == "heading_open" and token.tag == "h2"]
    assert all(re.match(r"(You|Claude|Client|Command|Queued|Task)\b", title) for title in titles)
    return titles


def test_a_document_loads_nothing():
    """Security table, rows B1 and B2: 200 generated texts in every field of a document load and run nothing."""
    given = exfiltration.HTML + exfiltration.MARKDOWN + exfiltration.OTHERS
    for first in range(0, len(given), 20):
        bad = " ".join(given[first : first + 20])
        shown = written(attacked(bad))

        assert inert(shown)
        assert set(re.findall(r"x\d+x", bad)) <= set(re.findall(r"x\d+x", shown))


def test_json_is_exact(talk):
    """The JSON document contains the attack unchanged."""
    assert told(talk)["title"].startswith("Rename the option")
