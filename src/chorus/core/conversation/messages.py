"""Messages: merges the lines of a model message, and separates the text of user lines from tool results."""

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
from chorus.core.conversation.agent_ids import precedence
from chorus.core.conversation.fold_context import EMBEDDED, FILE, FoldContext
from chorus.core.conversation.items import MAIN, Author, Block, Message, Order, Remove
from chorus.core.conversation.state import AgentLines, LineState, MessageState
from chorus.core.conversation.usage import SYNTHETIC_MODEL
from chorus.core.records.model import blocks
from chorus.core.records.model.base import ABSENT, is_present
from chorus.core.records.model.turns import Assistant, User


def assistant(context: FoldContext, value: Assistant) -> None:
    """Folds a line of a model message: appends its blocks and merges its facts."""
    context.stream.last_line = context.id
    if context.agent == MAIN:
        context.stream.retried = None
    message = value.message or blocks.Message()
    parts = parts_of(message)
    key = _key(context.agent, message.id) if message.id else context.id
    name = message.id or key
    if context.agent == MAIN:
        status.assistant_spoke(context, value, parts)
    is_shown = (not context.agent or _claim_for_agent(context, parts, key)) and claim(context, len(parts), key)
    api_messages.add_line(context, name, value, message, exclude=key if is_shown else None)
    if not is_shown:
        return
    known = context.state.messages.get(key) or _new_model_message(context, key, message.id)
    _show(known, context.id, (context.authority, context.order, value.uuid))
    if context.agent == MAIN:
        if message.model == SYNTHETIC_MODEL:
            threads.add_other_line(context)
        else:
            threads.add_message_line(context, key)
    for n, block in enumerate(parts):
        block_id = f"{context.id}:{n}"
        context.changes.append(
            Block(id=block_id, order=context.part(n + 1), agent=context.agent, of=key, block=block, place=context.place)
        )
        if block.type == "tool_use":
            calls.started(context, block, block_id, key, n + 1)
    _cover(context, known, len(parts))
    _put(context, known)


def user(context: FoldContext, value: User) -> None:
    """Folds a user line: tool results are added to their calls, and the text becomes a message."""
    context.stream.last_line = context.id
    parts = parts_of(value.message)
    words = [block for block in parts if block.type != "tool_result"]
    text = "\n".join(block.text for block in words if block.text)
    author = authors.author_of(value, text, context.agent)
    order = context.order
    if context.agent == MAIN and words and context.stream.retried is not None:
        # The prompt is echoed when the API begins to answer it. Earlier attempts belong below the prompt.
        order = (*context.stream.retried[:4], -1)
        context.stream.retried = None
    if context.agent == MAIN:
        if len(words) < len(parts):
            status.tool_answered(context)
        if words:
            status.user_spoke(context, author, text)
    if (context.agent and not _claim_for_agent(context, words, context.id)) or not claim(
        context, len(words), context.id
    ):
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
            threads.add_other_line(context)
        return
    if context.agent and value.parentUuid is None and context.authority == FILE:
        agents.was_prompted(context, context.agent, value)
    put_user_message(context, context.id, author, words, order=order)


def words_of(value: User) -> str:
    """Returns the text of a user line, without tool results."""
    content = value.message.content if value.message else None
    if isinstance(content, list):
        return "\n".join(block.text for block in content if block.type != "tool_result" and block.text)
    return content or ""


def parts_of(message: blocks.Message | None) -> list[blocks.Block]:
    """Returns the content of a message as blocks. Plain text becomes one text block."""
    content = message.content if message else None
    return content if isinstance(content, list) else [blocks.Block(type="text", text=content)] if content else []


def structured_of(value: User, parts: list[blocks.Block]) -> Raw:
    """Returns the structured result of a line, or `ABSENT` if the line has several results: its call is unknown."""
    results = (block for block in parts if block.type == "tool_result")
    if next(results, None) is None or next(results, None) is not None:
        return ABSENT
    return value.toolUseResult if is_present(value.toolUseResult) else value.tool_use_result


def shown_blocks(value: Assistant | User) -> list[blocks.Block]:
    """Returns the blocks that a line shows, in order. Tool results of a user line are not among them."""
    parts = parts_of(value.message)
    return parts if isinstance(value, Assistant) else [block for block in parts if block.type != "tool_result"]


def put_user_message(
    context: FoldContext,
    key: str,
    author: Author,
    words: list[blocks.Block],
    *,
    is_queued: bool = False,
    order: Order | None = None,
) -> None:
    """Adds a user message with the blocks `words`. `order` is its order key, if that is not the line's own."""
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
            # These are not answered: messages below them continue the message above.
            threads.add_other_line(context)
        else:
            threads.add_message_line(context, key)
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
    """Returns whether this line must be shown: it is new, or it has more authority than the copy that is shown."""
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


def _claim_for_agent(context: FoldContext, parts: list[blocks.Block], message: str) -> bool:
    """Returns whether a sub-agent's line is shown under this agent id. A line with several agent ids is shown once.

    Copies share the uuid. Clients of 1.0 gave them different uuids, but had only calls on stdout.
    """
    name = next((block.id for block in parts if block.type == "tool_use"), None) or context.value.uuid
    if name is None:
        return True
    weight = 2 * precedence(context.agent) + (context.authority == EMBEDDED)
    known = context.state.agent_lines.get(name)
    if known is not None and known.weight < weight:
        return False
    if known is None or known.weight > weight:
        for other, of in known.messages.items() if known else ():
            _withdraw(context, other, of)
        known = context.state.agent_lines[name] = AgentLines(weight)
    known.messages.setdefault(context.id, message)
    return True


def _withdraw(context: FoldContext, line: str, of: str) -> None:
    """Removes a line of a message: it is shown under a less specific agent id, or its source has less authority."""
    state = context.state
    known = state.lines.pop(line, None)
    if known is None:
        return
    context.changes.extend(Remove(f"{line}:{n}") for n in range(known.blocks))
    message = state.messages.get(of)
    if message is not None:
        _unshow(message, line)
        message.covered -= known.blocks
        _shrink(context, message)


def _shrink(context: FoldContext, message: MessageState) -> None:
    """Updates a message that lost a line: without lines it is removed, else it takes the position of the others."""
    if not message.shown and not message.item.is_partial:
        _remove(context, message)
    elif message.item.role == "assistant":
        _put(context, message)


def _remove(context: FoldContext, message: MessageState) -> None:
    state, item = context.state, message.item
    del state.messages[item.id]
    context.session_changed = True
    context.changes.append(Remove(item.id))
    api_messages.forget(state, item)
    state.session.messages -= item.author is Author.MODEL and not api_messages.is_shown(state, item)


def _key(agent: str, message_id: str) -> str:
    return f"{agent}/{message_id}" if agent else message_id


def _new_model_message(context: FoldContext, key: str, message_id: str | None) -> MessageState:
    item = Message(
        id=key, order=context.order, agent=context.agent, role="assistant", author=Author.MODEL, message_id=message_id
    )
    known = context.state.messages[key] = MessageState(item)
    # A message in the threads of several agents is one message.
    context.state.session.messages += not api_messages.is_shown(context.state, item)
    context.session_changed = True
    api_messages.show(context.state, item)
    return known


def _put(context: FoldContext, known: MessageState) -> None:
    """Adds a model message to the changes. It has the position of its first line in the stream with most authority."""
    if known.shown:
        known.first = known.first or _least(known)
        _, known.item.order, known.item.uuid = known.first
        known.item.is_partial = False
    context.put(known.item)


def _show(known: MessageState, line: str, place: tuple[int, Order, str | None]) -> None:
    """Adds a line to a message. The cost does not depend on the number of lines."""
    _unshow(known, line)
    if not known.shown or (known.first is not None and place < known.first):
        known.first = place
    known.shown[line] = place
    if known.waiting:
        heappush(known.waiting, (place, line))


def _unshow(known: MessageState, line: str) -> None:
    """Removes a line from a message."""
    if (place := known.shown.pop(line, None)) is not None and place == known.first:
        known.first = None
    if not known.shown:
        known.waiting = []


def _least(known: MessageState) -> tuple[int, Order, str | None]:
    """Returns the first of the lines that are shown. The heap is built once, however often the first line goes."""
    if not known.waiting:
        known.waiting = [(place, line) for line, place in known.shown.items()]
        heapify(known.waiting)
    while known.shown.get(known.waiting[0][1]) != known.waiting[0][0]:
        heappop(known.waiting)
    return known.waiting[0][0]


def begin_partial(context: FoldContext, message: blocks.Message) -> MessageState:
    """Returns the message that stream events announce. It is created if no complete line of it was read yet."""
    key = _key(context.agent, message.id or context.id)
    api_messages.add_line(context, message.id or key, Assistant(), message)
    known = context.state.messages.get(key)
    if known is None:
        known = _new_model_message(context, key, message.id)
        known.item.is_partial = True
    context.put(known.item)
    return known


def _cover(context: FoldContext, known: MessageState, count: int) -> None:
    """Removes the partial blocks of stream events, after complete blocks were read."""
    before, known.covered = known.covered, known.covered + count
    # Earlier partial blocks were removed when their complete blocks came.
    for index in range(before, known.covered):
        if index in known.partials:
            del known.partials[index]
            context.changes.append(Remove(f"{known.item.id}~{index}"))
