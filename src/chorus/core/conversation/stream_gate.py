"""Decides which records are part of a conversation when several streams contain it.

A record that contradicts a stream with more authority, or that comes from a foreign stream, is not folded. It becomes a
separate row with its source (`Notice.source`) and the id that it contradicts (`Notice.against`). It sets no fact and is
not counted.

Streams are read in order of authority. If a growing stream contradicts what was folded from a stream with less
authority, the fold `needs_refold`: the caller starts again and ends with the same result as reading in order.
"""

from msgspec import structs

from chorus.core.conversation import notices
from chorus.core.conversation.agent_ids import CALL, SIDE
from chorus.core.conversation.authority import CAPTURED, OWN_PLACE, StreamAuthorities, StreamAuthority
from chorus.core.conversation.comparison import Claim, ContentDigests
from chorus.core.conversation.fold_context import EMBEDDED, MIRROR, FoldContext
from chorus.core.conversation.items import MAIN, Notice, Remove
from chorus.core.conversation.record_digests import NOT_COMPARED, RecordDigests, digests_of, is_by_bytes, same_bytes
from chorus.core.conversation.usage import SYNTHETIC_MODEL
from chorus.core.records.dialect import kind_of
from chorus.core.records.model import flat as flat_model
from chorus.core.records.model import session, stream, type_of
from chorus.core.records.model.blocks import Block
from chorus.core.records.model.system import System
from chorus.core.records.model.turns import Assistant, Result, User
from chorus.core.records.record import Unread

_TEXT_CHARS = 2000
_NEVER_SHOWN = (stream.StreamEvent, stream.KeepAlive)
"""Types that are never shown, from any stream."""
_FILE_FACTS = (
    session.CustomTitle,
    session.AiTitle,
    session.Summary,
    session.CostState,
    session.LastPrompt,
    session.PermissionMode,
    session.AgentMetadata,
    session.QueueOperation,
    stream.TranscriptMirror,
)
"""Facts that only session files may set. A log that agrees with the other streams must not add them."""
_SESSION_FACTS = (
    *(kind for kind in _FILE_FACTS if kind is not session.AgentMetadata),
    Result,
    stream.StreamEvent,
    stream.ControlRequest,
    stream.ControlResponse,
    stream.ControlCancelRequest,
    stream.RateLimitEvent,
    flat_model.SessionStart,
)
"""Facts about the whole session and about runs. A sub-agent's file never states them."""
_SESSION_SUBTYPES = frozenset(
    {
        "hook_response",
        "hook_started",
        "init",
        "permission_denied",
        "session_state_changed",
        "session_title_changed",
        "status",
        "worker_shutting_down",
    }
)
_FILE_FACT_SUBTYPES = frozenset({"session_title_changed"})
_SHOWN = (Assistant, User, Result, session.CustomTitle, session.AiTitle, session.Summary, flat_model.Error)


def passes(context: FoldContext) -> bool:
    """Returns whether the record is part of the conversation. If not, it was set aside as a separate row."""
    authorities = context.authorities
    if authorities is None:
        return True
    own = authorities.of(context.record.stream)
    is_embedded = context.authority in (EMBEDDED, MIRROR)
    is_of_agent = own.agent is not None and not (own.is_foreign or is_embedded)
    if is_of_agent and not _belongs_to(own.agent or "", context):
        if not authorities.is_comparing:
            context.state.comparison.needs_refold = True
        _set_aside(context, own)
        return False
    if not authorities.is_comparing:
        return True
    digests = _digests(context)
    if is_of_agent and _is_of_other_thread(context, digests, authorities):
        _set_aside(context, own)
        return False
    if own.is_foreign and (not (own.may_add and _may_add(context)) or _repeats(context, digests)):
        if isinstance(context.value, Assistant | User):
            # Although it adds nothing, the end of its turn comes after it.
            context.stream.last_line = context.id
        _set_aside(context, own)
        return False
    contradicted = _contradicted(context, digests, authorities)
    if contradicted:
        _show(context, own, digests, contradicted)
        return False
    if not own.is_foreign and context.authority != EMBEDDED:
        _remember(context, digests, authorities)
    return True


def set_unread_aside(context: FoldContext, record: Unread) -> None:
    """Shows unread bytes of a foreign stream as a marked row."""
    context.is_set_aside = True
    notices.unread(context, record)
    last = context.changes[-1]
    if isinstance(last, Notice) and context.authorities is not None:
        last.source = context.authorities.of(record.stream).path or record.stream
        last.against = ""


def revised_authorities(comparison: ContentDigests, authorities: StreamAuthorities) -> StreamAuthorities | None:
    """Returns the authorities with which all records must be read again, or None if the current ones are final.

    Call it after all records were read with `authorities`.
    """
    if comparison.needs_refold and not authorities.is_comparing:
        return structs.replace(authorities, is_comparing=True)
    agreeing = agreeing_streams(comparison, authorities)
    return authorities.allowing(agreeing) if agreeing else None


def agreeing_streams(comparison: ContentDigests, authorities: StreamAuthorities) -> set[str]:
    """Returns the foreign streams that share at least one record with the others and contradict none of them."""
    found: set[str] = set()
    for name, each in authorities.by_stream.items():
        if not each.is_foreign or each.may_add or not comparison.agreed.get(name):
            continue
        claims = [claim for claim in comparison.claims.values() if claim.stream == name]
        is_in_place = each.origin == OWN_PLACE and not each.is_astray
        if not any(claim.against or (claim.is_dialogue and not is_in_place) for claim in claims):
            found.add(name)
    return found


def _digests(context: FoldContext) -> RecordDigests:
    """Returns the keys and digests of a record. A record without ids is identified by its bytes."""
    digests = digests_of(context.value)
    if not digests.keys and digests.message is None and context.authority not in (EMBEDDED, MIRROR):
        return RecordDigests([same_bytes(context.record.raw)])
    return digests


def _repeats(context: FoldContext, digests: RecordDigests) -> bool:
    """Returns whether other streams say all that a record says, or contain the same bytes if it has no ids."""
    own = context.record.stream
    if digests.message and _contradiction(context.state.comparison, digests) is None:
        return True
    return any(
        is_by_bytes(key) and context.state.comparison.digests.get(key, (own, 0, MAIN))[0] != own
        for key, _ in digests.keys
    )


def _is_dialogue(context: FoldContext) -> bool:
    """Returns whether standard output and the session file both contain lines of this kind."""
    match context.value:
        case Assistant(message=message):
            return message is None or message.model != SYNTHETIC_MODEL
        case User(message=message) if context.agent == MAIN:
            content = message.content if message else None
            return not (isinstance(content, str) and content.startswith("<local-command-"))
        case _:
            return False


def _belongs_to(agent: str, context: FoldContext) -> bool:
    """Returns whether a line in a sub-agent's file belongs to that sub-agent, and is not about the whole session."""
    value = context.value
    named = value.agentId or value.agent_id
    states_facts = isinstance(value, _SESSION_FACTS) or (
        isinstance(value, System) and value.subtype in _SESSION_SUBTYPES
    )
    if states_facts and context.is_beside:
        return False
    return context.agent != MAIN and (named is None or named == agent)


def _is_of_other_thread(context: FoldContext, digests: RecordDigests, authorities: StreamAuthorities) -> bool:
    """Returns whether a line in a sub-agent's file is a copy of one in the main thread, or in another sub-agent's file.

    Such a copy has no facts of its own: its times, its usage and its calls are those of the line that was copied.
    """
    known, own = context.state.comparison, context.record.stream
    holders = [before for key, _ in digests.keys if (before := known.digests.get(key))]
    found = {(holder, thread) for holder, _, thread in holders}
    if digests.message in known.messages:
        found.add(known.messages[digests.message])
    rank, is_copy = authorities.rank(own), False
    for holder, thread in found:
        if holder == own or not _is_other_agent(authorities.of(own).agent, authorities.of(holder).agent, thread):
            continue
        if authorities.rank(holder) < rank:
            is_copy = True
        else:
            known.needs_refold = True
    return is_copy


def _is_other_agent(agent: str | None, holder: str | None, thread: str) -> bool:
    """Returns whether a thread is not that of a sub-agent with a file. `holder` is set if it has a file of its own.

    A thread named by a call or by the first line of its chain may be that of any sub-agent.
    """
    if holder is not None:
        return holder != agent
    return thread != agent and not thread.startswith((CALL, SIDE))


def _may_add(context: FoldContext) -> bool:
    """Returns whether a foreign stream that agrees with the others may add this record."""
    value = context.value
    if isinstance(value, System):
        return value.subtype not in _FILE_FACT_SUBTYPES
    return not isinstance(value, _FILE_FACTS)


def _contradicted(context: FoldContext, digests: RecordDigests, authorities: StreamAuthorities) -> str | None:
    """Returns the id under which a stream with more authority has other content, or None."""
    known, own = context.state.comparison, context.record.stream
    rank = authorities.rank(own)
    for key, digest in digests.keys:
        before = known.digests.get(key)
        if before is None or before[1] == digest or before[0] == own or NOT_COMPARED in (digest, before[1]):
            continue
        if authorities.rank(before[0]) < rank:
            return key
        known.needs_refold = True
    owner, thread = known.messages.get(digests.message or "", (own, context.agent))
    if owner == own or set(digests.blocks) <= known.blocks[digests.message or ""].keys():
        return None
    mine = authorities.of(own)
    is_embedded = context.authority == EMBEDDED and mine.agent is None
    if is_embedded or ((mine.agent is None or thread != MAIN) and _is_same_client(authorities.of(owner), mine)):
        # The client writes its file and its standard output one after the other: either may have more lines.
        return None
    if authorities.rank(owner) < rank:
        return f"message {digests.message}"
    known.needs_refold = True
    return None


def _is_same_client(one: StreamAuthority, other: StreamAuthority) -> bool:
    """Returns whether two streams may come from the same client: its file and captured output, or two captures."""
    return {one.origin, other.origin} == {CAPTURED, OWN_PLACE} or (one.origin == other.origin == CAPTURED)


def _remember(context: FoldContext, digests: RecordDigests, authorities: StreamAuthorities) -> None:
    """Stores the digests of a record, and checks the claims that wait for its keys."""
    known, own = context.state.comparison, context.record.stream
    rank = authorities.rank(own)
    keys: list[str] = []
    for key, digest in digests.keys:
        before = known.digests.get(key)
        if before is None or authorities.rank(before[0]) > rank:
            _check_copy(context, before and before[0], authorities)
            known.digests[key] = own, digest, context.agent
        keys.append(key)
    if digests.message:
        owner = known.messages.get(digests.message)
        if owner is None or authorities.rank(owner[0]) > rank:
            _check_copy(context, owner and owner[0], authorities)
            known.messages[digests.message] = own, context.agent
        known.blocks.setdefault(digests.message, {}).update(dict.fromkeys(digests.blocks))
        keys.append(f"message {digests.message}")
    for key in keys:
        for claim in known.waiting.get(key, ())[:]:
            _update_claim(context, claim)


def _check_copy(context: FoldContext, before: str | None, authorities: StreamAuthorities) -> None:
    """Asks for another reading if a sub-agent's file was read first that only contains a copy of this record."""
    earlier = authorities.of(before).agent if before is not None else None
    if earlier is not None and _is_other_agent(earlier, authorities.of(context.record.stream).agent, context.agent):
        context.state.comparison.needs_refold = True


def _set_aside(context: FoldContext, own: StreamAuthority) -> None:
    """Sets aside a record of a foreign stream. A record that is already known is counted; any other gets a row."""
    value = context.value
    if isinstance(value, _NEVER_SHOWN):
        return
    digests = _digests(context)
    known = context.state.comparison
    against = _contradiction(known, digests)
    if against is None or (against == "" and any(key in known.digests for key, _ in digests.keys)):
        name = context.record.stream.partition("#")[0]
        known.agreed[name] = known.agreed.get(name, 0) + 1
    if against is None:
        return
    claim = _show(context, own, digests, against)
    known.claims[claim.id] = claim
    for key in _keys(digests):
        known.waiting.setdefault(key, []).append(claim.id)


def _contradiction(known: ContentDigests, digests: RecordDigests) -> str | None:
    """Returns the id that a foreign record contradicts, "" if its ids are not known, None if all of it is known."""
    is_known = bool(digests.keys or digests.message)
    if digests.message:
        if digests.message not in known.messages:
            is_known = False
        elif not set(digests.blocks) <= known.blocks[digests.message].keys():
            return f"message {digests.message}"
    for key, digest in digests.keys:
        before = known.digests.get(key)
        if before is None or (before[1] != digest and NOT_COMPARED in (digest, before[1])):
            # The same content under another line id is the same message.
            is_known = is_known and bool(digests.message) and key.startswith("line ")
        elif before[1] != digest:
            return key
    return None if is_known else ""


def _keys(digests: RecordDigests) -> list[str]:
    """Returns all keys of a record, with that of its message."""
    return [key for key, _ in digests.keys] + ([f"message {digests.message}"] if digests.message else [])


def _update_claim(context: FoldContext, name: str) -> None:
    """Checks a claim again, after a stream with more authority used one of its ids."""
    known = context.state.comparison
    claim = known.claims[name]
    against = _contradiction(known, claim.digests)
    if against is None:
        del known.claims[name]
        for key in _keys(claim.digests):
            known.waiting[key].remove(name)
        known.agreed[claim.stream] = known.agreed.get(claim.stream, 0) + 1
        context.changes.append(Remove(name))
    elif against != claim.against:
        claim.against = against
        context.changes.append(claim.notice())


def _show(context: FoldContext, own: StreamAuthority, digests: RecordDigests, against: str) -> Claim:
    """Adds a row for a record that is not part of the conversation."""
    value = context.value
    claim = Claim(
        id=f"claim:{context.record.stream}@{context.record.offset}+{context.order[4]}",
        digests=digests,
        order=context.order,
        place=context.place,
        source=own.path or context.record.stream,
        type=type_of(value),
        kind=kind_of(value),
        is_internal=not isinstance(value, _SHOWN),
        time=context.time,
        text=_text_of(context)[:_TEXT_CHARS] or None,
        against=against,
        is_dialogue=_is_dialogue(context),
    )
    context.changes.append(claim.notice())
    return claim


def _text_of(context: FoldContext) -> str:
    """Returns the text of a record, to show in its row."""
    value = context.value
    match value:
        case Assistant() | User():
            content = value.message.content if value.message else None
            if not isinstance(content, list):
                return content or ""
            return "\n".join(filter(None, map(_text_of_block, content)))
        case Result():
            return value.result if isinstance(value.result, str) else ""
        case session.CustomTitle():
            return value.customTitle or ""
        case session.AiTitle():
            return value.aiTitle or ""
        case session.Summary():
            return value.summary or ""
        case _:
            return ""


def _text_of_block(block: Block) -> str:
    if block.type == "tool_use":
        return f"{block.name} {bytes(block.input).decode('utf-8', 'replace')}"
    if block.type == "tool_result":
        return bytes(block.content).decode("utf-8", "replace")
    return block.text or block.thinking or ""
