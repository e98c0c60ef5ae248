"""Tests the progress of conversations."""

import pytest

from chorus.core.progress.choosing import NEW_PLAN, NEXT_STEP, REOPENED, RESTARTED
from chorus.core.progress.model import Source
from chorus.testing.builders import Run, Session, tool_use
from tests.core.progress.following import current, figures, followed, stated


def todos(*states):
    names = {"x": "completed", ">": "in_progress", "-": "pending"}
    return {
        "todos": [
            {"content": f"Do {n}", "status": names[s], "activeForm": f"Doing {n}"} for n, s in enumerate(states, 1)
        ]
    }


def called(session, name, given, result="ok", call="c1", **more):
    session.assistant(tool_use(name, given, id=call))
    session.tool_result(call, result, **more)


def test_the_example_of_the_sdk_schema():
    """The example gives the step "Running tests", 5 of 20, 25.0 percent, from prose, and names its record."""
    run = Run("sess_123")
    run.assistant("I'll run the test suite now. Running test 5 of 20...")

    progress = stated(followed(run))

    assert figures(progress) == ("Running tests", 5, 20, "prose")
    assert progress.percentage == 25.0
    assert (progress.record.stream, progress.record.offset) == ("main.jsonl", 0)
    assert progress.record.length == len(bytes(run).rstrip())


def test_a_todo_list_is_progress():
    """The to-do list gives the entry at work, and how many of all entries are completed."""
    session = Session()
    session.user("Go")
    called(session, "TodoWrite", todos("x", "x", ">", "-"))

    assert figures(followed(session).progress) == ("Doing 3", 2, 4, "todos")


def test_a_refused_list_is_no_progress():
    """A list that was not written does not count."""
    session = Session()
    session.user("Go")
    called(session, "TodoWrite", todos("x", ">"))
    called(session, "TodoWrite", todos("x", "x", "x"), call="c2", is_error=True)

    assert figures(followed(session).progress) == ("Doing 2", 1, 2, "todos")


def test_the_task_list_is_progress():
    """Created tasks and their updates give the progress of the task list; deleted tasks do not count."""
    session = Session()
    session.user("Go")
    for n in (1, 2, 3):
        called(session, "TaskCreate", {"subject": f"Part {n}"}, call=f"t{n}", structured={"task": {"id": str(n)}})
    called(session, "TaskUpdate", {"taskId": "1", "status": "completed"}, call="u1")
    called(session, "TaskUpdate", {"taskId": "2", "status": "in_progress"}, call="u2")
    called(session, "TaskUpdate", {"taskId": "3", "status": "deleted"}, call="u3")

    assert figures(followed(session).progress) == ("Part 2", 1, 2, "task")


def test_structured_facts_win_over_programs_and_programs_over_prose():
    """A later statement of a weaker source does not replace a stronger one that is not over."""
    session = Session()
    session.user("Go")
    session.assistant("Running test 1 of 9...")
    assert stated(followed(session)).source == "prose"
    session.assistant(tool_use("Bash", {"command": "ninja"}, id="b1"))
    session.progress("bash_progress", "b1", output="", fullOutput="[3/10] Building a.o\n")
    session.assistant("Running test 2 of 9...")
    assert figures(followed(session).progress) == ("Working", 3, 10, "program")
    called(session, "TodoWrite", todos(">", "-"))
    session.progress("bash_progress", "b1", output="", fullOutput="[4/10] Building b.o\n")
    assert figures(followed(session).progress) == ("Doing 1", 0, 2, "todos")


def test_what_a_program_printed_is_over_when_it_ends():
    """After a command ended, the words of the model count again."""
    session = Session()
    session.user("Go")
    called(session, "Bash", {"command": "ninja"}, "[3/10] Building a.o\nninja: failed")
    assert figures(followed(session).progress) == ("Working", 3, 10, "program")
    session.assistant("Fixing file 2 of 3.")

    assert figures(followed(session).progress) == ("Fixing files", 2, 3, "prose")


def test_the_output_of_a_command_moves_while_it_runs():
    """Each report about a running command gives its latest state."""
    session = Session()
    session.user("Go")
    session.assistant(tool_use("Bash", {"command": "pytest"}, id="b1"))
    head = "collected 20 items\n\n"
    seen = []
    for dots in (2, 12, 20):
        session.progress("bash_progress", "b1", output="", fullOutput=f"{head}tests/a.py {'.' * dots}")
        seen.append(figures(followed(session).progress))

    assert seen == [("Running tests", n, 20, "program") for n in (2, 12, 20)]


def test_the_latest_of_many_outputs_counts():
    """Of more outputs than are kept, the earliest ones in the order are forgotten."""
    session = Session()
    session.user("Go")
    for n in range(1, 40):
        called(session, "Bash", {"command": "make"}, f"[{n}/40] Building", call=f"b{99 - n}")

    assert figures(followed(session).progress) == ("Working", 39, 40, "program")


def test_the_output_of_a_reader_is_no_progress():
    """What a tool or command only shows, such as a log of somebody else, does not count."""
    session = Session()
    session.user("Go")
    called(session, "Read", {"file_path": "/x/build.log"}, "[3/10] Building a.o", call="r")
    called(session, "Bash", {"command": "cat build.log"}, "[3/10] Building a.o", call="b")

    assert followed(session).progress is None


def test_a_program_in_the_background_is_followed():
    """The output of a background command is read when the model looks at it."""
    session = Session()
    session.user("Go")
    called(session, "BashOutput", {"bash_id": "b1"}, "<stdout>\n[3/10] Building a.o\n</stdout>")
    session.assistant("Reading file 1 of 2.")

    assert figures(followed(session).progress) == ("Working", 3, 10, "program")


def test_a_tool_of_an_mcp_server_reports():
    """The client's own record with a count and a total is progress."""
    session = Session()
    session.user("Go")
    session.assistant(tool_use("mcp__box__pack", {}, id="m1"))
    session.progress("mcp_progress", "m1", status="progress", progress=3, total=12, progressMessage="Packing")

    assert figures(followed(session).progress) == ("Packing", 3, 12, "client")


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        (("x", "x", "-"), ("x", "-", "-", "-", "-"), NEW_PLAN),
        (("x", "x", "-"), ("x", "-", "-"), REOPENED),
        (("x", "-", "-"), ("x", "x", "-"), None),
    ],
)
def test_a_plan_that_goes_back_says_why(first, second, reason):
    """If less is completed than before, the progress has a reason."""
    session = Session()
    session.user("Go")
    called(session, "TodoWrite", todos(*first), call="c1")
    called(session, "TodoWrite", todos(*second), call="c2")

    assert stated(followed(session)).reason == reason


@pytest.mark.parametrize(
    ("outputs", "reason"),
    [
        (("[8/10] Building a.o", "[2/10] Building a.o"), RESTARTED),
        (("[8/10] Building a.o", "collected 10 items\n\na.py ."), NEXT_STEP),
        (("[2/10] Building a.o", "[8/10] Building a.o"), None),
    ],
)
def test_a_program_that_goes_back_says_why(outputs, reason):
    """A run that starts again, or another program, has a reason for less progress."""
    session = Session()
    session.user("Go")
    for n, output in enumerate(outputs):
        called(session, "Bash", {"command": "make"}, output, call=f"b{n}")

    assert stated(followed(session)).reason == reason


def test_a_reader_who_missed_the_moment_sees_why_it_went_back():
    """The reason stays until the progress is as far as it was: two looks at any moments never show less without one."""
    session = Session()
    session.user("Go")
    seen = []
    for n, done in enumerate((8, 2, 5, 7, 8, 9)):
        called(session, "Bash", {"command": "make"}, f"[{done}/10] Building a.o", call=f"b{n}")
        seen.append(stated(followed(session)).reason)

    assert seen == [None, RESTARTED, RESTARTED, RESTARTED, None, None]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("ok  \ta/b\t0.3s\nok  \ta/c\t0.1s\n", "ok  \ta/b\t0.3s\n"),
        ("[8/10] Building a.o", "ok  \ta/b\t0.3s\nok  \ta/c\t0.1s\n"),
    ],
)
def test_a_count_without_a_total_that_goes_back_says_why(first, second):
    """Where a total is missing, the numbers themselves are compared."""
    session = Session()
    session.user("Go")
    called(session, "Bash", {"command": "go test ./..."}, first, call="b1")
    called(session, "Bash", {"command": "go test ./..."}, second, call="b2")

    assert stated(followed(session)).reason in (RESTARTED, NEXT_STEP)


def test_progress_never_goes_back_without_a_reason():
    """Over a long turn with all sources, each step back has a reason."""
    session = Session()
    session.user("Go")
    furthest = 0.0
    steps = [
        lambda n: called(session, "TodoWrite", todos(*"x" * (n % 5), *"-" * (n % 3 + 1)), call=f"t{n}"),
        lambda n: called(session, "Bash", {"command": "make"}, f"[{n * 7 % 10 + 1}/10] Building", call=f"b{n}"),
        lambda n: session.assistant(f"Checking file {n * 3 % 8 + 1} of 9."),
    ]
    for n in range(30):
        steps[n * n % 3](n)
        progress = stated(followed(session))
        share = progress.percentage or 0.0
        assert share >= furthest or progress.reason
        furthest = max(share, furthest)


def test_progress_ends_with_the_turn():
    """After the end of the turn, and after the next prompt, nothing progresses."""
    run = Run()
    run.init()
    run.user("Go")
    run.assistant("Step 2 of 5: build", tool_use("Bash", {"command": "make"}, id="b"))
    assert figures(current(followed(run)).main) == ("Build", 2, 5, "prose")
    run.tool_result("b", "ok")
    run.result()
    ended = followed(run)
    assert ended.progress is None
    assert ended.current is None

    session = Session()
    session.user("Go")
    called(session, "TodoWrite", todos("x", ">"))
    session.assistant("All done.", stop="end_turn")
    assert followed(session).current is None
    session.user("Now something else")
    assert followed(session).progress is None


def test_there_is_no_percentage_without_a_total():
    """A count without a total is shown as such."""
    session = Session()
    session.user("Go")
    called(session, "Bash", {"command": "go test ./..."}, "ok  \ta/b\t0.3s\nok  \ta/c\t0.1s\n")

    progress = stated(followed(session))

    assert figures(progress) == ("Testing packages", 2, None, "program")
    assert progress.percentage is None


def test_what_a_person_says_is_no_progress():
    """Only the words of the model count."""
    session = Session()
    session.user("Running test 5 of 20...")

    assert followed(session).progress is None


def test_sources_are_ranked():
    """The ranks follow the order of the sources."""
    assert [each.value for each in Source] == ["todos", "task", "client", "program", "prose"]
