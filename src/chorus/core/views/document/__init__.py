"""Converts a conversation to JSON for programs: exact values, one line, a stable schema (see docs/guide/show.md)."""

from collections.abc import Iterable, Iterator

import msgspec
from msgspec import Raw

from chorus.core.conversation import items
from chorus.core.conversation.branches import active_thread, branches
from chorus.core.conversation.conversation import Conversation
from chorus.core.conversation.costs import cost_increments
from chorus.core.conversation.items import SideFile
from chorus.core.conversation.todos import plans, tasks, todos
from chorus.core.records.model import blocks as wire
from chorus.core.records.model.base import is_present
from chorus.core.records.place import Place
from chorus.core.views.document.shape import VERSION, Call, Facts, Message, Result, Where
from chorus.core.views.safe import replace_surrogates, safe_json

_NULL = Raw(b"null")


def document(conversation: Conversation) -> Iterator[str]:
    """Yields the document in pieces of one line. It is safe for a terminal, because unsafe characters are escaped."""
    yield _encoded(_facts(conversation))[:-1]
    for name, listed in _lists(conversation):
        yield f',"{name}":['
        for number, item in enumerate(listed):
            yield ("," if number else "") + _encoded(item)
        yield "]"
    yield "}\n"


def _lists(conversation: Conversation) -> Iterator[tuple[str, Iterable[object]]]:
    yield "messages", _messages(conversation)
    turns = conversation.turns
    costs = cost_increments(turns, conversation.session.versions)
    yield "turns", (_plain(turn, cost_usd=costs.get(turn.id), text=conversation.text(turn)) for turn in turns)
    yield "agents", (_plain(agent) for agent in conversation.agents)
    yield "compactions", (_plain(item) for item in conversation.all(items.Compaction))
    yield "permissions", (_plain(item) for item in conversation.all(items.Permission))
    yield "queued", (_plain(item, text=conversation.text(item)) for item in conversation.all(items.Queued))
    yield "modes", (_plain(item) for item in conversation.all(items.ModeChange))
    yield "orphans", _orphans(conversation)
    yield "notices", (_plain(item) for item in conversation.notices)


def _facts(conversation: Conversation) -> Facts:
    session = conversation.session
    return Facts(
        format="chorus.core.conversation",
        version=VERSION,
        id=session.session_id,
        title=session.title,
        title_source=session.title_source,
        status=session.status.value,
        started_at=session.started_at,
        ended_at=session.ended_at,
        cwd=session.cwd,
        git_branch=session.git_branch,
        slug=session.slug,
        permission_mode=session.permission_mode,
        client_versions=session.versions,
        models=session.models,
        tools=session.tools,
        mcp_servers=session.mcp_servers,
        tokens=conversation.tokens,
        copied_tokens=conversation.own.copied if conversation.own else None,
        tokens_are_per_turn=conversation.is_per_turn,
        tokens_are_lower_bound=conversation.is_lower_bound,
        cost_usd=conversation.reported_cost_usd,
        reported_usd=conversation.reported_cost_usd,
        unread=session.unread,
        files_touched=conversation.files_touched,
        todos=todos(conversation),
        tasks=tasks(conversation),
        plans=plans(conversation),
        branches=branches(conversation),
    )


def _messages(conversation: Conversation) -> Iterator[Message]:
    asked = {item.tool_use_id: item.state for item in conversation.all(items.Permission)}
    calls: dict[str, list[items.Call]] = {}
    for call in conversation.all(items.Call):
        calls.setdefault(call.message or "", []).append(call)
    active = {message.id for message in active_thread(conversation)}
    for item in conversation.all(items.Message):
        yield Message(
            id=item.id,
            agent=item.agent,
            uuid=item.uuid,
            message_id=item.message_id,
            parent=item.parent,
            role=item.role,
            author=item.author.value,
            started_at=item.started_at,
            ended_at=item.ended_at,
            model=item.model,
            stop_reason=item.stop_reason,
            tokens=item.tokens,
            cost_usd=item.cost_usd,
            duration_ms=item.duration_ms,
            error=item.error,
            doubt=item.doubt,
            is_partial=item.is_partial,
            is_unfinished=item.is_unfinished,
            is_queued=item.is_queued,
            is_abandoned=item.agent == items.MAIN and item.id not in active,
            blocks=[_block(part.block) for part in conversation.blocks(item)],
            calls=[_call(conversation, call, asked.get(call.tool_use_id)) for call in calls.get(item.id, ())],
        )


def _orphans(conversation: Conversation) -> Iterator[Call]:
    for call in conversation.all(items.Call):
        if call.state is items.CallState.ORPHAN:
            yield _call(conversation, call, None)


def _call(conversation: Conversation, call: items.Call, permission: str | None) -> Call:
    made = conversation.items.get(call.block or "")
    result = conversation.result(call)
    return Call(
        id=call.tool_use_id,
        name=call.name,
        state=call.state.value,
        input=_raw(made.block.input) if isinstance(made, items.Block) else _NULL,
        started_at=call.started_at,
        ended_at=call.ended_at,
        agent=call.subagent,
        files=call.files,
        permission=permission,
        decision=call.decision,
        decided_by=call.decided_by,
        result=_result(conversation, result) if result else None,
    )


def _result(conversation: Conversation, result: items.ToolResult) -> Result:
    side_file = conversation.side_files.get(result.id)
    if side_file is None and result.side_file:
        side_file = SideFile(result.side_file, "", None)
    return Result(
        content=_raw(result.content),
        structured=_raw(result.structured),
        is_error=result.is_error,
        side_file=side_file,
        uuid=result.uuid,
        place=_where(result.place),
    )


def _where(place: Place) -> Where:
    return Where(stream=place.stream, offset=place.offset, length=place.length)


def _raw(raw: Raw) -> Raw:
    return raw if is_present(raw) else _NULL


def _block(block: wire.Block) -> dict[str, object]:
    """Returns a content block with only the fields that it has."""
    fields: dict[str, object] = {"type": block.type}
    for name in block.__struct_fields__:
        value = getattr(block, name)
        if name in ("type", "input") or value is None or (isinstance(value, Raw) and not is_present(value)):
            continue
        fields[name] = value
    return fields


def _plain(item: items.Item, **more: object) -> dict[str, object]:
    """Returns an item's fields without its order key: the position in the list gives the order."""
    fields: dict[str, object] = {"id": item.id, "agent": item.agent}
    for name in item.__struct_fields__:
        value = getattr(item, name)
        match value:
            case Place():
                fields[name] = _where(value)
            case Raw():
                fields[name] = _raw(value)
            case _ if name != "order":
                fields[name] = value
    return fields | more


def _encoded(value: object) -> str:
    try:
        data = msgspec.json.encode(value)
    except UnicodeEncodeError:
        # A lone surrogate can be written in JSON but not in UTF-8, so it is replaced.
        data = msgspec.json.encode(_replaced(msgspec.to_builtins(value, builtin_types=(Raw,))))
    return safe_json(data.decode("utf-8", "replace"))


def _replaced(value: object) -> object:
    match value:
        case str():
            return replace_surrogates(value)
        case dict():
            return {_replaced(name): _replaced(inner) for name, inner in value.items()}
        case list() | tuple():
            return [_replaced(inner) for inner in value]
        case _:
            return value
