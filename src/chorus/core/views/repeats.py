"""Removes text that would appear twice: in a call and its sub-agent, or in an error and the message about it."""

from msgspec import structs

from chorus.core.views.blocks import Block, Note, Prose
from chorus.core.views.rows import MessageRow, Piece, SubAgent

_REFUSED = "api error"
"""How the client begins a message about a request that the API refused."""


def without_prompt(agent: SubAgent, asked: tuple[Block, ...]) -> SubAgent:
    """Returns the agent without its first row if that row only repeats the prompt of the call."""
    first = agent.rows[0] if agent.rows else None
    prompts = {block.text.strip() for block in asked if isinstance(block, Note)}
    if isinstance(first, MessageRow) and _texts_of(first) and _texts_of(first) <= prompts:
        return structs.replace(agent, rows=agent.rows[1:])
    return agent


def without_last_words(given: tuple[Block, ...], agent: SubAgent) -> tuple[Block, ...]:
    """Returns the result blocks of the call without text that repeats the agent's last message, shown just above."""
    last = next((row for row in reversed(agent.rows) if isinstance(row, MessageRow)), None)
    last_texts = _texts_of(last) if last else set[str]()
    return tuple(block for block in given if not (isinstance(block, Prose) and block.markdown.strip() in last_texts))


def merge_error(error: str | None, pieces: tuple[Piece, ...]) -> tuple[str | None, tuple[Piece, ...]]:
    """Returns a message's error and pieces. A single piece with the client's text about the error becomes the error."""
    if error is None or len(pieces) != 1:
        return error, pieces
    (only,) = pieces
    if isinstance(only, Prose) and only.markdown.lstrip().lower().startswith(_REFUSED):
        return only.markdown.strip(), ()
    return error, pieces


def _texts_of(row: MessageRow) -> set[str]:
    return {piece.markdown.strip() for piece in row.pieces if isinstance(piece, Prose)}
