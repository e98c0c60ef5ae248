"""The glossary: each word is defined once, and the words it rules out are not used in names of the code."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GLOSSARY = ROOT / "docs" / "glossary.md"
PACKAGE = ROOT / "src" / "chorus"


def rows(text):
    """The rows of the table: word, meaning, words not to use."""
    found = re.findall(r"^\| \*\*(.+?)\*\* \| (.+?) \|(.*)\|$", text, re.MULTILINE)
    return [
        (word, meaning, [each.strip() for each in ruled_out.split(",") if each.strip()])
        for word, meaning, ruled_out in found
    ]


def names():
    """Every name of a module, package, class or function in the package."""
    for path in PACKAGE.rglob("*.py"):
        yield path.parent.name if path.stem == "__init__" else path.stem
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield node.name


def is_ruled_out(name, word):
    """Whether `name` uses `word`: as a part where the word is in lower case, else as a whole."""
    if word[0].isupper():
        return name.strip("_").lower() == word.lower()
    parts = re.findall(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+", name)
    return word in [part.lower() for part in parts]


def test_each_word_is_defined_once():
    """The table is in alphabetical order, and no word is in it twice."""
    words = [word for word, _, _ in rows(GLOSSARY.read_text("utf-8"))]

    assert len(words) > 50
    assert words == sorted(set(words), key=str.lower)


def test_no_row_is_overlooked():
    """Every row of the table has the form that this test reads."""
    text = GLOSSARY.read_text("utf-8")

    assert len(rows(text)) == sum(line.startswith("| ") for line in text.splitlines()) - 1


def test_a_word_is_not_ruled_out_where_it_is_defined():
    """No word is both the right one for something and forbidden for something else."""
    table = rows(GLOSSARY.read_text("utf-8"))
    ruled_out = [each.lower() for _, _, others in table for each in others]

    assert len(ruled_out) == len(set(ruled_out))
    assert set(ruled_out).isdisjoint(word.lower() for word, _, _ in table)


def test_names_of_the_code_use_the_words_of_the_glossary():
    """No module, class or function has a name with a word that the glossary rules out."""
    ruled_out = [each for _, _, others in rows(GLOSSARY.read_text("utf-8")) for each in others]
    used = {name for name in names() for word in ruled_out if is_ruled_out(name, word)}

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
    """In lower case a word is found as a part of a name; with a capital letter only as the whole name."""
    assert is_ruled_out(name, word) is expected
