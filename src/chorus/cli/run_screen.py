"""A run in the terminal: what is settled scrolls by, what goes on is drawn again below it, and a person may reply."""

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from chorus.cli import keyboard
from chorus.cli.commands.show import open_console
from chorus.cli.deciding import SHORT_ID
from chorus.cli.output import complain, printable
from chorus.cli.run_prompt import Prompting
from chorus.core.records.place import StreamId
from chorus.core.records.record import Record
from chorus.core.records.split import Splitter
from chorus.core.views.unfolding import LiveRows
from chorus.errors import ChorusError
from chorus.steer.approvals.model import Row
from chorus.steer.runs import messages
from chorus.steer.runs.attached import Attached, ended_error
from chorus.steer.runs.run_folders import Ending, RunFolder

if TYPE_CHECKING:
    from rich.console import RenderableType

_DRAW_AGAIN_S = 0.1
_SOON_S = 1.0
"""What is asked is put to the person when all that came before it is drawn, and no later than this."""
FAILED = 1


def print_records(attached: Attached) -> int:
    """The client's own lines on standard output, byte for byte; gives the exit code."""
    ending: Ending | None = None
    said: set[str] = set()
    for event in attached.events():
        match event:
            case messages.Line():
                sys.stdout.buffer.write(event.data)
                sys.stdout.buffer.flush()
            case messages.Status():
                said = _tell_questions(event, said)
            case messages.Ended():
                ending = event.ending
            case _:
                pass
    if ending and ending.words:
        complain(ending.words)
    return _code(ending)


def watch(folder: RunFolder, attached: Attached, *, talks: bool, replies: bool) -> int:
    """Draw a run until it ends or the person leaves it.

    Where it `talks` with a person at a terminal, what the agent asks is put to them; with `replies` they are also asked
    for the next message.
    """
    return _Watching(folder, attached, talks=talks, replies=replies).run()


class _Watching:
    def __init__(self, folder: RunFolder, attached: Attached, *, talks: bool, replies: bool) -> None:
        from rich.live import Live

        from chorus.core.views.terminal import Look, Terminal

        self._folder = folder
        self._attached = attached
        self._replies = replies
        self._console = open_console(None)
        self._terminal = Terminal(self._console, Look())
        self._live = Live(console=self._console, auto_refresh=False, transient=True, vertical_overflow="ellipsis")
        self._is_drawn = self._console.is_terminal
        self._unfolding: LiveRows | None = None
        self._splitter: Splitter | None = None
        self._session = ""
        self._status: messages.Status | None = None
        self._told_at = 0.0
        """When the status was told."""
        self._ending: Ending | None = None
        self._is_lost = False
        """Whether the holder is gone without a word."""
        run = folder.read() if talks else None
        self._prompting = Prompting(Path(run.state), self._console) if run is not None else None
        self._is_interrupted = False
        self._is_finishing = False
        """Whether it was told to end with its work."""
        self._is_changed = False
        self._drawn_at = 0.0
        self._said: set[str] = set()
        """Questions that were told where nothing is drawn."""

    def run(self) -> int:
        while True:
            try:
                question = self._watch()
                if question is not None and self._prompting is not None:
                    self._prompting.put(question, partial(self._typed, question.id))
                    continue
                if not self._is_over:
                    self._reply()
                    continue
            except KeyboardInterrupt:
                if self._interrupt():
                    continue
                return 130
            if self._ending is not None:
                return self._leave(self._ending)
            raise ended_error(self._folder)

    def _watch(self) -> Row | None:
        """Until it ends, waits for a message, or asks something: gives what it asks."""
        if self._is_drawn:
            self._live.start()
        try:
            while not self._is_over:
                is_quiet = not self._hear()
                if is_quiet or time.monotonic() - self._drawn_at > _DRAW_AGAIN_S:
                    self._draw()
                status = self._status
                if status is None or not (is_quiet or time.monotonic() - self._told_at > _SOON_S):
                    continue
                if (question := self._question_of(status)) is not None:
                    self._draw()
                    self._draw_beginnings()
                    return question
                if is_quiet and self._replies and _wants_reply(status):
                    return None
            self._draw(is_over=True)
            return None
        finally:
            if self._is_drawn:
                self._live.update("", refresh=True)
                self._live.stop()

    @property
    def _is_over(self) -> bool:
        return self._ending is not None or self._is_lost

    def _question_of(self, status: messages.Status) -> Row | None:
        return self._prompting.next_of(status) if self._prompting is not None else None

    def _waits_for_words(self, status: messages.Status | None) -> bool:
        return status is None or (_wants_reply(status) and self._question_of(status) is None)

    def _hear(self) -> bool:
        """Take what happens next, if it happens soon; gives whether something did."""
        try:
            event = self._attached.next(_DRAW_AGAIN_S)
        except TimeoutError:
            return False
        self._is_changed = True
        match event:
            case messages.Line():
                self._take(event)
            case messages.Status():
                self._status, self._told_at = event, time.monotonic()
                if not self._is_drawn:
                    self._said = _tell_questions(event, self._said)
            case messages.Ended():
                self._ending = event.ending
            case None:
                self._is_lost = True
            case _:
                pass
        return True

    def _typed(self, question: str, prompt: str) -> str | None:
        """The line that a person types; None when the question has its answer before that, `EOFError` for Ctrl-D."""
        # What was typed before it was asked is no answer to it.
        keyboard.drop()
        line = self._line(prompt, lambda status: status is not None and _asks(status, question))
        if line is None:
            keyboard.drop()
        return line

    def _line(self, prompt: str, is_wanted: Callable[[messages.Status | None], bool]) -> str | None:
        """The line that a person types while the run is heard; None as soon as nobody wants it, `EOFError` for Ctrl-D.

        Python's own `input` hears nothing, and misses a Ctrl-C that comes just before it begins to wait.
        """
        sys.stdout.write(prompt)
        sys.stdout.flush()
        while not self._is_over and is_wanted(self._status):
            try:
                line = keyboard.line()
            except EOFError:
                sys.stdout.write("\n")
                raise
            if line is not None:
                return line
            self._hear()
        sys.stdout.write("\n" if self._console.is_dumb_terminal else "\r\x1b[2K")
        return None

    def _take(self, line: messages.Line) -> None:
        if line.session != self._session or self._unfolding is None or self._splitter is None:
            self._draw(is_over=True)
            self._session = line.session
            self._unfolding = LiveRows(line.session)
            self._splitter = Splitter(StreamId(f"{line.session}/{line.stream}"), line.offset)
        for piece in self._splitter.feed(line.data):
            if isinstance(piece, Record):
                piece.seen_at = line.seen_at
                self._unfolding.feed(piece)

    def _draw(self, *, is_over: bool = False) -> None:
        if self._unfolding is None or not (self._is_changed or is_over):
            return
        self._is_changed = False
        self._drawn_at = time.monotonic()
        settled, rest = self._unfolding.rows(is_over=is_over)
        for row in settled:
            self._terminal.row(row)
        if self._is_drawn and not is_over:
            self._live.update(self._below(self._terminal.as_renderable(rest)), refresh=True)

    def _draw_beginnings(self) -> None:
        """What the agent said before it asked: the person who decides has it above the card."""
        for row in self._unfolding.beginnings() if self._unfolding else ():
            self._terminal.row(row)

    def _below(self, rows: "RenderableType") -> "RenderableType":
        from rich.console import Group
        from rich.text import Text

        return Group(rows, Text(""), *(Text(printable(line), style) for line, style in self._words()))

    def _words(self) -> list[tuple[str, str]]:
        """What stands below the rows, and how it looks."""
        status = self._status
        if status is None:
            return []
        lines = [(f"queued: {' '.join(text.split())[:100]}", "dim") for text in status.queued]
        lines += [(_question(each), "yellow") for each in status.questions]
        lines += [(f"not kept at present: {status.trouble}", "red")] if status.trouble else []
        lines += [(status.advice, "red")] if status.advice else []
        state = {"running": "working", "starting": "starting", "ending": "ending"}.get(status.state)
        return [*lines, (f"{state} · Ctrl-C interrupts", "dim")] if state else lines

    def _interrupt(self) -> bool:
        """Interrupt the turn; gives whether to go on watching. Twice in a row leaves the run to itself."""
        if self._is_interrupted or not self._replies:
            run = self._folder.read()
            if self._is_finishing:
                click.echo("it ends when its work is done", err=True)
            elif run is not None and run.is_once:
                click.echo(f"interrupted: the run is stopped; `chorus resume {run.session[:8]}` goes on", err=True)
            elif run is not None:
                click.echo(f"left to itself; `chorus attach {run.id}` watches it again", err=True)
            return False
        self._is_interrupted = True
        self._tell(messages.Interrupt())
        return True

    def _reply(self) -> None:
        try:
            text = self._line("❯ ", self._waits_for_words)
        except KeyboardInterrupt:
            click.echo()
            if self._is_interrupted:
                raise
            self._is_interrupted = True
            click.echo("Ctrl-C again leaves it to itself, Ctrl-D ends it", err=True)
            return
        except EOFError:
            self._tell(messages.Finish())
            self._is_finishing = True
            self._replies = False
            return
        self._is_interrupted = False
        if text is None:
            # It went on without this one: somebody else spoke to it, or it asks something.
            if begun := keyboard.take_begun().strip():
                complain(f"not sent: {begun}")
        elif text.strip():
            self._tell(messages.Send(text=text))
            self._status = None

    def _tell(self, command: messages.Send | messages.Finish | messages.Interrupt) -> None:
        try:
            self._attached.do(command)
        except ChorusError as error:
            # Where it has ended meanwhile, how is heard next.
            run = self._folder.read()
            if run is None or run.ending is None:
                complain(str(error))

    def _leave(self, ending: Ending) -> int:
        if ending.words:
            complain(ending.words)
        return _code(ending)


def _question(asked: messages.OpenRequest) -> str:
    name = asked.id[:SHORT_ID]
    words = " ".join(f"{asked.tool} {asked.description}".split())[:100]
    return f"waiting for you: {words}  ·  chorus approve {name}  ·  chorus deny {name}"


def _tell_questions(status: messages.Status, told: set[str]) -> set[str]:
    """Say on standard error what is asked, each question once; gives those that are open."""
    for asked in status.questions:
        if asked.id and asked.id not in told:
            complain(_question(asked))
    return {asked.id for asked in status.questions if asked.id}


def _asks(status: messages.Status, question: str) -> bool:
    return any(each.id == question for each in status.questions)


def _wants_reply(status: messages.Status) -> bool:
    return status.state == "idle" and not status.queued


def _code(ending: Ending | None) -> int:
    return FAILED if ending is None or ending.is_failure else 0
