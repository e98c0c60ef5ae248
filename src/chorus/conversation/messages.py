"""Messages: the lines of one model message merged, user lines told apart from the tool results they carry."""

from chorus.conversation import agents, authors, calls, naming, status, threads, turns
from chorus.conversation.items import MAIN, Author, Block, Message, Remove, Tokens
from chorus.conversation.line import EMBEDDED, FILE, Line
from chorus.conversation.state import Holder, LineState, MessageState, UsageState
from chorus.conversation.usage import SYNTHETIC_MODEL, highest, plus, tokens_of
from chorus.records.model import blocks
from chorus.records.model.base import ABSENT, is_present
from chorus.records.model.turns import Assistant, User


def assistant(line: Line, value: Assistant) -> None:
    """A line of a model message: its blocks are appended, its facts merged."""
    line.stream.last_line = line.id
    message = value.message or blocks.Message()
    content = message.content
    parts = content if isinstance(content, list) else [blocks.Block(type="text", text=content)] if content else []
    key = _key(line.agent, message.id) if message.id else line.id
    shown = claim(line, len(parts), key, message.id)
    known = line.state.messages.get(key)
    if known is None and shown:
        known = _new_model_message(line, key, message.id)
    if known is None or (line.agent and not shown and line.id not in line.state.lines):
        _count(line, message, None)
        return
    _merge(line, known, value, message)
    _count(line, message, key)
    if shown:
        known.lines += 1
        if line.agent == MAIN:
            threads.continues(line, key)
        for n, block in enumerate(parts):
            block_id = f"{line.id}:{n}"
            line.changes.append(
                Block(id=block_id, order=line.part(n + 1), agent=line.agent, of=key, block=block, place=line.place)
            )
            if block.type == "tool_use":
                calls.made(line, block, block_id, key, n + 1)
        _cover(line, known, len(parts))
        if line.agent == MAIN:
            status.assistant_spoke(line, known.item, parts)
    line.put(known.item)


def user(line: Line, value: User) -> None:
    """A user line: tool results go to their calls, the words make a message."""
    line.stream.last_line = line.id
    content = value.message.content if value.message else None
    parts = content if isinstance(content, list) else [blocks.Block(type="text", text=content)] if content else []
    words = [block for block in parts if block.type != "tool_result"]
    if not claim(line, len(words), line.id):
        return
    if len(words) < len(parts):
        structured = value.toolUseResult if is_present(value.toolUseResult) else value.tool_use_result
        alone = len(parts) - len(words) == 1
        for n, block in enumerate(parts):
            if block.type == "tool_result":
                calls.returned(
                    line,
                    block.tool_use_id or line.id,
                    n + 1,
                    content=block.content,
                    structured=structured if alone else ABSENT,
                    is_error=bool(block.is_error),
                )
        if line.agent == MAIN:
            status.tool_answered(line)
    if not words:
        if line.agent == MAIN:
            threads.passes(line)
        return
    text = "\n".join(block.text for block in words if block.text)
    author = authors.author_of(value, text, line.agent)
    if line.agent:
        if value.parentUuid is None and line.authority == FILE:
            agents.was_prompted(line, line.agent, value)
    else:
        status.was_told(line, author, text)
    say(line, line.id, author, words)


def say(line: Line, key: str, author: Author, words: list[blocks.Block], *, is_queued: bool = False) -> None:
    """Put a user message made of `words`."""
    known = line.state.messages.get(key)
    if known is None:
        item = Message(id=key, order=line.order, agent=line.agent, role="user", author=author)
        known = line.state.messages[key] = MessageState(item, line.authority)
    known.lines = 1
    item = known.item
    item.author, item.order = author, line.order
    item.uuid, item.is_queued = line.value.uuid, is_queued
    item.started_at = item.ended_at = line.time
    if line.agent == MAIN:
        threads.continues(line, key)
        if author is Author.HUMAN:
            text = next((block.text for block in words if block.text), None)
            if text:
                naming.first_prompt(line, text)
    line.put(item)
    for n, block in enumerate(words):
        line.changes.append(
            Block(id=f"{line.id}:{n}", order=line.part(n + 1), agent=line.agent, of=key, block=block, place=line.place)
        )


def claim(line: Line, count: int, message: str | None, message_id: str | None = None) -> bool:
    """Whether this line is to be shown: it is new, or weighs more than the copy of it that is shown."""
    uuid = line.value.uuid
    if line.agent and (name := message_id or uuid) and not _hold(line, name, count, message):
        return False
    if not uuid:
        return True
    state = line.state
    known = state.lines.get(line.id)
    if known is None:
        state.lines[line.id] = LineState(line.authority, line.order, count, line.time, message)
        return True
    if (known.authority, known.order) <= (line.authority, line.order):
        return False
    for n in range(count, known.blocks):
        line.changes.append(Remove(f"{line.id}:{n}"))
    if known.message is None:
        line.changes.append(Remove("note:" + line.id))
    elif owner := state.messages.get(known.message):
        owner.lines -= 1
        owner.covered -= known.blocks
        if message != known.message and owner.lines <= 0:
            _remove(line, owner)
    known.authority, known.order, known.blocks = line.authority, line.order, count
    known.time, known.message = line.time, message
    if line.id in state.followers:
        turns.follow(line, line.id)
    return True


def _hold(line: Line, name: str, count: int, message: str | None) -> bool:
    """A sub-agent's message that streams give to several agent ids is shown once: below the id that says most."""
    weight = 2 * agents.precedence(line.agent) + (line.authority == EMBEDDED)
    holders = line.state.holders.setdefault(name, [])
    if any(holder.weight < weight for holder in holders):
        return False
    for holder in [holder for holder in holders if holder.weight > weight]:
        holders.remove(holder)
        _withdraw(line, holder)
    mine = next((holder for holder in holders if holder.agent == line.agent), None)
    if mine is None:
        mine = Holder(line.agent, weight, message)
        holders.append(mine)
    if line.id not in mine.lines:
        mine.lines[line.id] = count
    return True


def _withdraw(line: Line, holder: Holder) -> None:
    """Take back what is shown below a less certain agent id, or from a lesser source."""
    state = line.state
    for line_id, count in holder.lines.items():
        state.lines.pop(line_id, None)
        line.changes.extend(Remove(f"{line_id}:{n}") for n in range(count))
    if message := state.messages.get(holder.message or ""):
        _remove(line, message)


def _remove(line: Line, message: MessageState) -> None:
    state, item = line.state, message.item
    del state.messages[item.id]
    state.session.messages -= item.author is Author.MODEL
    line.touched = True
    line.changes.append(Remove(item.id))
    usage = state.usage.get(item.message_id or "")
    if usage and item.id in usage.messages:
        usage.messages.remove(item.id)


def _key(agent: str, message_id: str) -> str:
    return f"{agent}/{message_id}" if agent else message_id


def _new_model_message(line: Line, key: str, message_id: str | None) -> MessageState:
    item = Message(
        id=key, order=line.order, agent=line.agent, role="assistant", author=Author.MODEL, message_id=message_id
    )
    known = line.state.messages[key] = MessageState(item, line.authority)
    line.state.session.messages += 1
    line.touched = True
    return known


def begin_partial(line: Line, message: blocks.Message) -> MessageState:
    """The message that stream events announce; made if no full line of it was read yet."""
    key = _key(line.agent, message.id or line.id)
    known = line.state.messages.get(key)
    if known is None:
        known = _new_model_message(line, key, message.id)
        known.item.is_partial = True
    _count(line, message, key)
    if known.item.is_partial:
        known.item.model = known.item.model or message.model
        known.item.started_at = known.item.started_at or line.time
    line.put(known.item)
    return known


def _merge(line: Line, known: MessageState, value: Assistant, message: blocks.Message) -> None:
    """Facts that any line of the message may bring."""
    item = known.item
    if line.authority < known.authority or item.is_partial:
        # The first line of the stream that counts decides where the message stands.
        known.authority, item.order, item.uuid = line.authority, line.order, value.uuid
        item.is_partial = False
    elif line.authority == known.authority and line.order < item.order:
        item.order, item.uuid = line.order, value.uuid
    item.uuid = item.uuid or value.uuid
    if line.time:
        if item.started_at is None or line.time < item.started_at:
            item.started_at = line.time
        if item.ended_at is None or line.time > item.ended_at:
            item.ended_at = line.time
    model = message.model or value.model
    item.model = item.model or model
    if message.stop_reason and (known.stop_at is None or line.order >= known.stop_at):
        known.stop_at, item.stop_reason = line.order, message.stop_reason
    item.request_id = value.requestId or value.request_id or item.request_id
    if value.costUSD is not None:
        item.cost_usd = value.costUSD
    if value.durationMs is not None:
        item.duration_ms = value.durationMs
    if value.error or value.isApiErrorMessage or value.is_api_error_message:
        item.error = value.error or item.error or "api error"
    if item.model and item.model != SYNTHETIC_MODEL and item.model not in line.state.models:
        naming.saw_model(line, item.model)


def _count(line: Line, message: blocks.Message, key: str | None) -> None:
    """Tokens, once per message id over all agents and streams."""
    usage = message.usage
    name = message.id or key
    if usage is None or name is None or message.model == SYNTHETIC_MODEL:
        return
    state = line.state
    session = state.session
    known = state.usage.get(name)
    if known is None:
        known = state.usage[name] = UsageState(Tokens(), [])
        session.has_message_usage = True
        line.touched = True
    tokens = highest(known.tokens, tokens_of(usage))
    if tokens is not known.tokens:
        session.tokens = plus(session.tokens, tokens, known.tokens)
        line.touched = True
        known.tokens = tokens
        for other in known.messages:
            if other != key and (shown := state.messages.get(other)):
                shown.item.tokens = tokens
                line.put(shown.item)
    mine = state.messages.get(key or "")
    if mine is not None:
        if mine.item.tokens is None and mine.item.id not in known.messages:
            known.messages.append(mine.item.id)
        mine.item.tokens = tokens
        mine.item.service_tier = usage.service_tier or mine.item.service_tier


def _cover(line: Line, known: MessageState, count: int) -> None:
    """Full blocks have come: the stream events that announced them are no longer shown."""
    known.covered += count
    for index in [index for index in known.partials if index < known.covered]:
        known.partials.discard(index)
        line.changes.append(Remove(f"{known.item.id}~{index}"))
