"""Answer the requests of an agent in the terminal that watches its run: show the card, read keys, report the result.

The decisions themselves are made by `deciding.approve` and `deciding.deny`, as for `chorus approve` and `chorus deny`.
"""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from chorus.cli import deciding
from chorus.cli.askers import named_card
from chorus.cli.output import complain, printable
from chorus.core.conversation.tool_facts import kind_of
from chorus.core.records.model.tool_results import AskUserQuestion, Question
from chorus.errors import ChorusError
from chorus.steer.approvals.inputs import fields, has_repeated_names
from chorus.steer.approvals.ledger import Ledger
from chorus.steer.approvals.lifecycle import Refused
from chorus.steer.approvals.model import Row
from chorus.steer.approvals.visible_text import make_visible_line
from chorus.steer.runs import messages

if TYPE_CHECKING:
    from rich.console import Console

Typed = Callable[[str], str | None]
"""Asks the person for a line. Returns None if nobody waits for the answer any more; raises `EOFError` for Ctrl-D."""

_CHOICES = "a approve · d deny · s skip, answer elsewhere ❯ "
_WITH_OFFERS = "a approve · a 1 also takes suggestion 1 · d deny · s skip, answer elsewhere ❯ "
_CHOOSE_ONE = "a number, or your own words · d deny · s skip, answer elsewhere ❯ "
_CHOOSE_SOME = "numbers with commas, or your own words · d deny · s skip, answer elsewhere ❯ "
_OWN_WORDS = "your own words ❯ "
_WHY = "what to tell the agent (Enter for nothing) ❯ "
_APPROVING = re.compile(r"a((?:[ ,]+\d{1,3})*)")
_NUMBERS = re.compile(r"\d{1,3}(?:\s*,\s*\d{1,3})*")
_REFUSALS = (msgspec.DecodeError, UnicodeError, RecursionError)


class Prompting:
    """Asks the person about the requests of one run, once each."""

    def __init__(self, state: Path, console: "Console") -> None:
        """`state` is the folder of the permission ledger of the run."""
        self._state = state
        self._ledger = Ledger(state)
        self._console = console
        self._put: set[str] = set()

    def next_of(self, status: messages.Status) -> Row | None:
        """Return the first pending request of a run that was not shown yet; None if there is none."""
        for question in status.questions:
            if question.id and question.id not in self._put:
                try:
                    row = self._ledger.row(question.id)
                except ChorusError:
                    # The holder reports problems of the ledger; the next attempt may succeed.
                    return None
                if row is not None and row.is_pending:
                    return row
        return None

    def put(self, row: Row, typed: Typed) -> None:
        """Show a request and ask for a decision; return when it is decided or the person skips it."""
        self._put.add(row.id)
        self._console.print()
        deciding.draw(named_card(self._state, row), self._console)
        questions = _questions(row)
        try:
            while not self._is_settled(row, questions, typed):
                pass
        except _Gone:
            click.echo(printable(f"{row.id[: deciding.SHORT_ID]}: {self._outcome(row)}"))
        except EOFError:
            self._skip(row)

    def _is_settled(self, row: Row, questions: list[Question], typed: Typed) -> bool:
        """Ask the person once; return whether there is nothing more to ask."""
        try:
            return self._choose(row, questions, typed) if questions else self._approve_or_deny(row, typed)
        except ChorusError as error:
            complain(str(error))
        except click.Abort:
            click.echo("\nnothing was done")
        return False

    def _outcome(self, row: Row) -> str:
        try:
            after = self._ledger.row(row.id)
            words = f": {deciding.outcome_of(after, self._state)}" if after is not None else ""
        except ChorusError:
            return "no longer pending"
        return f"{'answered elsewhere' if after is not None and after.decision else 'no longer pending'}{words}"

    def _skip(self, row: Row) -> bool:
        short = row.id[: deciding.SHORT_ID]
        click.echo(f"skipped; answer it with `chorus approve {short}`, `chorus deny {short}` or on the page")
        return True

    def _approve_or_deny(self, row: Row, typed: Typed) -> bool:
        """Ask whether to approve or deny."""
        line = _line(typed, _WITH_OFFERS if row.request.suggestions else _CHOICES)
        if (meant := _APPROVING.fullmatch(line)) is not None:
            chosen = [int(each) - 1 for each in re.findall(r"\d+", meant[1])]
            return self._approve(row, None, chosen)
        return self._deny_or_skip(row, line, typed)

    def _choose(self, row: Row, questions: list[Question], typed: Typed) -> bool:
        """Ask for the answer to each question, and show the answers before they are signed."""
        answers: dict[str, str] = {}
        for question in questions:
            for line in _listed(question):
                click.echo(line)
            answer = None
            while answer is None:
                line = _line(typed, _CHOOSE_SOME if question.multiSelect else _CHOOSE_ONE)
                if _is_deny_or_skip(line):
                    return self._deny_or_skip(row, line, typed)
                answer = _answer(question, line, typed)
            answers[question.question or ""] = answer
        text = json.dumps({**fields(row.request.input), "answers": answers}, ensure_ascii=False)
        return self._approve(row, text, [])

    def _deny_or_skip(self, row: Row, line: str, typed: Typed) -> bool:
        if line == "s":
            return self._skip(row)
        if line != "d" and not line.startswith("d "):
            return False
        message = line[2:].strip() or _line(typed, _WHY)
        return self._report(deciding.deny(self._ledger, row, message), "denied")

    def _approve(self, row: Row, text: str | None, suggestions: list[int]) -> bool:
        try:
            done, name = deciding.approve(
                self._ledger, self._state, row, text=text, suggestions=suggestions, is_seen=text is None
            )
        except KeyboardInterrupt as error:
            raise click.Abort from error
        return self._report(done, f"approved as {name}")

    def _report(self, done: Row | Refused, words: str) -> bool:
        if isinstance(done, Refused):
            complain(done.message)
            return done.kind not in ("unfit", "not_allowed")
        click.echo(printable(f"{done.id[: deciding.SHORT_ID]}: {words}"))
        return True


class _Gone(Exception):  # noqa: N818 - not an error
    """Nobody waits for the answer any more."""


def _line(typed: Typed, prompt: str) -> str:
    line = typed(prompt)
    if line is None:
        raise _Gone
    return line.strip()


def _is_deny_or_skip(line: str) -> bool:
    return line in ("s", "d") or line.startswith("d ")


def _questions(row: Row) -> list[Question]:
    """Return the questions of a request that only asks questions; empty for other tools and for ambiguous input."""
    if kind_of(row.request.tool) != "question" or has_repeated_names(row.request.input):
        return []
    try:
        asked = msgspec.json.decode(row.request.input, type=AskUserQuestion).questions or []
    except _REFUSALS:
        return []
    names = {each.question for each in asked}
    return asked if len(names) == len(asked) and all(names) else []


def _listed(question: Question) -> Iterator[str]:
    yield make_visible_line(question.question or "")
    for number, option in enumerate(question.options or [], 1):
        yield f"  {number}  {make_visible_line(option.label or '')}"
    yield f"  {len(question.options or []) + 1}  something else"


def _answer(question: Question, line: str, typed: Typed) -> str | None:
    """Return the answer that a typed line means; None if it is not an answer."""
    labels = [option.label or "" for option in question.options or []]
    if not _NUMBERS.fullmatch(line):
        # A person who usually approves with `a` did not mean it as an answer.
        return line if line not in ("", "a") else None
    numbers = list(dict.fromkeys(int(each) for each in line.split(",")))
    if not all(1 <= each <= len(labels) + 1 for each in numbers) or (len(numbers) > 1 and not question.multiSelect):
        complain(f"type a number from 1 to {len(labels) + 1}" + ("" if question.multiSelect else ", only one"))
        return None
    chosen = [labels[each - 1] for each in numbers if each <= len(labels)]
    if len(labels) + 1 in numbers:
        chosen.append(_line(typed, _OWN_WORDS))
    return ", ".join(each for each in chosen if each) or None
