"""Lines of one message that repeat each other, read as the one message they are.

Clients write one block to a line. Wrappers and recordings exist that write a message again as it grows: each line holds
all blocks so far, or the same line comes twice. What a later line repeats is shown once, by the line that says most.
"""

from chorus.core.conversation import items
from chorus.core.records.model import blocks


def shown_once(parts: list[items.Block]) -> list[items.Block]:
    """The blocks of a message in order, without those that a later line repeats, and without the same line twice."""
    if len(parts) < 2:
        return parts
    lines: list[list[items.Block]] = []
    for part in parts:
        if lines and _line(lines[-1][0]) == _line(part):
            lines[-1].append(part)
        else:
            lines.append([part])
    if len(lines) < 2:
        return parts
    kept: list[list[items.Block]] = []
    seen: set[tuple[object, ...]] = set()
    for line in lines:
        if any(part.is_partial for part in line):
            kept.append(line)
            continue
        content = tuple(_content(part.block) for part in line)
        if content in seen:
            continue
        seen.add(content)
        if kept and _repeats(line, kept[-1]):
            # It stands where the first of them stood: nothing came between.
            kept.pop()
        kept.append(line)
    return [part for line in kept for part in line]


def _line(part: items.Block) -> str:
    return part.id.rpartition(":")[0]


def _content(block: blocks.Block) -> tuple[object, ...]:
    if block.type == "tool_use" and block.id:
        return block.type, block.id, bytes(block.input)
    return block.type, block.text, block.thinking, block.data, block.id, bytes(block.input), bytes(block.content)


def _repeats(later: list[items.Block], before: list[items.Block]) -> bool:
    """Whether a line says all that the one before it said: the same blocks, of which the last may have grown."""
    if len(later) < len(before) or any(part.is_partial for part in before):
        return False
    *same, (last, last_before) = zip(later, before, strict=False)
    if any(_content(one.block) != _content(other.block) for one, other in same):
        return False
    one, other = last.block, last_before.block
    if one.type != other.type:
        return False
    if one.type == "tool_use":
        return one.id is not None and one.id == other.id
    said, said_before = one.text or one.thinking or "", other.text or other.thinking or ""
    if not said_before.strip():
        return False
    return said.startswith(said_before) or (len(later) > len(before) and _content(one) == _content(other))
