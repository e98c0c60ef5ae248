"""What a client's own record of a call says about who answered its permission question, and how. Pure.

The client writes the same facts in two spellings: `permissionDecision` in its session file, `permission_decision` on
standard output. A client that writes neither is judged by the result: what was not refused has run.
"""

from typing import Any, Literal

from msgspec import Struct

By = Literal["hook", "person", "rule", "unknown"]
"""Who answered: a hook, a person (in the terminal, or the host of a client without one), a rule or mode."""

_SOURCES: dict[str, By] = {
    "hook": "hook",
    "user_temporary": "person",
    "user_permanent": "person",
    "user_reject": "person",
    "user_abort": "person",
    "config": "rule",
}
_DENIALS: dict[str, By] = {"user-rejected": "person"}
_REFUSED_BY_PERSON = ("The user doesn't want to proceed", "The user doesn't want to take this action")
_REFUSED_BY_NOBODY = ("Claude requested permissions to", "Permission to use ")


class Evidence(Struct, frozen=True):
    """How a question was really answered, as the client tells it."""

    behaviour: Literal["allow", "deny"]
    by: By = "unknown"


def of_result(block: dict[str, Any], decision: object = None, denial: object = None) -> Evidence:
    """What a `tool_result` block proves, with the decision and the kind of denial that were recorded beside it."""
    told = decision if isinstance(decision, dict) else {}
    by = _SOURCES.get(str(told.get("source")), "unknown")
    match told.get("decision"):
        case "accept":
            return Evidence("allow", by)
        case "reject":
            return Evidence("deny", by)
    if isinstance(denial, str) and denial:
        return Evidence("deny", _DENIALS.get(denial, "unknown"))
    text = _text(block.get("content"))
    if block.get("is_error") is True and text.startswith(_REFUSED_BY_PERSON):
        return Evidence("deny", "person")
    if block.get("is_error") is True and text.startswith(_REFUSED_BY_NOBODY):
        return Evidence("deny", "rule")
    return Evidence("allow")


def of_hook(attachment: dict[str, Any]) -> tuple[str, Evidence] | None:
    """The call that a `hook_permission_decision` is about, and what it proves; None for any other attachment."""
    call, decision = attachment.get("toolUseID"), attachment.get("decision")
    if attachment.get("hookEvent") != "PermissionRequest" or not isinstance(call, str):
        return None
    if decision not in ("allow", "deny"):
        return None
    return call, Evidence("allow" if decision == "allow" else "deny", "hook")


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str))
