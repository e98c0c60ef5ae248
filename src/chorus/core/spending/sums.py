"""Sums of usage, grouped by all that a price or a report depends on."""

from collections.abc import Sequence

from msgspec import structs

from chorus.core.conversation.tokens import Tokens
from chorus.core.spending.periods import quarter
from chorus.core.spending.price_table import LONG_PROMPTS
from chorus.core.spending.rows import Spent, Usage

_TOKENS = len(Tokens.__struct_fields__)
Group = tuple[str, str, str, str | None, str | None, int, bool]
"""Conversation, thread, quarter, model, tier, length of the prompt, whether it is the usage of turns."""


class Sums:
    """Collects usage and returns the sums as rows."""

    def __init__(self) -> None:
        self._sums: dict[Group, list[int]] = {}

    def take(self, conversation: str, usage: Usage) -> None:
        """Adds the usage of a message or a turn."""
        self.add(
            conversation,
            usage.thread,
            usage.at,
            usage.model,
            usage.tier,
            structs.astuple(usage.tokens),
            is_lower_bound=usage.is_lower_bound,
            is_per_turn=usage.is_per_turn,
        )

    def add(
        self,
        conversation: str,
        thread: str,
        at: str | None,
        model: str | None,
        tier: str | None,
        tokens: Sequence[int],
        *,
        is_lower_bound: bool,
        is_per_turn: bool = False,
    ) -> None:
        """Adds usage given as separate values. `tokens` begins with the fields of `Tokens`, in their order."""
        length = 0 if is_per_turn else over(tokens[0] + tokens[2] + tokens[3])
        key = (conversation, thread, quarter(at), model, tier, length, is_per_turn)
        known = self._sums.get(key)
        if known is None:
            self._sums[key] = [*tokens[:_TOKENS], 1, int(is_lower_bound)]
            return
        # Not a loop, because it runs for every message.
        known[0] += tokens[0]
        known[1] += tokens[1]
        known[2] += tokens[2]
        known[3] += tokens[3]
        known[4] += tokens[4]
        known[5] += tokens[5]
        known[6] += tokens[6]
        known[7] += tokens[7]
        known[8] += 1
        known[9] += is_lower_bound

    def rows(self) -> list[Spent]:
        """Returns the sums, sorted by all fields that distinguish the rows."""
        return [
            Spent(*key, tokens=Tokens(*numbers), messages=messages, lower_bounds=lower_bounds)
            for key, (*numbers, messages, lower_bounds) in sorted(self._sums.items(), key=_rank)
        ]


def group_of(conversation: str, usage: Usage) -> Group:
    """Returns the group to which the usage of a message or a turn is added."""
    length = 0 if usage.is_per_turn else prompt_over(usage.tokens)
    return conversation, usage.thread, quarter(usage.at), usage.model, usage.tier, length, usage.is_per_turn


def prompt_over(tokens: Tokens) -> int:
    """Returns the highest of `LONG_PROMPTS` that a message's prompt exceeds; 0 if it exceeds none."""
    return over(tokens.input + tokens.cache_creation + tokens.cache_read)


def over(prompt: int) -> int:
    """Returns the highest of `LONG_PROMPTS` that is below `prompt`; 0 if none is."""
    found = 0
    for length in LONG_PROMPTS:
        if prompt > length:
            found = length
    return found


def _rank(entry: tuple[Group, list[int]]) -> tuple[str, ...]:
    return tuple("" if part is None else str(part) for part in entry[0])
