"""What people read in place of names and ids: titles of conversations, beginnings of prompts."""

from chorus.core.views.safe import safe_line
from chorus.find.index.port import Index
from chorus.find.index.rows import Entry
from chorus.find.payloads.loader import Loader
from chorus.find.usage.figures import TurnLine
from chorus.keep.vault.port import Vault

_NEAR = 40
"""Entries of the same moment among which a prompt is looked for."""
_MAX_CHARS = 200


def prompt_entry(index: Index, turn: TurnLine) -> Entry | None:
    """Returns the entry of the prompt that began a turn; None if its stream has another time for it."""
    before = ((turn.started_at, -1, "", 0, 0), "")
    return next(
        (each for each in index.page(turn.conversation, after=before, limit=_NEAR) if each.id == turn.item), None
    )


def with_prompts(index: Index, vault: Vault, turns: list[TurnLine]) -> list[TurnLine]:
    """Adds the beginning of its prompt to each turn."""
    for turn in turns:
        entry = prompt_entry(index, turn)
        if entry is not None:
            workspace, agent, conversation = turn.conversation.split("/", 2)
            text = Loader(vault, workspace, agent, conversation).text(entry)
            turn.prompt = safe_line(text[: 4 * _MAX_CHARS])[:_MAX_CHARS]
    return turns
