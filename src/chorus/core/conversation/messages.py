"""Messages: the lines of one model message merged, user lines told apart from the tool results they carry."""

from heapq import heapify, heappop, heappush

from msgspec import Raw

from chorus.core.conversation import (
    agents,
    api_messages,
    authors,
    call_permissions,
    calls,
    naming,
    status,
    threads,
    turns,
)
from chorus.core.conversation.fold_context import EMBEDDED, FILE, FoldContext
from chorus.core.conversation.items import MAIN, Author, Block, Message, Order, Remove
from chorus.core.conversation.state import Holder, LineState, MessageState
from chorus.core.conversation.usage import SYNTHETIC_MODEL
from chorus.core.records.model import blocks
from chorus.core.records.model.base import ABSENT, is_present
from chorus.core.records.model.turns import Assistant, User


def assistant(context: FoldContext, value: Assistant) -> None:
    """A line of a model message: its blocks are appended, its facts merged."""
    context.stream.last_line = context.id
    if context.agent == MAIN:
        context.stream.retried = None
    message = value.message or blocks.Message()
    parts = parts_of(message)
    key = _key(context.agent, message.id) if message.id else context.id
    name = message.id or key
    if context.agent == MAIN:
        status.assistant_spoke(context, value, parts)
    is_shown = (not context.agent or _hold(context, parts, key)) and claim(context, len(parts), key)
    api_messages.learn(context, name, value, message, but=key if is_shown else None)
    if not is_shown:
        return
    known = context.state.messages.get(key) or _new_model_message(context, key, message.id)
    _show(known, context.id, (context.authority, context.order, value.uuid))
    if context.agent == MAIN:
        if message.model == SYNTHETIC_MODEL:
            threads.passes(context)
        else:
            threads.continues(context, key)
    for n, block in enumerate(parts):
        block_id = f"{context.id}:{n}"
        context.changes.append(
            Block(id=block_id, order=context.part(n + 1), agent=context.agent, of=key, block=block, place=context.place)
        )
        if block.type == "tool_use":
            calls.made(context, block, block_id, key, n + 1)
    _cover(context, known, len(parts))
    _put(context, known)


def user(context: FoldContext, value: User) -> None:
    """A user line: tool results go to their calls, the words make a message."""
    context.stream.last_line = context.id
    parts = parts_of(value.message)
    words = [block for block in parts if block.type != "tool_result"]
    text = "\n".join(block.text for block in words if block.text)
    author = authors.author_of(value, text, context.agent)
    order = context.order
    if context.agent == MAIN and words and context.stream.retried is not None:
        # The prompt is echoed when the API has begun to answer it: what was tried before that belongs below it.
        order = (*context.stream.retried[:4], -1)
        context.stream.retried = None
    if context.agent == MAIN:
        if len(words) < len(parts):
            status.tool_answered(context)
        if words:
            status.was_told(context, author, text)
    if (context.agent and not _hold(context, words, context.id)) or not claim(context, len(words), context.id):
        return
    if len(words) < len(parts):
        structured = structured_of(value, parts)
        is_alone = len(words) + 1 == len(parts)
        for n, block in enumerate(parts):
            if block.type == "tool_result":
                calls.returned(
                    context,
                    block.tool_use_id or context.id,
                    n + 1,
                    content=block.content,
                    structured=structured,
                    is_error=bool(block.is_error),
                    verdict=call_permissions.verdict_of(value, block, is_alone=is_alone),
                )
    if not words:
        if context.agent == MAIN:
            threads.passes(context)
        return
    if context.agent and value.parentUuid is None and context.authority == FILE:
        agents.was_prompted(context, context.agent, value)
    say(context, context.id, author, words, order=order)


def words_of(value: User) -> str:
    """The text of a user line, without the results it carries."""
    content = value.message.content if value.message else None
    if isinstance(content, list):
        return "\n".join(block.text for block in content if block.type != "tool_result" and block.text)
    return content or ""


def parts_of(message: blocks.Message | None) -> list[blocks.Block]:
    """The content of a message as blocks; text alone is a block, too."""
    content = message.content if message else None
    return content if isinstance(content, list) else [blocks.Block(type="text", text=content)] if content else []


def structured_of(value: User, parts: list[blocks.Block]) -> Raw:
    """What a tool gave back beside its words: of a line with several results nobody knows which one it belongs to."""
    results = (block for block in parts if block.type == "tool_result")
    if next(results, None) is None or next(results, None) is not None:
        return ABSENT
    return value.toolUseResult if is_present(value.toolUseResult) else value.tool_use_result


def shown_blocks(value: Assistant | User) -> list[blocks.Block]:
    """The blocks that a line shows, in their order: of a user's line, results of tools are not among them."""
    parts = parts_of(value.message)
    return parts if isinstance(value, Assistant) else [block for block in parts if block.type != "tool_result"]


def say(
    context: FoldContext,
    key: str,
    author: Author,
    words: list[blocks.Block],
    *,
    is_queued: bool = False,
    order: Order | None = None,
) -> None:
    """Put a user message made of `words`. `order` is its place among the rows, where that is not the line's own."""
    order = order or context.order
    known = context.state.messages.get(key)
    if known is None:
        item = Message(id=key, order=order, agent=context.agent, role="user", author=author)
        known = context.state.messages[key] = MessageState(item)
    known.first = (context.authority, context.order, context.value.uuid)
    known.shown = {context.id: known.first}
    item = known.item
    item.author, item.order = author, order
    item.uuid, item.is_queued = context.value.uuid, is_queued
    item.started_at = item.ended_at = context.time
    if context.agent == MAIN:
        if author in (Author.COMMAND, Author.SYNTHETIC):
            # Nobody answers these: what hangs below them continues the message above.
            threads.passes(context)
        else:
            threads.continues(context, key)
        if author is Author.HUMAN:
            text = next((block.text for block in words if block.text), None)
            if text:
                naming.first_prompt(context, text)
    context.put(item)
    for n, block in enumerate(words):
        context.changes.append(
            Block(
                id=f"{context.id}:{n}",
                order=(*order[:4], order[4] + n + 1),
                agent=context.agent,
                of=key,
                block=block,
                place=context.place,
            )
        )


def claim(context: FoldContext, count: int, message: str | None) -> bool:
    """Whether this line is to be shown: it is new, or weighs more than the copy of it that is shown."""
    if not context.value.uuid:
        return True
    state = context.state
    known = state.lines.get(context.id)
    if known is None:
        state.lines[context.id] = LineState(context.authority, context.order, count, context.time, message)
        return True
    if known.authority != EMBEDDED:
        context.overlaps(known.order[2])
    if (known.authority, known.order) <= (context.authority, context.order):
        return False
    for n in range(count, known.blocks):
        context.changes.append(Remove(f"{context.id}:{n}"))
    if known.message is None:
        context.changes.append(Remove("note:" + context.id))
    elif owner := state.messages.get(known.message):
        _unshow(owner, context.id)
        owner.covered -= known.blocks
        if message != known.message:
            _shrink(context, owner)
    known.authority, known.order, known.blocks = context.authority, context.order, count
    known.time, known.message = context.time, message
    if context.id in state.followers:
        turns.follow(context, context.id)
    return True


def _hold(context: FoldContext, parts: list[blocks.Block], message: str) -> bool:
    """Whether a sub-agent's line is shown here: what streams give to several agent ids is shown below one of them.

    Copies share the uuid; clients of 1.0 gave them different ones, but only calls were on their stdout.
    """
    name = next((block.id for block in parts if block.type == "tool_use"), None) or context.value.uuid
    if name is None:
        return True
    weight = 2 * agents.precedence(context.agent) + (context.authority == EMBEDDED)
    holders = context.state.holders.setdefault(name, [])
    if any(holder.weight < weight for holder in holders):
        return False
    for holder in [holder for holder in holders if holder.weight > weight]:
        holders.remove(holder)
        _withdraw(context, holder)
    if not any(holder.line == context.id for holder in holders):
        holders.append(Holder(weight, context.id, message))
    return True


def _withdraw(context: FoldContext, holder: Holder) -> None:
    """Take back what is shown below a less certain agent id, or from a lesser source."""
    state = context.state
    known = state.lines.pop(holder.line, None)
    if known is None:
        return
    context.changes.extend(Remove(f"{holder.line}:{n}") for n in range(known.blocks))
    message = state.messages.get(holder.message)
    if message is not None:
        _unshow(message, holder.line)
        message.covered -= known.blocks
        _shrink(context, message)


def _shrink(context: FoldContext, message: MessageState) -> None:
    """A line of the message is shown elsewhere now: with none left it is gone, else it stands where the others do."""
    if not message.shown and not message.item.is_partial:
        _remove(context, message)
    elif message.item.role == "assistant":
        _put(context, message)


def _remove(context: FoldContext, message: MessageState) -> None:
    state, item = context.state, message.item
    del state.messages[item.id]
    state.session.messages -= item.author is Author.MODEL
    context.touched = True
    context.changes.append(Remove(item.id))
    api_messages.forget(state, item)


def _key(agent: str, message_id: str) -> str:
    return f"{agent}/{message_id}" if agent else message_id


def _new_model_message(context: FoldContext, key: str, message_id: str | None) -> MessageState:
    item = Message(
        id=key, order=context.order, agent=context.agent, role="assistant", author=Author.MODEL, message_id=message_id
    )
    known = context.state.messages[key] = MessageState(item)
    context.state.session.messages += 1
    context.touched = True
    api_messages.show(context.state, item)
    return known


def _put(context: FoldContext, known: MessageState) -> None:
    """Put a model message: it stands where the first of its lines stands, in the stream that counts."""
    if known.shown:
        known.first = known.first or _least(known)
        _, known.item.order, known.item.uuid = known.first
        known.item.is_partial = False
    context.put(known.item)


def _show(known: MessageState, line: str, place: tuple[int, Order, str | None]) -> None:
    """Show a line as part of a message. What this costs does not depend on how many lines the message has."""
    _unshow(known, line)
    if not known.shown or (known.first is not None and place < known.first):
        known.first = place
    known.shown[line] = place
    if known.waiting:
        heappush(known.waiting, (place, line))


def _unshow(known: MessageState, line: str) -> None:
    if (place := known.shown.pop(line, None)) is not None and place == known.first:
        known.first = None
    if not known.shown:
        known.waiting = []


def _least(known: MessageState) -> tuple[int, Order, str | None]:
    """The first of the lines that are shown. All of them are looked at once, however often the first one goes."""
    if not known.waiting:
        known.waiting = [(place, line) for line, place in known.shown.items()]
        heapify(known.waiting)
    while known.shown.get(known.waiting[0][1]) != known.waiting[0][0]:
        heappop(known.waiting)
    return known.waiting[0][0]


def begin_partial(context: FoldContext, message: blocks.Message) -> MessageState:
    """The message that stream events announce; made if no full line of it was read yet."""
    key = _key(context.agent, message.id or context.id)
    api_messages.learn(context, message.id or key, Assistant(), message)
    known = context.state.messages.get(key)
    if known is None:
        known = _new_model_message(context, key, message.id)
        known.item.is_partial = True
    context.put(known.item)
    return known


def _cover(context: FoldContext, known: MessageState, count: int) -> None:
    """Full blocks have come: the stream events that announced them are no longer shown."""
    before, known.covered = known.covered, known.covered + count
    # Those before were taken back when they were covered.
    for index in range(before, known.covered):
        if index in known.partials:
            del known.partials[index]
            context.changes.append(Remove(f"{known.item.id}~{index}"))
