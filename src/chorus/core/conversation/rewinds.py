"""A person went back to an earlier line and has said nothing since: the thread ends there, and what followed is left.

The client notes it (`last-prompt` with `explicit`). It is shown as one more continuation of the message that it leads
to, so that it is a branch like any other. It goes when the conversation goes on: then the next message is the branch.
"""

from chorus.core.conversation.fold_context import FILE, FoldContext
from chorus.core.conversation.items import Author, Block, Message, Remove
from chorus.core.conversation.state import Rewind
from chorus.core.records.model import blocks

WORDS = blocks.Block(type="text", text="Went back to here; nothing was said since.")
_TIP = "tip"


def reached(context: FoldContext, message: str) -> None:
    """A line of a message of the main thread was read: the conversation goes on there."""
    if context.authority != FILE:
        return
    context.latest(_TIP, message)
    known = context.state.rewind
    if known is not None and known.item.order < context.order:
        _withdraw(context, known)
        context.state.rewind = None


def went_back(context: FoldContext, leaf: str | None, anchor: str | None) -> None:
    """A person went back to the line `leaf`, whose children continue `anchor`, as far as that is known."""
    state = context.state
    known, tip = state.rewind, state.registers.get(_TIP)
    if context.authority != FILE or (known is not None and known.item.order >= context.order):
        return
    if tip is not None and tip.at > context.order:
        return
    if known is not None:
        _withdraw(context, known)
    # Where its branch begins is a row of its own before it, and behind the note that the line itself is.
    item = Message(id=f"rewind:{context.id}", order=context.part(2), role="user", author=Author.SYNTHETIC)
    state.rewind = Rewind(item, leaf, context.place)
    if anchor is not None:
        settled(context, leaf, anchor)


def settled(context: FoldContext, leaf: str | None, anchor: str) -> None:
    """It is known what a line continues: if a person went back to it, that is shown."""
    known = context.state.rewind
    if known is None or known.leaf != leaf or known.item.parent is not None:
        return
    tip = context.state.registers.get(_TIP)
    if tip is not None and tip.value != anchor:
        # Who goes back to the last message leaves nothing.
        known.item.parent = anchor
        context.put(known.item)
        context.changes.append(
            Block(id=f"{known.item.id}:0", order=known.item.order, of=known.item.id, block=WORDS, place=known.place)
        )


def _withdraw(context: FoldContext, known: Rewind) -> None:
    if known.item.parent is not None:
        context.changes += [Remove(f"{known.item.id}:0"), Remove(known.item.id)]
