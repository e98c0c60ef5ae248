"""Tests what single texts say about progress."""

import pytest

from chorus.core.progress.commands import only_shows_text
from chorus.core.progress.counts import Count
from chorus.core.progress.outputs import read_output
from chorus.core.progress.prose import read_prose


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("I'll run the test suite now. Running test 5 of 20...", "Running tests"),
        ("Step 2/5: install the dependencies", "Install the dependencies"),
        ("**Phase 2 of 3** – migrating the storage layer.", "Migrating the storage layer"),
        ("Now the third of four files.", "Files"),
        ("Processing directory 3 of 10", "Processing directories"),
        ("[2/8] Updating the fixtures", "Updating the fixtures"),
    ],
)
def test_the_step_is_named(text, step):
    """The step is named in the words of the text."""
    count = read_prose(text)

    assert count is not None
    assert count.step == step


def test_the_last_statement_wins():
    """A text that counts up says what it says last."""
    assert read_prose("Step 1 of 3 is done. Now step 2 of 3.") == Count("Steps", 2, 3, 0.8)


@pytest.mark.parametrize("text", ["5 of 3 files done", "Step 7/3: x", "Step 0/0: x", "Step 1234567890123 of 5"])
def test_impossible_numbers_are_no_progress(text):
    """More than everything, nothing of nothing, and absurd numbers are ignored."""
    assert read_prose(text) is None


@pytest.mark.parametrize(
    "text", ["", "\0", "\ud800 step", "`" * 9000, "```\n" * 500, "Step " * 9000, "1/" * 9000, "%" * 9000]
)
def test_hostile_text_says_nothing(text):
    """Any text can be read."""
    assert read_prose(text) is None
    assert read_output(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "Shall I continue with step 2 of 3?",
        "If step 2 of 3 fails, stop.",
        "> Step 2 of 3: quoted",
        "The guide says step 2 of 3.",
        "```\nStep 2 of 3: code\n```",
        "Step 1 of 2: read\n\nStep 2 of 2: write",
    ],
)
def test_questions_conditions_quotes_code_and_plans_are_no_progress(text):
    """Only what happens now counts."""
    assert read_prose(text) is None


def test_the_output_of_a_command_that_shows_a_file_is_no_progress():
    """The same lines count from a build, and not from a log that is shown."""
    assert read_output("[3/10] Building a.o", "ninja") is not None
    assert read_output("[3/10] Building a.o", "cat build.log") is None


def test_a_carriage_return_replaces_the_line():
    """Of a bar that is drawn over itself, the last state counts."""
    bar = "".join(f"\r{n}%|{'#' * n}| {n}/50 [00:01<00:02]" for n in range(0, 50, 7))

    count = read_output(bar)

    assert count is not None
    assert (count.completed, count.total) == (49, 50)


def test_a_run_that_stops_early_is_not_complete():
    """A run that stops at the first failure did not run everything that was collected."""
    lines = ["collecting ... collected 32 items", "", "a.py::a PASSED [  3%]", "a.py::b FAILED [  6%]", ""]
    output = "\n".join([*lines, "=== 1 failed, 1 passed in 0.1s ==="])

    count = read_output(output, "pytest -x")

    assert count is not None
    assert (count.completed, count.total) == (2, 32)


def test_the_middle_of_a_long_output_is_not_needed():
    """The total comes from the beginning of the output, and the state from its end."""
    lines = "".join(f"tests/test_{n}.py {'.' * 10}                    [{n:3}%]\n" for n in range(1, 71))
    output = "collected 1000 items\n\n" + "warning: " + "x" * 20_000 + "\n" + lines * 20

    count = read_output(output, "pytest")

    assert count is not None
    assert (count.completed, count.total) == (700, 1000)


@pytest.mark.parametrize(
    ("command", "is_showing"),
    [
        ("cat build.log", True),
        ("cd /x && grep -rn Step . | head -5", True),
        ("FOO=1 sudo cat x; ls", True),
        ("git log --oneline", True),
        ("git clone u", False),
        ("pytest | tail -5", False),
        ("cd /x && pytest -q", False),
        ("tail -f build.log", False),
        ("", False),
        ("cat x && make", False),
    ],
)
def test_commands_that_only_show_text_are_known(command, is_showing):
    """The output of a command that shows a file is no progress of its own."""
    assert only_shows_text(command) is is_showing


@pytest.mark.parametrize(
    "text",
    [
        "Step 3 of 5 describes how to rotate the key.",
        "Part 1 of 2 covers the theory.",
        "The endpoint returns chunk 3 of 7.",
        "Stage 2 of 4 of a rocket burns.",
        "L'étape 2 sur 4 échoue si le cache est vide.",
        "A etapa 4 de 6 falhou ontem.",
    ],
)
def test_a_description_is_no_progress(text):
    """What comes after the number may say that the sentence explains something, also in other languages."""
    assert read_prose(text) is None


@pytest.mark.parametrize(
    "line", ["WARNING: 2 of 3 mirrors checked", "[ERROR] 3/5 done", "src/a.py:4: 2/9 lines covered"]
)
def test_what_a_program_warns_of_is_no_progress(line):
    """Lines about trouble, or about a line of a file, do not count."""
    assert read_output(line + "\n", "./tool") is None
