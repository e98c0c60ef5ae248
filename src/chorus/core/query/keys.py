"""The keys that may come before a colon or a comparison sign, with their meaning, and suggestions for mistyped keys."""

from chorus.core.query.tree import FIELDS, MEASURES, VALUES

TIMES = ("before", "after", "on")
HINTS: dict[str, str] = {
    "role": "who speaks",
    "tool": "the tool that was called",
    "file": "a file that the call names",
    "model": "the model that answered",
    "workspace": "the folder the conversation took place in",
    "branch": "its git branch",
    "agent": "the named worker; `main` for sessions that Chorus only observed",
    "status": "what the conversation is doing, or how it ended",
    "tag": "a tag that you gave the conversation",
    "usage": "the line of a usage report in which the conversation counts",
    "commit": "a git commit that the conversation wrote lines of",
    "is": "what the entry is",
    "has": "what the entry contains",
    "approved-by": "who approved the request",
    "before": "until that time",
    "after": "from that time on",
    "on": "that day, month or year",
    "regex": "a pattern between slashes",
    "cost": "dollars the conversation cost",
    "tokens": "tokens the conversation used",
    "messages": "messages in the conversation",
}
"""Every key with its meaning, in the order in which people should see them."""
EXAMPLES: dict[str, str] = {
    "role": "role:user",
    "tool": "tool:Bash",
    "file": "file:src/*.py",
    "model": "model:opus",
    "workspace": 'workspace:"my app"',
    "branch": "branch:main",
    "agent": "agent:main",
    "status": "status:failed",
    "tag": "tag:release",
    "usage": "usage:tool=Bash",
    "commit": "commit:9f8e7d6",
    "is": "is:error",
    "has": "has:image",
    "approved-by": "approved-by:laptop",
    "before": "before:2026-02-03",
    "after": "after:7d",
    "on": "on:yesterday",
    "regex": "regex:/time(d )?out/i",
    "cost": "cost>1",
    "tokens": "tokens>100k",
    "messages": "messages<10",
}
_DATES = {
    "today": "since midnight",
    "yesterday": "the day before",
    "7d": "7 days ago",
    "2w": "2 weeks ago",
    "3m": "3 months ago",
    "1y": "a year ago",
    "12h": "12 hours ago",
    "monday": "the last Monday",
}
CHOICES: dict[str, dict[str, str]] = {
    "role": {
        "user": "said to the model",
        "assistant": "said by the model",
        "tool": "calls and their results",
        "system": "notes from the client",
    },
    "status": {
        "working": "working now",
        "waiting": "waiting for a permission",
        "quiet": "stopped in the middle of something",
        "idle": "waiting for the next message",
        "done": "finished",
        "failed": "ended by an error",
        "interrupted": "stopped by a person",
        "damaged": "cannot be read",
    },
    "is": {
        "error": "failed",
        "subagent": "of a sub-agent",
        "prompt": "typed by a person",
        "approved": "a permission that was given",
        "denied": "a permission that was refused",
        "conflict": "what a conflicting source says under the same ids",
        "starred": "of a conversation that you starred",
        "archived": "of a conversation that you archived",
    },
    "has": {"image": "an image", "thinking": "thoughts of the model"},
    **dict.fromkeys(TIMES, _DATES),
}
"""Values to suggest, with their meaning. For the fields of `tree.VALUES` these are all values."""
_SYNONYMS = {
    "since": "after",
    "from": "after",
    "until": "before",
    "during": "on",
    "date": "on",
    "path": "file",
    "project": "workspace",
    "folder": "workspace",
    "cwd": "workspace",
    "subagent": "is",
    "label": "tag",
    "state": "status",
    "price": "cost",
}
"""Names that other tools use for the same thing."""
_MAX_TYPO_CHARS = 20

assert tuple(HINTS) == (*FIELDS, *TIMES, "regex", *MEASURES) == tuple(EXAMPLES)
assert all(tuple(CHOICES[key]) == choices for key, choices in VALUES.items())


def meant_key(name: str) -> str | None:
    """Returns the key that a person who wrote `name` most likely meant; None if it resembles no key."""
    return _SYNONYMS.get(name.lower()) or closest(name, tuple(HINTS))


def closest(text: str, choices: tuple[str, ...], *, likeness: float = 0.7) -> str | None:
    """Returns the choice that the text resembles most; None if it resembles none. Deterministic."""
    if len(text) > _MAX_TYPO_CHARS:
        return None
    from difflib import get_close_matches

    close = get_close_matches(text.lower(), choices, n=1, cutoff=likeness)
    return close[0] if close else next((choice for choice in choices if choice.startswith(text.lower())), None)
