"""Rewinds: a person went back to an earlier line and sent nothing since, so the thread ends there.

The client records it (`last-prompt` with `explicit`). It is shown as one more continuation of the message to which it
leads, so that it is a branch like any other. When the conversation continues, it is removed, and the next message is
the branch.
"""

from chorus.core.conversation.fold_context import FILE, FoldContext
from chorus.core.conversation.items import Author, Block, Message, Remove
from chorus.core.conversation.state import Rewind
from chorus.core.records.model import blocks

WORDS = blocks.Block(type="text", text="Went back to here; nothing was said since.")
_TIP = "tip"


def reached(context: FoldContext, message: str) -> None:
    """Registers a line of a message of the main thread: the conversation continues there."""
    if context.authority != FILE:
        return
    context.keep_latest(_TIP, message)
    known = context.state.rewind
    if known is not None and known.item.order < context.order:
        _withdraw(context, known)
        context.state.rewind = None


def went_back(context: FoldContext, leaf: str | None, anchor: str | None) -> None:
    """Registers that a person went back to the line `leaf`. Its children continue `anchor`, if that is known."""
    state = context.state
    known, tip = state.rewind, state.registers.get(_TIP)
    if context.authority != FILE or (known is not None and known.item.order >= context.order):
        return
    if tip is not None and tip.at > context.order:
        return
    if known is not None:
        _withdraw(context, known)
    # The row that marks the branch comes before it, and after the notice of the line itself.
    item = Message(id=f"rewind:{context.id}", order=context.part(2), role="user", author=Author.SYNTHETIC)
    state.rewind = Rewind(item, leaf, context.place)
    if anchor is not None:
        set_anchor(context, leaf, anchor)


def set_anchor(context: FoldContext, leaf: str | None, anchor: str) -> None:
    """Shows the rewind to the line `leaf`, after the message that its children continue became known."""
    known = context.state.rewind
    if known is None or known.leaf != leaf or known.item.parent is not None:
        return
    tip = context.state.registers.get(_TIP)
    if tip is not None and tip.value != anchor:
        # A rewind to the last message abandons nothing.
        known.item.parent = anchor
        context.put(known.item)
        context.changes.append(
            Block(id=f"{known.item.id}:0", order=known.item.order, of=known.item.id, block=WORDS, place=known.place)
        )


def _withdraw(context: FoldContext, known: Rewind) -> None:
    if known.item.parent is not None:
        context.changes += [Remove(f"{known.item.id}:0"), Remove(known.item.id)]
