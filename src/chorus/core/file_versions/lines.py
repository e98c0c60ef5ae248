"""Lines of texts, and how two texts differ."""

from collections.abc import Iterator, Sequence

from chorus.core.alignment.lines import align
from chorus.core.views.blocks import Hunk

NO_END = "\\ No newline at end of file"
_CONTEXT = 3

Opcode = tuple[bool, int, int, int, int]
"""Whether the lines are equal; first and last line of the old text, first and last of the new one."""


def normalized(text: str) -> str:
    """Returns a text with the line ends that the client shows."""
    return text.replace("\r\n", "\n") if "\r\n" in text else text


def lines_of(content: bytes) -> list[bytes]:
    """Returns the lines of a file with their ends."""
    lines = content.split(b"\n")
    last = lines.pop()
    return [line + b"\n" for line in lines] + ([last] if last else [])


def opcodes(old: Sequence[bytes], new: Sequence[bytes]) -> list[Opcode]:
    """Returns the parts of two texts in order: equal ones, and replaced ones (either side may be empty)."""
    found: list[Opcode] = []
    a = b = 0
    for old_at, new_at in (*align(old, new), (len(old), len(new))):
        if old_at > a or new_at > b:
            found.append((False, a, old_at, b, new_at))
        if old_at < len(old) and new_at < len(new):
            is_longer = bool(found) and found[-1][0]
            begin = found.pop() if is_longer else (True, old_at, old_at, new_at, new_at)
            found.append((True, begin[1], old_at + 1, begin[3], new_at + 1))
        a, b = old_at + 1, new_at + 1
    return found


def counts(old: bytes, new: bytes) -> tuple[int, int]:
    """Returns how many lines were added and removed."""
    added = removed = 0
    for is_equal, a, b, c, d in opcodes(lines_of(old), lines_of(new)):
        if not is_equal:
            removed, added = removed + b - a, added + d - c
    return added, removed


def difference(old: bytes, new: bytes, *, ignores_space: bool = False) -> tuple[Hunk, ...]:
    """Returns the hunks of a unified diff, with three lines around each change.

    With `ignores_space`, lines that differ only in white space (also in their ends) count as equal.
    """
    before, after = lines_of(old), lines_of(new)
    if ignores_space:
        codes = opcodes([b"".join(line.split()) for line in before], [b"".join(line.split()) for line in after])
    else:
        codes = opcodes(before, after)
    return tuple(_hunk(group, before, after) for group in _groups(codes))


def first_lines(hunks: Sequence[Hunk], room: int) -> tuple[tuple[Hunk, ...], int]:
    """Returns at most `room` lines of hunks, and how many lines were left out."""
    kept: list[Hunk] = []
    cut_lines = 0
    for hunk in hunks:
        lines = hunk.lines[:room]
        room, cut_lines = room - len(lines), cut_lines + len(hunk.lines) - len(lines)
        if lines:
            kept.append(Hunk(old_start=hunk.old_start, new_start=hunk.new_start, lines=lines))
    return tuple(kept), cut_lines


def _groups(codes: list[Opcode]) -> Iterator[list[Opcode]]:
    """Yields the changes that are close together, each with the equal lines around it."""
    group: list[Opcode] = []
    for is_equal, a, b, c, d in codes:
        if not is_equal:
            group.append((False, a, b, c, d))
            continue
        if group and b - a > 2 * _CONTEXT:
            group.append((True, a, a + _CONTEXT, c, c + _CONTEXT))
            yield group
            group = []
        if group:
            group.append((True, a, b, c, d))
        else:
            cut = max(0, b - a - _CONTEXT)
            group = [(True, a + cut, b, c + cut, d)]
    if any(not each[0] for each in group):
        if group[-1][0]:
            _, a, b, c, d = group[-1]
            keep = min(_CONTEXT, b - a)
            group[-1] = (True, a, a + keep, c, c + keep)
        yield group


def _hunk(group: list[Opcode], before: list[bytes], after: list[bytes]) -> Hunk:
    lines: list[str] = []
    for is_equal, a, b, c, d in group:
        if is_equal:
            lines += [shown for line in after[c:d] for shown in _shown(" ", line)]
            continue
        lines += [shown for line in before[a:b] for shown in _shown("-", line)]
        lines += [shown for line in after[c:d] for shown in _shown("+", line)]
    return Hunk(old_start=group[0][1] + 1, new_start=group[0][3] + 1, lines=tuple(lines))


def _shown(sign: str, line: bytes) -> list[str]:
    text = line.decode("utf-8", "replace")
    return [sign + text[:-1]] if text.endswith("\n") else [sign + text, NO_END]
