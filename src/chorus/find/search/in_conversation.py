"""Restricts a query to one conversation."""

from chorus.core.query.tree import And, Field, Node, Query, Sequence, Step
from chorus.find.index.marks import CONVERSATION


def within(query: Query, name: str) -> Query | None:
    """Returns the same query, restricted to one conversation; None when the query is empty."""
    here = Field(CONVERSATION, name)

    def bound(node: Node) -> Node:
        return And((*node.of, here)) if isinstance(node, And) else And((node, here))

    match query.root:
        case None:
            return None
        case Sequence(steps=steps):
            return Query(Sequence(tuple(Step(bound(step.of), step.within) for step in steps)), query.text)
        case root:
            return Query(bound(root), query.text)
