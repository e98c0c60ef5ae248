"""Joins nodes in their simplest form: without needless nesting, and with one time range instead of two."""

from collections.abc import Iterable

from chorus.core.query.tree import And, Node, Not, Or, Time


def all_of(nodes: Iterable[Node]) -> Node:
    """Returns a node that asks for all of the nodes. There must be at least one.

    Time ranges are replaced by their intersection, at the position of the first one: `after:A before:B` is one `Time`.
    """
    flat: list[Node] = []
    time_at: int | None = None
    for node in nodes:
        for part in node.of if isinstance(node, And) else (node,):
            if isinstance(part, Time) and time_at is not None:
                known = flat[time_at]
                assert isinstance(known, Time)
                flat[time_at] = _intersection(known, part)
                continue
            if isinstance(part, Time):
                time_at = len(flat)
            flat.append(part)
    return flat[0] if len(flat) == 1 else And(tuple(flat))


def any_of(nodes: Iterable[Node]) -> Node:
    """Returns a node that asks for any of the nodes. There must be at least one."""
    flat = tuple(part for node in nodes for part in (node.of if isinstance(node, Or) else (node,)))
    return flat[0] if len(flat) == 1 else Or(flat)


def not_of(node: Node) -> Node:
    """Returns the negation of a node."""
    return node.of if isinstance(node, Not) else Not(node)


def _intersection(one: Time, other: Time) -> Time:
    starts = [time.since for time in (one, other) if time.since is not None]
    ends = [time.until for time in (one, other) if time.until is not None]
    return Time(max(starts, default=None), min(ends, default=None))
