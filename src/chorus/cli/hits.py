"""The hits of a search as text for people."""

from collections.abc import Iterator
from datetime import datetime
from itertools import groupby

import click

from chorus.cli.age import age
from chorus.cli.output import counted
from chorus.cli.prose import prose
from chorus.cli.table import cut, width_of
from chorus.core.query.plain import plain
from chorus.core.query.snippet import Snippet
from chorus.core.query.word_matching import is_id_of
from chorus.core.views import figures
from chorus.core.views.safe import safe, safe_line
from chorus.core.views.workspace_names import WorkspaceNames
from chorus.find.costs.conversation_costs import Figures
from chorus.find.search.answers import Answers, Found
from chorus.find.search.groups import Group

PREFIX_WIDTH = 32
"""Columns in front of a snippet."""
_WHO = 16
_DOT = " · "
_SHORTEST_TITLE = 24


class HitLines:
    """Formats hits below a line about their conversation, and numbers them across several answers."""

    def __init__(self, *, first: int, now: datetime, columns: int | None, names: WorkspaceNames) -> None:
        """`columns` is the width of the terminal; None for a pipe, where titles are not cut."""
        self._next = first
        self._now = now
        self._columns = columns
        self._names = names

    def lines(self, answers: Answers, costs: dict[str, Figures]) -> Iterator[str]:
        """Yield the lines of an answer. Its hits are numbered from where the previous answer ended."""
        if answers.is_spread:
            yield prose("No entry has all of these words; these conversations have each of them somewhere.")
        if answers.described:
            yield prose("These words are in titles, tags or notes:").rstrip("\n")
            for row in answers.described:
                yield f"  {click.style(row.id[:8], fg='cyan')}  {safe_line(row.title)}"
            yield ""
        counts = {each.conversation: each for each in answers.groups}
        digits = len(str(self._next + len(answers.found) - 1))
        for name, group in groupby(answers.found, key=lambda found: found.conversation.name):
            hits = list(group)
            yield _about(hits[0], costs, self._columns, _counted(counts.get(name), len(hits)), self._names)
            for found in hits:
                yield self._hit(found, digits)
            yield ""

    def _hit(self, found: Found, digits: int) -> str:
        who = cut(safe_line(_who(found)), _WHO)
        who += " " * (_WHO - width_of(who))
        shown = found.snippet if found.kind == "call" else plain(found.snippet)
        number, when = str(self._next).rjust(digits), f"{age(found.time, self._now):>5}"
        self._next += 1
        beside = len(number) + len(when) + _WHO + 4 * len("  ")
        snippet = _marked(shown, None if self._columns is None else max(0, self._columns - beside))
        who = click.style(who, fg="red" if found.is_failed else None)
        return f"  {click.style(number, fg='cyan')}  {when}  {who}  {snippet}"


def _counted(group: Group | None, here: int) -> str:
    """Say how many hits a conversation has, and how many of them are shown."""
    if group is None or group.count <= here:
        return counted(here, "hit") if here > 1 else ""
    return f"{here} of {group.count:,}{'+' * group.is_at_least} hits"


def _about(found: Found, costs: dict[str, Figures], columns: int | None, hits: str, names: WorkspaceNames) -> str:
    row = found.conversation
    cost = costs.get(row.name, Figures()).in_short
    known = [names.of(row.workspace, row.session.cwd), cost, row.id[:8], hits]
    facts = " · ".join(filter(None, map(safe_line, known)))
    title = safe_line(row.title)
    if columns is not None:
        room = columns - len(_DOT)
        title = cut(title, max(_SHORTEST_TITLE, room - width_of(facts)))
        facts = cut(facts, room - width_of(title))
    return click.style(title, bold=True) + click.style(f"{_DOT}{facts}", dim=True)


def _who(found: Found) -> str:
    if found.kind == "call":
        name = found.tool or "unknown tool"
    elif found.author is not None:
        name = figures.LABELS.get(found.author, found.author)
    else:
        name = found.kind
    return f"↳ {name}" if found.thread else name


def _marked(shown: Snippet, room: int | None) -> str:
    """Return the snippet, cut to `room` columns, with the matches in bold and without control characters."""
    pieces: list[str] = []
    done = 0
    for start, end in (*shown.marks, (len(shown.text), len(shown.text))):
        for part, is_found in ((shown.text[done:start], False), (shown.text[start:end], True)):
            whole = safe(part)
            text = whole if room is None else cut(whole, room)
            pieces.append(click.style(text, fg="yellow", bold=True) if is_found and text else text)
            if text != whole:
                return "".join(pieces)
            room = None if room is None else room - width_of(text)
        done = end
    return "".join(pieces)


def ending(answers: Answers, *, page: int | None, below: int | None) -> str:
    """Say how many hits there are, and how to get more."""
    if not answers.found:
        if answers.described:
            return "No entry has these words."
        return "Nothing found." if page in (None, 1) and below is None else "No more."
    more = ""
    if answers.next is not None:
        more = f", and more: --page {(page or 1) + 1}" if below is None else f", and more: --after {answers.next}"
    hits = counted(len(answers.found), "hit")
    return f"{hits}{more}. `chorus show N` opens one, `chorus context N` shows what surrounds it."


def search_notes(answers: Answers) -> str:
    """Explain what was searched for where that may surprise the person who typed the words; else ""."""
    notes: list[str] = []
    if answers.is_loose:
        notes.append("No entry has this exactly as typed; these have its words.")
    for each in answers.looked_for:
        term = safe_line(each.term)
        if each.how == "not":
            notes.append(f"{term}: not looked for, it has no letters, digits or signs beyond ASCII.")
        elif each.how == "exactly":
            notes.append(f"{term}: exactly as typed.")
        elif each.how == "beginning" and not each.term.endswith("*"):
            notes.append(f"{term}: words that begin so.")
        elif each.how == "words" and answers.is_loose and [each.term.lower()] != list(each.words):
            notes.append(f"{term}: as {safe_line(' '.join(each.words))}.")
        if each.is_id and any(is_id_of(each.term.lower(), found.conversation.id) for found in answers.found):
            notes.append(f"{term}: or a conversation whose id begins so.")
    return "Looked for " + " ".join(notes) if notes and not answers.is_loose else " ".join(notes)
