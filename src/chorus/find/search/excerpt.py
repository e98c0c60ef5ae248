"""The context of a hit as plain text to paste into a prompt, within a limit of characters.

The hit comes first: whole, if it fits, else with the words that were found. The rest of the limit goes to its
neighbours: half of it to the nearest, half of what remains to the next, and so on. So the farthest are cut first, and
left out when too little of them would be visible. A long text loses its middle. Lines of the conversation are indented,
so that none of them can look like a line of Chorus.
"""

from datetime import UTC

from msgspec import Struct

from chorus.core.query.snippet import snippet
from chorus.core.query.tree import Node, Sequence
from chorus.core.views import figures
from chorus.core.views.safe import safe, safe_line
from chorus.core.views.workspace_names import WorkspaceNames
from chorus.find.search.context import Context
from chorus.find.search.plain_text import EntryText

BUDGET = 8_000
"""Characters; about 2,000 tokens."""
SMALLEST = 1_000
_INDENT = "  "
_LEAST = 160
"""An entry of which less could be shown is left out."""
_NOTE_CHARS = 64
"""Space for a note about entries that were left out."""
_FOUND_CHARS = 240


class _Section(Struct, frozen=True):
    """A heading, and text of the conversation below it."""

    head: str
    body: str
    """Escaped and indented."""

    @property
    def chars(self) -> int:
        return len(self.head) + len(self.body) + 2


def excerpt(context: Context, *, budget: int = BUDGET, root: Node | Sequence | None = None) -> str:
    """Returns the context in at most `budget` characters (at least `SMALLEST`); the same input gives the same text.

    `root` is the query that found the hit: if the hit is too long, the words that were found are still shown.
    """
    head = _header(context)
    room = max(budget, SMALLEST) - len(head) - 2 * _NOTE_CHARS
    at = next(number for number, each in enumerate(context.entries) if each.id == context.hit.id)
    entries = [_sections(each, is_hit=number == at) for number, each in enumerate(context.entries)]
    if _need(entries[at]) > room and root is not None:
        entries[at].insert(1, _section("words found in it", _found_in(context.entries[at], root)))
    rooms = _rooms(entries, at, room)
    shown = [number for number, room in enumerate(rooms) if room]
    lines = [head, *_left_out(shown[0], "earlier")]
    lines += [_fitted(entries[number], rooms[number]) for number in shown]
    lines += _left_out(len(entries) - 1 - shown[-1], "later")
    return "\n".join(lines)


def _rooms(entries: list[list[_Section]], at: int, room: int) -> list[int]:
    """Returns the number of characters for each entry; 0 for those left out, which are the farthest on their side."""
    needs = list(map(_need, entries))
    rooms = [0] * len(needs)
    is_alone = len(needs) == 1
    rooms[at] = needs[at] if needs[at] <= room else room if is_alone else room * 3 // 4
    left = room - rooms[at]
    nearest = sorted((n for n in range(len(needs)) if n != at), key=lambda n: (abs(n - at), n))
    is_open = {True: True, False: True}
    for n in nearest:
        share = min(needs[n], left // 2)
        is_open[n < at] = is_open[n < at] and share >= min(needs[n], _LEAST)
        if is_open[n < at]:
            rooms[n] = share
            left -= share
    for n in (at, *nearest):
        more = min(needs[n] - rooms[n], left) if rooms[n] else 0
        rooms[n] += more
        left -= more
    return rooms


def _need(sections: list[_Section]) -> int:
    return sum(section.chars for section in sections) + 1


def _fitted(sections: list[_Section], room: int) -> str:
    """Fits the sections into `room` characters with a blank line; later sections (a tool's result) are cut first."""
    shown: list[str] = []
    room -= 1
    for number, section in enumerate(sections):
        rest = sum(each.chars for each in sections[number + 1 :])
        heads = sum(len(each.head) + 2 for each in sections[number + 1 :])
        own = min(max(room // 2, room - rest), room - heads)
        body = _cut(section.body, max(0, own - len(section.head) - 2))
        room -= len(section.head) + len(body) + 2
        shown.append(f"{section.head}\n{body}\n" if body else f"{section.head}\n")
    return "".join(shown)


def _cut(body: str, room: int) -> str:
    """Returns the text without its middle, with a note of its length."""
    if len(body) <= room:
        return body
    longest = f"{_INDENT}[… {len(body):,} characters left out …]"
    keep = room - len(longest) - len(f"\n\n{_INDENT}")
    if keep < 3:
        return longest if len(longest) <= room else ""
    begin = keep * 2 // 3
    end = len(body) - (keep - begin)
    note = f"{_INDENT}[… {end - begin:,} characters left out …]"
    return f"{body[:begin]}\n{note}\n{_INDENT}{body[end:]}"


def _found_in(entry: EntryText, root: Node | Sequence) -> str:
    text = "\n".join(filter(None, (entry.text, entry.asked, entry.thinking, entry.given)))
    return snippet(text, root, width=_FOUND_CHARS).text


def _sections(entry: EntryText, *, is_hit: bool) -> list[_Section]:
    facts = [entry.role if entry.tool is None else f"call {safe_line(entry.tool)[:80]}", _time(entry.time)]
    facts += ["failed"] if entry.is_failed else []
    facts += ["FOUND"] if is_hit else []
    found = [_section(" · ".join(filter(None, facts)), entry.asked or entry.text)]
    if entry.thinking and (is_hit or not entry.text):
        found.append(_section("thinking", entry.thinking))
    if entry.given:
        found.append(_section("result", entry.given))
    return found


def _section(head: str, text: str) -> _Section:
    lines = safe(text).strip("\n").split("\n")
    return _Section(f"[{head}]", "\n".join((_INDENT + line).rstrip() for line in lines) if text.strip() else "")


def _header(context: Context) -> str:
    row, session = context.row, context.row.session
    place = WorkspaceNames({}).of(row.workspace)
    branch = f"branch {session.git_branch[:60]}" if session.git_branch else ""
    lines = [
        (f"From a conversation with Claude Code: {row.title[:160]}", 200),
        (f"conversation {row.id}, {_time(session.started_at) or 'at an unknown time'}", 160),
        (", ".join(filter(None, [(session.cwd or place)[:160], branch])), 240),
        (f"sub-agent {context.thread}" if context.thread else "", 80),
    ]
    return "\n".join(safe_line(line)[:most] for line, most in lines if line) + "\n"


def _time(time: str | None) -> str:
    moment = figures.moment(time, UTC)
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC" if moment else ""


def _left_out(number: int, where: str) -> list[str]:
    noun = "entry" if number == 1 else "entries"
    return [f"[{number:,} {where} {noun} left out]\n"] if number else []
