"""The steps of a folded conversation, in order."""

from collections.abc import Iterator

from chorus.core.alerts.steps import ApiError, Step, signature, step_of
from chorus.core.conversation import items
from chorus.core.conversation.conversation import Conversation
from chorus.core.conversation.failures import is_failure
from chorus.core.conversation.tool_call import ToolOutput


def steps_of(conversation: Conversation) -> Iterator[Step]:
    """Yields the steps of a conversation, in the order of its items."""

    def signature_of(call: items.Call) -> bytes | None:
        block, result = conversation.items.get(call.block or ""), conversation.result(call)
        if not isinstance(block, items.Block) or result is None:
            return None
        return signature(call.name, block.block.input, ToolOutput(result, None).text)

    for item in sorted(conversation.items.values(), key=lambda item: (item.order, item.id)):
        if isinstance(item, items.Notice) and is_failure(item.type, item.kind):
            yield ApiError(item.id, item.agent, item.time)
        elif (step := step_of(item, signature_of)) is not None:
            yield step
