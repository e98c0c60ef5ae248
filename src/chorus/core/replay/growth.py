"""How the text of messages grew while it was streamed, where partial messages were recorded."""

from msgspec import Struct, field

from chorus.core.conversation.items import Append, Block, Change

MAX_STEPS = 200
"""A block with more steps keeps every second one."""
_SHOWN = ("text", "thinking")


class Growth(Struct, kw_only=True):
    """The text of one block over time."""

    item: str
    """The id of the message."""
    block: int
    """The number of the block in the message."""
    number: int
    """The number of the moment at which it began."""
    moment: str
    """The id of the record with which it began."""
    at_ms: list[int] = field(default_factory=list)
    chars: list[int] = field(default_factory=list)
    """How many UTF-16 units of the text there were at each time."""


class Growths:
    """Collects the growth of blocks from the changes of a fold."""

    def __init__(self) -> None:
        self.all: list[Growth] = []
        self._open: dict[str, Growth] = {}

    def take(self, number: int, moment: str, at_ms: int, changes: list[Change]) -> None:
        """Takes the changes of a record, which came at this moment."""
        for change in changes:
            match change:
                case Block() if change.is_partial and change.block.type in _SHOWN:
                    index = change.id.rpartition("~")[2]
                    if change.id not in self._open and index.isdecimal():
                        growth = Growth(item=change.of, block=int(index), number=number, moment=moment)
                        self._open[change.id] = growth
                        self.all.append(growth)
                        self._add(growth, at_ms, change.block.text or change.block.thinking or "")
                case Append():
                    if (known := self._open.get(change.id)) is not None:
                        self._add(known, at_ms, change.text)
                case _:
                    pass

    @staticmethod
    def _add(growth: Growth, at_ms: int, text: str) -> None:
        chars = (growth.chars[-1] if growth.chars else 0) + len(text.encode("utf-16-le", "surrogatepass")) // 2
        if growth.at_ms and growth.at_ms[-1] == at_ms:
            growth.chars[-1] = chars
            return
        growth.at_ms.append(at_ms)
        growth.chars.append(chars)
        if len(growth.at_ms) > MAX_STEPS:
            # The last step stays, because it has the whole text.
            growth.at_ms[:-1] = growth.at_ms[:-1:2]
            growth.chars[:-1] = growth.chars[:-1:2]
