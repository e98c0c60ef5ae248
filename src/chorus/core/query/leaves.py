"""Replaces the leaves of a query: its words, fields and other conditions."""

from collections.abc import Callable

from chorus.core.query.tree import And, Node, Not, Or, Sequence, Step


def each_leaf(root: Node | Sequence | None, one: Callable[[Node], Node]) -> Node | Sequence | None:
    """Returns the query with `one` applied to each of its leaves."""

    def walk(node: Node) -> Node:
        match node:
            case And():
                return And(tuple(map(walk, node.of)))
            case Or():
                return Or(tuple(map(walk, node.of)))
            case Not():
                return Not(walk(node.of))
            case _:
                return one(node)

    if isinstance(root, Sequence):
        return Sequence(tuple(Step(walk(step.of), step.within) for step in root.steps))
    return None if root is None else walk(root)
