"""Changes of a list of texts (rules, budgets) that approvers sign. Pure.

Every change is signed over its content and the line before it, so that no entry can be moved, repeated or inserted.
"""

from typing import ClassVar, Literal, TypeVar

from msgspec import Struct

from chorus.steer.approvals.signing import canonical, verify
from chorus.steer.approvals.trust import Approvers, Listed


class TextChange(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """An entry of the file. Each list has a subclass with its own kind and actions."""

    kind: ClassVar[str]
    """What the texts are. It is signed too, so that no signature counts for another list."""
    action: Literal["add", "set", "remove"]
    id: str
    at: str
    text: str = ""
    """The text, in its one written form; empty if it is removed."""
    by: str
    """The approver who signed."""
    signature: str = ""


TextChangeT = TypeVar("TextChangeT", bound=TextChange)


def text_entry_bytes(change: TextChange, prev: str) -> bytes:
    """Returns the bytes to sign for a change; `prev` is the digest of the line before."""
    return canonical(
        {
            "action": change.action,
            "at": change.at,
            "by": change.by,
            "id": change.id,
            "kind": change.kind,
            "prev": prev,
            "text": change.text,
            "v": 1,
        }
    )


def signature_objection(listed: Listed[TextChangeT], approvers: Approvers) -> str | None:
    """Returns why nobody who was ever an approver signed an entry at its place; None if somebody did."""
    change = listed.change
    signer = approvers.ever.get(change.by)
    if signer is None:
        return "no approver signed it"
    if not listed.follows:
        return "it does not follow the line before it"
    try:
        data = text_entry_bytes(change, listed.prev)
    except UnicodeEncodeError:
        return "it holds half a character"
    return None if verify(signer.key, data, change.signature) else "its signature does not hold"
