"""What the streams of a conversation have said so far, so that their records can be compared."""

from msgspec import Struct, field

from chorus.core.conversation.items import Notice, Order
from chorus.core.conversation.record_digests import Said
from chorus.core.records.place import Place


class Claim(Struct):
    """A row of a record that is no part of the conversation, and what it says under which ids."""

    id: str
    said: Said
    order: Order
    place: Place
    source: str
    type: str
    kind: str
    is_internal: bool
    time: str | None
    text: str | None
    against: str
    tells: bool
    """Whether it is a line of the talk itself, which standard output and a session's file both hold."""

    @property
    def stream(self) -> str:
        return self.place.stream.partition("#")[0]

    def notice(self) -> Notice:
        """The row, as it is now."""
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


class Comparison(Struct):
    """What streams have said so far."""

    said: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Key → the stream of best standing that says it, and the digest of what it says."""
    messages: dict[str, tuple[str, bool]] = field(default_factory=dict)
    """API message → the stream of best standing that holds it, and whether it is the main thread's."""
    blocks: dict[str, dict[int, None]] = field(default_factory=dict)
    """API message → digests of its blocks."""
    claims: dict[str, Claim] = field(default_factory=dict)
    waiting: dict[str, list[str]] = field(default_factory=dict)
    """Key, or message → claims about it."""
    agreed: dict[str, int] = field(default_factory=dict)
    """Foreign stream → how many of its records the others hold as well."""
    is_overtaken: bool = False
