"""Tests that all facts about tools come from one table."""

import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

from chorus.core.conversation.tool_facts import MCP, TOOLS, UNKNOWN, facts_of, kind_of
from chorus.core.records.model.tools import INPUTS
from chorus.core.views import tools
from chorus.core.views.tools import VIEWS

ROOT = Path(__file__).resolve().parents[3]
_NAME_FREE = ("core/conversation/tool_facts.py", "core/views/tools/", "core/records/model/", "testing/", "lab/")
"""Where tools are named: the table, their views, their formats, and recordings."""


def test_every_name_has_facts():
    """An unknown tool has the facts of any unknown tool, and a tool of an MCP server has those of MCP."""
    assert facts_of("Bash").kind == "command"
    assert facts_of("no-such-tool") == UNKNOWN
    assert facts_of("mcp__github__search") == MCP
    assert kind_of("") == "other"


def test_every_tool_with_a_view_has_facts():
    """Every tool with a view has a row in the table."""
    assert VIEWS.keys() - TOOLS.keys() == set()


def test_every_tool_with_a_view_has_a_typed_input():
    """Every tool with a view has a row in `INPUTS`, because without it the fallback is drawn instead of the view."""
    assert VIEWS.keys() - INPUTS.keys() == set()


def test_every_view_of_a_tool_is_used():
    """Every view function of a tool is listed in `VIEWS`."""
    folder = pkgutil.iter_modules(tools.__path__, f"{tools.__name__}.")
    modules = [importlib.import_module(found.name) for found in folder]
    written = {
        name: function
        for module in modules
        for name, function in vars(module).items()
        if inspect.isfunction(function) and not name.startswith("_") and function.__module__ == module.__name__
        if next(iter(inspect.signature(function).parameters), "") == "call"
    }

    assert {name for name, function in written.items() if function not in VIEWS.values()} == {"fallback", "mcp"}


@pytest.mark.parametrize("name", ["AskUserQuestion", "ExitPlanMode", "exit_plan_mode"])
def test_words_to_a_person_are_shown_unfolded(name):
    """Questions and plans wait for a person, and they are shown unfolded."""
    facts = facts_of(name)

    assert facts.waits_for_person
    assert facts.opens_by_itself


def test_the_page_knows_no_tool_by_its_name():
    """No source of the web application compares with the name of a tool or lists tools."""
    # The page itself also uses the words `Agent` and `Task`.
    named = [name for name in TOOLS if name not in ("Agent", "Task")]
    quoted = re.compile(r"""["'`](%s)["'`]""" % "|".join(sorted(named, key=len, reverse=True)))  # noqa: UP031
    keyed = re.compile(r"^\s*(%s):" % "|".join(name for name in named if len(name) > 4), re.MULTILINE)  # noqa: UP031
    sources = [path for path in (ROOT / "web" / "src").rglob("*.ts*") if ".test." not in path.name]
    sources = [path for path in sources if "testing" not in path.parts and path.name != "schema.d.ts"]
    assert len(sources) > 100

    found = {
        str(path.relative_to(ROOT)): hits
        for path in sources
        if (hits := [*quoted.findall(text := path.read_text("utf-8")), *keyed.findall(text)])
    }
    assert found == {}


def test_python_names_tools_in_the_table_and_in_views_alone():
    """No Python module outside the table and the views compares with the name of a tool, except two known ones."""
    compared = re.compile(
        r"""(?:==|!=|\bin\b|not in)\s*\(?\s*["'](%s)["']""" % "|".join(sorted(TOOLS, key=len, reverse=True))  # noqa: UP031
    )
    folder = ROOT / "src" / "chorus"
    modules = [path for path in folder.rglob("*.py") if not str(path.relative_to(folder)).startswith(_NAME_FREE)]
    found = {
        str(path.relative_to(folder)): hits for path in modules if (hits := compared.findall(path.read_text("utf-8")))
    }
    assert found == {"core/conversation/todos.py": ["TodoWrite"], "steer/approvals/offers.py": ["Bash"]}
