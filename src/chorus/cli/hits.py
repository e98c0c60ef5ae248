"""Hits of a search as people read them."""

from collections.abc import Iterator
from datetime import datetime
from itertools import groupby

import click

from chorus.cli.age import age
from chorus.cli.asking import LATE
from chorus.cli.output import counted
from chorus.cli.safely import shortened
from chorus.finding.answers import Answers, Found
from chorus.query.plain import plain
from chorus.query.snippet import Snippet
from chorus.views import figures
from chorus.views.safe import safe

BESIDE = 32
"""Columns that stand before a snippet."""
_WHO = 16
_SHORTEST_TITLE = 24


def lines(answers: Answers, costs: dict[str, float], *, first: int, now: datetime, columns: int) -> Iterator[str]:
    """Hits below a line about their conversation, as long as they follow each other."""
    if answers.is_spread:
        yield "No entry has all of these words; these conversations have each of them somewhere.\n"
    digits = len(str(first + len(answers.found) - 1))
    numbered = enumerate(answers.found, first)
    for _, group in groupby(numbered, key=lambda each: each[1].conversation.name):
        hits = list(group)
        yield _about(hits[0][1], costs, columns)
        for number, found in hits:
            who = shortened(_who(found), _WHO)
            shown = found.snippet if found.kind == "call" else plain(found.snippet)
            yield (
                f"  {click.style(str(number).rjust(digits), fg='cyan')}  {age(found.time, now):>5}"
                f"  {click.style(who.ljust(_WHO), fg='red' if found.is_failed else None)}  {_marked(shown)}"
            )
        yield ""


def _about(found: Found, costs: dict[str, float], columns: int) -> str:
    row = found.conversation
    cost = costs.get(row.name, row.reported_usd)
    facts = " · ".join(filter(None, ["", row.workspace, figures.cost(cost) if cost is not None else "", row.id[:8]]))
    title = shortened(row.title, max(_SHORTEST_TITLE, columns - len(facts) - 3))
    return click.style(title, bold=True) + click.style(f" · {facts}", dim=True)


def _who(found: Found) -> str:
    if found.kind == "call":
        name = found.tool or "unknown tool"
    elif found.author is not None:
        name = figures.LABELS.get(found.author, found.author)
    else:
        name = found.kind
    return f"↳ {name}" if found.thread else name


def _marked(shown: Snippet) -> str:
    """The snippet with what was found in it bold, and nothing in it that acts on a terminal."""
    pieces: list[str] = []
    done = 0
    for start, end in shown.marks:
        pieces += [safe(shown.text[done:start]), click.style(safe(shown.text[start:end]), fg="yellow", bold=True)]
        done = end
    return "".join(pieces) + safe(shown.text[done:])


def ending(answers: Answers, *, page: int | None, below: int | None) -> str:
    """How many there are, how to get more, and whether all was looked at."""
    if not answers.found:
        return LATE if answers.is_partial else "Nothing found." if page in (None, 1) and below is None else "No more."
    more = ""
    if answers.next is not None:
        more = f", and more: --page {(page or 1) + 1}" if below is None else f", and more: --after {answers.next}"
    said = (
        f"{counted(len(answers.found), 'hit')}{more}. `chorus show N` opens one, `chorus context N` what surrounds it."
    )
    return f"{said}\n{LATE}" if answers.is_partial else said
