"""Tests that the recipes of ARCHITECTURE.md name places that exist and contain what the recipes say."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
NAMES = re.compile(r"`([A-Za-z_]{3,})`(?:[^`|;]*?)(?:of|in) `(src/[\w/.-]+\.py)`")
FOLDERS = "core|base|keep|find|steer|show|lab|edge|live|hooks|network|push|routes|services"
IN_PACKAGE = re.compile(rf"`((?:{FOLDERS})/[\w/.-]*)`")
PATHS = re.compile(r"`((?:src|web|tests|docs)/[\w/.-]*)`")


@pytest.mark.parametrize("change", ["a record type", "the view of a tool", "a query field", "a route", "a command"])
def test_a_frequent_change_has_a_recipe(change):
    """The five changes that newcomers make most often have a recipe."""
    assert f"\n| {change} | " in TEXT.split("## Where do I add …?")[1]


@pytest.mark.parametrize("path", sorted(set(PATHS.findall(TEXT))))
def test_a_path_of_the_architecture_exists(path):
    """Every file and folder that the page names exists."""
    assert (ROOT / path).exists()


@pytest.mark.parametrize("path", sorted(set(IN_PACKAGE.findall(TEXT))))
def test_a_path_in_the_package_exists(path):
    """Every file and folder that the page names without its beginning is in the package, or in its server."""
    assert any((ROOT / "src" / "chorus" / folder / path).exists() for folder in ("", "show/server"))


@pytest.mark.parametrize(("name", "path"), sorted(set(NAMES.findall(TEXT))))
def test_a_table_of_a_recipe_is_where_it_is_said_to_be(name, path):
    """A table such as `HANDLERS` is defined in the file that its recipe names."""
    assert re.search(rf"^(?:class |(?:    )?(?:async )?def )?{name}\b", (ROOT / path).read_text("utf-8"), re.MULTILINE)


def test_the_recipes_name_their_tables():
    """The tables that a newcomer must not forget are among the checked ones."""
    named = {name for name, _ in NAMES.findall(TEXT)}

    assert named >= {"TYPED", "VIEWS", "TOOLS", "HANDLERS", "GROUPS", "EVENTS", "INPUTS", "SCHEMA", "ToolIcon"}


def test_every_group_and_package_is_in_the_table():
    """The table of the page names each package of each group, as the import contracts do."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    layers = next(each for each in contracts if each["name"] == "Groups depend on each other one way")["layers"]
    groups = {name.strip() for layer in layers for name in layer.split("|")} - {"__main__", "errors"}
    table = TEXT.split("## Four laws")[0]
    assert [name for name in groups if f"`{name}" not in table] == []

    folders = [
        f"{group}/{each.name}"
        for group in ("core", "keep", "find", "steer", "show")
        for each in (ROOT / "src" / "chorus" / group).iterdir()
        if each.is_dir() and each.name != "__pycache__"
    ]
    assert len(folders) > 20
    assert [name for name in folders if f"`{name}`" not in table] == []
