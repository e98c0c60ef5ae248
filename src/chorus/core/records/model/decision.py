"""What became of a permission request: Chorus' own word, kept in a stream of its own beside the conversation.

No client writes such a record, and no reader of a client's files makes one: a line that merely looks like it stays
what it is, a record of an unknown type.
"""

from chorus.core.records.model.base import Envelope


class Decision(Envelope, tag="decision"):
    request: str
    """The id of the request in the ledger."""
    state: str
    """`approved`, `denied`, `answered` (elsewhere), `expired`, `withdrawn` or `invalid`."""
    tool: str
    title: str = ""
    """What was asked for, in a line that is harmless as it is."""
    toolUseId: str | None = None
    approver: str | None = None
    """The name of who signed it."""
    surface: str | None = None
    message: str = ""
    effect: str | None = None
    """`sent` where it is not known whether the client acted on it; else `took_effect`, or nothing in older lines."""
    note: str | None = None
    """Why it ended without an answer, or how it was answered elsewhere."""
    isChanged: bool = False
    """Whether another input ran than the one that was asked for."""
    instead: str = ""
    """What that was, in a line that is harmless as it is; of a long one the beginning."""
    accepted: tuple[str, ...] = ()
    """The changes of the client's rules that were taken along, in words."""
    latencyMs: int | None = None
