"""Tests of the glossary: each word is defined once, and the code does not use forbidden words in names."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GLOSSARY = ROOT / "docs" / "glossary.md"
PACKAGE = ROOT / "src" / "chorus"


def rows(text):
    """Returns the rows of the table: word, meaning, words not to use."""
    found = re.findall(r"^\| \*\*(.+?)\*\* \| (.+?) \|(.*)\|$", text, re.MULTILINE)
    return [
        (word, meaning, [each.strip() for each in ruled_out.split(",") if each.strip()])
        for word, meaning, ruled_out in found
    ]


def names(folder=PACKAGE):
    """Yields every name of a module, package, class or function below a folder."""
    for path in folder.rglob("*.py"):
        yield path.parent.name if path.stem == "__init__" else path.stem
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield node.name


def variables(folder=PACKAGE):
    """Yields every name of an argument, variable, field, attribute or type alias below a folder."""
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                    yield name


def is_ruled_out(name, word):
    """Returns whether `name` uses `word`: as a part if the word is in lower case, otherwise as a whole."""
    if word[0].isupper():
        return name.strip("_").lower() == word.lower()
    parts = re.findall(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+", name)
    return word in [part.lower() for part in parts]


def test_each_word_is_defined_once():
    """The table is in alphabetical order, and no word occurs twice."""
    words = [word for word, _, _ in rows(GLOSSARY.read_text("utf-8"))]

    assert len(words) > 50
    assert words == sorted(set(words), key=str.lower)


def test_no_row_is_overlooked():
    """Every row of the table has the form that this test reads."""
    text = GLOSSARY.read_text("utf-8")

    assert len(rows(text)) == sum(line.startswith("| ") for line in text.splitlines()) - 1


def test_a_word_is_not_ruled_out_where_it_is_defined():
    """No word is both defined and forbidden."""
    table = rows(GLOSSARY.read_text("utf-8"))
    ruled_out = [each.lower() for _, _, others in table for each in others]

    assert len(ruled_out) == len(set(ruled_out))
    assert set(ruled_out).isdisjoint(word.lower() for word, _, _ in table)


def test_names_of_the_code_use_the_words_of_the_glossary():
    """No module, class or function has a name with a word that the glossary forbids."""
    ruled_out = [each for _, _, others in rows(GLOSSARY.read_text("utf-8")) for each in others]
    used = {name for name in set(names()) for word in ruled_out if is_ruled_out(name, word)}

    assert used == set(), "docs/glossary.md has the words to use instead"


def test_variables_use_the_words_of_the_glossary():
    """No argument, variable, field or type alias has a name with a word in lower case that the glossary forbids."""
    ruled_out = [each for _, _, others in rows(GLOSSARY.read_text("utf-8")) for each in others if each[0].islower()]
    used = {name for name in set(variables()) for word in ruled_out if is_ruled_out(name, word)}

    assert used == set(), "docs/glossary.md has the words to use instead"


@pytest.mark.parametrize(
    ("name", "word", "expected"),
    [
        ("_told_lines", "told", True),
        ("HookKeeping", "keeping", True),
        ("untold", "told", False),
        ("Held", "Held", True),
        ("_held", "Held", True),
        ("is_held", "Held", False),
    ],
)
def test_a_ruled_out_word_is_recognised(name, word, expected):
    """A word in lower case is found as a part of a name, and a word with a capital letter only as the whole name."""
    assert is_ruled_out(name, word) is expected


NOT_YET_RENAMED = 53
"""How many names of tests, tools and benchmarks still use such a word. Lower it after a renaming; never raise it."""


def test_names_of_tests_and_tools_use_the_words_of_the_glossary():
    """The number of names in tests, tools and benchmarks with a forbidden word does not grow."""
    ruled_out = [each for _, _, others in rows(GLOSSARY.read_text("utf-8")) for each in others]
    used = sorted(
        f"{folder}: {name}"
        for folder in ("tests", "tools", "bench")
        for name in names(ROOT / folder)
        if any(is_ruled_out(name, word) for word in ruled_out)
    )

    assert len(used) <= NOT_YET_RENAMED, "\n".join(used)
