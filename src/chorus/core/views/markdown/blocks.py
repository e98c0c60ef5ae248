"""Converts each type of view block to Markdown."""

from collections.abc import Iterator
from typing import assert_never

from chorus.core.views import blocks, figures
from chorus.core.views.blocks import Block
from chorus.core.views.markdown.quoting import code, fenced, inline, prose, quoted

_BOXES = {"completed": "[x]", "pending": "[ ]"}


def text_of(block: Block) -> str:
    """Returns a block as Markdown. Nothing is cut."""
    match block:
        case blocks.Prose():
            return prose(block.markdown)
        case blocks.Thinking():
            words = block.text or f"thought ({block.reason})"
            return quoted(f"*Thinking*\n\n{fenced(words)}")
        case blocks.Code():
            title = f"{inline(block.title)}\n\n" if block.title else ""
            return title + fenced(block.text, block.language)
        case blocks.Diff():
            return fenced("\n".join(_diff(block)), "diff")
        case blocks.Shell():
            return fenced(block.command, block.language)
        case blocks.Output():
            parts = [fenced(block.text)] if block.text.strip() else []
            return "\n\n".join([*parts, inline(side_file(block.side_file))] if block.side_file else parts)
        case blocks.Todos():
            return "\n".join(_todo(item) for item in block.items)
        case blocks.Image():
            size = figures.size(block.size_bytes) if block.size_bytes is not None else ""
            return "*" + ", ".join(inline(part) for part in (block.media_type, size, block.source) if part) + "*"
        case blocks.Json():
            return fenced(block.text, "json")
        case blocks.Question():
            return "\n".join(_question(block))
        case blocks.Plan():
            return quoted(prose(block.markdown))
        case blocks.Links():
            return "\n".join(f"- {inline(link.title)} {code(link.url)}" for link in block.links)
        case blocks.Note():
            return fenced(block.text) if block.is_bulk else "\n".join(inline(line) for line in block.text.splitlines())
        case blocks.Unread():
            return f"**Unread bytes** at {code(block.place)}: {inline(block.reason)}\n\n{fenced(block.text)}"
        case _:
            assert_never(block)


def side_file(file: blocks.SideFile) -> str:
    """Returns a text that says where the complete output is stored."""
    if file.size_bytes is None:
        return f"[full output: tool-results/{file.name} is missing]"
    return f"[full output: {file.size_bytes:,} bytes in tool-results/{file.name}]"


def _diff(block: blocks.Diff) -> Iterator[str]:
    for hunk in block.hunks:
        if hunk.old_start is None or hunk.new_start is None:
            yield "@@"
            yield from hunk.lines
            continue
        old = sum(line[:1] in ("-", " ") for line in hunk.lines)
        new = sum(line[:1] in ("+", " ") for line in hunk.lines)
        yield f"@@ -{hunk.old_start},{old} +{hunk.new_start},{new} @@"
        yield from hunk.lines


def _todo(item: blocks.TodoItem) -> str:
    number = f"#{item.id} " if item.id else ""
    state = "" if item.status in _BOXES or not item.status else f" ({item.status})"
    note = f" – {item.note}" if item.note else ""
    return f"- {_BOXES.get(item.status, '[ ]')} {inline(number + item.text + state + note)}"


def _question(block: blocks.Question) -> Iterator[str]:
    yield f"**{inline(block.question)}**"
    yield ""
    for option in block.options:
        box = "[x]" if option.is_chosen else "[ ]"
        yield f"- {box} {inline(option.label)}" + (f" – {inline(option.description)}" if option.description else "")
    if block.answer is not None:
        yield ""
        yield f"Answer: {inline(block.answer)}"
