"""The frame that the client puts around the report of a sub-agent, for the model: what of it a person reads."""

import re

from msgspec import Struct

_FRAME = "[Subagent hand-back]"
_IN_BACKGROUND = "Async agent launched successfully."
_TRAILER = "agentId: "
_INDENT = "  "
_USAGE = re.compile(r"<usage>((?:[a-z_]{1,40}: [0-9]{1,15}\n?)*)</usage>\s*")
_TOOLS_USED = re.compile(r"\s*<tools-used-before-summary>[\w, -]{0,2000}</tools-used-before-summary>[ \n]*")


class HandBack(Struct, frozen=True, kw_only=True):
    """The report, and what the sub-agent used."""

    report: str
    tokens: int | None = None
    calls: int | None = None
    duration_ms: int | None = None


def hand_back(text: str) -> HandBack | None:
    """Returns what the frame contains; None for a text without a complete frame, which is shown as it is.

    The client indents every line of the report, so nothing in a report can look like the frame.
    """
    lines = text.split("\n")
    start = next((number for number, line in enumerate(lines) if line.startswith(_FRAME)), None)
    if start is None or not all(line.startswith(_INDENT) or not line.strip() for line in lines[:start]):
        return None
    end = start + 1
    while end < len(lines) and (lines[end].startswith(_INDENT) or not lines[end].strip()):
        end += 1
    trailer = lines[end:]
    usage = _USAGE.fullmatch("\n".join(trailer[1:]))
    if usage is None or not trailer[0].startswith(_TRAILER):
        return None
    report = [line.removeprefix(_INDENT) for line in (*lines[:start], *lines[start + 1 : end])]
    figures = {name: int(value) for name, value in (each.split(": ") for each in usage[1].splitlines())}
    return HandBack(
        report=without_notes("\n".join(report)),
        tokens=figures.get("subagent_tokens"),
        calls=figures.get("tool_uses"),
        duration_ms=figures.get("duration_ms"),
    )


def is_launch(text: str) -> bool:
    """Whether the text only says that the sub-agent works in the background."""
    return text.startswith(_IN_BACKGROUND)


def without_notes(text: str) -> str:
    """Returns a report without the client's line about the tools that were used before it."""
    found = _TOOLS_USED.match(text)
    return text[found.end() :] if found else text
