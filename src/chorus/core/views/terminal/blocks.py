"""Draws each type of view block."""

from collections.abc import Iterable, Iterator
from typing import assert_never

from rich.console import Group, RenderableType
from rich.text import Text

from chorus.core.views import blocks, figures
from chorus.core.views.blocks import Block
from chorus.core.views.safe import safe, safe_line
from chorus.core.views.terminal.frame import Gutter
from chorus.core.views.terminal.look import Look
from chorus.core.views.terminal.plain import Plain
from chorus.core.views.terminal.prose import highlighted, prose

_BULK, _CODE, _HEAD, _TAIL, _DIFF = 3, 16, 10, 4, 40
_MARKS = {"completed": ("✔", "green"), "in_progress": ("▶", "bold"), "pending": ("○", ""), "deleted": ("✘", "dim")}
_LEVELS = {"info": "dim", "warning": "yellow", "error": "red"}


def draw(block: Block, look: Look) -> RenderableType | None:
    """Returns a block as a renderable; None for a block that the reader chose not to see."""
    match block:
        case blocks.Prose():
            return prose(block.markdown)
        case blocks.Thinking():
            return _thinking(block, look)
        case blocks.Code():
            return _code(block, look)
        case blocks.Diff():
            return Group(*_diff(block, look))
        case blocks.Shell():
            shown, left, _ = look.cut(block.command.strip("\n"), head=_CODE)
            return Gutter(_cut_code("\n".join(shown), block.language, left), "  ", style="bold", first="$ ")
        case blocks.Output():
            return Group(*_output(block, look))
        case blocks.Todos():
            return Group(*(_todo(item) for item in block.items))
        case blocks.Image():
            return _image(block)
        case blocks.Json():
            return _json(block, look)
        case blocks.Question():
            return Group(*_question(block))
        case blocks.Plan():
            return Gutter(prose(block.markdown), "┃ ", style="green")
        case blocks.Links():
            return Group(*(_link(link) for link in block.links))
        case blocks.Note():
            return _note(block, look)
        case blocks.Unread():
            return Group(
                Text(f"unread bytes at {safe_line(block.place)}: {safe_line(block.reason)}", "red"),
                *_output(blocks.Output(text=block.text, is_bulk=True), look),
            )
        case _:
            assert_never(block)


def more(left: int) -> Text:
    """Returns the note about lines that were left out."""
    return Text(f"… {figures.several(left, 'more line')}", "dim")


def _thinking(block: blocks.Thinking, look: Look) -> RenderableType | None:
    if look.thinking == "hide":
        return None
    if not block.text:
        return Text(f"✻ thought ({block.reason})" if block.reason else "✻ thought", "dim italic")
    lines = safe(block.text).split("\n")
    if look.thinking == "full" or look.is_full:
        return Gutter(Plain("\n".join(lines), "dim italic"), "  ", style="dim", first="✻ ")
    first = Text(lines[0], "dim italic", overflow="ellipsis", no_wrap=True)
    shown = Group(first, more(len(lines) - 1)) if len(lines) > 1 else first
    return Gutter(shown, "  ", style="dim", first="✻ ")


def _cut_code(text: str, language: str, left: int, *, first_line: int | None = None) -> RenderableType:
    shown = highlighted(text, language, first_line=first_line)
    return Group(shown, more(left)) if left else shown


def _code(block: blocks.Code, look: Look) -> RenderableType:
    shown, left, _ = look.cut(block.text.rstrip("\n"), head=_BULK if block.is_bulk else _CODE)
    code = _cut_code("\n".join(shown), block.language, left, first_line=block.first_line)
    return Group(Text(safe_line(block.title), "bold"), code) if block.title else code


def _json(block: blocks.Json, look: Look) -> RenderableType:
    shown, left, _ = look.cut(block.text, head=_BULK if block.is_bulk else _CODE)
    code = _cut_code("\n".join(shown), "json", left)
    return Group(Text(safe_line(block.title), "dim"), code) if block.title else code


def _output(block: blocks.Output, look: Look) -> Iterator[RenderableType]:
    style = "red" if block.is_error else "dim"
    complete = look.read_side_file(block.side_file.name) if look.is_full and block.side_file else None
    if complete is not None:
        yield Gutter(Plain("\n".join(look.cut(complete.strip("\n"), head=0)[0])), "│ ", style=style)
    elif block.text.strip():
        head, tail = (_BULK, 0) if block.is_bulk else (_HEAD, _TAIL)
        shown, left, last = look.cut(block.text.strip("\n"), head=head, tail=tail)
        yield Gutter(Plain("\n".join(shown)), "│ ", style=style)
        if left:
            yield Gutter(more(left), "│ ", style=style)
        if last:
            yield Gutter(Plain("\n".join(last)), "│ ", style=style)
    if block.side_file:
        yield Text(side_file(block.side_file), "dim")


def side_file(file: blocks.SideFile) -> str:
    """Returns a text that says where the complete output is stored."""
    if file.size_bytes is None:
        return f"[full output: tool-results/{safe_line(file.name)} is missing]"
    return f"[full output: {file.size_bytes:,} bytes in tool-results/{safe_line(file.name)}]"


def _diff(block: blocks.Diff, look: Look) -> Iterator[RenderableType]:
    room = _DIFF
    for number, hunk in enumerate(block.hunks):
        if number:
            yield Text("  ⋯", "dim")
        yield from _hunk(hunk, look, hunk.lines if look.is_full else hunk.lines[:room])
        room -= len(hunk.lines)
        if room <= 0 and not look.is_full:
            left = -room + sum(len(later.lines) for later in block.hunks[number + 1 :])
            if left:
                yield more(left)
            return


def _hunk(hunk: blocks.Hunk, look: Look, lines: Iterable[str]) -> Iterator[RenderableType]:
    for number, line in zip(_numbers(hunk), lines, strict=False):
        sign = line[:1]
        (text, *_), _, _ = look.cut(line[1:].rstrip("\n").replace("\n", " "), head=1)
        style = {"+": "green", "-": "red"}.get(sign, "dim")
        mark = f"{number}{sign if sign in '+-' and sign else ' '} " if sign != "\\" else " " * (len(number) + 2)
        yield Gutter(Plain(text, style), " " * len(mark), style=style, first=mark)


def _numbers(hunk: blocks.Hunk) -> Iterator[str]:
    """Yields the old or new line number for each line of a hunk; an empty text if line numbers are unknown."""
    old, new = hunk.old_start, hunk.new_start
    for line in hunk.lines:
        if old is None or new is None:
            yield ""
            continue
        sign = line[:1]
        yield f"{old if sign == '-' else new:>4} "
        old += sign in ("-", " ")
        new += sign in ("+", " ")


def _todo(item: blocks.TodoItem) -> RenderableType:
    mark, style = _MARKS.get(item.status, ("○", ""))
    line = Text()
    if item.id:
        line.append(f"#{safe_line(item.id)} ", "dim")
    line.append(safe_line(item.text), "dim" if item.status == "completed" else style)
    if item.note:
        line.append(f"  {safe_line(item.note)}", "dim")
    if item.status not in _MARKS and item.status:
        line.append(f"  ({safe_line(item.status)})", "dim")
    return Gutter(line, "  ", first=f"{mark} ", style=style)


def _image(block: blocks.Image) -> Text:
    size = figures.size(block.size_bytes) if block.size_bytes is not None else ""
    facts = ", ".join(part for part in (safe_line(block.media_type), size, safe_line(block.source)) if part)
    return Text(f"▣ {facts}", "magenta")


def _question(block: blocks.Question) -> Iterator[RenderableType]:
    header = f"{safe_line(block.header)}: " if block.header else ""
    yield Text.assemble((header, "cyan"), (safe_line(block.question), "bold"))
    chosen, open_ = ("  ☑ ", "  ☐ ") if block.is_multiple else ("  ● ", "  ○ ")
    for option in block.options:
        mark, style = (chosen, "green") if option.is_chosen else (open_, "dim")
        shown = Text.assemble((safe_line(option.label), "bold" if option.is_chosen else ""))
        if option.description:
            shown.append(f"  {safe_line(option.description)}", "dim")
        yield Gutter(shown, "    ", first=mark, style=style)
    if block.answer is not None and block.answer != ", ".join(one.label for one in block.options if one.is_chosen):
        # The person wrote an answer instead of, or in addition to, the options.
        yield Gutter(Plain(safe(block.answer)), "    ", first="  ⏎ ", style="green")


def _link(link: blocks.Link) -> RenderableType:
    line = Text.assemble(safe_line(link.title) or "(no title)", (f"  {safe_line(link.url)}", "dim"))
    return Gutter(line, "  ", first="• ", style="dim")


def _note(block: blocks.Note, look: Look) -> RenderableType:
    shown, left, _ = look.cut(block.text.strip("\n"), head=2 if block.is_bulk else _CODE)
    text = Plain("\n".join(shown).rstrip(), _LEVELS[block.level])
    return Group(text, more(left)) if left else text
