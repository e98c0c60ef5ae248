"""The outcome of a permission request. Chorus writes it, in a separate stream next to the conversation.

No client writes such a record, and no reader of a client's files creates one: a line that only looks like it stays a
record of an unknown type.
"""

from chorus.core.records.model.base import Envelope


class Decision(Envelope, tag="decision"):
    request: str
    """The id of the request in the permission ledger."""
    state: str
    """`approved`, `denied`, `answered` (elsewhere), `expired`, `withdrawn` or `invalid`."""
    tool: str
    title: str = ""
    """A one-line summary of the request, without active or hidden characters."""
    toolUseId: str | None = None
    approver: str | None = None
    """The name of the approver who signed it, or `rule` and the ids of the rules that decided."""
    surface: str | None = None
    message: str = ""
    effect: str | None = None
    """`sent` if it is not known whether the client acted on it; otherwise `took_effect`, or None in older lines."""
    note: str | None = None
    """Why the request ended without a decision, or how it was answered elsewhere."""
    isChanged: bool = False
    """Whether the call ran with another input than the requested one."""
    instead: str = ""
    """A one-line summary of that input, without active or hidden characters; a long one is truncated."""
    accepted: tuple[str, ...] = ()
    """Descriptions of the accepted changes to the client's permission rules."""
    latencyMs: int | None = None
