"""Tests of `./dev walk`, which reads every page and table and reports what is wrong."""

import asyncio
import json
from pathlib import Path

import pytest

from tests.e2e.support import worlds
from tests.e2e.support.serving import Serving
from tools import bundle
from tools.walk.__main__ import main
from tools.walk.findings import Section, write
from tools.walk.page import walk_pages
from tools.walk.tables import FEW, broken_words, faults, walk_tables
from tools.walk.terminal import printed
from tools.walk.world import MADE_UP, SHARED, of_all_kinds

ROOT = Path(__file__).resolve().parents[2]
SPOILED = """
const ours = window.fetch
window.fetch = async (...asked) => {
  const answer = await ours(...asked)
  if (!answer.url.includes('/rows?') || !answer.ok) return answer
  const told = await answer.json()
  if (told.rows[0]) told.rows[0].row.pieces = told.rows[0].row.title = null
  return Response.json(told)
}
"""
"""The first row of every page has a shape that the application does not know."""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server with a small set of sessions that has one of each kind."""
    bundle.make_fresh(ROOT)
    made = Serving(tmp_path_factory.mktemp("walk"))
    made.write(of_all_kinds(), worlds.with_an_agent())
    made.start()
    yield made
    made.kill()


def test_a_sample_of_the_pages_is_clean(server):
    """A session with a row, block, fold, thread and panel of each kind is read to its end without a finding."""
    section = asyncio.run(walk_pages(server, only=[MADE_UP]))

    assert section.findings == [], "\n".join(section.lines())
    read = next(visit for visit in section.visits if visit.where.endswith(MADE_UP))
    assert read.counts["rows"] >= 12
    assert read.counts["folds"] >= 2
    assert any("thread awalk1" in visit.where for visit in section.visits)
    assert {"/board", "/rules"} <= {visit.where for visit in section.visits}


def test_what_fails_on_a_page_is_found(server):
    """Rows that cannot be drawn, missing rows and refused requests are findings."""

    async def spoil(context):
        await context.add_init_script(SPOILED)
        await context.route("**/outline?*", lambda route: route.fulfill(status=500, json={"kind": "internal"}))

    section = asyncio.run(walk_pages(server, only=[MADE_UP], prepare=spoil))

    assert {"failed to draw", "console error", "request refused (500)"} <= {each.kind for each in section.findings}


def test_a_sample_of_the_tables_is_clean(server):
    """Tables at a width and in a pipe have one line for each row, and each line fits."""
    section = walk_tables(server, commands=FEW[:3], widths=(80, None))

    assert len(section.visits) == 6
    assert all(visit.counts["lines"] > 2 for visit in section.visits)
    assert section.findings == [], "\n".join(section.lines())


def test_a_terminal_has_the_width_it_is_given():
    """A command sees the terminal width that the test asked for."""
    call = ["python3", "-c", "import os; print(os.get_terminal_size().columns, os.isatty(1))"]

    assert printed(call, {"PATH": "/usr/bin:/bin:/usr/local/bin"}, 93).split() == ["93", "True"]


@pytest.mark.parametrize(
    ("text", "width", "kinds"),
    [
        ("a line that fits", 20, []),
        ("a line that does not fit", 20, ["overflows"]),
        ("日本語の 行です", 8, ["overflows"]),
        ("  /a/path/that/does/not/fit", 20, []),
        ("Workspa  Cost\nce       ", 20, ["breaks a word"]),
        ("  Mess\n  ages", 20, ["breaks a word"]),
        ("Workspace and\nCost", 20, []),
        ("\x1b[1mbold\x1b[0m", None, ["escape in a pipe"]),
        ("any length of a line in a pipe is right " * 10, None, []),
    ],
)
def test_faults_of_a_text_are_found(text, width, kinds):
    """Lines that are too wide, broken words and escapes in a pipe are reported, and nothing else is."""
    wide = "Workspace Cost Messages and fits"

    assert [kind for kind, _ in faults(text, width, wide)] == kinds


def test_words_that_only_meet_are_not_broken():
    """Two words below each other are not a broken word, even if together they form a word."""
    assert list(broken_words(["in", "put"], {"in", "put", "input"})) == []


def test_a_report_is_for_programs_and_for_people(tmp_path):
    """The file contains every finding, and the printed lines count the findings by kind."""
    section = Section("tables")
    section.found("list @80", "overflows", "a  b\nc")
    write([section], tmp_path / "r.json")

    assert json.loads((tmp_path / "r.json").read_text())[0]["findings"][0]["what"] == "a b c"
    assert "1 findings" in next(iter(section.lines()))


@pytest.mark.long
@pytest.mark.skipif(not SHARED.is_dir(), reason="no recordings beside this clone (../shared)")
def test_every_page_is_clean(tmp_path):
    """All recordings beside this clone are read in the browser without a finding."""
    assert main(["--only", "page", "--report", str(tmp_path / "report.json")]) == 0


@pytest.mark.long
@pytest.mark.skipif(not SHARED.is_dir(), reason="no recordings beside this clone (../shared)")
def test_every_table_fits(tmp_path):
    """All tables of a vault with these recordings fit terminals of three widths and are plain in a pipe."""
    assert main(["--only", "tables", "--report", str(tmp_path / "report.json")]) == 0


@pytest.mark.long
def test_sessions_of_our_builders_are_clean(tmp_path):
    """Sessions of every kind and size that builders make are read in the browser without a finding."""
    assert main(["--only", "page", "--made-up", "--report", str(tmp_path / "report.json")]) == 0
