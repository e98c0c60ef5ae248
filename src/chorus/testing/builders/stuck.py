"""Conversations with and without a reason for an alert, labelled by construction.

For each kind of alert there are conversations that deserve it and near misses: the same command with another error, a
file that was edited in between, a window of unknown size.
"""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple

from chorus.testing.builders.blocks import tool_use
from chorus.testing.builders.lines import usage
from chorus.testing.builders.session import Session

LOOP, SILENCE, CONTEXT, RETRIES = "loop", "silence", "context", "retries"
_KNOWN_MODEL = "claude-opus-4-6"


class Labelled(NamedTuple):
    """A conversation, and which alerts it deserves after its last line."""

    name: str
    session: Session
    expected: frozenset[str]
    silence_s: float = 5.0
    """How long ago the last line was written."""
    is_at_work: bool = True
    """Whether the client is known to be at work."""


class _Story:
    """A session in which calls fail and succeed."""

    def __init__(self, chance: Random, number: int) -> None:
        self.chance = chance
        self.session = Session(f"57c00000-0000-4000-8000-{number:012d}", model=_KNOWN_MODEL)
        self.calls = 0
        self.session.user("Make the tests pass.")
        for _ in range(chance.randrange(3)):
            self.call("Read", {"file_path": f"/home/dev/work/{chance.randrange(99)}.py"}, "import os")

    def call(self, tool: str, given: dict[str, Any], result: str | None, *, is_error: bool = False) -> str:
        """Adds a call and, unless `result` is None, its result."""
        self.calls += 1
        call = f"toolu_{self.session.id[-4:]}_{self.calls:04d}"
        self.session.assistant(tool_use(tool, given, id=call), stop="tool_use")
        if result is not None:
            self.session.tool_result(call, result, is_error=is_error or None)
        return call

    def fail(self, command: str, error: str) -> None:
        """Adds a command that fails. Its description is another one each time, as models write it."""
        about = f"Try number {self.chance.randrange(10_000)}"
        self.call("Bash", {"command": command, "description": about}, error, is_error=True)

    def look(self) -> None:
        """Adds a call that changes nothing."""
        self.call("Grep", {"pattern": f"def f{self.chance.randrange(999)}"}, "No files found")


def labelled(seed: int, rounds: int) -> Iterator[Labelled]:
    """Yields conversations of every sort, `rounds` times; the same ones for the same seed."""
    chance = Random(seed)  # noqa: S311 - made-up test data
    number = 0
    for _ in range(rounds):
        for make in _SORTS:
            number += 1
            yield make(_Story(chance, number))


def _loop(story: _Story) -> Labelled:
    for _ in range(story.chance.randrange(3, 7)):
        story.fail("npm test", "Exit code 1\nCannot find module 'left-pad'")
        for _ in range(story.chance.randrange(2)):
            story.look()
    return Labelled("the same command fails again and again", story.session, frozenset({LOOP}))


def _loop_of_edits(story: _Story) -> Labelled:
    given = {"file_path": "/home/dev/work/a.py", "old_string": "x = 1", "new_string": "x = 2"}
    for _ in range(story.chance.randrange(3, 6)):
        story.call(
            "Edit", given, "<tool_use_error>String to replace not found in file.</tool_use_error>", is_error=True
        )
    return Labelled("the same edit fails again and again", story.session, frozenset({LOOP}))


def _other_errors(story: _Story) -> Labelled:
    for number in range(5):
        story.fail("npm test", f"Exit code 1\n{5 - number} tests failed")
    return Labelled("the same command fails in another way each time", story.session, frozenset())


def _other_inputs(story: _Story) -> Labelled:
    for number in range(5):
        story.fail(f"cat /home/dev/work/{number}.txt", "Exit code 1\nNo such file or directory")
    return Labelled("other commands fail in the same way", story.session, frozenset())


def _edited_between(story: _Story) -> Labelled:
    for number in range(4):
        story.fail("npm test", "Exit code 1\n1 test failed")
        story.call("Write", {"file_path": f"/home/dev/work/{number}.py", "content": str(number)}, "File created")
    return Labelled("files are edited between the failures", story.session, frozenset())


def _twice(story: _Story) -> Labelled:
    story.fail("npm test", "Exit code 1\n1 test failed")
    story.fail("npm test", "Exit code 1\n1 test failed")
    return Labelled("a command failed twice", story.session, frozenset())


def _polling(story: _Story) -> Labelled:
    for _ in range(6):
        story.call("Bash", {"command": "sleep 30; gh run list"}, "in progress")
    return Labelled("a command succeeds again and again", story.session, frozenset())


def _loop_left(story: _Story) -> Labelled:
    for _ in range(4):
        story.fail("npm test", "Exit code 1\nCannot find module 'left-pad'")
    for _ in range(4):
        story.look()
    return Labelled("a loop that the agent has left", story.session, frozenset())


def _loop_answered(story: _Story) -> Labelled:
    for _ in range(4):
        story.fail("npm test", "Exit code 1\nCannot find module 'left-pad'")
    story.session.user("Install it first.")
    story.fail("npm test", "Exit code 1\nCannot find module 'left-pad'")
    return Labelled("a person said something after the loop", story.session, frozenset())


def _silent(story: _Story) -> Labelled:
    story.call("Bash", {"command": "make all"}, None)
    return Labelled(
        "a command is open and nothing comes", story.session, frozenset({SILENCE}), 60 * story.chance.randrange(11, 90)
    )


def _patient(story: _Story) -> Labelled:
    story.call("Bash", {"command": "make all"}, None)
    return Labelled("a command is open for a short time", story.session, frozenset(), 60 * story.chance.randrange(10))


def _closed(story: _Story) -> Labelled:
    story.call("Bash", {"command": "make all"}, None)
    return Labelled(
        "the client was closed in the middle of a command", story.session, frozenset(), 86_400, is_at_work=False
    )


def _question(story: _Story) -> Labelled:
    story.call("AskUserQuestion", {"questions": [{"question": "Which one?", "header": "Which", "options": []}]}, None)
    return Labelled("a question waits for a person", story.session, frozenset(), 7_200)


def _thinking(story: _Story) -> Labelled:
    story.look()
    return Labelled("the model is slow, and no call is open", story.session, frozenset(), 1_200)


def _full(story: _Story) -> Labelled:
    story.session.assistant("Next.", stop="tool_use", tokens=usage(cache_read=story.chance.randrange(150_500, 190_000)))
    return Labelled("the context is nearly full", story.session, frozenset({CONTEXT}))


def _half_full(story: _Story) -> Labelled:
    story.session.assistant("Next.", stop="tool_use", tokens=usage(cache_read=story.chance.randrange(1_000, 149_000)))
    return Labelled("the context has room", story.session, frozenset())


def _large_window(story: _Story) -> Labelled:
    story.session.model = "claude-opus-5-5"
    story.session.assistant("Next.", stop="tool_use", tokens=usage(cache_read=180_000))
    return Labelled("the context of a large window has room", story.session, frozenset())


def _unknown_window(story: _Story) -> Labelled:
    story.session.model = "claude-test-1"
    story.session.assistant("Next.", stop="tool_use", tokens=usage(cache_read=180_000))
    return Labelled("nobody knows how large the window is", story.session, frozenset())


def _compacted(story: _Story) -> Labelled:
    story.session.assistant("Next.", stop="tool_use", tokens=usage(cache_read=170_000))
    story.session.compact("What was done so far.")
    return Labelled("the context was compacted", story.session, frozenset())


def _retrying(story: _Story) -> Labelled:
    _errors(story, story.chance.randrange(3, 9))
    return Labelled("the API fails again and again", story.session, frozenset({RETRIES}))


def _retried(story: _Story) -> Labelled:
    _errors(story, 4)
    story.look()
    return Labelled("the API works again", story.session, frozenset())


def _one_retry(story: _Story) -> Labelled:
    _errors(story, story.chance.randrange(1, 3))
    return Labelled("the API failed once or twice", story.session, frozenset())


def _errors(story: _Story, count: int) -> None:
    for attempt in range(1, count + 1):
        story.session.system(
            "api_error",
            level="error",
            error={"status": 529, "message": "Overloaded"},
            retryAttempt=attempt,
            maxRetries=10,
        )


_SORTS: tuple[Callable[[_Story], Labelled], ...] = (
    _loop, _loop_of_edits, _other_errors, _other_inputs, _edited_between, _twice, _polling, _loop_left, _loop_answered,
    _silent, _patient, _closed, _question, _thinking, _full, _half_full, _large_window, _unknown_window, _compacted,
    _retrying, _retried, _one_retry,
)  # fmt: skip
