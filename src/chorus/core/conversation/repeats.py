"""Finds what one stream says twice under the same id, with other content the second time.

The same id with the same content is one record. With other content it is a conflict: what was kept first is part of the
conversation, and the other is a separate row with its place. Each stream is only compared with itself, so the order in
which streams are read makes no difference. Lines with ids of their own that belong to one message are no repeats.
"""

from chorus.core.conversation import messages, stream_gate
from chorus.core.conversation.authority import CAPTURED, StreamAuthority
from chorus.core.conversation.fold_context import FILE, STDOUT, FoldContext
from chorus.core.conversation.items import SAME_SOURCE
from chorus.core.conversation.record_digests import RecordDigests, block_digest, digests_of
from chorus.core.records.model.flat import ToolResult
from chorus.core.records.model.turns import Assistant, User


def passes(context: FoldContext) -> bool:
    """Returns whether the line is new, or the same as before. If not, it was set aside as a separate row.

    A line whose results contradict earlier ones passes, so that later lines can continue it: only these results
    (`FoldContext.contradicted`) are set aside.
    """
    value = context.value
    if not isinstance(value, Assistant | User | ToolResult) or context.authority not in (FILE, STDOUT):
        return True
    if isinstance(value, ToolResult):
        parts = [stream_gate.block_of(value)]
        named = parts[0].tool_use_id
        digests = RecordDigests([(f"result {named}", block_digest(parts[0]))] if named else [])
    else:
        digests, parts = digests_of(value), messages.parts_of(value.message)
    results = iter([n for n, part in enumerate(parts) if part.type == "tool_result" and part.tool_use_id])
    against, contradicted = "", set[int]()
    for key, digest in digests.keys:
        if key.startswith("call "):
            # A call is a block of its message, and shown there each time.
            continue
        part = next(results) if key.startswith("result ") else None
        if context.state.first_digests.setdefault(f"{key} {context.record.stream}", digest) == digest:
            continue
        against = against or key
        if part is None:
            break
        contradicted.add(part)
    if not against:
        return True
    authorities = context.authorities
    own = authorities.of(context.record.stream) if authorities is not None else StreamAuthority(CAPTURED)
    stream_gate.show_conflict(context, own, digests, against, SAME_SOURCE)
    context.contradicted = frozenset(contradicted)
    return bool(contradicted)
