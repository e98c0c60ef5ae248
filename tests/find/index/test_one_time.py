"""Tests that entries of one time, such as those of a log without times, cost the index of exports no more each."""

from chorus.find.index.memory import MemoryIndex
from chorus.testing.builders import Session, tool_use
from chorus.testing.indexes import writings_of
from tests.core.query.asking import lines_run


def _work_of(count: int) -> int:
    session = Session()
    session.assistant(*(tool_use("Bash", {"command": "ls"}, id=f"t{n}") for n in range(count)))
    for line in session.lines:
        line["timestamp"] = "2026-01-05T09:00:00.000Z"
    index = MemoryIndex()
    writings = writings_of(session)
    return lines_run(lambda: index.write(writings))


def test_many_entries_of_one_time() -> None:
    """Eight times the calls of one time are about eight times the work."""
    assert _work_of(2_400) < 10 * _work_of(300)
