"""Which records a conversation is made of, where several streams claim to tell it.

A record that contradicts a stream of better standing, or comes from a foreign stream, is not folded: it is kept as a
row of its own that says where it came from (`Notice.source`) and what it contradicts (`Notice.against`). It sets no
fact and counts for nothing.

Streams are read best standing first. When one that grows contradicts what was folded from a lesser one, the fold is
`overtaken`: who feeds it begins again, and ends with what reading in order gives.
"""

from chorus.core.conversation import notices
from chorus.core.conversation.authority import CAPTURED, OWN_PLACE, Standing, Standings
from chorus.core.conversation.comparison import Claim, Comparison
from chorus.core.conversation.fold_context import EMBEDDED, MIRROR, FoldContext
from chorus.core.conversation.items import MAIN, Notice, Remove
from chorus.core.conversation.record_digests import UNTOLD, Said, said_in
from chorus.core.conversation.usage import SYNTHETIC_MODEL
from chorus.core.records.dialect import kind_of
from chorus.core.records.model import flat as flat_model
from chorus.core.records.model import session, stream, type_of
from chorus.core.records.model.blocks import Block
from chorus.core.records.model.system import System
from chorus.core.records.model.turns import Assistant, Result, User
from chorus.core.records.record import Unread

_TEXT_CHARS = 2000
_QUIET = (stream.StreamEvent, stream.KeepAlive)
"""Of these nothing is shown wherever they come from."""
_UNHEARD = (
    session.CustomTitle,
    session.AiTitle,
    session.Summary,
    session.CostState,
    session.PermissionMode,
    session.AgentMetadata,
    session.QueueOperation,
    stream.TranscriptMirror,
)
"""Facts of a session's file: a log that agrees may add what only standard output holds, and not these."""
_UNHEARD_SYSTEM = frozenset({"session_title_changed"})
_SHOWN = (Assistant, User, Result, session.CustomTitle, session.AiTitle, session.Summary, flat_model.Error)


def passes(context: FoldContext) -> bool:
    """Whether the record is part of the conversation; else it was put aside, in a row of its own."""
    standings = context.standings
    if standings is None:
        return True
    own = standings.of(context.record.stream)
    is_embedded = context.authority in (EMBEDDED, MIRROR)
    if own.agent is not None and not (own.is_foreign or is_embedded or _is_of(own.agent, context)):
        if not standings.is_comparing:
            context.state.comparison.is_overtaken = True
        _put_aside(context, own)
        return False
    if not standings.is_comparing:
        return True
    if own.is_foreign and not (own.is_heard and _may_add(context)):
        _put_aside(context, own)
        return False
    said = said_in(context.value)
    contradicted = _contradicted(context, said, standings)
    if contradicted:
        _show(context, own, said, contradicted)
        return False
    if not own.is_foreign and context.authority != EMBEDDED:
        _remember(context, said, standings)
    return True


def put_unread_aside(context: FoldContext, record: Unread) -> None:
    """Bytes of a foreign stream that could not be read."""
    context.is_aside = True
    notices.unread(context, record)
    last = context.changes[-1]
    if isinstance(last, Notice) and context.standings is not None:
        last.source = context.standings.of(record.stream).path or record.stream
        last.against = ""


def reconsidered(comparison: Comparison, standings: Standings) -> Standings | None:
    """The standings with which all is to be read again, after all was read with these; None when they hold."""
    if comparison.is_overtaken and not standings.is_comparing:
        return Standings(standings.by_stream, is_comparing=True)
    heard = heard_in(comparison, standings)
    return standings.with_heard(heard) if heard else None


def heard_in(comparison: Comparison, standings: Standings) -> set[str]:
    """The foreign streams that agree with the others wherever both say something, and do so somewhere."""
    found: set[str] = set()
    for name, each in standings.by_stream.items():
        if not each.is_foreign or each.is_heard or not comparison.agreed.get(name):
            continue
        claims = [claim for claim in comparison.claims.values() if claim.stream == name]
        is_in_place = each.origin == OWN_PLACE and not each.is_astray
        if not any(claim.against or (claim.tells and not is_in_place) for claim in claims):
            found.add(name)
    return found


def _tells(context: FoldContext) -> bool:
    """Whether a line is one that both standard output and the session's file hold."""
    match context.value:
        case Assistant(message=message):
            return message is None or message.model != SYNTHETIC_MODEL
        case User(message=message) if context.agent == MAIN:
            content = message.content if message else None
            return not (isinstance(content, str) and content.startswith("<local-command-"))
        case _:
            return False


def _is_of(agent: str, context: FoldContext) -> bool:
    """Whether a line in a sub-agent's file is that agent's own."""
    named = context.value.agentId or context.value.agent_id
    return context.agent != MAIN and (named is None or named == agent)


def _may_add(context: FoldContext) -> bool:
    value = context.value
    if isinstance(value, System):
        return value.subtype not in _UNHEARD_SYSTEM
    return not isinstance(value, _UNHEARD)


def _contradicted(context: FoldContext, said: Said, standings: Standings) -> str | None:
    """The id under which a stream of better standing says something else; None when there is none."""
    known, own = context.state.comparison, context.record.stream
    rank = standings.rank(own)
    for key, digest in said.keys:
        before = known.said.get(key)
        if before is None or before[1] == digest or before[0] == own or UNTOLD in (digest, before[1]):
            continue
        if standings.rank(before[0]) < rank:
            return key
        known.is_overtaken = True
    holder, is_main = known.messages.get(said.message or "", (own, False))
    if holder == own or set(said.blocks) <= known.blocks[said.message or ""].keys():
        return None
    mine = standings.of(own)
    is_embedded = context.authority == EMBEDDED and mine.agent is None
    if is_embedded or ((mine.agent is None or not is_main) and _is_same_client(standings.of(holder), mine)):
        # Its file and its standard output are written one after the other: either may be ahead.
        return None
    if standings.rank(holder) < rank:
        return f"message {said.message}"
    known.is_overtaken = True
    return None


def _is_same_client(one: Standing, other: Standing) -> bool:
    return {one.origin, other.origin} == {CAPTURED, OWN_PLACE} or (one.origin == other.origin == CAPTURED)


def _remember(context: FoldContext, said: Said, standings: Standings) -> None:
    known, own = context.state.comparison, context.record.stream
    rank = standings.rank(own)
    told: list[str] = []
    for key, digest in said.keys:
        before = known.said.get(key)
        if before is None or standings.rank(before[0]) > rank:
            known.said[key] = own, digest
        told.append(key)
    if said.message:
        holder = known.messages.get(said.message)
        if holder is None or standings.rank(holder[0]) > rank:
            known.messages[said.message] = own, context.agent == MAIN
        known.blocks.setdefault(said.message, {}).update(dict.fromkeys(said.blocks))
        told.append(f"message {said.message}")
    for key in told:
        for claim in known.waiting.get(key, ())[:]:
            _settle(context, claim)


def _put_aside(context: FoldContext, own: Standing) -> None:
    """A record of a foreign stream: one that is known says nothing new, any other gets a row."""
    value = context.value
    if isinstance(value, _QUIET):
        return
    said = said_in(value)
    known = context.state.comparison
    against = _judged(known, said)
    if against is None or (against == "" and any(key in known.said for key, _ in said.keys)):
        name = context.record.stream.partition("#")[0]
        known.agreed[name] = known.agreed.get(name, 0) + 1
    if against is None:
        return
    claim = _show(context, own, said, against)
    known.claims[claim.id] = claim
    for key in _keys(said):
        known.waiting.setdefault(key, []).append(claim.id)


def _judged(known: Comparison, said: Said) -> str | None:
    """What a foreign record contradicts; "" when it is not known, None when it says what is said already."""
    is_known = bool(said.keys or said.message)
    if said.message:
        if said.message not in known.messages:
            is_known = False
        elif not set(said.blocks) <= known.blocks[said.message].keys():
            return f"message {said.message}"
    for key, digest in said.keys:
        before = known.said.get(key)
        if before is None or (before[1] != digest and UNTOLD in (digest, before[1])):
            # The same words under another id of the line are the same words.
            is_known = is_known and bool(said.message) and key.startswith("line ")
        elif before[1] != digest:
            return key
    return None if is_known else ""


def _keys(said: Said) -> list[str]:
    return [key for key, _ in said.keys] + ([f"message {said.message}"] if said.message else [])


def _settle(context: FoldContext, name: str) -> None:
    """A stream of better standing has said something under an id of a claim."""
    known = context.state.comparison
    claim = known.claims[name]
    against = _judged(known, claim.said)
    if against is None:
        del known.claims[name]
        for key in _keys(claim.said):
            known.waiting[key].remove(name)
        known.agreed[claim.stream] = known.agreed.get(claim.stream, 0) + 1
        context.changes.append(Remove(name))
    elif against != claim.against:
        claim.against = against
        context.changes.append(claim.notice())


def _show(context: FoldContext, own: Standing, said: Said, against: str) -> Claim:
    value = context.value
    claim = Claim(
        id=f"claim:{context.record.stream}@{context.record.offset}+{context.order[4]}",
        said=said,
        order=context.order,
        place=context.place,
        source=own.path or context.record.stream,
        type=type_of(value),
        kind=kind_of(value),
        is_internal=not isinstance(value, _SHOWN),
        time=context.time,
        text=_text_of(context)[:_TEXT_CHARS] or None,
        against=against,
        tells=_tells(context),
    )
    context.changes.append(claim.notice())
    return claim


def _text_of(context: FoldContext) -> str:
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
