"""Changes of the lists that approvers sign (rules, budgets), signed with the passphrase of one of them."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from chorus.steer.approvals.signed_text import TextChangeT
    from chorus.steer.approvals.trust import Approvers


def signed_with_passphrase(
    kind: "type[TextChangeT]",
    approvers: "Approvers",
    what: str,
    *,
    action: Literal["add", "set", "remove"],
    name: str,
    text: str,
) -> "Callable[[str], TextChangeT]":
    """Returns a function that makes the change for a place in the file: it gets the digest of the line before.

    The function asks for the passphrase; `what` says why, such as "Removing a rule". `name` is the id of the entry.
    """
    from msgspec import structs

    from chorus.cli import passphrases
    from chorus.core.records.times import wire_time
    from chorus.steer.approvals.signed_text import text_entry_bytes

    def make(head: str) -> "TextChangeT":
        approver, signer = passphrases.unlocked(approvers, what)
        change = kind(action=action, id=name, at=wire_time(datetime.now(UTC)), text=text, by=approver.id)
        return structs.replace(change, signature=signer.sign(text_entry_bytes(change, head)))

    return make
