"""Tests of the view of a call for every tool."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from chorus.core.conversation.items import ToolResult
from chorus.core.records.place import Place, StreamId
from chorus.core.views.blocks import (
    Code,
    Diff,
    Hunk,
    Image,
    Json,
    Link,
    Links,
    Note,
    Option,
    Output,
    Plan,
    Prose,
    Question,
    Shell,
    TodoItem,
    Todos,
)
from chorus.core.views.tools import VIEWS, view


def seen(name, asked, content=None, structured=None, *, is_error=False):
    """Returns the view of a call that is made from plain values."""
    result = None
    if content is not None or structured is not None:
        result = ToolResult(
            id="result:1",
            order=("", 0, "", 0, 0),
            tool_use_id="1",
            place=Place(StreamId("s"), 0, 0),
            content=Raw(msgspec.json.encode(content)),
            structured=Raw(msgspec.json.encode(structured)),
            is_error=is_error,
        )
    return view(name, Raw(msgspec.json.encode(asked)), result, None)


FRAME = (
    "  <tools-used-before-summary>Bash, Read</tools-used-before-summary>\n  \n"
    "[Subagent hand-back] The text below is the final report. The report follows:\n"
    "  Three **walruses**.\n  \n    indented\n"
    "agentId: a0123456789abcdef (use SendMessage with to: 'a0123456789abcdef' to continue this agent)\n"
    "<usage>subagent_tokens: 2154\ntool_uses: 1\nduration_ms: 211</usage>"
)
"""What the model receives from a sub-agent."""


def test_the_report_of_a_sub_agent_is_shown_without_its_frame():
    """Without the client's typed form, the report and the figures are taken from the frame, and no id is shown."""
    found = seen("Agent", {"description": "Count", "prompt": "Count"}, [{"type": "text", "text": FRAME}])

    assert found.given == (
        Prose(markdown="Three **walruses**.\n\n  indented"),
        Note(text="211ms · 2.2k tokens · 1 tool call"),
    )
    launched = seen("Agent", {"prompt": "Go"}, "Async agent launched successfully.\nagentId: a0123 (internal ID)")
    assert launched.given == (Note(text="started in the background"),)


def test_the_typed_report_of_a_sub_agent_has_no_notes_for_the_model():
    note = {"type": "text", "text": "<tools-used-before-summary>Agent</tools-used-before-summary>"}
    content = [note, {"type": "text", "text": "Three walruses."}]
    found = seen("Agent", {"prompt": "Count"}, "x", {"status": "completed", "content": content})

    assert found.given == (Prose(markdown="Three walruses."),)


@pytest.mark.parametrize(
    "text",
    [
        FRAME + "\nand more",
        FRAME.replace("  Three", "Three"),
        FRAME.replace("tool_uses: 1", "tool_uses: <b>"),
        "Look: [Subagent hand-back]\n" + FRAME,
        FRAME.replace("agentId", "AgentId"),
    ],
)
def test_what_is_no_complete_frame_is_shown_as_it_is(text):
    """Nothing of a result is hidden if it is not exactly what the client writes."""
    found = seen("Agent", {"prompt": "Count"}, [{"type": "text", "text": text}])

    assert found.given == (Output(text=text, is_bulk=True),)


def test_bash_shows_the_command_and_both_outputs():
    """A command is shown with its output, and standard error is shown separately."""
    found = seen("Bash", {"command": "ls", "description": "List"}, "a\nb", {"stdout": "a\n", "stderr": "b"})

    assert found.title == "List"
    assert found.asked == (Shell(command="ls"),)
    assert found.given == (Output(text="a"), Output(text="b", is_error=True))


def test_bash_tells_what_became_of_the_command():
    """An interruption, a background task and changed files are shown."""
    told = {
        "stdout": "",
        "stderr": "",
        "interrupted": True,
        "backgroundTaskId": "b1",
        "bashEditDiff": {"files": [{"filePath": "a", "hunks": [{"oldStart": 1, "newStart": 1, "lines": ["+x"]}]}]},
    }
    found = seen("Bash", {"command": "ls", "run_in_background": True}, "", told)

    assert found.title == "(in the background)"
    assert found.given == (
        Note(text="interrupted", level="warning"),
        Note(text="runs on as task b1"),
        Diff(path="a", hunks=(Hunk(old_start=1, new_start=1, lines=("+x",)),)),
    )


def test_an_edit_is_a_diff_even_when_the_client_tells_none():
    """Without a patch of the client, the diff is computed from the strings, and its line numbers are unknown."""
    found = seen("Edit", {"file_path": "a.py", "old_string": "a\nb", "new_string": "a\nc"}, "no", is_error=True)

    assert found.asked == (Diff(path="a.py", hunks=(Hunk(old_start=None, new_start=None, lines=(" a", "-b", "+c")),)),)
    assert found.given == (Output(text="no", is_error=True),)


def test_a_client_s_patch_goes_before_a_computed_one():
    """The patch of the client is shown with its place in the file, instead of a computed diff."""
    hunk = {"oldStart": 7, "newStart": 8, "lines": ["-b", "+c"]}
    asked = {"file_path": "a.py", "edits": [{"old_string": "b", "new_string": "c"}]}
    found = seen("MultiEdit", asked, "ok", {"structuredPatch": [hunk], "userModified": True})

    assert found.asked == (Diff(path="a.py", hunks=(Hunk(old_start=7, new_start=8, lines=("-b", "+c")),)),)
    assert found.given == (Note(text="changed by the person before it was applied"),)


def test_a_new_file_is_its_text():
    """A written file is shown as code in its language."""
    assert seen("Write", {"file_path": "a.rs", "content": "x"}, "ok").asked == (Code(text="x", language="rust"),)
    notebook = seen("NotebookEdit", {"notebook_path": "n.ipynb", "cell_id": "c", "new_source": "x"}, "ok")
    assert (notebook.title, notebook.asked) == ("n.ipynb cell c", (Code(text="x", language="python"),))


@pytest.mark.parametrize("mark", ["→", "\t"])
def test_line_numbers_are_no_part_of_a_file(mark):
    """The text of a file is shown without the line numbers that the client added."""
    found = seen("Read", {"file_path": "a.py", "offset": 9, "limit": 2}, f"     9{mark}x = 1\n    10{mark}y = 2")

    assert found.title == "a.py:9-10"
    assert found.given == (Code(text="x = 1\ny = 2", language="python", first_line=9, is_bulk=True),)


def test_a_picture_that_was_read_is_a_picture():
    """An image that was read is shown by its type, size and source."""
    found = seen("Read", {"file_path": "a.png"}, [], {"type": "image", "file": {"base64": "aGk=", "type": "image/png"}})

    assert found.given == (Image(media_type="image/png", size_bytes=2, source="a.png"),)


def test_searches_show_what_was_looked_for():
    """The title of a search is its pattern and place, and the matches are bulk content."""
    found = seen("Grep", {"pattern": "x+", "path": "src", "glob": "*.py"}, "a.py", {"filenames": ["a.py", "b.py"]})

    assert (found.title, found.given) == ("x+  in src *.py", (Output(text="a.py\nb.py", is_bulk=True),))
    nothing = seen("Glob", {"pattern": "*"}, "No files found", {"filenames": []})
    assert nothing.given == (Output(text="No files found", is_bulk=True),)
    assert seen("LS", {"path": "/w"}, "- a").title == "/w"
    assert seen("ToolSearch", {"query": "q"}, "", {"matches": ["Edit"]}).given == (Note(text="found Edit"),)


def test_todos_and_tasks_are_lists():
    """To-dos are shown as a list, and a task is shown by its number."""
    todos = seen(
        "TodoWrite", {"todos": [{"content": "a", "status": "completed"}, {"content": "b", "status": "pending"}]}
    )
    tasks = seen("TaskList", {}, "", {"tasks": [{"id": "1", "subject": "a", "status": "pending", "blockedBy": ["2"]}]})

    assert todos.title == "1 of 2 done"
    assert todos.asked == (Todos(items=(TodoItem(text="a", status="completed"), TodoItem(text="b", status="pending"))),)
    assert tasks.given == (Todos(items=(TodoItem(text="a", status="pending", id="1", note="blocked by #2"),)),)
    assert seen("TaskCreate", {"subject": "a"}, "", {"task": {"id": "7"}}).title == "#7 a"
    assert seen("TaskUpdate", {"taskId": "7", "status": "completed"}, "", {"success": True}).title == "#7 → completed"


def test_tasks_in_the_background_show_their_output():
    """The output and the state of a background task are shown."""
    told = {
        "retrieval_status": "success",
        "task": {"task_id": "b", "status": "completed", "output": "x", "exitCode": 0},
    }

    assert seen("TaskOutput", {"task_id": "b"}, "", told).given == (
        Output(text="x"),
        Note(text="completed, exit code 0"),
    )
    killed = seen("KillShell", {"shell_id": "b"}, "", {"message": "killed"})
    assert (killed.title, killed.given) == ("b", (Note(text="killed"),))


def test_questions_show_what_was_chosen():
    """The chosen options are marked, and an answer in the person's own words is kept."""
    asked = {"questions": [{"question": "Q?", "header": "H", "options": [{"label": "A"}, {"label": "B"}]}]}
    found = seen("AskUserQuestion", asked, "", {"answers": {"Q?": "B"}})
    assert found.label == "Question"

    options = (Option(label="A"), Option(label="B", is_chosen=True))
    assert found.asked == (Question(header="H", question="Q?", options=options, answer="B"),)


def test_plans_tell_whether_they_were_taken_up():
    """A plan is shown as approved, or with the text of the refusal."""
    assert seen("ExitPlanMode", {"plan": "P"}, "ok").given == (Note(text="approved"),)
    assert seen("ExitPlanMode", {"plan": "P"}, "ok").label == "Plan"
    assert seen("ExitPlanMode", {"plan": "P"}, "no", is_error=True).given == (Output(text="no", is_error=True),)
    assert seen("exit_plan_mode", {}, "", {"plan": "P"}).asked == (Plan(markdown="P"),)


def test_the_web_is_shown_by_its_addresses():
    """A fetched page shows its answer, and a web search shows its links."""
    page = seen("WebFetch", {"url": "u", "prompt": "p"}, "x", {"result": "**a**", "code": 200, "bytes": 2048})
    links = seen("WebSearch", {"query": "q"}, "x", {"results": [{"content": [{"title": "t", "url": "u"}]}, "said"]})

    assert page.given == (Prose(markdown="**a**"), Note(text="200 · 2.0 kB"))
    assert links.given == (Links(links=(Link(title="t", url="u"),)), Prose(markdown="said"))


def test_messages_to_agents_are_prose():
    """A message from one agent to another is shown as prose."""
    found = seen("SendMessage", {"to": "a1", "message": "Go on"}, "", {"success": True, "message": "sent"})

    assert (found.title, found.asked, found.given) == ("to a1", (Prose(markdown="Go on"),), (Note(text="sent"),))


def test_an_agent_in_the_background_says_so():
    """The call of a sub-agent in the background says that it was started: it may have ended since."""
    found = seen("Task", {"description": "d", "subagent_type": "t"}, "x", {"isAsync": True, "agentId": "a1"})

    assert (found.title, found.given) == ("t: d", (Note(text="started in the background"),))


def test_any_other_tool_shows_its_json():
    """An unknown tool shows its input and its result, and JSON inside a text is indented."""
    found = seen("mcp__server__do_it", {"a": 1, "b": [2]}, [{"type": "text", "text": '{"c":3}'}])

    assert (found.label, found.title) == ("server › do_it", "")
    assert found.asked == (Json(text='{\n  "a": 1,\n  "b": [\n    2\n  ]\n}'),)
    assert found.given == (Json(text='{\n  "c": 3\n}'),)
    assert seen("Unheard", {"a": "short"}).title == "a: short"


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_that_cannot_read_its_input_shows_it(name):
    """Input that does not fit the tool is shown as JSON, without an error."""
    found = seen(name, ["odd", {"input": 1}], "result")

    assert found.asked == (Json(text='[\n  "odd",\n  {\n    "input": 1\n  }\n]'),)
    assert found.given == (Output(text="result"),)


anything = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=8,
)
fields = [
    *("command", "file_path", "content", "old_string", "new_string", "edits", "todos", "questions", "plan", "url"),
    *("stdout", "structuredPatch", "lines", "file", "task", "tasks", "results", "answers", "filenames", "prompt"),
    *("taskId", "bash_id", "query", "pattern", "options", "text", "type", "oldStart", "status", "subject", "output"),
]
likely = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 10**20) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(fields), inner, max_size=5),
    max_leaves=12,
)


@given(
    st.sampled_from([*VIEWS, "mcp__a__b", "", "x"]),
    anything | likely,
    anything | likely,
    anything | likely,
    st.booleans(),
)
def test_no_call_is_too_odd(name, asked, content, structured, is_error):
    """Any input and any result of a tool have a view."""
    assert seen(name, asked, content, structured, is_error=is_error)


@given(st.sampled_from(list(VIEWS)), st.binary(max_size=20), st.binary(max_size=20))
def test_no_bytes_are_too_odd(name, asked, content):
    """Bytes that are not JSON have a view too."""
    result = ToolResult(
        id="r", order=("", 0, "", 0, 0), tool_use_id="1", place=Place(StreamId("s"), 0, 0), content=Raw(content)
    )
    assert view(name, Raw(asked), result, None)
