"""The ids of sub-agents, and which of several ids of one agent counts."""

from chorus.core.conversation.items import MAIN

CALL, SIDE = "call:", "side:"
"""The beginnings of ids that are made of a call, and of the first line of a chain; the client's own ids have none."""


def precedence(agent: str) -> int:
    """Returns the precedence of an agent id. If two ids of one agent contain the same line, the lower one keeps it.

    The main thread comes before all sub-agents: no file of a sub-agent takes a call or a result out of it.
    """
    if agent == MAIN:
        return -1
    return 2 if agent.startswith(CALL) else 1 if agent.startswith(SIDE) else 0


def rank(agent: str) -> tuple[int, str]:
    """Returns the place of an id among those of one agent: the most specific one comes first."""
    return precedence(agent), agent
