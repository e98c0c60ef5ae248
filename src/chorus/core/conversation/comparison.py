"""What was read from the streams of a conversation, so that their records can be compared."""

from msgspec import Struct, field

from chorus.core.conversation.items import Notice, Order
from chorus.core.conversation.record_digests import RecordDigests
from chorus.core.records.place import Place


class Claim(Struct):
    """The row of a record that is not part of the conversation, with the digests of the record."""

    id: str
    digests: RecordDigests
    order: Order
    place: Place
    source: str
    type: str
    kind: str
    is_internal: bool
    time: str | None
    text: str | None
    against: str
    is_dialogue: bool
    """Whether standard output and the session file both contain lines of this kind."""

    @property
    def stream(self) -> str:
        return self.place.stream.partition("#")[0]

    def notice(self) -> Notice:
        """Returns the row in its current form."""
        return Notice(
            id=self.id,
            order=self.order,
            place=self.place,
            type=self.type,
            kind=self.kind,
            is_internal=self.is_internal,
            time=self.time,
            text=self.text,
            source=self.source,
            against=self.against,
        )


class ContentDigests(Struct):
    """The content of the streams so far, as digests."""

    digests: dict[str, tuple[str, int, str]] = field(default_factory=dict)
    """Key → the stream with most authority that has it, the digest of its content, its thread."""
    messages: dict[str, tuple[str, str]] = field(default_factory=dict)
    """API message → the stream with most authority that has it, and its thread."""
    blocks: dict[str, dict[int, None]] = field(default_factory=dict)
    """API message → digests of its blocks."""
    claims: dict[str, Claim] = field(default_factory=dict)
    waiting: dict[str, list[str]] = field(default_factory=dict)
    """Key or message → ids of claims about it."""
    agreed: dict[str, int] = field(default_factory=dict)
    """Foreign stream → number of its records that other streams contain as well."""
    needs_refold: bool = False
