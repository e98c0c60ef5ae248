"""Merges lines of one message that repeat each other.

Clients write one block per line. Some wrappers and recordings write a message again while it grows: each line contains
all blocks so far, or the same line comes twice. Repeated content is shown once, from the line that has most of it.
"""

from chorus.core.conversation import items
from chorus.core.records.model import blocks


def shown_once(parts: list[items.Block]) -> list[items.Block]:
    """Returns the blocks of a message in order, without blocks that a later line repeats and without repeated lines."""
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
            # It takes the position of the line that it repeats: nothing came between them.
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
    """Returns whether a line contains all of the line before it: the same blocks, of which the last may have grown."""
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
