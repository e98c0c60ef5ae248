"""What would be said twice: by a call and the sub-agent below it, by an error and the words that tell of it."""

from msgspec import structs

from chorus.core.views.blocks import Block, Note, Prose
from chorus.core.views.rows import MessageRow, Piece, SubAgent

_REFUSED = "api error"
"""How the client begins its words on what the API refused."""


def without_prompt(agent: SubAgent, asked: tuple[Block, ...]) -> SubAgent:
    """The agent without its first row, when that only repeats what the call asked."""
    first = agent.rows[0] if agent.rows else None
    errands = {block.text.strip() for block in asked if isinstance(block, Note)}
    if isinstance(first, MessageRow) and _words_of(first) and _words_of(first) <= errands:
        return structs.replace(agent, rows=agent.rows[1:])
    return agent


def without_last_words(given: tuple[Block, ...], agent: SubAgent) -> tuple[Block, ...]:
    """What the call gave, without words that are the agent's own last ones, just above."""
    last = next((row for row in reversed(agent.rows) if isinstance(row, MessageRow)), None)
    said = _words_of(last) if last else set[str]()
    return tuple(block for block in given if not (isinstance(block, Prose) and block.markdown.strip() in said))


def error_once(error: str | None, pieces: tuple[Piece, ...]) -> tuple[str | None, tuple[Piece, ...]]:
    """The error of a message and the rest of it: where the client's own words tell of the error, these are it."""
    if error is None or len(pieces) != 1:
        return error, pieces
    (said,) = pieces
    if isinstance(said, Prose) and said.markdown.lstrip().lower().startswith(_REFUSED):
        return said.markdown.strip(), ()
    return error, pieces


def _words_of(row: MessageRow) -> set[str]:
    return {piece.markdown.strip() for piece in row.pieces if isinstance(piece, Prose)}
