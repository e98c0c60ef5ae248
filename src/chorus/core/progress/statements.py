"""The statements about progress in one thread: the last texts of the model, and the last outputs of its programs.

Texts are read only when somebody asks for the progress. Most of them are never read, because their turn is over or
newer ones replaced them. Only the last ones are kept, by their order keys, so that the result does not depend on the
order in which streams are read.
"""

import msgspec
from msgspec import Raw, Struct, field

from chorus.core.conversation.items import Block, Order, ToolResult
from chorus.core.progress.counts import Count
from chorus.core.progress.mentions import agents_mentioned
from chorus.core.progress.outputs import ends_of, read_output
from chorus.core.progress.prose import read_prose
from chorus.core.records.model.base import is_present
from chorus.core.records.place import Place

MAX_KEPT = 16
_PROSE_CHARS = 6_000
_DECODE_ERRORS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class _Part(Struct):
    text: str | None = None


_content = msgspec.json.Decoder(str | list[_Part])


class Statement(Struct):
    """A text that may state progress."""

    order: Order
    place: Place
    of: str
    """The message or call that it belongs to."""
    text: str | None
    """None after it was read."""
    is_live: bool = False
    """Whether the program was still running when it was recorded."""
    count: Count | None = None
    mention: str | None = None
    """What the text says about sub-agents at work."""


class Statements(Struct):
    """The last texts and outputs of one thread, by the ids of their items."""

    prose: dict[str, Statement] = field(default_factory=dict)
    outputs: dict[str, Statement] = field(default_factory=dict)

    def add_prose(self, block: Block) -> None:
        text = (block.block.text or "")[-_PROSE_CHARS:]
        _keep(self.prose, block.id, Statement(block.order, block.place, block.of, text))

    def add_result(self, result: ToolResult, *, is_live: bool) -> None:
        text = ends_of(_text(result.content))
        _keep(self.outputs, result.id, Statement(result.order, result.place, result.tool_use_id, text, is_live))

    def add_output(self, item_id: str, order: Order, place: Place, call: str, text: str) -> None:
        """Adds what a running program printed so far."""
        _keep(self.outputs, item_id, Statement(order, place, call, text, is_live=True))

    def remove(self, item_id: str) -> None:
        self.prose.pop(item_id, None)
        self.outputs.pop(item_id, None)

    def read_prose(self, item_id: str) -> Statement:
        """Returns a text of the model, after reading it."""
        known = self.prose[item_id]
        if known.text is not None:
            known.count, known.mention, known.text = read_prose(known.text), agents_mentioned(known.text), None
        return known

    def read_output(self, item_id: str) -> Statement:
        """Returns an output, after reading it."""
        known = self.outputs[item_id]
        if known.text is not None:
            known.count, known.text = read_output(known.text), None
        return known

    def read_all(self) -> None:
        """Reads every text, so that none has to be stored."""
        for item_id in self.prose:
            self.read_prose(item_id)
        for item_id in self.outputs:
            self.read_output(item_id)


def _keep(table: dict[str, Statement], item_id: str, statement: Statement) -> None:
    """Adds a statement, and forgets the first one in the order if there are too many."""
    table[item_id] = statement
    if len(table) > MAX_KEPT:
        del table[min(table, key=lambda each: (table[each].order, each))]


def _text(content: Raw) -> str:
    if not is_present(content):
        return ""
    try:
        found = _content.decode(content)
    except _DECODE_ERRORS:
        return ""
    return found if isinstance(found, str) else "\n".join(part.text for part in found if part.text)
