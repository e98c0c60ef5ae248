"""A person went back to an earlier line and has said nothing since: the thread ends there, and what followed is left.

The client notes it (`last-prompt` with `explicit`). It is shown as one more continuation of the message that it leads
to, so that it is a branch like any other. It goes when the conversation goes on: then the next message is the branch.
"""

from chorus.core.conversation.fold_context import FILE, Line
from chorus.core.conversation.items import Author, Block, Message, Remove
from chorus.core.conversation.state import Rewind
from chorus.core.records.model import blocks

WORDS = blocks.Block(type="text", text="Went back to here; nothing was said since.")
_TIP = "tip"


def reached(line: Line, message: str) -> None:
    """A line of a message of the main thread was read: the conversation goes on there."""
    if line.authority != FILE:
        return
    line.latest(_TIP, message)
    known = line.state.rewind
    if known is not None and known.item.order < line.order:
        _withdraw(line, known)
        line.state.rewind = None


def went_back(line: Line, leaf: str | None, anchor: str | None) -> None:
    """A person went back to the line `leaf`, whose children continue `anchor`, as far as that is known."""
    state = line.state
    known, tip = state.rewind, state.registers.get(_TIP)
    if line.authority != FILE or (known is not None and known.item.order >= line.order):
        return
    if tip is not None and tip.at > line.order:
        return
    if known is not None:
        _withdraw(line, known)
    # Where its branch begins is a row of its own before it, and behind the note that the line itself is.
    item = Message(id=f"rewind:{line.id}", order=line.part(2), role="user", author=Author.SYNTHETIC)
    state.rewind = Rewind(item, leaf, line.place)
    if anchor is not None:
        settled(line, leaf, anchor)


def settled(line: Line, leaf: str | None, anchor: str) -> None:
    """It is known what a line continues: if a person went back to it, that is shown."""
    known = line.state.rewind
    if known is None or known.leaf != leaf or known.item.parent is not None:
        return
    tip = line.state.registers.get(_TIP)
    if tip is not None and tip.value != anchor:
        # Who goes back to the last message leaves nothing.
        known.item.parent = anchor
        line.put(known.item)
        line.changes.append(
            Block(id=f"{known.item.id}:0", order=known.item.order, of=known.item.id, block=WORDS, place=known.place)
        )


def _withdraw(line: Line, known: Rewind) -> None:
    if known.item.parent is not None:
        line.changes += [Remove(f"{known.item.id}:0"), Remove(known.item.id)]
