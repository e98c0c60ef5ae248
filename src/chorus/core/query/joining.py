"""Nodes put together in their simplest form: nothing nested that need not be, and one span of time instead of two."""

from collections.abc import Iterable

from chorus.core.query.tree import And, Node, Not, Or, Time


def all_of(nodes: Iterable[Node]) -> Node:
    """What asks for all of the nodes, of which there is at least one.

    Spans of time become the one they have in common, in the place of the first: `after:A before:B` is one `Time`.
    """
    flat: list[Node] = []
    time_at: int | None = None
    for node in nodes:
        for part in node.of if isinstance(node, And) else (node,):
            if isinstance(part, Time) and time_at is not None:
                known = flat[time_at]
                assert isinstance(known, Time)
                flat[time_at] = _common(known, part)
                continue
            if isinstance(part, Time):
                time_at = len(flat)
            flat.append(part)
    return flat[0] if len(flat) == 1 else And(tuple(flat))


def any_of(nodes: Iterable[Node]) -> Node:
    """What asks for any of the nodes, of which there is at least one."""
    flat = tuple(part for node in nodes for part in (node.of if isinstance(node, Or) else (node,)))
    return flat[0] if len(flat) == 1 else Or(flat)


def not_of(node: Node) -> Node:
    """What asks for the contrary."""
    return node.of if isinstance(node, Not) else Not(node)


def _common(one: Time, other: Time) -> Time:
    starts = [time.since for time in (one, other) if time.since is not None]
    ends = [time.until for time in (one, other) if time.until is not None]
    return Time(max(starts, default=None), min(ends, default=None))
