"""Tests which sentences the patterns for progress are tried on."""

import subprocess
import sys

import pytest

from chorus.core.progress import english
from chorus.core.progress.languages import LANGUAGES
from chorus.core.progress.numbers import OF_OTHERS, may_be_english, may_be_other

_READ = """
import sys
from chorus.core.progress.prose import read_prose
assert read_prose("Now I read src/app/main.py from 2026-01-28, then I run all 20 tests.") is None
print([name for name in sys.modules if name.endswith((".english", ".languages"))])
"""


def test_the_long_patterns_are_compiled_only_for_one_number_of_another() -> None:
    """A text with paths, dates and numbers, but without one number of another, needs none of the long patterns."""
    read = subprocess.run([sys.executable, "-c", _READ], capture_output=True, text=True, check=True)
    assert read.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "sentence",
    [
        "Step one of the three", "Running tests 3/5", "Converting 3 out of the 12 files", "now the third of four files",
        "Processing is at 45 %", "[2/7] Compile it", "12 / 40 files are done", "phase 2 OF 3",
        "Step 3 (of 7): wire it", "Now at 5/14: auth",
    ],
)  # fmt: skip
def test_every_english_form_is_looked_at(sentence: str) -> None:
    """A sentence in each of the English forms is handed to the patterns."""
    assert may_be_english(sentence)
    assert english.read(sentence) is not None or sentence.startswith(("now", "Running"))


@pytest.mark.parametrize("code", sorted(OF_OTHERS))
def test_every_language_is_looked_at(code: str) -> None:
    """In each language the word between two numbers is known, and there are patterns for it."""
    word = OF_OTHERS[code][0].partition("|")[0]
    assert may_be_other(f"x 3 {word} 5 y") and may_be_other("x 3/5 y") and code in LANGUAGES


def test_eastern_sentences_need_no_word_between_two_numbers() -> None:
    """A sentence in Chinese, Japanese or Korean with two numbers is looked at, one without them is not."""
    assert may_be_other("20 件中 5 件目") and may_be_other("3 단계 중 2 단계") and not may_be_other("第3步")
