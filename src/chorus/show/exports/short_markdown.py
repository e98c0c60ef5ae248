"""Shortens Markdown for readers without scripts: long blocks of code keep their beginning and their end."""

from collections.abc import Iterator

_MAX_LINES = 16
_END_LINES = 4


def shortened(markdown: str) -> str:
    """Returns the text with long code blocks shortened; each says how many lines it had."""
    return "\n".join(_lines(markdown.split("\n")))


def _lines(lines: list[str]) -> Iterator[str]:
    fence, block = "", list[str]()
    for line in lines:
        bare = line.lstrip("> ")
        if not fence:
            yield line
            ticks = len(bare) - len(bare.lstrip("`"))
            fence = "`" * ticks if ticks >= 3 else ""
            continue
        if bare.startswith(fence) and not bare.strip("`"):
            yield from _cut(block)
            yield line
            fence, block = "", []
        else:
            block.append(line)
    yield from _cut(block)


def _cut(block: list[str]) -> list[str]:
    if len(block) <= _MAX_LINES:
        return block
    left = len(block) - _MAX_LINES
    return [*block[: _MAX_LINES - _END_LINES], f"… {left:,} more lines …", *block[-_END_LINES:]]
