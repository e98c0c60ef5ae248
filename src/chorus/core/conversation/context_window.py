"""How full the context window of a model was at an answer."""

from msgspec import Struct

from chorus.core.conversation.items import Message

WINDOW, LARGE_WINDOW = 200_000, 1_000_000
_LARGE = "[1m]"
_WINDOWS = {
    "claude-3-": WINDOW,
    "claude-haiku-4-5": WINDOW,
    "claude-opus-4-1": WINDOW,
    "claude-opus-4-20": WINDOW,
    "claude-opus-4-5": WINDOW,
    "claude-opus-4-6": WINDOW,
    "claude-sonnet-4-20": WINDOW,
    "claude-sonnet-4-5": WINDOW,
    "claude-sonnet-4-6": WINDOW,
    "claude-fable-5": LARGE_WINDOW,
    "claude-opus-5": LARGE_WINDOW,
    "claude-sonnet-5": LARGE_WINDOW,
}
"""The beginnings of model names, and the window that clients report for them or compact them at."""


class ContextFill(Struct, frozen=True):
    """The tokens in the context of an answer, and how many fit into it."""

    tokens: int
    window: int
    is_known: bool = True
    """Whether the size of the window follows from the model's name or from the tokens; else it is the usual size."""


def context_of(message: Message) -> ContextFill | None:
    """Returns how full the context window was at an answer of the model; None if the answer has no token counts."""
    used = message.tokens
    tokens = used.input + used.cache_read + used.cache_creation + used.output if used is not None else 0
    if not tokens:
        return None
    model = (message.model or "").lower()
    if tokens > WINDOW or _LARGE in model:
        return ContextFill(tokens, LARGE_WINDOW)
    window = next((size for start, size in _WINDOWS.items() if model.startswith(start)), None)
    return ContextFill(tokens, window or WINDOW, is_known=window is not None)
