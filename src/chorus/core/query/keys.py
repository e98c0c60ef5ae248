"""What may stand before a colon or a sign of comparison: every key with what it asks for, and what a typo may mean."""

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
    "is": "what the entry is",
    "has": "what the entry holds",
    "approved-by": "who approved what was asked",
    "before": "until that time",
    "after": "from that time on",
    "on": "that day, month or year",
    "regex": "a pattern between slashes",
    "cost": "dollars the conversation cost",
    "tokens": "tokens the conversation took",
    "messages": "messages in the conversation",
}
"""Every key, in the order people should meet them."""
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
        "system": "told by the client",
    },
    "status": {
        "working": "at work now",
        "waiting": "waiting for a permission",
        "quiet": "broken off in the middle of something",
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
        "conflict": "what another source says under the same ids",
        "starred": "of a conversation that you starred",
        "archived": "of a conversation that you archived",
    },
    "has": {"image": "an image", "thinking": "thoughts of the model"},
    **dict.fromkeys(TIMES, _DATES),
}
"""Values worth suggesting, with what they ask for; all there are, for the fields of `tree.VALUES`."""
_MEANT = {
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
"""What other tools call the same thing."""
_LONGEST_TYPO = 20

assert tuple(HINTS) == (*FIELDS, *TIMES, "regex", *MEASURES) == tuple(EXAMPLES)
assert all(tuple(CHOICES[key]) == choices for key, choices in VALUES.items())


def meant_key(name: str) -> str | None:
    """The key that somebody who wrote `name` most likely meant; None when it resembles none."""
    return _MEANT.get(name.lower()) or closest(name, tuple(HINTS))


def closest(text: str, choices: tuple[str, ...], *, likeness: float = 0.7) -> str | None:
    """Which of the choices the text resembles most, if it does at all; always the same one."""
    if len(text) > _LONGEST_TYPO:
        return None
    from difflib import get_close_matches

    close = get_close_matches(text.lower(), choices, n=1, cutoff=likeness)
    return close[0] if close else next((choice for choice in choices if choice.startswith(text.lower())), None)
