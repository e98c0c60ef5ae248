"""Tests sub-agents that started each other in a circle, as in a damaged or forged record."""

import pytest

from chorus.core.conversation.items import MAIN
from chorus.core.views.rows import AgentRow, MessageRow, ToolCall
from chorus.core.views.transcript import rows
from chorus.show.transcripts.detail import detail
from chorus.show.transcripts.locating import locate
from chorus.show.transcripts.outline import outline
from chorus.testing.builders import Session, tool_use
from tests.show.transcripts.reading import read

LENGTHS = range(1, 6)


def circle(length: int, *, has_entrance: bool) -> Session:
    """Builds sub-agents that start each other in a circle; the main thread starts the first one, or none."""
    talk = Session()
    talk.user("Go round.")
    names = [f"around{nth}" for nth in range(length)]
    if has_entrance:
        talk.assistant(tool_use("Task", {"prompt": "go", "description": "in"}, id="entrance"))
        talk.tool_result("entrance", "gone", structured={"agentId": names[0], "status": "completed"})
    for nth, name in enumerate(names):
        following = names[(nth + 1) % length]
        before = f"call{(nth - 1) % length}"
        agent = talk.agent(name, "entrance" if has_entrance and nth == 0 else before)
        agent.user(f"words of {name}")
        agent.assistant(tool_use("Task", {"prompt": "go", "description": following}, id=f"call{nth}"))
        agent.tool_result(f"call{nth}", "gone", structured={"agentId": following, "status": "completed"})
    return talk


def started_in(page_rows) -> set[str]:
    """Returns the sub-agents that the rows name."""
    found = set()
    for each in page_rows:
        match each.row:
            case AgentRow(agent=agent):
                found.add(agent.id)
            case MessageRow(pieces=pieces):
                found |= {piece.agent.id for piece in pieces if isinstance(piece, ToolCall) and piece.agent}
    return found


@pytest.mark.parametrize("has_entrance", [True, False])
@pytest.mark.parametrize("length", LENGTHS)
def test_every_agent_of_a_circle_is_in_reach_of_a_page(tmp_path, length, has_entrance):
    """Every sub-agent of a circle is reachable from the main thread, and threads, outlines and facts are finite."""
    found = read(tmp_path, circle(length, has_entrance=has_entrance))
    reached, waiting = set(), [MAIN]
    while waiting:
        thread = waiting.pop()
        if thread in reached:
            continue
        reached.add(thread)
        shown = found.forwards(thread=thread)
        assert len(shown) <= 4
        outline(found.opened, found.index, thread)
        waiting += started_in(shown)

    assert reached == {MAIN, *(f"around{nth}" for nth in range(length))}
    assert len(detail(found.opened, found.index).threads) == length
    assert locate(found.opened, found.index, f"around{length - 1}") is not None


@pytest.mark.parametrize("has_entrance", [True, False])
@pytest.mark.parametrize("length", LENGTHS)
def test_a_circle_is_named_once_where_everything_is_shown(tmp_path, length, has_entrance):
    """The whole conversation shows the words of each sub-agent of a circle once."""
    found = read(tmp_path, circle(length, has_entrance=has_entrance))
    told = repr(list(rows(found.conversation)))

    assert [told.count(f"words of around{nth}") for nth in range(length)] == [1] * length
