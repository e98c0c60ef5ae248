"""The suggestions of the client in words: what would be written, and where. Pure.

A suggestion may turn off every later request. So each one is described and accepted by itself, and one that is not
understood is described as unknown.
"""

import msgspec
from msgspec import Struct

from chorus.core.records.model.permissions import PermissionUpdate
from chorus.steer.approvals.inputs import visible_json
from chorus.steer.approvals.visible_text import make_visible_line

_REFUSALS = (msgspec.DecodeError, UnicodeError, RecursionError)
_PLACES = {
    "session": "for this session, until it ends",
    "localSettings": "in this repository's local settings (.claude/settings.local.json)",
    "projectSettings": "in this repository's shared settings (.claude/settings.json)",
    "userSettings": "in your own settings, for every project (~/.claude/settings.json)",
    "cliArg": "for this run",
}
_MODES = {
    "acceptEdits": "change files without asking",
    "bypassPermissions": "do everything without asking",
    "dontAsk": "deny what is not allowed yet, without asking",
    "plan": "plan, and change nothing",
    "auto": "let the client decide what needs asking",
    "default": "ask as it does by default",
    "manual": "ask as it does by default",
}
_WIDE_MODES = ("acceptEdits", "bypassPermissions", "auto")


class Offer(Struct, frozen=True):
    """One suggestion, in words."""

    index: int
    words: str
    is_wide: bool
    """Whether it would allow far more than this request, or its effect is not known."""
    text: str
    """The JSON of the suggestion with hidden characters made visible."""


def offers(suggestions: list[str]) -> tuple[Offer, ...]:
    """Returns every suggestion, in the client's order."""
    return tuple(_offer(index, text) for index, text in enumerate(suggestions))


def _offer(index: int, text: str) -> Offer:
    shown = make_visible_line(bytes(visible_json(text)).decode("utf-8", "replace"))
    try:
        update = _decoder.decode(text)
    except _REFUSALS:
        update = PermissionUpdate()
    where = _PLACES.get(update.destination or "")
    what, is_wide = _what(update)
    if what is None or where is None:
        return Offer(index, f"something that Chorus does not know: {shown}", True, shown)
    return Offer(index, f"{what} {where}", is_wide, shown)


def _what(update: PermissionUpdate) -> tuple[str | None, bool]:
    """Returns what an update does, in words, and whether its effect is wide."""
    if update.type in ("addRules", "replaceRules", "removeRules") and update.rules and update.behavior:
        rules = [(rule.toolName or "?", rule.ruleContent) for rule in update.rules]
        does = make_visible_line(update.behavior)
        verb = {"addRules": does, "replaceRules": f"replace all rules that {does} by"}
        named = ", ".join(_rule(tool, content) for tool, content in rules)
        is_wide = any(content is None or "*" in content for _, content in rules) or update.type != "addRules"
        return f"{verb.get(update.type, f'no longer {does}')} {named}", is_wide
    if update.type == "setMode" and update.mode:
        meaning = _MODES.get(update.mode, "in a way that Chorus does not know")
        return (
            f"switch to the mode {make_visible_line(update.mode)} ({meaning})",
            update.mode in _WIDE_MODES or update.mode not in _MODES,
        )
    if update.type in ("addDirectories", "removeDirectories") and update.directories:
        named = ", ".join(f"`{make_visible_line(each)}`" for each in update.directories)
        return (
            f"let it work in {named}" if update.type == "addDirectories" else f"no longer let it work in {named}"
        ), True
    return None, True


def _rule(tool: str, content: str | None) -> str:
    if content is None:
        return f"every use of {make_visible_line(tool)}"
    return (
        f"`{make_visible_line(content)}`"
        if tool == "Bash"
        else f"{make_visible_line(tool)} `{make_visible_line(content)}`"
    )


_decoder = msgspec.json.Decoder(PermissionUpdate)
