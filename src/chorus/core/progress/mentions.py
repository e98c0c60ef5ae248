"""Sub-agents that the model mentions: the weakest sign that some are at work."""

import re

from chorus.core.progress.counts import last_match, short

_WINDOW = 2_000
_MENTION = re.compile(
    r"\b(?:launching|launched|starting|started|spawning|spawned|dispatching|dispatched|using|waiting for|delegating to|"
    r"running|(?:I['’]ll|I will|I['’]m going to|let me|let['’]s)\s(?:now\s)?(?:launch|start|spawn|dispatch|use|run|"
    r"delegate (?:this|it) to))\s(?:\w{1,20}\s){0,4}?(?:sub-?agents?|(?:parallel|background|explore|research|review|"
    r"specialist)\sagents?|agents\sin\sparallel)\b[^.\n]{0,120}",
    re.IGNORECASE,
)


def agents_mentioned(text: str) -> str | None:
    """Returns the words in which a text says that sub-agents work now; None if it does not."""
    found = last_match(_MENTION, text[-_WINDOW:])
    return short(found[0]) if found else None
